"""Projects: their names and marks, what belongs to them, and what was done to them."""

from __future__ import annotations

from recairn.host.project import FOLDER
from recairn.store.project_rows import ProjectChange, ProjectMark, ProjectRow
from recairn.store.statements.base import PROJECT, Statements, batches, from_json, marks, to_json
from recairn.store.statements.tallies import ALL_DAYS, FORGOTTEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# Tables that keep the name of a project, beside that of memories.
_OWNED = {
    "session": "sessions",
    "task": "tasks",
    "document": "documents",
    "injection": "injections",
    "query": "query_log",
    "miss": "search_failures",
}
# Those in which a name means that somebody works there; a log entry does not.
_SETTLED = ("memories", "sessions", "tasks", "documents")
# What is counted of them: neither what was forgotten nor the pieces of documents.
_LIVING = {"documents": " where deleted_at is null"}
_MEMORIES = (
    f"select project, sum(memories) from tallies where day = {ALL_DAYS}"
    f" and state <> '{FORGOTTEN}' and kind <> 'chunk' group by project"
)
_LAST_USES = """
select project, max(at) from (
    select t.project, (select max(m.created_at) from memories m where m.project = t.project) as at
    from (select distinct project from tallies where day = {day}) t
    union all select project, max(last_seen_at) from sessions group by project
) used where at is not null group by project
"""
_CHANGE = ("at", "event", "project", "details", "session_id")
# What was imported is known by its project, alone or with the name of a file behind it.
_ORIGINS = """
update imports set origin = ? || substr(origin, ?)
where (origin = ? or substr(origin, 1, ?) = ?) and not exists (
    select 1 from imports there where there.source = imports.source and there.key = imports.key
        and there.origin = ? || substr(imports.origin, ?)
) and (memory is null or memory in (select id from memories where project = ?))
"""


class ProjectStatements(Statements):
    """The part of a store that keeps projects."""

    def projects(self) -> list[ProjectRow]:
        """All of them, by name."""
        return [ProjectRow._make(row) for row in self._c.rows(f"{PROJECT} order by p.name")]

    def add_project(
        self, name: str, at: int, *, parent: int | None = None, folder: str = ""
    ) -> int:
        """Makes a project; its number. Its name is no alias any more."""
        self.drop_alias(name)
        return self._c.insert(
            "insert into projects(name, parent, folder, created_at) values (?, ?, ?, ?)",
            (name, parent, folder, at),
        )

    def rename_project(self, project: int, name: str) -> None:
        """Gives a project another name; what it was called is not kept."""
        self.drop_alias(name)
        self._c.run("update projects set name = ? where id = ?", (name, project))

    def drop_project(self, project: int) -> None:
        """Takes a project away with its marks, aliases and parts."""
        self._c.run("delete from projects where id = ?", (project,))

    def aliases(self, project: int) -> list[str]:
        """Names that lead to a project beside its own."""
        rows = self._c.rows(
            "select name from project_aliases where project = ? order by name", (project,)
        )
        return [row[0] for row in rows]

    def put_alias(self, name: str, project: int) -> None:
        """Lets a name lead to a project from now on."""
        self._c.run(
            "insert into project_aliases(name, project) values (?, ?)"
            f" on conflict {self._c.unique('name')} do update set project = excluded.project",
            (name, project),
        )

    def drop_alias(self, name: str) -> None:
        """Lets a name lead nowhere."""
        self._c.run("delete from project_aliases where name = ?", (name,))

    def marks_of(self, project: int) -> list[ProjectMark]:
        """What leads to a project, oldest first."""
        rows = self._c.rows(
            f"select {', '.join(ProjectMark._fields)} from project_marks where project = ?"
            " order by at, kind, value",
            (project,),
        )
        return [
            ProjectMark(kind, self._path(value), *rest) if kind == FOLDER else row
            for row in map(ProjectMark._make, rows)
            for kind, value, *rest in [row]
        ]

    def put_mark(self, mark: ProjectMark) -> None:
        """Lets a mark lead to a project from now on, whatever it led to before."""
        if mark.kind == FOLDER:
            mark = mark._replace(value=self._here(mark.value))
        self._c.run(
            f"insert into project_marks({', '.join(ProjectMark._fields)}) values (?, ?, ?, ?, ?)"
            f" on conflict {self._c.unique('kind, value')} do update set"
            " project = excluded.project, state = excluded.state",
            mark,
        )

    def adopt_parts(self, project: int, parent: int) -> None:
        """Makes the parts of a project those of another one."""
        self._c.run("update projects set parent = ? where parent = ?", (parent, project))

    # What belongs to them

    def is_name_in_use(self, name: str) -> bool:
        """Whether a memory, session, task or document bears the name of a project."""
        looks = [f"exists (select 1 from {table} where project = ?)" for table in _SETTLED]
        return bool(
            self._c.value(f"select case when {' or '.join(looks)} then 1 else 0 end", [name] * 4)
        )

    def project_counts(self) -> dict[str, dict[str, int]]:
        """How many living memories, and how many sessions, tasks and documents bear each name."""
        counts: dict[str, dict[str, int]] = {}
        for table in _SETTLED:
            counted = (
                f"select project, count(*) from {table}{_LIVING.get(table, '')} group by project"
            )
            for name, count in self._c.rows(_MEMORIES if table == "memories" else counted):
                if count:
                    counts.setdefault(name, {})[table] = int(count)
        return counts

    def last_uses(self) -> dict[str, int]:
        """Project → when something was last made or a session was last at work in it."""
        rows = self._c.rows(_LAST_USES.format(day=ALL_DAYS))
        return dict(rows)

    def memories_of(self, project: str) -> list[int]:
        """The memories that bear the name of a project, forgotten ones too."""
        rows = self._c.rows("select id from memories where project = ? order by id", (project,))
        return [row[0] for row in rows]

    def memories_by_branch(self, project: str) -> dict[str, list[int]]:
        """The living memories of a project that belong to a branch, by its name."""
        rows = self._c.rows(
            "select branch, id from memories where project = ? and branch <> ''"
            " and deleted_at is null and valid_until is null order by id",
            (project,),
        )
        by_branch: dict[str, list[int]] = {}
        for branch, memory in rows:
            by_branch.setdefault(branch, []).append(memory)
        return by_branch

    def records_of(self, project: str) -> dict[str, list[int | str]]:
        """Numbers of the sessions, tasks, documents and log entries that bear the name."""
        return {
            noun: [
                row[0]
                for row in self._c.rows(
                    f"select id from {table} where project = ? order by id", (project,)
                )
            ]
            for noun, table in _OWNED.items()
        }

    def move_records(self, records: Mapping[str, Sequence[int | str]], project: str) -> None:
        """Gives those of the records another project's name."""
        for noun, ids in records.items():
            for part in batches(ids):
                self._c.run(
                    f"update {_OWNED[noun]} set project = ? where id in ({marks(part)})",
                    (project, *part),
                )

    def move_origins(self, old: str, new: str) -> None:
        """Lets what memories of a project were imported from count for it under its new name."""
        after = len(old) + 1
        self._c.run(_ORIGINS, (new, after, old, after, f"{old}:", new, after, new))

    # What was done

    def add_project_change(self, change: Mapping[str, Any]) -> int:
        """Notes what was done: `at`, `event`, `project`, `details`, `session_id`; its number."""
        values = [change.get(name) for name in _CHANGE]
        values[_CHANGE.index("details")] = to_json(change.get("details"))
        return self._c.insert(
            f"insert into project_changes({', '.join(_CHANGE)}) values (?, ?, ?, ?, ?)", values
        )

    def project_changes(self) -> list[ProjectChange]:
        """What was done, newest first."""
        rows = self._c.rows(
            f"select {', '.join(ProjectChange._fields)} from project_changes order by id desc"
        )
        details = ProjectChange._fields.index("details")
        return [
            ProjectChange._make((*row[:details], from_json(row[details], {}), *row[details + 1 :]))
            for row in rows
        ]

    def note_undone(self, change: int, at: int) -> None:
        """Notes that a change was taken back."""
        self._c.run("update project_changes set undone_at = ? where id = ?", (at, change))
