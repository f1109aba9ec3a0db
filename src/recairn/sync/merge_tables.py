"""Records beside memories taken in: history, sessions, tasks, logs, settings.

Each record is checked against its shape, texts are cleaned as at the write door, uids become this
database's numbers, and a record that is here already is left alone.
"""

from __future__ import annotations

from recairn.core.draft import MAX_CONTENT, Cleaner
from recairn.core.errors import BadInput
from recairn.core.fields import STANDING
from recairn.core.kinds import RELATIONS
from recairn.core.model import Edge
from recairn.core.record import record
from recairn.core.settings import is_personal
from recairn.core.words import with_article
from recairn.store.tables import GO_WITH_MEMORY, SHAPE_OF, SHAPES
from recairn.sync.entry import Fault
from recairn.sync.record_format import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.store.contract.base import Store
    from recairn.store.tables import Column, Shape
    from recairn.sync.entry import Entry

# The noun of links: of their states the last one holds (`merge_links`).
LINK = "edge"
# Levels of lists and objects inside one JSON value.
_DEEPEST = 20
# Come with a memory that is new here; one that was here before has its own.
_OF_NEW_MEMORIES = ("event", "staleness")
# Say who did something: in what is not one's own, whoever it came from.
_EVENTS = ("event", "task event")
# Say which checkouts see which memories. Somebody else's word on that would open one project to
# another, so it counts in a database that has nothing to see yet: one's own export, read back; and
# where one's own database is moved.
_OF_PROJECTS = ("project", "alias", "mark")
# Nouns whose records other records name.
_NAMED = frozenset(column.holds for shape in SHAPES for column in shape.columns) & SHAPE_OF.keys()


@record
class MemoryNames:
    """What records call memories: the numbers here by uid, or by what a source calls them.

    Of the `destroyed` only the history is left; the `residents` were here before the records came,
    and `is_first` says that nothing was, and an export of recairn's own comes. `is_moved`: one's
    own database comes whole, with names of projects that are right here.
    """

    numbers: Mapping[str, int | None]
    destroyed: Collection[int] = frozenset()
    residents: Collection[str] = frozenset()
    is_first: bool = False
    is_moved: bool = False


@record
class LinkEntry:
    """A link on its way in, and the place it came from."""

    place: str
    edge: Edge


class TableMerge:
    """The records of one import that are not memories, inside the caller's transaction."""

    def __init__(
        self, store: Store, memories: MemoryNames, allow: Sequence[str] = (), author: str = ""
    ) -> None:
        self.added: dict[str, int] = {}
        self.faults: list[Fault] = []
        # By place, the settings that only a person may set: no file does.
        self.personal: dict[str, str] = {}
        self._store = store
        self._memories = memories
        self._clean = Cleaner(allow)
        # Whose word the events are, where they are not the person's own.
        self._author = author
        # For each noun: the number or name of a record elsewhere, and the one here.
        self._directories: dict[str, dict[Any, Any]] = {}
        # Injections, by their number elsewhere, that held a memory which was destroyed here.
        self._told_too_much: set[Any] = set()

    def receive(self, entries: Mapping[str, Sequence[Entry]]) -> None:
        """Takes in records of all nouns but links; `added` then says how many of each are new."""
        if self._memories.is_first and entries.get("project"):
            for row in self._store.projects():
                # The checkout this runs in was met a moment ago; it is found again by its marks.
                self._store.drop_project(row.id)
        self._told_too_much = {
            entry.record.get("injection")
            for entry in entries.get("injected", ())
            if self._number(entry.record.get("memory")) in self._memories.destroyed
        }
        for shape in SHAPES:
            if shape.name in _OF_PROJECTS and not self._takes_projects:
                continue
            if shape.name != LINK and entries.get(shape.name):
                self._receive_shape(shape, entries[shape.name])

    @property
    def _takes_projects(self) -> bool:
        """Whether what comes may say which folders see which memories."""
        return self._memories.is_first or self._memories.is_moved

    def links(self, entries: Sequence[Entry]) -> list[LinkEntry]:
        """The links that records describe."""
        rows = [(entry.place, self._row(SHAPE_OF[LINK], entry)) for entry in entries]
        return [LinkEntry(place, Edge(**row)) for place, row in rows if row is not None]

    def _receive_shape(self, shape: Shape, entries: Sequence[Entry]) -> None:
        if shape.name in _OF_NEW_MEMORIES:
            residents = self._memories.residents
            entries = [
                entry for entry in entries if str(entry.record.get("memory")) not in residents
            ]
        elif shape.name == "task":
            entries = _parents_first(entries)
        directory = self._directory(shape.name) if shape.name in _NAMED else {}
        rows = []
        for entry in entries:
            row = self._row(shape, entry)
            if row is None or self._is_a_persons(shape, row, entry.place):
                continue
            if self._author and shape.name in _EVENTS:
                row = _as_theirs(row, self._author)
            rows.append(row)
            if not shape.number:
                directory[entry.record[shape.key[0]]] = row[shape.key[0]]
        places = self._store.add_records(shape.name, rows)
        if shape.number:
            for row, place in zip(rows, places, strict=True):
                directory[row[shape.number]] = place.number
        self.added[shape.name] = sum(place.new for place in places)

    def _directory(self, noun: str) -> dict[Any, Any]:
        """What records elsewhere are called here; names are the same everywhere."""
        if noun not in self._directories:
            names = () if SHAPE_OF[noun].number else self._store.names(noun)
            self._directories[noun] = {name: name for name in names}
        return self._directories[noun]

    def _row(self, shape: Shape, entry: Entry) -> dict[str, Any] | None:
        """The values of a record; None, and a fault noted, where something is wrong with it.

        None also for one that goes with a memory, where that was destroyed.
        """
        try:
            unknown = set(entry.record) - {column.name for column in shape.columns} - {"type"}
            if unknown:
                raise BadInput(f"{with_article(shape.name)} record has no field {min(unknown)!r}")
            row = {
                column.name: self._value(shape, column, entry.record.get(column.name))
                for column in shape.columns
            }
            if shape.name == LINK and entry.record["relation"] not in RELATIONS:
                raise BadInput(f"{entry.record['relation'][:40]!r} is no relation")
        except BadInput as error:
            self.faults.append(Fault(entry.place, error.message))
            return None
        if shape.name == "injection" and row["id"] in self._told_too_much:
            row["query"] = ""  # as it is here, since it led to what was destroyed
        return None if self._is_gone(shape, row, entry.record) else row

    def _is_a_persons(self, shape: Shape, row: Mapping[str, Any], place: str) -> bool:
        """Whether it is a setting that only a person may set, by the key as it would be kept."""
        if shape.name != "setting" or not is_personal(row["key"]):
            return False
        self.personal[place] = row["key"]
        return True

    def _is_gone(self, shape: Shape, row: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
        """Whether a record went with a memory that was destroyed, as the questions for it did."""
        if shape.name == "query":
            return any(number in self._memories.destroyed for number in row["result_ids"])
        if shape.name == "miss":
            return self._number(record.get("wanted")) in self._memories.destroyed
        return shape.name in GO_WITH_MEMORY and any(
            column.holds == "memory" and row[column.name] in self._memories.destroyed
            for column in shape.columns
        )

    def _value(self, shape: Shape, column: Column, value: Any) -> Any:
        if value is None:
            if column.optional or column.holds == "number":
                return None
            raise BadInput(f"{with_article(shape.name)} record needs {column.name}")
        if column.holds == "text":
            return self._clean.text(column.name, value)
        if column.holds in ("int", "real", "number"):
            return _amount(column, value)
        if column.holds == "time":
            return moment(column.name, value)
        if column.holds == "json":
            clean = self._json(column.name, value, 0)
            return self._change(clean) if shape.name == "event" else clean
        if column.holds in ("memory", "memories"):
            return self._memory_value(column, value)
        return self._reference(shape, column, value)

    def _reference(self, shape: Shape, column: Column, value: Any) -> Any:
        """The number or name here of the record that another one names."""
        if isinstance(value, str | int):
            if column.holds == shape.name and shape.number:
                return value  # the store finds it among the records that come with this one
            here = self._directory(column.holds).get(value)
            if here is not None:
                return here
        if not column.optional:
            raise BadInput(f"there is no {column.holds} {str(value)[:40]!r}")
        return None

    def _memory_value(self, column: Column, value: Any) -> Any:
        if column.holds == "memories":
            if not isinstance(value, list):
                raise BadInput(f"{column.name} must be a list")
            numbers = [self._number(name) for name in value]
            return [number for number in numbers if number is not None]
        number = self._number(value)
        if number is None:
            raise BadInput(f"{column.name}: there is no memory {str(value)[:40]!r}")
        return None if column.optional and number in self._memories.destroyed else number

    def _number(self, name: Any) -> int | None:
        """The number here of the memory that goes by a name elsewhere."""
        return self._memories.numbers.get(name) if isinstance(name, str) else None

    def _json(self, name: str, value: Any, depth: int) -> Any:
        """A JSON value with every text in it cleaned and redacted."""
        if depth > _DEEPEST:
            raise BadInput(f"{name} is nested more than {_DEEPEST} deep")
        if isinstance(value, str):
            return self._clean.text(name, value, 2 * MAX_CONTENT)
        if isinstance(value, list):
            return [self._json(name, item, depth + 1) for item in value]
        if isinstance(value, dict):
            return {
                self._clean.text(name, key): self._json(name, item, depth + 1)
                for key, item in value.items()
            }
        if isinstance(value, float) and value - value != 0.0:
            raise BadInput(f"{name} holds a number that is none")
        return value

    def _change(self, change: Any) -> Any:
        """What an event says changed, with this database's numbers for uids."""
        if not isinstance(change, dict):
            raise BadInput("before and after must be objects")
        if change.get("superseded_by") is not None:
            change["superseded_by"] = self._number(change["superseded_by"])
        edge = change.get("edge")
        if isinstance(edge, dict) and edge.get("target") is not None:
            edge["target"] = self._number(edge["target"])
        return change


def _parents_first(entries: Sequence[Entry]) -> list[Entry]:
    """Tasks in an order in which each comes after its parent; of two with one id the last."""
    tasks = {str(entry.record.get("id")): entry for entry in entries}
    ordered: dict[str, Entry] = {}
    for task in tasks:
        line: list[str] = []
        while task in tasks and task not in ordered and task not in line:
            line.append(task)
            task = str(tasks[task].record.get("parent_id"))
        ordered.update((name, tasks[name]) for name in reversed(line))
    return list(ordered.values())


def _as_theirs(event: Mapping[str, Any], author: str) -> dict[str, Any]:
    """An event of somebody else: without how much the memory counted for them, which nobody is to
    bring back by taking a change of theirs back."""
    changes = {
        side: {name: value for name, value in event[side].items() if name not in STANDING}
        for side in ("before", "after")
        if isinstance(event.get(side), dict)
    }
    return {**event, **changes, "author": author}


def _amount(column: Column, value: Any) -> int | float:
    whole = column.holds != "real"
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise BadInput(f"{column.name} must be a number, got {str(value)[:40]}")
    if not abs(value) < 2**53:
        raise BadInput(f"{column.name} is out of range")
    return value if whole else float(value)
