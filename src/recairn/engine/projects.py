"""The engine's way of looking after projects."""

from __future__ import annotations

import os

from recairn.engine.base import MIRRORS
from recairn.engine.remember import Writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from recairn.memory.undo import Undone
    from recairn.store.project_rows import ProjectChange
    from recairn.work.projects import Project, ProjectMove

    T = TypeVar("T")

# What can be taken back; that a checkout took over a name moved nothing.
UNDOABLE = ("renamed", "merged", "split", "added")


class Projects(Writing):
    """Which projects there are, and renaming, joining and parting them."""

    if TYPE_CHECKING:  # a part of the engine that is loaded when it is called

        def _counted(self, what: Any, count: Callable[[], T]) -> T: ...

    def projects(self) -> list[Project]:
        """All projects, with what is kept in each and what leads there; most memories first."""
        from recairn.work.projects import project_list

        self.settle()
        return list(self._counted("projects", lambda: project_list(self.store)))

    def project_info(self, name: str | None = None) -> Project:
        """One project, by a name or a former name; without one, that of this memory."""
        from recairn.core.errors import NotFound
        from recairn.work.projects import project_list

        self.settle()
        wanted = self._home(name).name
        for project in project_list(self.store):
            if project.name == wanted:
                return project
        raise NotFound(
            f"nothing is remembered in a project {wanted} yet", "recairn project list shows them"
        )

    def project_changes(self) -> list[ProjectChange]:
        """What was done to projects, newest first; `undo(change=ID)` takes it back."""
        return self.store.project_changes()

    def rename_project(self, new: str, name: str | None = None) -> ProjectMove:
        """Gives a project, by default this one, another name; the old one goes on working."""
        from recairn.work.projects import rename

        self.settle()
        self._move_in()
        with self.store.transaction():
            return self._noted(rename(self.store, name or self.project, new, self._act()))

    def merge_project(self, source: str, into: str | None = None) -> ProjectMove:
        """Makes one project out of two: what was `source`'s is then of the other, by default this.

        Its names, checkouts and folders lead there from then on.
        """
        from recairn.work.projects import merge

        self.settle()
        self._move_in()
        with self.store.transaction():
            return self._noted(merge(self.store, source, into or self.project, self._act()))

    def split_project(self, name: str | None = None) -> ProjectMove:
        """Makes the checkout or folder around the working directory a project of its own.

        What sessions made in it goes along; the rest stays. Other clones stay, too.
        """
        from recairn.host.project import place_of
        from recairn.work.projects import split

        self.settle()
        with self.store.transaction():
            return self._noted(split(self.store, place_of(os.getcwd()), name, self._act()))

    def add_project(self, name: str, folder: str) -> ProjectMove:
        """Makes a folder of this project, told from its root, a project that is a part of it."""
        from recairn.work.projects import add_part

        self.settle()
        self._move_in()
        with self.store.transaction():
            return self._noted(add_part(self.store, self.project, name, folder, self._act()))

    def _noted(self, change: dict[str, Any]) -> ProjectMove:
        """Writes down what was done, and lets settings and vectors follow."""
        from recairn.work.projects import ProjectMove

        details, act = change["details"], self._act()
        old, new = change["project"], details["to"]
        if change["event"] in ("renamed", "merged"):
            details["settings"] = self._moved_settings(old, new)
        number = self.store.add_project_change({**change, "at": act.at, "session_id": act.session})
        moved = details.get("memories", [])
        self._follow(moved)
        if self.project == old and change["event"] in ("renamed", "merged", "split"):
            self.project, self.parent = new, self._home(new).parent
        tasks = details.get("records", {}).get("task", [])
        return ProjectMove(number, change["event"], old, new, len(moved), len(tasks))

    def _undo_change(self, number: int, *, dry_run: bool) -> list[Undone]:
        """Takes back one change of projects; NotFound or Refused where that cannot be."""
        from recairn.core.errors import NotFound, Refused

        with self.store.transaction():
            change = next((row for row in self.project_changes() if row.id == number), None)
            if change is None:
                raise NotFound(f"there is no change {number} of projects", "recairn project show")
            if change.undone_at is not None or change.event not in UNDOABLE:
                raise Refused(
                    f"nothing is left to take back of change {number}", "recairn project show"
                )
            if not dry_run:
                self._take_back_change(change)
        return [_undone(change)]

    def _undo_changes(self, meant: Mapping[str, Any], *, dry_run: bool) -> list[Undone]:
        """The same for what a session did to projects, or was done since a time."""
        since, session = meant["since"], meant["session"]
        if since is None and session is None:
            return []
        chosen = [
            change
            for change in self.project_changes()
            if change.undone_at is None
            and change.event in UNDOABLE
            and (since is None or change.at >= since)
            and (session is None or change.session_id == session)
            and meant["project"] in (None, change.project, change.details["to"])
        ]
        for change in () if dry_run else chosen:
            self._take_back_change(change)
        return [_undone(change) for change in chosen]

    def _take_back_change(self, change: ProjectChange) -> None:
        """Takes a change of projects back; in the caller's transaction."""
        from recairn.work.projects import take_back

        details, act = change.details, self._act()
        before = set(self.store.memories_of(details["to"]))
        take_back(self.store, change.event, change.project, details, act)
        config = self.store.config()
        for key, (old, new) in details.get("settings", {}).items():
            if config.get(key) == new:
                self.store.set_config(key, old, act.at)
        self.store.note_undone(change.id, act.at)
        self._follow(sorted(before - set(self.store.memories_of(details["to"]))))
        if self.project == details["to"] and self.store.project_named(self.project) is None:
            self.project, self.parent = change.project, self._home(change.project).parent

    def _follow(self, memories: Sequence[int]) -> None:
        """Vectors lie by who sees them."""
        for memory in self.store.get_many(memories).values():
            self.meaning.renew(memory, now=self._clock())

    def _moved_settings(self, old: str, new: str) -> dict[str, tuple[str | None, str | None]]:
        """Gives settings of a project to another one; what each was and is."""
        config, at = self.store.config(), self._clock()
        changes = {
            key: (config.get(key), value)
            for key, value in _settings_under(config, old, new).items()
            if config.get(key) != value
        }
        for key, (_, value) in changes.items():
            self.store.set_config(key, value, at)
        return changes


def _undone(change: ProjectChange) -> Undone:
    from recairn.memory.undo import Undone

    to = change.details["to"]
    words = {"renamed": f"renamed to {to}", "merged": f"merged into {to}", "split": f"lost {to}"}
    became = words.get(change.event, f"got the part {to}")
    return Undone(change.id, None, f"project {change.project} {became}")


def _settings_under(config: Mapping[str, str], old: str, new: str) -> dict[str, str | None]:
    """What the settings that name a project become when it is called otherwise."""
    from json import dumps, loads

    from recairn.engine.documents import FOLDERS
    from recairn.recall.pinned_files import FILES

    changes: dict[str, str | None] = {}
    for key, value in config.items():
        if key == FILES + old:
            lines = dict.fromkeys([*config.get(FILES + new, "").splitlines(), *value.splitlines()])
            changes.update({key: None, FILES + new: "\n".join(lines)})
        elif key.startswith(f"{old}/"):
            own = new + key.removeprefix(old)
            changes.update({key: None, own: config.get(own, value)})
    try:
        folders = loads(config.get(FOLDERS, "[]"))
        if any(project == old for project, _ in folders):
            renamed = [[new if project == old else project, path] for project, path in folders]
            changes[FOLDERS] = dumps(renamed)
        mirrors = loads(config.get(MIRRORS, "{}"))
        if old in mirrors.values():
            changes[MIRRORS] = dumps(
                {path: new if project == old else project for path, project in mirrors.items()}
            )
    except (ValueError, TypeError, AttributeError):
        return changes  # what is no list of ours is nobody's to change
    return changes
