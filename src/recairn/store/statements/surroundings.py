"""What nearly every command asks first: settings, a place's project, who writes, which session.

What changes these lies with the settings, the projects, the history, the sessions and the tasks.
"""

from __future__ import annotations

from recairn.host.project import FOLDER, author_here
from recairn.store.rows import KnownPlace
from recairn.store.statements.base import Statements, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.host.trust import PersonalSettings
    from recairn.store.project_rows import ProjectRow
    from recairn.store.work_rows import SeenSession

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


class SurroundingStatements(Statements):
    """The part of a store that knows where somebody stands."""

    author: str
    # What a person set elsewhere for this database; then nothing of the kind counts that is in it.
    personal: PersonalSettings | None = None

    def config(self) -> dict[str, str]:
        """All settings."""
        kept = dict(self._c.rows("select key, value from config order by key"))
        return kept if self.personal is None else self.personal.over(kept)

    def writer(self) -> str:
        """Who writes through this store: who was named, else who types in this environment."""
        if not self.author:
            self.author = author_here()
        return self.author

    def current_session(self, place: str) -> SeenSession | None:
        """The session that a place is in, unless it was ended."""
        row = self._c.row(
            "select s.id, s.last_seen_at from current_sessions c join sessions s"
            " on s.id = c.session_id where c.place = ? and s.ended_at is null",
            (self._here(place),),
        )
        if row is None:
            return None
        from recairn.store.work_rows import SeenSession

        return SeenSession._make(row)

    def current_task(self, place: str) -> str | None:
        """The task a place is at work on."""
        row = self._c.row("select task_id from current_tasks where place = ?", (self._here(place),))
        return None if row is None else str(row[0])

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
