"""Who asks: the machine of a member, known by the token it shows."""

from __future__ import annotations

from time import monotonic

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recairn.engine import Recairn

# Seconds for which a token that was looked up is not looked up again; so long one that was
# revoked may still count.
KEPT_S = 2.0
# Tokens that are remembered; more than a process answers within those seconds.
_MOST_KEPT = 4_096
# Milliseconds between two notes of when a machine was heard of.
_HOUR_MS = 3_600_000


@record
class Caller:
    """A member's machine. `projects` are those its token is for, None for all of the team."""

    member: str
    role: str
    device: str
    id: int
    projects: frozenset[str] | None

    def may_name(self, project: str) -> bool:
        """Whether its token is for a project."""
        return self.projects is None or project in self.projects


class Callers:
    """Looks tokens up, and remembers for a moment what was there."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._kept: dict[str, tuple[float, Caller]] = {}

    def kept(self, token: str) -> Caller | None:
        """Who showed a token a moment ago."""
        at, caller = self._kept.get(token, (0.0, None))
        return caller if caller is not None and self._clock() - at < KEPT_S else None

    def look_up(self, memory: Recairn, token: str) -> Caller | None:
        """Whose token it is; None for one that counts no longer, or never did."""
        row = memory.device_with(token)
        if row is None:
            self._kept.pop(token, None)
            return None
        projects = frozenset(row.projects.split("\n")) if row.projects else None
        caller = Caller(row.member, row.role, row.name, row.id, projects)
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[token] = self._clock(), caller
        memory.note_device(row, _HOUR_MS)
        return caller

    def forget(self, caller: Caller) -> None:
        """Looks its tokens up again, because one may have been revoked."""
        self._kept = {t: kept for t, kept in self._kept.items() if kept[1].id != caller.id}
