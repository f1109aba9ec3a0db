"""What earlier runs of an import kept, and by what it is known again.

A record is known by its key, and whether it says the same by a hash. Rows are kept under
`project:path`, so that two files that count alike are two. A folder that was moved is known again
by its records: most of those whose keys are kept under another path say what they said there. A
folder takes over what was imported from files in it, and a file of a folder that was imported as a
whole goes on in its rows. What a source no longer has is told, matched to what took its place, and
on request forgotten.
"""

from __future__ import annotations

import os
from operator import attrgetter

from recairn.core.errors import RecairnError, StoreError
from recairn.core.guard import plain_name
from recairn.core.model import Draft, TaskFilter
from recairn.core.record import Row, record, replace
from recairn.core.words import one_line
from recairn.memory import lifecycle
from recairn.memory.lookup import known_memory
from recairn.sources.format import REPLACED, Predecessor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from recairn.core.author import Writer
    from recairn.core.model import Act
    from recairn.sources.format import Extra, Record, Source
    from recairn.sources.readers.files import Origin
    from recairn.store.contract.base import Store
    from recairn.store.contract.imported import ImportedRow

    Item = TypeVar("Item")

# Things written in one transaction: others wait for it about a second. With a thousand each costs
# a tenth more in a small database, and the more the larger it is.
BATCH = 4000
# Characters of a text by which a memory is named.
_SHOWN = 80
# Tasks that are named one by one.
_TASKS = 20
_drafted = attrgetter(*Draft.__match_args__)


@record
class Former:
    """Another name under which rows of the same records are kept.

    They are taken over from a place that is no more: the `whole` of them where it was this very
    one, else those that are met; of a place that is still there they are a `copy`.
    """

    origin: str
    whole: bool = False
    copy: bool = False


@record
class Target:
    """The store, in whose name, and for which project.

    `where` is (source, origin): the names under which the rows of the run are kept; what is not
    found there may be kept under one of the `former` origins, and what lies `beside` can be linked
    to. Origins are told from the folder `root` on. `writer` is the author of what comes. `allow` is
    what the user declared not to be a secret.
    """

    store: Store
    act: Act
    where: tuple[str, str]
    project: str
    writer: Writer
    allow: Sequence[str] = ()
    root: str = ""
    former: Sequence[Former] = ()
    beside: Sequence[str] = ()


def write_all(
    store: Store,
    items: Sequence[Item],
    write: Callable[[Item], None],
    keep: Callable[[Sequence[Item]], None] = lambda written: None,
) -> list[tuple[Item, str]]:
    """Writes all items in few transactions; those that were refused come back, with the reason.

    A refusal undoes its transaction, so the items of one that failed are written each by itself.
    `keep` is called, inside the transaction, with those that were written.
    """
    refused = []
    for start in range(0, len(items), BATCH):
        part = items[start : start + BATCH]
        try:
            with store.transaction():
                for item in part:
                    write(item)
                keep(part)
        except StoreError:
            raise
        except RecairnError:
            for item in part:
                try:
                    with store.transaction():
                        write(item)
                        keep([item])
                except StoreError:
                    raise
                except RecairnError as error:
                    refused.append((item, error.message))
    return refused


# Records


def extra_key(shape: str, name: str) -> str:
    """The key of an extra among those of the import; no record's key begins so."""
    return f"+{shape}:{name}"


class Incoming(Row):
    """A record on its way in, under a name that may be kept readable.

    Its hash stays equal while it says the same, wherever in its source it stands. `replaced` where
    its source says that another record took its place.
    """

    record: Record
    hash: str
    replaced: bool


def incoming(records: Iterable[Record]) -> Iterator[Incoming]:
    for item in map(_without_secrets, records):
        replaced = any(relation == REPLACED for relation, _ in item.links)
        yield Incoming._make((item, record_hash(item), replaced))


def record_hash(item: Record) -> str:
    from hashlib import blake2b

    retired = (item.retired,) if item.retired else ()
    text = "\x1f".join(map(str, (*_drafted(item.draft), *item.links, *retired)))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _without_secrets(item: Record) -> Record:
    """The record under such a name; its links follow."""
    key = plain_name(item.key)
    links = tuple((relation, plain_name(other)) for relation, other in item.links)
    if key == item.key and links == tuple(item.links):
        return item
    return replace(item, key=key, links=links)


# Origins


@record
class _Place:
    """A path that was or is imported."""

    origin: str
    path: str

    def encloses(self, other: _Place) -> bool:
        """Whether whoever reads this reads the other one too."""
        return other.path.startswith(self.path.rstrip(os.sep) + os.sep)


def identify(
    target: Target, source: Source, origin: Origin, sample: Mapping[str, str]
) -> tuple[Target, bool]:
    """The target with the origins under which rows of this source are kept, and whether this is
    only a part of what is kept there. `sample` are hashes of the first records by their keys."""
    name, own = target.where
    origins = target.store.import_origins(name)
    others = [other for other in origins if other != own]
    if source.everywhere or not others:
        return target, False
    here = _Place(own, os.path.abspath(origin.path))
    prefix = f"{target.project}:"
    places = [
        _Place(other, _path(other.removeprefix(prefix), target.root))
        for other in others
        if other.startswith(prefix)
    ]
    is_new = own not in origins
    beside = {os.path.abspath(path) for path in source.beside(here.path)}
    target = replace(target, beside=[place.origin for place in places if place.path in beside])
    above = next((place for place in places if place.encloses(here)), None)
    if above is not None and is_new:
        return replace(target, where=(name, above.origin)), True
    former = [Former(place.origin, whole=True) for place in places if here.encloses(place)]
    if is_new:
        elsewhere = [place for place in places if not here.encloses(place)]
        former += _earlier(target, source, elsewhere, sample)
    # Versions before this one kept all files of some formats under the project alone.
    if target.project in others and _is_alike(target, target.project, sample):
        former.append(Former(target.project))
    return replace(target, former=tuple(former)), False


def kept_rows(target: Target, keys: Sequence[str]) -> dict[str, ImportedRow]:
    """By key, the rows kept of records: under this origin's name, or else a former one."""
    rows = {row.key: row for row in target.store.imported(*target.where, keys)}
    for former in target.former:
        missing = [key for key in keys if key not in rows]
        rows.update(_rows_of(target, former.origin, missing))
    return rows


def linkable_rows(target: Target, keys: Sequence[str]) -> dict[str, ImportedRow]:
    """The same, and those of records that lie beside the origin and may be linked to."""
    rows = kept_rows(target, keys)
    for origin in target.beside:
        rows.update(_rows_of(target, origin, [key for key in keys if key not in rows]))
    return rows


def all_rows(target: Target) -> list[ImportedRow]:
    """All rows kept of the origin, those of former names that are wholly the same one included."""
    source, _ = target.where
    rows = {row.key: row for row in target.store.imported(*target.where)}
    for former in target.former:
        if former.whole:
            rows = {row.key: row for row in target.store.imported(source, former.origin)} | rows
    return list(rows.values())


def adopt(target: Target, keys: Sequence[str]) -> None:
    """Keeps the rows of those keys under this origin's name from now on."""
    for former in target.former:
        here = {row.key for row in target.store.imported(*target.where, keys)}
        rows = _rows_of(target, former.origin, [key for key in keys if key not in here])
        _carry(target, former, list(rows.values()))


def adopt_whole(target: Target) -> None:
    """The same for all rows of former names that are wholly the same origin."""
    source, _ = target.where
    for former in target.former:
        if former.whole:
            with target.store.transaction():
                rows = target.store.imported(source, former.origin)
                keys = [row.key for row in rows]
                here = {row.key for row in target.store.imported(*target.where, keys)}
                _carry(target, former, [row for row in rows if row.key not in here])
                target.store.drop_imported(source, former.origin, keys)


def _carry(target: Target, former: Former, rows: Sequence[ImportedRow]) -> None:
    if not rows:
        return
    target.store.put_imported(*target.where, rows)
    if not former.copy:
        source, _ = target.where
        target.store.drop_imported(source, former.origin, [row.key for row in rows])


def _rows_of(target: Target, origin: str, keys: Sequence[str]) -> dict[str, ImportedRow]:
    source, _ = target.where
    return {row.key: row for row in target.store.imported(source, origin, keys)} if keys else {}


def _path(name: str, root: str) -> str:
    return os.path.abspath(os.path.join(root, os.path.expanduser(name)))


def _earlier(
    target: Target, source: Source, places: Sequence[_Place], sample: Mapping[str, str]
) -> list[Former]:
    """The places from which this source came before: moved from there, or copied."""
    former = []
    for place in places:
        there = os.path.lexists(place.path)
        # Without ids a file that says nearly the same is another file: CLAUDE.md and AGENTS.md.
        if (source.distinct or not there) and _is_alike(target, place.origin, sample):
            former.append(Former(place.origin, whole=not there, copy=there))
    return former


def _is_alike(target: Target, origin: str, sample: Mapping[str, str]) -> bool:
    """Whether most records that are kept under a name, of those in the sample, say the same."""
    rows = _rows_of(target, origin, list(sample)).values()
    equal = sum(row.hash == sample[row.key] for row in rows)
    return equal > 0 and 2 * equal >= len(rows)


# What the source no longer has


def predecessors(target: Target, keys: Container[str]) -> list[tuple[Predecessor, ImportedRow]]:
    """The living memories of earlier runs whose records are not in the source any more."""
    rows = [row for row in all_rows(target) if row.live and row.own and row.key not in keys]
    numbers = [row.memory for row in rows if row.memory is not None]
    memories = target.store.get_many(numbers) if numbers else {}
    former = []
    for row in rows:
        memory = None if row.memory is None else memories.get(row.memory)
        if memory is not None:
            text, category, name = memory.content, memory.category, memory.external_id
            one = Predecessor(row.key, memory.id, text, category, row.position, name)
            former.append((one, row))
    return former


def absent(
    target: Target, keys: Container[str], extras: Sequence[Extra]
) -> tuple[tuple[tuple[int, str], ...], list[str]]:
    """The memories whose records the source no longer has, with how their texts begin; and warnings
    of tasks that it no longer has and that are still to be done here."""
    rows = all_rows(target)
    return _absent_memories(target, rows, keys), _absent_tasks(target, rows, extras)


def _absent_memories(
    target: Target, rows: Sequence[ImportedRow], keys: Container[str]
) -> tuple[tuple[int, str], ...]:
    # What a second record still says is not gone.
    present = {row.memory for row in rows if row.key in keys}
    numbers = [
        row.memory
        for row in rows
        if row.live and row.own and row.memory is not None and row.memory not in present
    ]
    memories = target.store.get_many(numbers) if numbers else {}
    return tuple(
        (number, one_line(memories[number].title or memories[number].content, _SHOWN))
        for number in dict.fromkeys(numbers)
    )


def _absent_tasks(
    target: Target, rows: Sequence[ImportedRow], extras: Sequence[Extra]
) -> list[str]:
    here = {extra.key for extra in extras if extra.shape == "task"}
    prefix = extra_key("task", "")
    names = [row.key.removeprefix(prefix) for row in rows if row.key.startswith(prefix)]
    missing = tuple(name for name in names if name not in here)
    if not missing:
        return []
    tasks = [task for task in target.store.tasks(TaskFilter(ids=missing)) if task.status != "done"]
    lines = [f"task {task.id} is no longer there: {one_line(task.title, _SHOWN)}" for task in tasks]
    more = len(lines) - _TASKS
    return lines[:_TASKS] + ([f"and {more:,} more tasks are no longer there"] if more > 0 else [])


def forget_absent(target: Target, gone: Sequence[tuple[int, str]], *, dry_run: bool) -> int:
    """Lets go of those memories, and says of how many; what was declared unchangeable stays."""
    act = replace(target.act, reason=f"no longer in {target.where[0]}")
    count = 0
    with target.store.transaction():
        for number, _ in gone:
            if not known_memory(target.store, number).immutable:
                count += 1
                if not dry_run:
                    lifecycle.forget(target.store, number, act)
    return count
