"""What a store promises about projects: names, marks of places, and moving what belongs to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.store.project_rows import ProjectMark, ProjectRow
    from recairn.store.rows import KnownPlace


class Places(Protocol):
    """Which project a place belongs to, and what a name stands for: asked with every command."""

    def known_places(self, kind: str, values: Sequence[str]) -> list[KnownPlace]:
        """The marks of these that lead to a project, once for each part of it."""

    def project_named(self, name: str) -> ProjectRow | None:
        """The project that bears a name, or bore it once."""


class Projects(Protocol):
    """Projects, their names and marks."""

    def projects(self) -> list[ProjectRow]:
        """All of them, by name."""

    def add_project(
        self, name: str, at: int, *, parent: int | None = None, folder: str = ""
    ) -> int:
        """Makes a project; its number. Its name is no alias any more."""

    def rename_project(self, project: int, name: str) -> None:
        """Gives a project another name; what it was called is not kept."""

    def drop_project(self, project: int) -> None:
        """Takes a project away with its marks, aliases and parts."""

    def aliases(self, project: int) -> list[str]:
        """Names that lead to a project beside its own."""

    def put_alias(self, name: str, project: int) -> None:
        """Lets a name lead to a project from now on."""

    def drop_alias(self, name: str) -> None:
        """Lets a name lead nowhere."""

    def marks_of(self, project: int) -> list[ProjectMark]:
        """What leads to a project, oldest first."""

    def put_mark(self, mark: ProjectMark) -> None:
        """Lets a mark lead to a project from now on, whatever it led to before."""

    def adopt_parts(self, project: int, parent: int) -> None:
        """Makes the parts of a project those of another one."""
