"""Records of a shared project taken in: what members push to a server, what a page brings a laptop.

Everything of one batch comes in one transaction; what is wrong with a record stops that one alone.
"""

from __future__ import annotations

from recairn.core.draft import Cleaner
from recairn.core.errors import BadInput
from recairn.core.model import Act, TaskFilter
from recairn.core.record import record
from recairn.core.stamps import FORGOTTEN, LEFT, RATINGS, is_stamp, parsed, spelled
from recairn.memory.lifecycle import event_of
from recairn.memory.versions import SYNCED
from recairn.store.share_rows import Kept
from recairn.sync.known import state_of
from recairn.sync.merge_rule import is_gone
from recairn.sync.merge_tables import LINK
from recairn.sync.receive import receive
from recairn.sync.record_format import moment
from recairn.sync.shareable import is_known_kind, without_standing
from recairn.sync.team_records import noun_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.embed.index import Meaning
    from recairn.store.contract.base import Store
    from recairn.sync.arrival import Sender
    from recairn.sync.receive import Receipt

    Record = Mapping[str, Any]

# Levels of lists and objects inside a record.
_DEEPEST = 20
_STUBS = ("forgotten", "erased")
_TASK_TEXTS = ("title", "description", "category", "status", "outcome_note")
_TASK_TIMES = ("created_at", "updated_at", "started_at", "completed_at")
_STATUSES = ("open", "active", "blocked", "done", "cancelled")


@record
class Where:
    """What takes records in: a store, what makes vectors, who acts, which secrets are none."""

    store: Store
    meaning: Meaning
    act: Act
    allow: Sequence[str]


@record
class Batch:
    """What became of the records of a batch; `wrong` says why some were not taken, by place.

    Of the memories `as_said`, by uid, nothing is known here but what their records say.
    """

    receipt: Receipt
    wrong: Mapping[int, str]
    as_said: frozenset[str]


def secrets_in(record: Record, allow: Sequence[str]) -> str:
    """Why a record may not travel: a secret in it, or that it is nested too deep; else ""."""
    cleaner = Cleaner(allow)
    try:
        for name, value in record.items():
            if name not in ("stamps", "ratings", "uid", "type"):
                _look(cleaner, value, 0)
    except BadInput as error:
        return error.message
    if cleaner.secrets:
        return f"it holds what looks like a secret ({cleaner.secrets[0]})"
    return ""


def _look(cleaner: Cleaner, value: Any, depth: int) -> None:
    if depth > _DEEPEST:
        raise BadInput(f"it is nested more than {_DEEPEST} deep")
    if isinstance(value, str):
        cleaner.text("a text", value)
    elif isinstance(value, list | tuple):
        for part in value:
            _look(cleaner, part, depth + 1)
    elif isinstance(value, dict):
        for key, part in value.items():
            cleaner.text("a name", key)
            _look(cleaner, part, depth + 1)


def take(where: Where, records: Sequence[tuple[int, Record]], sender: Sender) -> Batch:
    """Takes in records of one sender, each with its place; they go to the sender's project."""
    store = where.store
    with store.transaction():
        read = [(place, raw) for place, raw in records if _is_read(raw)]
        lines = [(str(place), _line(raw, sender)) for place, raw in read]
        lines += _links(store, [raw for _, raw in read], sender.project)
        receipt = receive(lines, store, where.meaning, where.act, where.allow, sender)
        wrong = {
            int(fault.place): fault.reason for fault in receipt.faults if fault.place.isdigit()
        }
        as_said = receipt.as_said - {raw["uid"] for _, raw in records if _says_more(raw)}
        rest = [raw for _, raw in read if raw["uid"] not in as_said]
        _settle(store, rest, where.act, sender)
        for place, raw in records:
            if raw["type"] == "left":
                _leave(store, raw, where.act)
            elif raw["type"] == "task":
                try:
                    _take_task(store, raw, where, sender)
                except BadInput as error:
                    wrong[place] = error.message
            elif not _is_read(raw) or _is_end_of_kept(store, raw):
                _keep(store, raw, sender.project)
        return Batch(receipt, wrong, as_said)


def _is_read(raw: Record) -> bool:
    """Whether it is about a memory of a kind that is known here."""
    return raw["type"] in _STUBS or (raw["type"] == "memory" and is_known_kind(raw))


def _says_more(raw: Record) -> bool:
    """Whether a record says anything but what a memory is."""
    return (
        raw["type"] != "memory"
        or "links" in raw
        or "ratings" in raw
        or not isinstance(raw.get("stamps"), dict)
    )


def _is_end_of_kept(store: Store, raw: Record) -> bool:
    """Whether it says that a memory was forgotten of which only the record is kept here."""
    return raw["type"] == "forgotten" and bool(store.kept_records("memory", [raw["uid"]]))


def _line(raw: Record, sender: Sender) -> Record:
    """A record as an import reads it; whose word it is the server says, not the record."""
    plain = without_standing(raw)
    for name in ("links", "ratings", "written_by", "session", "id"):
        plain.pop(name, None)
    return {**plain, "project": sender.project, "tier": "project", "author": sender.author}


def _links(store: Store, records: Sequence[Record], project: str) -> list[tuple[str, Record]]:
    """The links of memories, and those that waited for one of them; others wait."""
    arriving = {str(raw["uid"]) for raw in records if raw["type"] == "memory"}
    edges: dict[str, dict[str, Any]] = {}
    for raw in records:
        links = raw.get("links")
        for link in links if isinstance(links, list) else ():
            if isinstance(link, dict):
                edge = {**link, "type": LINK, "source": raw["uid"]}
                edge.setdefault("valid_until", None)
                edges[f"{raw['uid']} {link.get('target')} {link.get('relation')}"] = edge
    for kept in store.records_waiting_for(sorted(arriving)):
        if kept.noun != LINK:
            continue
        from json import loads

        edges.setdefault(kept.name, loads(kept.record))
        store.drop_kept(kept.noun, kept.name)
    targets = {str(edge.get("target")) for edge in edges.values()}
    here = store.numbers_of(targets).keys() | arriving
    gone = {row.uid for row in store.erased(targets)}
    lines: list[tuple[str, Record]] = []
    for name, edge in edges.items():
        target = str(edge.get("target"))
        if target in here:
            lines.append((f"link of {edge['source']}", edge))
        elif target not in gone:
            _wait(store, name, edge, target, project)
    return lines


def _wait(store: Store, name: str, edge: Record, target: str, project: str) -> None:
    """Keeps a link to a memory that is not here yet."""
    from json import dumps

    store.keep_record(Kept(LINK, name[:200], project, target[:100], dumps(edge)))


def _keep(store: Store, raw: Record, project: str) -> None:
    """Keeps a record of a newer program, to be sent on as it came."""
    from json import dumps, loads

    noun, name = noun_of(raw), str(raw["uid"])
    if noun == "memory" and store.erased([name]):
        return
    kept = store.kept_records(noun, [name])
    if not kept or _said_last(raw) > _said_last(loads(kept[0].record)):
        text = dumps(raw, ensure_ascii=False, sort_keys=True)
        store.keep_record(Kept(noun, name, project, "", text))


def _said_last(raw: Record) -> tuple[Any, ...]:
    """By which two states of a thing that nobody here can read are told apart: of those of newer
    programs the one said later holds, in whatever order they come."""
    from json import dumps

    stamps = raw.get("stamps")
    newest = max(
        [(0, ""), *(tuple(stamp) for stamp in stamps.values() if is_stamp(stamp))]
        if isinstance(stamps, dict)
        else [(0, "")]
    )
    said = {name: value for name, value in raw.items() if name not in ("project", "written_by")}
    words = dumps(said, ensure_ascii=False, sort_keys=True)
    return newest, str(raw.get("updated_at") or ""), raw["type"] != "forgotten", words


def _settle(store: Store, records: Sequence[Record], act: Act, sender: Sender) -> None:
    """Takes over what records say beside memories themselves: ratings, and where they belong."""
    numbers = store.numbers_of({raw["uid"] for raw in records})
    memories, stamps = store.get_many([*numbers.values()]), store.stamps_of([*numbers.values()])
    for raw in records:
        number = numbers.get(raw["uid"], 0)
        # Read again for the next record of it: the first one may have changed it.
        memory = memories.pop(number, None) or (store.get(number) if number else None)
        if memory is not None:
            text = stamps.pop(number, None)
            text = store.stamps_of([number])[number] if text is None else text
            _settle_one(store, memory, text, raw, act, sender)


def _settle_one(
    store: Store, memory: Memory, text: str, raw: Record, act: Act, sender: Sender
) -> None:
    number = memory.id
    stamps = parsed(text)
    changes: dict[str, Any] = _ratings(memory, stamps, raw, store)
    said = raw.get("stamps")
    place = (said.get("place") if isinstance(said, dict) else None) or [0, ""]
    if is_stamp(place) and tuple(place) >= _heard_place(stamps):
        if place[0]:
            stamps["place"] = list(place)
        if memory.project != sender.project:
            changes["project"] = sender.project
        if stamps.pop(LEFT, None):
            state = state_of(memory, None, text)
            changes["deleted_at"] = state.values["deleted_at"] if is_gone(state) else None
            if is_gone(state):
                stamps.pop(FORGOTTEN)
    new = spelled(stamps)
    if changes or new != text:
        store.change(number, changes, event_of(SYNCED, number, act), new)


def _ratings(memory: Memory, stamps: dict[str, Any], raw: Record, store: Store) -> dict[str, float]:
    """What others' ratings change in the sums here; the newest word of each replica holds."""
    ratings = raw.get("ratings")
    known = dict(stamps.get(RATINGS, {}))
    helpful, harmful = memory.helpful, memory.harmful
    for name, rating in ratings.items() if isinstance(ratings, dict) else ():
        good = isinstance(rating, list) and len(rating) == 3
        if not good or not all(_is_amount(amount) for amount in rating):
            continue
        before = known.get(name, [0, 0, 0])
        # In one moment two copies of a database may have said two things.
        if (rating[2], rating) > (before[2], before):
            helpful += rating[0] - before[0]
            harmful += rating[1] - before[1]
            known[name] = rating
            if name == store.replica():
                store.new_replica()  # somebody else counts under this name
    if known == stamps.get(RATINGS, {}):
        return {}
    stamps[RATINGS] = known
    return {"helpful": max(0.0, round(helpful, 6)), "harmful": max(0.0, round(harmful, 6))}


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 2**53


def _heard_place(stamps: Mapping[str, Any]) -> tuple[int, str]:
    """The stamp of the last place that others know of: what has left is hidden here, and where
    somebody moves it meanwhile is told to nobody."""
    at = stamps.get(LEFT) or stamps.get("place") or (0, "")
    return at[0], at[1]


def _leave(store: Store, raw: Record, act: Act) -> None:
    """Hides a memory that went where this database may not follow; it comes back with its place."""
    number = store.numbers_of([raw["uid"]]).get(raw["uid"])
    memory = None if number is None else store.get(number)
    said = raw.get("stamps")
    place: Any = said.get("place") if isinstance(said, dict) else None
    if memory is None or not is_stamp(place):
        return
    stamps = parsed(store.stamps_of([memory.id])[memory.id])
    if tuple(place) <= _heard_place(stamps):
        return
    changes = {} if memory.deleted_at is not None else {"deleted_at": act.at}
    if memory.deleted_at is not None and LEFT not in stamps:
        stamps[FORGOTTEN] = memory.deleted_at
    stamps["place"], stamps[LEFT] = place, place
    event = event_of(SYNCED, memory.id, act, "it left the project")
    store.change(memory.id, changes, event, spelled(stamps))


# Tasks: of two states the one said later holds


def _take_task(store: Store, raw: Record, where: Where, sender: Sender) -> None:
    values = _task_values(raw, where.allow)
    values["project"] = sender.project
    tasks = store.tasks(TaskFilter(ids=(values["id"],)))
    depends_on = values.pop("depends_on")
    parent = values.get("parent")
    if parent is not None and not store.tasks(TaskFilter(ids=(parent,))):
        values["parent"] = None
    if not tasks:
        store.put_task(values, where.act)
    else:
        ours = {name: getattr(tasks[0], name) for name in values}
        if _task_order(values) <= _task_order(ours):
            return
        changes = {name: value for name, value in values.items() if value != ours[name]}
        changes["updated_at"] = values["updated_at"]
        store.change_task(values["id"], changes, SYNCED, where.act)
    here = {task.id for task in store.tasks(TaskFilter(ids=tuple(depends_on)))}
    before = set(tasks[0].depends_on) if tasks else set()
    for other in sorted(here - before):
        store.add_dependency(values["id"], other, where.act)
    for other in sorted(before - set(depends_on)):
        store.remove_dependency(values["id"], other, where.act)


def _task_values(raw: Record, allow: Sequence[str]) -> dict[str, Any]:
    cleaner = Cleaner(allow)
    values: dict[str, Any] = {"id": cleaner.name("uid", raw["uid"])}
    for name in _TASK_TEXTS:
        values[name] = cleaner.text(name, raw.get(name, ""))
    if values["status"] not in _STATUSES:
        raise BadInput(f"{values['status'][:20]!r} is no status of a task")
    for name in _TASK_TIMES:
        values[name] = moment(name, raw.get(name))
    if not values["title"] or values["created_at"] is None or values["updated_at"] is None:
        raise BadInput("a task needs title, created_at and updated_at")
    score, metadata, waits = raw.get("score", 0), raw.get("metadata", {}), raw.get("depends_on", [])
    if not _is_amount(abs(score) if isinstance(score, int | float) else None):
        raise BadInput("score must be a number")
    if not isinstance(metadata, dict) or not isinstance(waits, list):
        raise BadInput("metadata must be an object, depends_on a list")
    for name in ("parent", "outcome"):
        value = raw.get(name)
        values[name] = None if value is None else cleaner.name(name, value)
    names = {"source_type": raw.get("source_type", "manual"), "source_ref": raw.get("source_ref")}
    values |= {name: cleaner.name(name, value) for name, value in names.items()}
    return {
        **values,
        "score": float(score),
        "metadata": metadata,
        "depends_on": [task for task in waits if isinstance(task, str)],
    }


def _task_order(values: Mapping[str, Any]) -> tuple[int, str]:
    """What was said later comes last; in one moment the words decide, everywhere alike."""
    from json import dumps

    own = {name: values[name] for name in sorted(values) if name not in ("project", "parent")}
    return values["updated_at"], dumps(own, sort_keys=True, default=str)
