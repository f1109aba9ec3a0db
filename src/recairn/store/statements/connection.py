"""What the statements need of an engine's connection. Only type checkers import this module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class SqlConnection(Protocol):
    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of an answer."""

    def iterate(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a long answer, one after the other."""

    def row(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row, or None."""

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Runs a writing statement; the number of rows it changed."""

    def insert(self, sql: str, values: Sequence[Any]) -> int:
        """Runs an insert into a table that numbers its rows; the number of the new row."""

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]], *, kept: bool = False) -> None:
        """Runs a writing statement once for each row of values."""

    def unique(self, columns: str) -> str:
        """The columns of a unique key as `on conflict` names them, in parentheses."""

    def defer_references(self) -> None:
        """Until the transaction ends, a row may name another one that comes later."""
