"""Which project a name or a folder stands for: in the ordinary case one statement, and no program.

A folder that no mark leads from is met for the first time (`first_meeting`).
docs/decisions/0015-projects-are-known-by-their-history.md has the reasons.
"""

from __future__ import annotations

from recairn.host.project import may_hold, one_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.host.project import Place
    from recairn.store.contract.base import Store
    from recairn.store.project_rows import KnownPlace


class Home:
    """A project, and the one it is a part of.

    `newcomer` is a place not yet written down as its own, `pending` a project's number whose first
    commit was not known, `notice` what to tell a person about how place and project came together.
    """

    __slots__ = ("name", "newcomer", "notice", "parent", "pending")

    def __init__(
        self,
        name: str,
        parent: str | None = None,
        *,
        newcomer: Place | None = None,
        pending: int | None = None,
        notice: str = "",
    ) -> None:
        self.name = name
        self.parent = parent
        self.newcomer = newcomer
        self.pending = pending
        self.notice = notice


def named_home(store: Store, name: str) -> Home:
    """The project of a name or of a former name; one that nobody bears yet is a new one."""
    name = one_name(name)
    row = store.project_named(name) if name else None
    return Home(name) if row is None else Home(row.name, row.parent)


def known_home(store: Store, place: Place) -> Home | None:
    """The project that a place is known to belong to."""
    rows = store.known_places(place.kind, place.keys)
    for key in place.keys if rows else ():
        own = [row for row in rows if row.value == key]
        if own and (key == place.keys[0] or may_hold(key)):
            return _part_of(own, place.inside(place.root if place.common else key))
    return None


def _part_of(rows: Sequence[KnownPlace], inside: str) -> Home:
    """The innermost part of the project that a way inside leads through, or the whole."""
    whole = rows[0]
    parts = [
        (len(row.folder), row.part)
        for row in rows
        if row.folder and row.part and f"{inside}/".startswith(f"{row.folder}/")
    ]
    pending = None if whole.state else whole.project
    if parts:
        return Home(max(parts)[1], whole.name, pending=pending)
    return Home(whole.name, pending=pending)
