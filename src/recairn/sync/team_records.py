"""Things of a shared project as records: what the outbox sends and the feed hands out.

A record holds all that others are to know of one thing: of a memory what is said, the stamps, its
links and ratings. It names the project as the server does.
"""

from __future__ import annotations

from recairn.core.fields import STANDING
from recairn.core.model import TaskFilter
from recairn.core.stamps import ALL, LEFT, RATINGS, SEEN, SHARED, latest, parsed
from recairn.core.times import iso
from recairn.memory.link_state import follows_from_text
from recairn.sync.export import known_state
from recairn.sync.merge_rule import is_gone, travelling
from recairn.sync.record_format import record_of, stub_of
from recairn.sync.shareable import why_kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Edge, Memory
    from recairn.store.contract.base import Store
    from recairn.sync.merge_rule import State

    Record = dict[str, Any]

_TIMES_OF_TASK = ("created_at", "updated_at", "started_at", "completed_at")
_OF_TASK = (
    *("title", "description", "category", "status", "score", "parent", "outcome"),
    *("outcome_note", "source_type", "source_ref", "metadata", "depends_on"),
)
_OF_LINK = ("relation", "weight", "confidence", "created_by")
_TIMES_OF_LINK = ("created_at", "valid_from", "valid_until", "changed_at")
# A memory's part of a record that no two databases need to agree on.
_UNSAID = ("project", "written_by")


def memory_records(
    store: Store, uids: Sequence[str], names: Mapping[str, str], *, is_hub: bool = False
) -> dict[str, Record]:
    """The records of memories by uid; `names` are what shared projects are called on the server.

    One that may not leave, and never did, has none; one that left its project says so.
    """
    numbers = store.numbers_of(uids)
    memories = store.get_many(sorted(numbers.values()))
    edges = store.edges_touching(sorted(memories))
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    ends |= {memory.superseded_by or 0 for memory in memories.values()}
    known = store.uids_of({*memories, *ends} - {0})
    others = store.get_many(sorted(ends - memories.keys() - {0}))
    private = {number for number, row in store.sharing(sorted(memories)).items() if row.is_private}
    stamps = store.stamps_of(sorted(memories))
    records: dict[str, Record] = {}
    waiting = _waiting_links(store)
    for memory in memories.values():
        is_private = memory.id in private
        kept = why_kept(memory, is_private=is_private)
        project = names.get(memory.project)
        if project is None or kept or LEFT in parsed(stamps[memory.id]):
            left = _departure(store, memory, names, stamps[memory.id], is_hub=is_hub)
            if left is not None:
                records[memory.uid] = left
            continue
        state = known_state(store, memory, stamps[memory.id], known)
        links = [
            _link(edge, known)
            for edge in edges
            if edge.source == memory.id and not follows_from_text(edge)
            if _goes_along({**memories, **others}.get(edge.target), memory)
        ] + waiting.get(memory.uid, [])
        records[memory.uid] = _record(memory, state, project, links, is_hub=is_hub)
    for row in store.erased(uids):
        if not is_hub and row.project not in names:
            continue  # nobody else ever heard of it
        project = names.get(row.project, "")
        records[row.uid] = {
            "type": "erased",
            "project": project,
            "uid": row.uid,
            "erased": list(row.stamp),
        }
    _add_kept(store, uids, records)
    return records


def _waiting_links(store: Store) -> dict[str, list[Record]]:
    """Links to memories that are not here yet, by the uid of where they begin: they go on."""
    from json import loads

    links: dict[str, list[Record]] = {}
    for kept in store.kept_records("edge"):
        link = loads(kept.record)
        source = str(link.pop("source", ""))
        link = {name: value for name, value in link.items() if value is not None and name != "type"}
        links.setdefault(source, []).append(link)
    return links


def _goes_along(target: Memory | None, memory: Memory) -> bool:
    return target is not None and target.project == memory.project and target.tier == "project"


def _record(
    memory: Memory,
    state: State,
    project: str,
    links: list[Record],
    *,
    is_hub: bool,
) -> Record:
    head: Record = {"type": "memory", "project": project}
    stamps = travelling(state.stamps, (*SHARED, "place"))
    if is_gone(state):
        stub = stub_of(memory, state.values, stamps, ("life", SEEN, ALL, "place"))
        return {**head, "type": "forgotten", **stub}
    record = record_of(memory.uid, state.values, latest(stamps, memory.created_at, SHARED))
    for name in ("project", "session", *STANDING):
        record.pop(name, None)
    record = {**head, **record, **state.kept, "stamps": stamps}
    if links:
        record["links"] = sorted(links, key=lambda link: (link["target"], link["relation"]))
    if state.stamps.get(RATINGS):
        record["ratings"] = dict(state.stamps[RATINGS])
    if is_hub:
        record["written_by"] = memory.author.partition(":")[2] or memory.author
    return record


def _departure(
    store: Store, memory: Memory, names: Mapping[str, str], stamps: str, *, is_hub: bool
) -> Record | None:
    """What others are told of a memory that went where they may not follow; None for one that
    never was theirs."""
    said = parsed(stamps)
    stamp = max(tuple(said.get(group, (0, ""))) for group in ("place", "word"))
    if not stamp[0] or (LEFT in said and not is_hub):
        return None
    project = names.get(memory.project)
    for event in store.history(memory.id):
        project = names.get(str(event.before.get("project")), project)
    if project is None:
        return None
    return {"type": "left", "project": project, "uid": memory.uid, "stamps": {"place": list(stamp)}}


def _link(edge: Edge, uids: Mapping[int, str]) -> Record:
    link: Record = {"target": uids[edge.target]}
    link |= {name: getattr(edge, name) for name in _OF_LINK}
    for name in _TIMES_OF_LINK:
        if getattr(edge, name) is not None:
            link[name] = iso(getattr(edge, name))
    return link


def _add_kept(store: Store, uids: Sequence[str], records: dict[str, Record]) -> None:
    """Records that cannot be read here go on as they came."""
    from json import loads

    missing = [uid for uid in uids if uid not in records]
    for kept in store.kept_records("memory", missing):
        records[kept.name] = loads(kept.record)


def task_records(store: Store, ids: Sequence[str], names: Mapping[str, str]) -> dict[str, Record]:
    """The records of tasks by id."""
    records = {}
    for task in store.tasks(TaskFilter(ids=tuple(ids), limit=-1)):
        if task.project not in names:
            continue
        record: Record = {"type": "task", "project": names[task.project], "uid": task.id}
        for name in _OF_TASK:
            value = getattr(task, name)
            record[name] = list(value) if isinstance(value, tuple) else value
        for name in _TIMES_OF_TASK:
            if getattr(task, name) is not None:
                record[name] = iso(getattr(task, name))
        records[task.id] = record
    return records


def other_records(store: Store, noun: str, keys: Sequence[str]) -> dict[str, Record]:
    """Records of a noun that nobody here knows."""
    from json import loads

    return {kept.name: loads(kept.record) for kept in store.kept_records(noun, keys)}


def records_of(
    store: Store,
    things: Sequence[tuple[str, str]],
    names: Mapping[str, str],
    *,
    is_hub: bool = False,
) -> dict[tuple[str, str], Record]:
    """The records of things, each a noun and a name, that others may have."""
    by_thing: dict[tuple[str, str], Record] = {}
    for noun in sorted({noun for noun, _ in things}):
        keys = [name for kind, name in things if kind == noun]
        if noun == "memory":
            records = memory_records(store, keys, names, is_hub=is_hub)
        elif noun == "task":
            records = task_records(store, keys, names)
        else:
            records = other_records(store, noun, keys)
        by_thing.update({(noun, name): record for name, record in records.items()})
    return by_thing


def noun_of(record: Mapping[str, Any]) -> str:
    """What a record is about: what is left of a memory is still about that memory."""
    noun = str(record.get("type"))
    return "memory" if noun in ("erased", "forgotten", "left") else noun


def thing_of(record: Mapping[str, Any]) -> tuple[str, str]:
    """The thing that a record is about: its noun and its name."""
    return noun_of(record), str(record["uid"])


def says_the_same(one: Mapping[str, Any] | None, other: Mapping[str, Any]) -> bool:
    """Whether two records of one thing tell the same."""
    if one is None:
        return False
    return {name: one[name] for name in one if name not in _UNSAID} == {
        name: other[name] for name in other if name not in _UNSAID
    }
