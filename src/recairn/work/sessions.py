"""Sessions: one run of an agent, what it made and used, and what becomes of it at the end.

No daemon watches them: a session nobody ended counts as ended once it has been idle for long, and
that is computed whenever somebody looks.
"""

from __future__ import annotations

from recairn.core.errors import Ambiguous, BadOption, NotFound
from recairn.core.model import Act, decayed
from recairn.core.record import record
from recairn.core.times import HOUR
from recairn.memory.lookup import known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.core.model import Filter, Memory
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import Session

# A night between two working days is shorter, a lunch break much shorter.
IDLE_HOURS = 12.0
# ccmemory's figure: what is more salient than this at the end of its session outlives it.
PROMOTED_ABOVE = 0.7
USAGES = ("created", "recalled", "updated", "reinforced")
# Neighbours that a timeline shows on each side.
MAX_NEIGHBOURS = 200


@record
class SessionContext:
    """The latest session that had to do with a memory, and how it used it."""

    session: Session
    memories_in_session: int
    usage: str
    at: int


@record
class Timeline:
    """The memories around one, oldest first, and the sessions of all of them.

    `session_of` names the latest session that had to do with each memory, `made_in` the one in
    which it was made.
    """

    anchor: Memory
    before: tuple[Memory, ...]
    after: tuple[Memory, ...]
    sessions: Mapping[str, Session]
    session_of: Mapping[int, str]
    made_in: Mapping[int, str]


@record
class Ended:
    """An ended session, and what became of the memories only it could see."""

    session: Session
    promoted: tuple[int, ...]
    expired: tuple[int, ...]


def setting(store: Store, name: str, usual: float) -> float:
    """A number from the settings, or the usual one when it is not set or no number."""
    try:
        return float(store.config().get(name, usual))
    except ValueError:
        return usual


def idle_ms(store: Store) -> int:
    return int(setting(store, "session.idle_hours", IDLE_HOURS) * HOUR)


def sessions(
    store: Store,
    *,
    now: int,
    project: str | None = None,
    ids: Sequence[str] | None = None,
    limit: int = -1,
) -> list[Session]:
    """Sessions as they stand now, newest first."""
    idle = idle_ms(store)
    return [
        _as_it_stands(session, now, idle)
        for session in store.sessions(project=project, ids=ids, limit=limit)
    ]


def _as_it_stands(session: Session, now: int, idle: int) -> Session:
    if session.ended_at is None and session.last_seen_at + idle <= now:
        session = session._replace(ended_at=session.last_seen_at, state="idle")
    uses = {usage: session.uses[usage] for usage in USAGES if usage in session.uses}
    return session._replace(uses=uses)


def session_named(store: Store, reference: str, now: int) -> Session:
    """The session of that id, or of an id that begins so; NotFound or Ambiguous otherwise."""
    matches = store.find_sessions(reference)
    if not reference or not matches:
        raise NotFound(f"there is no session {reference!r}", "recairn session list")
    if len(matches) > 1:
        raise Ambiguous(f"{reference} fits {', '.join(matches)}", "give more letters")
    return sessions(store, now=now, ids=matches)[0]


def close_idle(store: Store, now: int, *, but: str) -> list[int]:
    """Ends the sessions that nobody ended, as of when they were last seen.

    Returns the memories that were promoted.
    """
    promoted: list[int] = []
    for session, last_seen in store.open_since(now - idle_ms(store)):
        if session != but:
            promoted += _let_go(store, session, now)[0]
            store.end_session(session, "", last_seen)
    return promoted


def end(store: Store, session: str, summary: str, act: Act) -> Ended:
    """Ends a session: what proved salient becomes the project's, the rest of its own expires."""
    with store.transaction():
        session_named(store, session, act.at)
        promoted, expired = _let_go(store, session, act.at)
        store.end_session(session, summary, act.at)
        return Ended(sessions(store, now=act.at, ids=[session])[0], promoted, expired)


def _let_go(store: Store, session: str, now: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Ids of the session-tier memories that were promoted, and of those that expired."""
    from recairn.memory.lifecycle import expire, promote

    enough = setting(store, "session.promote_above", PROMOTED_ABOVE)
    act = Act(now, session, "its session ended")
    promoted, expired = [], []
    for memory in store.of_session_tier(session, now):
        current = known_memory(store, memory)
        if current.pinned or decayed(current, now) > enough:
            promote(store, memory, act)
            promoted.append(memory)
        else:
            expire(store, memory, act)
            expired.append(memory)
    return tuple(promoted), tuple(expired)


def context_of(store: Store, memory: int, now: int) -> SessionContext | None:
    """The latest session that had to do with a memory; None when none had."""
    uses = store.session_uses([memory])
    if not uses:
        return None
    _, session, usage, at = uses[0]
    latest = sessions(store, now=now, ids=[session])[0]
    return SessionContext(latest, latest.memories, usage, at)


def timeline(store: Store, memory: int, seen: Filter, *, before: int, after: int) -> Timeline:
    """The memories of a project made just before and after one, with their sessions."""
    for name, count in (("before", before), ("after", after)):
        if not isinstance(count, int) or not 0 <= count <= MAX_NEIGHBOURS:
            raise BadOption(f"{name} must be between 0 and {MAX_NEIGHBOURS}, got {count!r}")
    anchor = known_memory(store, memory)
    sooner = store.neighbours(memory, seen, count=-before)[::-1] if before else []
    later = store.neighbours(memory, seen, count=after) if after else []
    shown = [*sooner, memory, *later]
    session_of: dict[int, str] = {}
    for member, used_by, _, _ in store.session_uses(shown):
        session_of.setdefault(member, used_by)
    memories = store.get_many(shown)
    made_in = {
        number: memory.session_id for number, memory in memories.items() if memory.session_id
    }
    wanted = {*session_of.values(), *made_in.values()}
    listed = {session.id: session for session in sessions(store, now=seen.now, ids=sorted(wanted))}
    return Timeline(
        anchor,
        tuple(memories[member] for member in sooner),
        tuple(memories[member] for member in later),
        listed,
        session_of,
        # A session that is known elsewhere alone has nothing to tell here.
        {number: session for number, session in made_in.items() if session in listed},
    )
