"""An export read back: lines to records, records into the database, in one transaction."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.record import record
from recairn.memory.versions import ABSENT
from recairn.store.tables import SHAPES
from recairn.sync.export import FORMAT, VERSION
from recairn.sync.merge import Arrival, Arrivals
from recairn.sync.merge_links import take_links
from recairn.sync.merge_tables import LINK, Belongings
from recairn.sync.record_format import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Act
    from recairn.embed.index import Meaning
    from recairn.store.contract.base import Store

    Told = tuple[str, Mapping[str, Any]]

_FORGOTTEN = "forgotten"
_NAMES = frozenset({_FORGOTTEN, *(shape.name for shape in SHAPES)})


@record
class Taken:
    """What became of the records of an export."""

    added: tuple[int, ...]
    updated: tuple[int, ...]
    joined: tuple[int, ...]
    clashes: tuple[int, ...]
    unchanged: int
    belongings: Mapping[str, int]
    problems: tuple[str, ...]


def take(
    told: Iterable[Told],
    store: Store,
    meaning: Meaning,
    act: Act,
    allow: Sequence[str] = (),
) -> Taken:
    """Takes in records, each given with the place to name in a problem; none of them or all
    that are sound, in one transaction."""
    with store.transaction():
        arrivals = Arrivals(store, meaning, act, allow)
        memories, sorted_out = _sorted_out(told, arrivals)
        stubs = sorted_out.get(_FORGOTTEN, ())
        events = [record for _, record in sorted_out.get("event", ())]
        arrivals.expect_erased(_memories_of(events, "erased"))
        arrivals.expect_histories(_memories_of(events, "created"))
        forgotten = {str(stub.get("uid")) for _, stub in stubs}
        arrivals.expect_absent({*forgotten, *_absent_successors(events)})
        arrivals.memories(memories)
        for place, stub in stubs:
            _forget(arrivals, place, stub)
        belongings = Belongings(arrivals, allow)
        belongings.take(sorted_out)
        gone = forgotten - arrivals.numbers.keys()
        linked = [each for each in sorted_out.get(LINK, ()) if not _names(each[1], gone)]
        belongings.added[LINK] = take_links(arrivals, belongings.links(linked))
        arrivals.link_names()
        done = arrivals.done
        return Taken(
            tuple(done.added),
            tuple(done.updated),
            tuple(done.joined),
            tuple(done.clashes),
            done.unchanged,
            belongings.added,
            tuple(done.problems),
        )


def _sorted_out(
    told: Iterable[Told], arrivals: Arrivals
) -> tuple[list[Arrival], dict[str, list[Told]]]:
    """The memories on their way in, and the other records by their types."""
    memories: list[Arrival] = []
    others: dict[str, list[Told]] = {}
    for place, each in told:
        name = each.get("type", "memory")
        if name == "memory":
            arrival = arrivals.arrival(place, each)
            if arrival is not None:
                memories.append(arrival)
        elif isinstance(name, str) and name in _NAMES:
            others.setdefault(name, []).append((place, each))
        elif name == FORMAT:
            _check_version(each)
        else:
            arrivals.done.problems.append(f"{place}: unknown type {str(name)[:40]!r}")
    return memories, others


class _Looked(Exception):
    """Ends a transaction that was only a look."""


def would_take(
    told: Iterable[Told], store: Store, meaning: Meaning, act: Act, allow: Sequence[str] = ()
) -> Taken:
    """What `take` would do: done, and undone before anybody sees it."""
    taken: list[Taken] = []
    try:
        with store.transaction():
            taken.append(take(told, store, meaning, act, allow))
            raise _Looked
    except _Looked:
        return taken[0]


def _forget(arrivals: Arrivals, place: str, stub: Mapping[str, Any]) -> None:
    """Takes in that a memory was forgotten."""
    uid, past = stub.get("uid"), stub.get("past", [])
    try:
        at = moment("deleted_at", stub.get("deleted_at"))
        listed = isinstance(past, list) and all(isinstance(each, str) for each in past)
        if not isinstance(uid, str) or at is None or not listed:
            raise BadInput("a forgotten record needs uid, deleted_at and a list past")
        changed = moment("changed_at", stub.get("changed_at"))
        arrivals.forgotten(uid, at, at if changed is None else changed, past)
    except BadInput as error:
        arrivals.done.problems.append(f"{place}: {error.message}")


def _names(link: Mapping[str, Any], gone: set[str]) -> bool:
    """Whether a link leads to or from something that was forgotten before it came here."""
    return any(str(link.get(end)) in gone for end in ("source", "target"))


def _memories_of(events: Sequence[Mapping[str, Any]], name: str) -> Iterator[str]:
    """The uids of the memories that such an event happened to."""
    for event in events:
        memory = event.get("memory")
        if event.get("event") == name and isinstance(memory, str):
            yield memory


def _absent_successors(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The uids of successors that were not there either where the records come from."""
    for event in events:
        after = event.get("after")
        if isinstance(after, dict) and isinstance(after.get(ABSENT), str):
            yield after[ABSENT]


def _check_version(record: Mapping[str, Any]) -> None:
    version = record.get("version")
    if type(version) is not int or version > VERSION:
        raise BadInput(
            f"this export has the format version {version}, and version {VERSION} is the newest"
            " known here",
            "update recairn, and try again",
        )
