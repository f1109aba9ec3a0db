"""What a store promises about questions, evidence and finished work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.store.work_rows import (
        CompactionRow,
        Evidence,
        Miss,
        QueryCount,
        SearchRow,
    )


class Logs(Protocol):
    """What was asked, what failed, what helped, and what work became."""

    def log_search(self, entry: Mapping[str, Any], used: Sequence[int]) -> None:
        """Appends to the query log, and counts and logs a use of each of those memories."""

    def question_for(self, memory: int, *, session: str | None, since: int) -> str:
        """The last logged question that found a memory, of this session if one did; "" for none."""

    def searches_in(self, session: str, since: int, until: int) -> list[SearchRow]:
        """The searches of a session between two times, oldest first."""

    def query_stats(self, by: str, since: int, limit: int) -> list[QueryCount]:
        """Queries since a time by query, tool or day, or "" for all in one.

        Most asked first; days come newest first.
        """

    def queries_before(self, at: int) -> int:
        """How many logged queries are older."""

    def drop_queries(self, before: int) -> int:
        """Removes older queries from the log; how many there were."""

    def add_failure(self, failure_type: str, entry: Mapping[str, Any]) -> int:
        """Records a search that failed its asker; its id."""

    def failures(self, failure_type: str, limit: int) -> list[Miss]:
        """The failed searches of a type, newest first."""

    def drop_failure(self, failure: int) -> bool:
        """Removes a failed search; whether there was one of that id."""

    def count_failures(self, failure_type: str) -> int:
        """How many failed searches of a type there are."""

    def add_feedback(self, memory: int, entry: Mapping[str, Any]) -> None:
        """Appends a piece of evidence, which the memory's newest event has counted."""

    def feedback(self, *, memory: int | None = None, task: str | None = None) -> list[Evidence]:
        """Evidence about a memory, because of a task, or all of it, oldest first."""

    def add_compaction(self, entry: Mapping[str, Any]) -> None:
        """Logs what tasks became: `at`, `task_ids`, `memories`, `summary`."""

    def compactions(self) -> list[CompactionRow]:
        """What finished tasks became, oldest first."""

    def note_exported(self, memories: Sequence[int], path: str) -> None:
        """Notes into which file learnings of compactions were written."""
