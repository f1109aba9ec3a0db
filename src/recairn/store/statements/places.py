"""Which project a place belongs to: one statement of every command."""

from __future__ import annotations

from recairn.host.project import FOLDER
from recairn.store.rows import KnownPlace
from recairn.store.statements.base import Statements, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.store.project_rows import ProjectRow

_PLACES = """
select m.value, m.state, p.id, p.name, part.folder, part.name
from project_marks m join projects p on p.id = m.project
left join projects part on part.parent = p.id
where m.kind = ? and m.value in ({values})
"""
PROJECT = """
select p.id, p.name, whole.name, p.folder, p.created_at
from projects p left join projects whole on whole.id = p.parent
"""


class PlaceStatements(Statements):
    """The part of a store that knows places."""

    def known_places(self, kind: str, values: Sequence[str]) -> list[KnownPlace]:
        """The marks of these that lead to a project, once for each part of it."""
        wanted = [*values]
        if kind == FOLDER:
            # Also as it is: a mark from before machines were told apart.
            wanted = list(dict.fromkeys((*map(self._here, values), *values)))
        rows = self._c.rows(_PLACES.format(values=marks(wanted)), (kind, *wanted))
        own = [row for row in rows if row[0] not in values]
        return [KnownPlace._make((self._path(row[0]), *row[1:])) for row in own or rows]

    def project_named(self, name: str) -> ProjectRow | None:
        """The project that bears a name, or bore it once."""
        row = self._c.row(
            f"{PROJECT} where p.name = ?"
            " or p.id = (select project from project_aliases where name = ?)"
            " order by case when p.name = ? then 0 else 1 end limit 1",
            (name, name, name),
        )
        if row is None:
            return None
        from recairn.store.project_rows import ProjectRow

        return ProjectRow._make(row)
