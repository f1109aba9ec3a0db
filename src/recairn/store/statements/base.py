"""What all statements share: the connection of their engine, and values as they bind them.

And what nearly every command asks first: settings, a place's project, who writes, which session.
What changes these lies with the settings, the projects, the history, the sessions and the tasks.
"""

from __future__ import annotations

from recairn.core.errors import StoreError
from recairn.host.project import FOLDER, author_here
from recairn.store.rows import KnownPlace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Protocol, TypeVar

    from recairn.host.trust import PersonalSettings
    from recairn.store.project_rows import ProjectRow
    from recairn.store.statements.connection import SqlConnection
    from recairn.store.work_rows import SeenSession

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


class Statements:
    """A part of a store; the engine's class that is made of such parts has the connection."""

    # Where all look-alike keys are read.
    _ALL_KEYS = "look_alikes"

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


def marks(values: Sequence[Any]) -> str:
    """`?, ?, ?` for as many values."""
    return ", ".join("?" * len(values))


def insertion(table: str, row: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """The insert of a row that is given by the names of its columns, and its values."""
    names = ", ".join(row)
    return f"insert into {table}({names}) values ({marks(list(row))})", list(row.values())


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
