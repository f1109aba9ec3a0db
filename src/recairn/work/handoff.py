"""Handoffs: what one session leaves for the next, and what happened to the checkout since."""

from __future__ import annotations

from recairn.core.model import TaskFilter
from recairn.core.record import record
from recairn.host.git import commits_since, state_of
from recairn.host.project import root_of
from recairn.work.session_notes import SNAPSHOT, says_it_ended, task_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Filter, Memory
    from recairn.host.git import GitState
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import Session

# What is still open, in the words of the handoff's own fields.
THREADS = ("next_steps", "blockers", "questions")
# Handoffs looked through for new ones.
_MANY = 1000


@record
class Resumed:
    """Where the last session stopped, and where the checkout stands now.

    `unread` counts the handoffs this reader has not been shown as new.
    """

    handoffs: tuple[Memory, ...]
    threads: Mapping[str, tuple[str, ...]]
    git: GitState | None
    since: tuple[str, ...]
    unread: int


def with_git_state(fields: Mapping[str, Any], root: str | None) -> dict[str, Any]:
    """The fields of a handoff, completed by branch, newest commits and uncommitted files."""
    state = None if root is None else state_of(root)
    if state is None:
        return dict(fields)
    checkout = {"branch": state.branch, "commits": list(state.commits), "files": list(state.files)}
    return {**{name: value for name, value in checkout.items() if value}, **fields}


def stream_of(project: str) -> str:
    """What readers read of a project's handoffs."""
    return f"handoffs {project}"


def resume(
    store: Store, filter: Filter, *, reader: str, root: str | None, which: str, now: int
) -> Resumed:
    """The last handoff, or `which` new or all of them, oldest first.

    Those given out as new are not new to this reader again.
    """
    handoffs = store.listing(filter, order="newest", limit=_MANY)
    stream = stream_of(filter.project or "")
    read = store.read_position(reader, stream)
    unread = [handoff for handoff in handoffs if handoff.id > read]
    newest = latest(handoffs, store, root)
    chosen = {"last": [newest] if newest else [], "new": unread[::-1], "all": handoffs[::-1]}[which]
    if which == "new" and unread and not store.read_only:
        with store.transaction():
            store.move_reader(reader, stream, max(handoff.id for handoff in unread), now)
    last = chosen[-1] if chosen else None
    threads = {} if last is None else {name: tuple(last.fields.get(name, ())) for name in THREADS}
    state = None if root is None else state_of(root)
    since: tuple[str, ...] = ()
    if last is not None and root is not None and state is not None:
        since = commits_since(root, last.updated_at)
    return Resumed(tuple(chosen), threads, state, since, len(unread))


def latest(handoffs: Sequence[Memory], store: Store, root: str | None) -> Memory | None:
    """The handoff written last: of several, one that this checkout left before those of others.

    Worktrees are one project, and in each of them somebody may be at work on something else.
    """
    ordered = sorted(handoffs, key=lambda handoff: (handoff.updated_at, handoff.id), reverse=True)
    if len(ordered) > 1:
        rows = sessions_of(ordered, store)
        for handoff in ordered:
            row = rows.get(handoff.id)
            if row is None or is_in(row, root):
                return handoff
    return ordered[0] if ordered else None


def is_in(session: Session, root: str | None) -> bool:
    """Whether a session was at work in this checkout, or in a folder that nobody knows of."""
    return not session.directory or root_of(session.directory) == root


def since_then(handoff: Memory, store: Store) -> tuple[str, ...]:
    """What became, since it was left, of that which a handoff tells of: short notes."""
    notes = []
    row = sessions_of([handoff], store).get(handoff.id)
    if row is not None and row.ended_at is None and says_it_ended(handoff.content):
        notes.append("that session goes on since")
    named = task_in(handoff.content) if row is not None else ""
    task = next(iter(store.tasks(TaskFilter(ids=(named,)))), None) if named else None
    if task is not None and task.status == "done":
        notes.append(f"task {task.id} is done since")
    return tuple(notes)


def sessions_of(handoffs: Sequence[Memory], store: Store) -> dict[int, Session]:
    """Handoff → the session that has left it by itself; only those that are known here."""
    ids = {
        handoff.id: handoff.source_ref.removeprefix(SNAPSHOT)
        for handoff in handoffs
        if handoff.source_ref.startswith(SNAPSHOT)
    }
    if not ids:
        return {}
    rows = {row.id: row for row in store.sessions(ids=sorted({*ids.values()}))}
    return {number: rows[session] for number, session in ids.items() if session in rows}
