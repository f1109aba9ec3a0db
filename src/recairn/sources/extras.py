"""What an import brings beside memories: links, sessions, tasks, uses, queries, settings.

Each is known by its key and a hash, as memories are: a second run leaves it alone, even when it was
taken away here meanwhile. A changed task is edited.
"""

from __future__ import annotations

from recairn.core.draft import Cleaner
from recairn.core.errors import BadInput, NotFound, RecairnError, StoreError
from recairn.core.kinds import relation_named
from recairn.core.model import Edge
from recairn.core.times import iso
from recairn.memory import link_state, links
from recairn.store.tables import SHAPES
from recairn.sync.merge_tables import Belongings
from recairn.sync.record_format import moment
from recairn.work import tasks
from recairn.work.session_notes import note_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from recairn.core.model import Act
    from recairn.sources.format import Extra
    from recairn.store.contract.base import Store

    Item = TypeVar("Item")

_BATCH = 1000
_LONGEST_KEY = 500
# Taken in through their own rules; all other shapes are written as an export's records are.
_OWN_WAY = ("edge", "task", "dependency")
_ABOUT_MEMORIES = {
    shape.name: [
        (each.name, each.holds) for each in shape.columns if each.holds in ("memory", "memories")
    ]
    for shape in SHAPES
}
_USUAL: dict[str, dict[str, Any]] = {
    "session": {
        "agent": "",
        "directory": "",
        "branch": "",
        "prompt": "",
        "summary": "",
        "context": {},
    },
    "query": {"mode": "", "profile": "", "results": 0, "result_ids": [], "duration_ms": 0.0},
    "miss": {"note": ""},
}
# Renewed when the source tells them anew; what they were stays in their events.
_TASK_CHANGES = ("title", "description", "category", "status", "score", "metadata")


class Asides:
    """The asides of one run; also who tells `Belongings` what the source's keys mean here."""

    def __init__(
        self,
        store: Store,
        act: Act,
        whence: tuple[str, str],
        allow: Sequence[str],
        fail: Callable[[str, str], None],
        project: str,
    ) -> None:
        self.store = store
        self.done = self
        self.problems: list[str] = []
        self.known_before: frozenset[str] = frozenset()
        self.destroyed: frozenset[int] = frozenset()
        self.added: dict[str, int] = {}
        self.unchanged = 0
        self._act = act
        self._whence = whence
        self._allow = allow
        self._fail = fail
        self._project = project
        self._memories: dict[str, int | None] = {}
        self._foreign: set[int | None] = set()

    def number_of(self, name: str) -> int | None:
        """The memory that the record of that key became."""
        return self._memories.get(name)

    def look(self, asides: Sequence[Extra]) -> None:
        """Counts what is new or changed, without writing."""
        for each, _ in self._fresh(asides):
            self._count(each)

    def take(self, asides: Sequence[Extra]) -> None:
        """Writes what is new or changed; one that cannot be is told, and the others go on."""
        fresh = self._fresh(asides)
        if not fresh:
            return
        self._learn_names([each for each, _ in fresh])
        shapes: dict[str, list[Extra]] = {}
        for each, _ in fresh:
            shapes.setdefault(each.shape, []).append(each)
        hashes = {id(each): hashed for each, hashed in fresh}
        failed = self._write(shapes, hashes)
        for each, _ in fresh:
            if id(each) not in failed:
                self._count(each)

    def _keep(self, written: Sequence[Extra], hashes: dict[int, str]) -> None:
        """Notes that they came in; in the same transaction, so that none comes twice."""
        rows = [(_known_as(each), hashes[id(each)], None, True, 0) for each in written]
        self.store.put_imported(*self._whence, rows)

    def _count(self, aside: Extra) -> None:
        self.added[aside.shape] = self.added.get(aside.shape, 0) + 1

    def _fresh(self, asides: Sequence[Extra]) -> list[tuple[Extra, str]]:
        """Those that are new or changed, with their hashes; of one told twice the last."""
        told = {_known_as(each): each for each in asides}
        keys, fresh = list(told), []
        for start in range(0, len(keys), _BATCH):
            part = keys[start : start + _BATCH]
            known = {row[0]: row[1] for row in self.store.imported(*self._whence, part)}
            for key in part:
                hashed = _hash(told[key])
                if known.get(key) != hashed:
                    fresh.append((told[key], hashed))
        self.unchanged = len(told) - len(fresh)
        return fresh

    def _learn_names(self, asides: Sequence[Extra]) -> None:
        """Looks up all memories that the asides name, at once."""
        named: dict[str, None] = {}
        for each in asides:
            for column, holds in _ABOUT_MEMORIES.get(each.shape, ()):
                value = each.values.get(column)
                listed = value if holds == "memories" and isinstance(value, list) else [value]
                named.update(dict.fromkeys(name for name in listed if isinstance(name, str)))
        rows = self.store.imported(*self._whence, list(named))
        self._memories = {row[0]: row[2] for row in rows}
        self._foreign = {row[2] for row in rows} - {row[2] for row in rows if row[3]}

    def _write(self, shapes: dict[str, list[Extra]], hashes: dict[int, str]) -> set[int]:
        """Writes them, tasks after their parents; the identities of those that could not be."""
        failed: set[int] = set()

        def keep(written: Sequence[Extra]) -> None:
            self._keep(written, hashes)

        for shape, write in (
            ("task", self._task),
            ("dependency", self._dependency),
            ("edge", self._edge),
        ):
            told = shapes.get(shape, [])
            ordered = _parents_first(told) if shape == "task" else told
            for each, why in write_each(self.store, ordered, write, keep):
                self._fail(each.place, why)
                failed.add(id(each))
        rest = [each for name, told in shapes.items() if name not in _OWN_WAY for each in told]
        return failed | self._belongings(rest, keep)

    def _belongings(
        self, asides: Sequence[Extra], keep: Callable[[Sequence[Extra]], None]
    ) -> set[int]:
        told: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        for number, each in enumerate(asides):
            values = {**_USUAL.get(each.shape, {}), **each.values}
            if each.shape == "session":
                self._fill_session(values)
            if each.shape == "setting":
                values.setdefault("updated_at", iso(self._act.at))
            told.setdefault(each.shape, []).append((str(number), values))
        failed: set[int] = set()
        with self.store.transaction():
            Belongings(self, self._allow).take(told)
            for problem in self.problems:
                number_told, _, why = problem.partition(": ")
                each = asides[int(number_told)]
                self._fail(each.place, why)
                failed.add(id(each))
            keep([each for each in asides if id(each) not in failed])
        return failed

    def _fill_session(self, values: dict[str, Any]) -> None:
        values["project"] = values.get("project") or self._project
        values.setdefault("last_seen_at", values.get("ended_at") or values.get("started_at"))
        name = values.get("id")
        if isinstance(name, str) and self.store.find_sessions(name) == [name]:
            self._tell_session(values)

    def _tell_session(self, values: dict[str, Any]) -> None:
        """A session that is known gets a summary that came later; one that had ended and went on,
        its new end and notes."""
        clean = Cleaner(self._allow).text("summary", values["summary"])
        (known,) = self.store.sessions(ids=[values["id"]])
        ended = known["ended_at"] or known["last_seen_at"]
        later = moment("ended_at", values.get("ended_at")) or 0
        went_on = known["ended_at"] is not None and later > ended
        if went_on or (clean and clean != known["summary"]):
            with self.store.transaction():
                self.store.end_session(values["id"], clean, later if went_on else ended)
                if went_on and values["context"]:
                    notes = self.store.session_notes(values["id"])
                    new = {
                        name: note_value(value)
                        for name, value in values["context"].items()
                        if isinstance(value, str | int | list)
                    }
                    self.store.set_session_notes(values["id"], {**notes, **new})

    def _edge(self, aside: Extra) -> None:
        told = aside.values
        source, target = (self._known(told[name]) for name in ("source", "target"))
        relation = relation_named(told["relation"])
        # What an import did not make itself it does not replace.
        if source == target or (relation == links.REPLACING and target in self._foreign):
            return
        begun = told.get("created_at")
        at = self._act.at if begun is None else begun
        weight, sure = told.get("weight", 1.0), told.get("confidence", 1.0)
        for name, value in (("weight", weight), ("confidence", sure)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise BadInput(f"{name} must lie between 0 and 1, got {str(value)[:40]}")
        edge = Edge(source, target, relation, weight, sure, "import", at, at, None)
        made = links.link(self.store, edge, self._act)
        if told.get("valid_until") is not None:
            link_state.end(self.store, made, told["valid_until"])

    def _known(self, key: str) -> int:
        memory = self._memories.get(key)
        if memory is None:
            raise NotFound(f"no record {str(key)[:80]!r} to link")
        return memory

    # Tasks

    def _task(self, aside: Extra) -> None:
        clean, told = Cleaner(self._allow), dict(aside.values)
        told.setdefault("project", self._project)
        told.setdefault("source_type", self._whence[0])
        told.setdefault("source_ref", aside.place)
        parent = told.get("parent")
        if parent and not self.store.find_tasks(str(parent)):
            told["parent"] = None
            told["metadata"] = {**(told.get("metadata") or {}), "original_parent": parent}
        known = self._own_task(told)
        if known is None:
            tasks.add(self.store, told, self._act, clean)
            return
        given = {name: told[name] for name in _TASK_CHANGES if told.get(name) is not None}
        if told.get("parent"):
            given["parent"] = told["parent"]
        tasks.edit(self.store, known, given, self._act, clean)

    def _own_task(self, told: dict[str, Any]) -> tasks.Task | None:
        """The task of that id that an import of the same source made before."""
        name = told.get("id")
        if not isinstance(name, str) or name not in self.store.find_tasks(name):
            return None
        known = tasks.task_named(self.store, name)
        return known if known.source_type == told["source_type"] else None

    def _dependency(self, aside: Extra) -> None:
        task, on = (
            tasks.task_named(self.store, aside.values[name]) for name in ("task_id", "depends_on")
        )
        if on.id not in task.depends_on:
            tasks.wait_for(self.store, task, on, self._act)


def write_each(
    store: Store,
    items: Sequence[Item],
    write: Callable[[Item], None],
    keep: Callable[[Sequence[Item]], None] = lambda written: None,
) -> list[tuple[Item, str]]:
    """Writes all items, in few transactions; those that were refused, and why.

    A refusal undoes its transaction, so the items of one that failed are written each by itself.
    `keep` is told, inside the transaction, which ones were written.
    """
    refused = []
    for start in range(0, len(items), _BATCH):
        part = items[start : start + _BATCH]
        try:
            with store.transaction():
                for each in part:
                    write(each)
                keep(part)
        except StoreError:
            raise
        except RecairnError:
            for each in part:
                try:
                    with store.transaction():
                        write(each)
                        keep([each])
                except StoreError:
                    raise
                except RecairnError as error:
                    refused.append((each, error.message))
    return refused


def _parents_first(told: Sequence[Extra]) -> list[Extra]:
    """The tasks in an order in which each comes after its parent; circles as they stand."""
    waiting = {str(each.values.get("id")): each for each in told}
    ordered: dict[str, Extra] = {}
    for name in waiting:
        line: list[str] = []
        while name in waiting and name not in ordered and name not in line:
            line.append(name)
            name = str(waiting[name].values.get("parent"))
        ordered.update((each, waiting[each]) for each in reversed(line))
    return list(ordered.values())


def _known_as(aside: Extra) -> str:
    """Its key among those of the import; no record's key begins so."""
    from recairn.sources.format import content_key

    name = aside.key if len(aside.key) <= _LONGEST_KEY else content_key(aside.key)
    return f"+{aside.shape}:{name}"


def _hash(aside: Extra) -> str:
    from hashlib import blake2b
    from json import dumps

    told = dumps(aside.values, sort_keys=True, default=str)
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
