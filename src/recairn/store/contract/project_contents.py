"""What a store promises about what belongs to a project, and what was done to projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.store.project_rows import ProjectChange


class ProjectContents(Protocol):
    """What belongs to a project beside memories, and what was done to projects."""

    def is_name_in_use(self, name: str) -> bool:
        """Whether a memory, session, task or document bears the name of a project."""

    def project_counts(self) -> Mapping[str, Mapping[str, int]]:
        """How many living memories, and how many sessions, tasks and documents bear each name."""

    def last_uses(self) -> Mapping[str, int]:
        """Project → when something was last made or a session was last at work in it."""

    def memories_of(self, project: str) -> list[int]:
        """The memories that bear the name of a project, forgotten ones too."""

    def memories_by_branch(self, project: str) -> dict[str, list[int]]:
        """The living memories of a project that belong to a branch, by its name."""

    def records_of(self, project: str) -> dict[str, list[int | str]]:
        """Numbers of the sessions, tasks, documents and log entries that bear the name."""

    def move_records(self, records: Mapping[str, Sequence[int | str]], project: str) -> None:
        """Gives those of the records another project's name."""

    def move_origins(self, old: str, new: str) -> None:
        """Lets what memories of a project were imported from count for it under its new name."""

    def add_project_change(self, change: Mapping[str, Any]) -> int:
        """Notes what was done: `at`, `event`, `project`, `details`, `session_id`; its number."""

    def project_changes(self) -> list[ProjectChange]:
        """What was done, newest first."""

    def note_undone(self, change: int, at: int) -> None:
        """Notes that a change was taken back."""
