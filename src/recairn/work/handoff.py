"""Handoffs: what one session leaves for the next, and what happened to the checkout since."""

from __future__ import annotations

from recairn.core.record import record
from recairn.host.git import commits_since, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.core.model import Filter, Memory
    from recairn.host.git import GitState
    from recairn.store.contract.base import Store

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
    chosen = {"last": handoffs[:1], "new": unread, "all": handoffs}[which][::-1]
    if which == "new" and unread and not store.read_only:
        with store.transaction():
            store.move_reader(reader, stream, max(handoff.id for handoff in unread), now)
    last = chosen[-1] if chosen else None
    threads = {} if last is None else {name: tuple(last.fields.get(name, ())) for name in THREADS}
    state = None if root is None else state_of(root)
    since: tuple[str, ...] = ()
    if last is not None and root is not None and state is not None:
        since = commits_since(root, last.created_at)
    return Resumed(tuple(chosen), threads, state, since, len(unread))
