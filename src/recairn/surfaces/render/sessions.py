"""Sessions, timelines, handoffs and staleness, as text and as JSON."""

from __future__ import annotations

from recairn.core.memory_text import kind_name
from recairn.core.record import as_dict
from recairn.core.times import age, iso
from recairn.core.words import one_line
from recairn.surfaces.render.json_objects import memory_json
from recairn.surfaces.render.text import doubts, headline, memories, styled, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.memory.staleness import Stale
    from recairn.store.work_rows import Session
    from recairn.work.handoff import Resumed
    from recairn.work.sessions import SessionContext, Timeline

_TIMES = ("started_at", "last_seen_at", "ended_at")
_LABELS = {"next_steps": "Next", "blockers": "Blocked by", "questions": "Open questions"}
# Files and commits a person wants to see before the next prompt.
_SHOWN = 10


def session_json(session: Session) -> dict[str, Any]:
    """The session object of the JSON contract."""
    return {
        name: iso(value) if name in _TIMES else dict(value) if name == "uses" else value
        for name, value in as_dict(session).items()
    }


def session_line(session: Session, now: int) -> str:
    """`s-42 (open, 3 memories, 5 minutes ago): summary`."""
    summary = f": {one_line(session.summary, 100)}" if session.summary else ""
    count = memories(session.memories)
    return f"{session.id} ({session.state}, {count}, {age(session.started_at, now)}){summary}"


def session_text(session: Session) -> str:
    """A session whole, a line for everything known about it."""
    uses = ", ".join(f"{count} {usage}" for usage, count in session.uses.items())
    listed = (
        ("State", session.state),
        ("Summary", session.summary),
        ("Project", session.project),
        ("Agent", session.agent),
        ("Directory", session.directory),
        ("Branch", session.branch),
        ("Started", iso(session.started_at)),
        ("Last Seen", iso(session.last_seen_at)),
        ("Ended", iso(session.ended_at)),
        ("Memories", f"{session.memories} ({uses})" if uses else "0"),
    )
    lines = [styled(f"Session {session.id}", "bold")]
    lines += [f"  {label}: {without_marks(value)}" for label, value in listed if value]
    return "\n".join(lines) + "\n"


def context_json(context: SessionContext | None) -> dict[str, Any] | None:
    """Which session had to do with a memory last, and how."""
    if context is None:
        return None
    return {
        "session": session_json(context.session),
        "memories_in_session": context.memories_in_session,
        "usage": context.usage,
        "at": iso(context.at),
    }


def context_line(context: SessionContext, now: int) -> str:
    """`recalled by s-42 (...), 5 minutes ago`."""
    line = session_line(context.session, now)
    return f"{context.usage} {age(context.at, now)} in {line}"


def chain_line(chain: Sequence[Sequence[Memory]]) -> str:
    """`#1 -> #2 -> #5`; what one memory replaced together stands side by side."""
    return " -> ".join(", ".join(f"#{memory.id}" for memory in generation) for generation in chain)


def timeline_json(timeline: Timeline) -> dict[str, Any]:
    def shown(memory: Memory) -> dict[str, Any]:
        latest = timeline.session_of.get(memory.id)
        return {**memory_json(memory), "latest_session": latest}

    return {
        "anchor": shown(timeline.anchor),
        "before": [shown(memory) for memory in timeline.before],
        "after": [shown(memory) for memory in timeline.after],
        "sessions": {name: session_json(session) for name, session in timeline.sessions.items()},
    }


def timeline_text(timeline: Timeline, now: int) -> str:
    """One line for each memory, oldest first, under the session it was made in."""
    lines: list[str] = []
    shown: str | None = ""
    for memory in (*timeline.before, timeline.anchor, *timeline.after):
        session = timeline.made_in.get(memory.id)
        if session != shown:
            named = "outside any session" if session is None else ""
            title = named or session_line(timeline.sessions[session or ""], now)
            lines.append(styled(title, "dim"))
            shown = session
        mark = ">" if memory.id == timeline.anchor.id else " "
        name = styled(f"#{memory.id}", "name")
        about = ", ".join([kind_name(memory), *doubts(memory, now)])
        lines.append(f"{mark} {iso(memory.created_at)}  {name} {about}")
        lines.append(f"      {headline(memory)}")
    return "\n".join(lines) + "\n"


def resumed_json(resumed: Resumed) -> dict[str, Any]:
    git = resumed.git
    return {
        "handoffs": [memory_json(handoff) for handoff in resumed.handoffs],
        "threads": {name: list(lines) for name, lines in resumed.threads.items()},
        "git": None
        if git is None
        else {
            "branch": git.branch,
            "commits_since": list(resumed.since),
            "uncommitted": list(git.files),
        },
        "unread": resumed.unread,
    }


def resumed_text(resumed: Resumed, now: int) -> str:
    """Where the last session stopped, what is open, and what happened since."""
    lines: list[str] = []
    for memory in resumed.handoffs:
        branch = memory.fields.get("branch")
        where = f", branch {one_line(branch, 80)}" if branch else ""
        lines.append(
            f"{styled(f'#{memory.id}', 'name')} handoff, {age(memory.updated_at, now)}{where}"
        )
        lines += [f"  {line}" for line in without_marks(memory.content).splitlines()]
        for name, label in _LABELS.items():
            threads = memory.fields.get(name, ())
            lines += [f"  {label}:"] if threads else []
            lines += [f"    - {one_line(without_marks(thread), 200)}" for thread in threads]
        files = memory.fields.get("files", ())
        lines += _listed("Files", files) if memory.source_type == "hook" else []
        lines.append("")
    git = resumed.git
    if git is not None:
        lines.append(f"On branch {one_line(git.branch, 80)}")
        lines += _listed("Commits since then", resumed.since) if resumed.handoffs else []
        lines += _listed("Not committed", git.files)
    return "\n".join(lines).rstrip("\n") + "\n"


def _listed(label: str, entries: Sequence[str]) -> list[str]:
    if not entries:
        return []
    more = len(entries) - _SHOWN
    shown = [f"    - {one_line(without_marks(entry), 120)}" for entry in entries[:_SHOWN]]
    return [f"  {label}:", *shown, *([f"    and {more} more"] if more > 0 else [])]


def stale_json(stale: Stale) -> dict[str, Any]:
    return {
        "id": stale.memory.id,
        "uid": stale.memory.uid,
        "content": stale.memory.content,
        "state": stale.state,
        "value": stale.value,
        "detail": stale.detail,
        "checked_at": iso(stale.checked_at),
    }


def stale_text(stale: Stale) -> str:
    """A memory, and what became of the things it names."""
    name = styled(f"#{stale.memory.id}", "name")
    return f"{name} {headline(stale.memory)}\n      {styled(stale.detail, 'dim')}\n"
