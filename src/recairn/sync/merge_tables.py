"""What belongs to memories taken in with them: history, links, sessions, tasks, logs, settings.

Each record is checked against its shape, named texts are cleaned as at the write door, uids become
this database's numbers, and a record that is known already is left alone.
"""

from __future__ import annotations

from recairn.core.draft import MAX_CONTENT, Cleaner
from recairn.core.errors import BadInput
from recairn.core.kinds import RELATIONS
from recairn.core.model import Edge
from recairn.core.words import with_article
from recairn.store.tables import GO_WITH_MEMORY, SHAPES
from recairn.sync.record_format import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from recairn.store.contract.base import Store
    from recairn.store.tables import Column, Shape

    Told = tuple[str, Mapping[str, Any]]

    class Problems(Protocol):
        problems: list[str]

    class Named(Protocol):
        """Who knows the memories that records name: by uid, or as a source calls them."""

        @property
        def store(self) -> Store: ...
        @property
        def done(self) -> Problems: ...
        @property
        def known_before(self) -> frozenset[str]: ...
        @property
        def destroyed(self) -> Collection[int]: ...
        def number_of(self, name: str) -> int | None: ...


# The shape of links: they are taken in by what was said last (`arrivinglinks`).
LINK = "edge"
# Levels of lists and objects inside one JSON value.
_DEEPEST = 20
# Kept with a memory when it is new here; a known one has a history of its own.
_OF_NEW_MEMORIES = ("event", "staleness")


class Belongings:
    """The records of one import that are not memories."""

    def __init__(self, arrivals: Named, allow: Sequence[str] = ()) -> None:
        self._arrivals = arrivals
        self._store = arrivals.store
        self._clean = Cleaner(allow)
        # For each shape: the number or name elsewhere, and the one here.
        self._known: dict[str, dict[Any, Any]] = {}
        self.added: dict[str, int] = {}

    def take(self, told: Mapping[str, Sequence[Told]]) -> None:
        """Takes records in, by the names of their shapes; each with the place it came from."""
        for shape in SHAPES:
            if shape.name != LINK:
                self._take_shape(shape, told.get(shape.name, ()))

    def links(self, told: Sequence[Told]) -> list[tuple[str, Edge]]:
        """The links that records tell of, each with the place it came from."""
        shape = next(each for each in SHAPES if each.name == LINK)
        rows = [(place, self._row(shape, place, record)) for place, record in told]
        return [(place, Edge(**row)) for place, row in rows if row is not None]

    def _take_shape(self, shape: Shape, told: Sequence[Told]) -> None:
        if not told:
            return
        here = self._directory(shape)
        present = self._store.known_records(shape)
        taken = [number for listed in present.values() for number in listed]
        numbers = Numbers(taken, [record.get(shape.number) for _, record in told])
        seen: set[Any] = set()
        rows = []
        for place, record in self._in_order(shape, told):
            row = self._row(shape, place, record)
            if row is None:
                continue
            key = tuple(row[name] for name in shape.key)
            same = (row.get(shape.number), key)
            if same in seen:
                continue
            if present.get(key):
                number = present[key].pop(0)
            else:
                if shape.number:
                    row[shape.number] = numbers.free(row[shape.number])
                number = row.get(shape.number, 0)
                rows.append(tuple(row.values()))
            seen.add(same)
            here[record.get(shape.number or shape.key[0])] = number or key[0]
        self._store.put_records(shape, rows)
        self.added[shape.name] = len(rows)

    def _directory(self, shape: Shape) -> dict[Any, Any]:
        """What records elsewhere are called here; names are the same everywhere."""
        if shape.name not in self._known:
            named = not shape.number and len(shape.key) == 1
            present = self._store.known_records(shape) if named else {}
            self._known[shape.name] = {key[0]: key[0] for key in present}
        return self._known[shape.name]

    def _in_order(self, shape: Shape, told: Sequence[Told]) -> list[Told]:
        """The records to look at; a task after its parent."""
        if shape.name in _OF_NEW_MEMORIES:
            known = self._arrivals.known_before
            return [each for each in told if each[1].get("memory") not in known]
        if shape.name != "task":
            return list(told)
        waiting = {str(record.get("id")): (place, record) for place, record in told}
        ordered: dict[str, Told] = {}
        for task in waiting:
            line: list[str] = []
            while task in waiting and task not in ordered and task not in line:
                line.append(task)
                task = str(waiting[task][1].get("parent_id"))
            ordered.update((each, waiting[each]) for each in reversed(line))
        return list(ordered.values())

    def _row(self, shape: Shape, place: str, record: Mapping[str, Any]) -> dict[str, Any] | None:
        try:
            unknown = set(record) - {each.name for each in shape.columns} - {"type"}
            if unknown:
                raise BadInput(f"{with_article(shape.name)} record has no field {min(unknown)!r}")
            row = {
                each.name: self._value(shape, each, record.get(each.name)) for each in shape.columns
            }
            if shape.name == LINK and record["relation"] not in RELATIONS:
                raise BadInput(f"{str(record['relation'])[:40]!r} is no relation")
            return None if self._is_gone(shape, row) else row
        except BadInput as error:
            self._arrivals.done.problems.append(f"{place}: {error.message}")
            return None

    def _is_gone(self, shape: Shape, row: Mapping[str, Any]) -> bool:
        """Whether a record went with a memory that was destroyed here."""
        return shape.name in GO_WITH_MEMORY and any(
            each.holds == "memory" and row[each.name] in self._arrivals.destroyed
            for each in shape.columns
        )

    def _value(self, shape: Shape, column: Column, value: Any) -> Any:
        if value is None:
            if column.may_lack or column.holds == "number":
                return None
            raise BadInput(f"{with_article(shape.name)} record needs {column.name}")
        if column.holds == "text":
            return self._clean.text(column.name, value)
        if column.holds in ("int", "real", "number"):
            return _amount(column, value)
        if column.holds == "time":
            return moment(column.name, value)
        if column.holds == "memory":
            number = self._memory(column.name, value)
            lost = column.may_lack and number in self._arrivals.destroyed
            return None if lost else number
        if column.holds == "memories":
            return self._memories(column.name, value)
        if column.holds == "json":
            return self._json(shape, column.name, value)
        shape_named = next(each for each in SHAPES if each.name == column.holds)
        found = self._directory(shape_named).get(value) if _hashable(value) else None
        if found is None and not column.may_lack:
            raise BadInput(f"there is no {column.holds} {str(value)[:40]!r}")
        return found

    def _memory(self, name: str, value: Any) -> int:
        number = self._arrivals.number_of(value) if isinstance(value, str) else None
        if number is None:
            raise BadInput(f"{name}: there is no memory {str(value)[:40]!r}")
        return number

    def _memories(self, name: str, value: Any) -> str:
        if not isinstance(value, list):
            raise BadInput(f"{name} must be a list")
        found = [self._arrivals.number_of(each) for each in value if isinstance(each, str)]
        return "[" + ",".join(str(each) for each in found if each is not None) + "]"

    def _json(self, shape: Shape, name: str, value: Any) -> str:
        from json import dumps

        clean = self._cleaned(name, value, 0)
        if shape.name == "event":
            clean = self._named(clean)
        return dumps(clean, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def _cleaned(self, name: str, value: Any, depth: int) -> Any:
        """A JSON value with every text in it cleaned and redacted."""
        if depth > _DEEPEST:
            raise BadInput(f"{name} is nested more than {_DEEPEST} deep")
        if isinstance(value, str):
            return self._clean.text(name, value, 2 * MAX_CONTENT)
        if isinstance(value, list):
            return [self._cleaned(name, each, depth + 1) for each in value]
        if isinstance(value, dict):
            return {
                self._clean.text(name, key): self._cleaned(name, each, depth + 1)
                for key, each in value.items()
            }
        if isinstance(value, float) and value - value != 0.0:
            raise BadInput(f"{name} holds a number that is none")
        return value

    def _named(self, change: Any) -> Any:
        """What an event says changed, with this database's numbers for uids."""
        if not isinstance(change, dict):
            raise BadInput("before and after must be objects")
        if change.get("superseded_by") is not None:
            change["superseded_by"] = self._arrivals.number_of(change["superseded_by"])
        edge = change.get("edge")
        if isinstance(edge, dict) and edge.get("target") is not None:
            edge["target"] = self._arrivals.number_of(edge["target"])
        return change


class Numbers:
    """Hands out row numbers: the one a record had, where it is still free."""

    def __init__(self, taken: Iterable[int], wanted: Iterable[Any]) -> None:
        self._taken = set(taken)
        whole = [each for each in wanted if type(each) is int]
        self._upcoming = 1 + max((*self._taken, *whole), default=0)

    def free(self, wanted: int | None) -> int:
        if wanted is None or wanted in self._taken or wanted < 1:
            wanted, self._upcoming = self._upcoming, self._upcoming + 1
        self._taken.add(wanted)
        return wanted


def _hashable(value: Any) -> bool:
    return isinstance(value, str | int)


def _amount(column: Column, value: Any) -> int | float:
    whole = column.holds != "real"
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise BadInput(f"{column.name} must be a number, got {str(value)[:40]}")
    if not abs(value) < 2**53:
        raise BadInput(f"{column.name} is out of range")
    return value if whole else float(value)
