"""Which project a name or a folder stands for: in the ordinary case one statement, and no program.

A folder that no mark leads from is met for the first time (`first_meeting`).
docs/decisions/0016-projects-are-known-by-their-history.md has the reasons.
"""

from __future__ import annotations

from recairn.host.project import may_hold, one_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.host.project import Place
    from recairn.store.contract.base import Store


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
        notice: str = "",
    ) -> None:
        self.name = name
        self.parent = parent
        self.newcomer = newcomer
        self.pending: int | None = None
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
            inside = place.inside(place.root if place.common else key)
            parts = [(row.folder, row.part) for row in own if row.folder and row.part]
            home = part_or_whole(own[0].name, parts, inside)
            home.pending = None if own[0].state else own[0].project
            return home
    return None


def part_or_whole(whole: str, parts: Sequence[tuple[str, str]], inside: str) -> Home:
    """The innermost of the parts, by folder and name, that a way inside leads through, or all."""
    through = [
        (len(folder), name) for folder, name in parts if f"{inside}/".startswith(f"{folder}/")
    ]
    return Home(max(through)[1], whole) if through else Home(whole)
