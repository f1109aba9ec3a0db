"""What all statements share: the connection of their engine, and values as they bind them."""

from __future__ import annotations

from recairn.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Any, Protocol, TypeVar

    from recairn.store.statements.connection import SqlConnection

    T = TypeVar("T")

    class Transactions(Protocol):
        """A connection that begins and ends them."""

        def begin(self) -> None: ...

        def finish(self, *, commit: bool) -> None: ...

    class Flushing(Protocol):
        """A connection that can put off flushing, and wait less."""

        def relax(self, patience_s: float) -> None: ...

        def insist(self) -> None: ...


# Engines take some 32,000 bound values in a statement; stay well below.
_BATCH = 500
# Rows where a listing is to have no end.
_NO_LIMIT = 2**62
_LISTS = (list, tuple)


class Statements:
    """A part of a store; the engine's class that is made of such parts has the connection."""

    if TYPE_CHECKING:
        damaged: set[int]

        @property
        def _c(self) -> SqlConnection: ...

    def _here(self, path: str) -> str:
        """A place of this machine, as a store tells it from one of another machine."""
        return path

    def _path(self, place: str) -> str:
        """The other way round; what is another machine's stays as it is."""
        return place


def marks(values: Sequence[Any]) -> str:
    """`?, ?, ?` for as many values."""
    return ", ".join("?" * len(values))


def batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in parts that a statement can bind."""
    for start in range(0, len(values), _BATCH):
        yield values[start : start + _BATCH]


def limit_of(limit: int) -> int:
    """A limit as a statement takes it; below zero there is none."""
    return limit if limit >= 0 else _NO_LIMIT


def from_json(text: str, nothing: Any) -> Any:
    """The value a text stands for; most are empty and need no parser.

    A flipped bit must not keep the rest from being read: then it is `nothing`, which also says
    whether an object or a list is meant. `verify` names the row.
    """
    if text == "{}" and nothing == {}:
        return nothing
    from recairn.core.fastjson import loads

    try:
        value = loads(text)
    except (ValueError, TypeError, AttributeError):
        return nothing
    return value if isinstance(value, type(nothing)) else nothing


def to_json(value: Any) -> str:
    if not value:
        return "[]" if isinstance(value, _LISTS) else "{}"
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Transaction:
    """From begin to commit; nested ones join the outermost."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Transactions) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.begin()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.finish(commit=kind is None)


class Bookkeeping:
    """Writes inside give way to others and are not flushed; afterwards all is strict again."""

    __slots__ = ("_connection", "_patience_s")

    def __init__(self, connection: Flushing, patience_s: float) -> None:
        self._connection = connection
        self._patience_s = patience_s

    def __enter__(self) -> None:
        self._connection.relax(self._patience_s)

    def __exit__(self, *_: object) -> None:
        self._connection.insist()


def half_done(place: str) -> StoreError:
    """What is said where a part of a change failed."""
    return StoreError(f"{place}: a part of the change failed, so all of it was undone", "try again")
