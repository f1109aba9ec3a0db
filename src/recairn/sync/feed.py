"""A server's side: what it does with what members push, and the pages that they pull."""

from __future__ import annotations

from recairn.core.author import MEMBER, author_named
from recairn.core.errors import NotFound
from recairn.core.model import TaskFilter
from recairn.core.stamps import is_stamp
from recairn.sync.arrival import Sender
from recairn.sync.outbox import CLOCK, JOINED, LATER, LENIENCY_MS, OK, REFUSED
from recairn.sync.shareable import why_refused
from recairn.sync.taking import secrets_in, take
from recairn.sync.team_records import records_of, says_the_same, thing_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.store.contract.base import Store
    from recairn.sync.taking import Where

    Record = Mapping[str, Any]
    Answer = dict[str, Any]
    Thing = tuple[str, str]

# Also said of what is elsewhere: whether it is there is nobody else's business.
_NOT_SHARED = "this project is not shared with you here"


def take_push(
    where: Where, records: Sequence[Any], member: str, projects: Collection[str]
) -> list[Answer]:
    """Takes in what a member sends, in one transaction; an answer for each record."""
    store = where.store
    answers: list[Answer] = [{"answer": OK} for _ in records]
    good: dict[str, list[tuple[int, Record]]] = {}
    hosted = {*store.hosted()} & {*projects}
    for place, record in enumerate(records):
        why = _why_not(record, hosted, where)
        if why == CLOCK:
            answers[place] = {"answer": LATER, "why": CLOCK, "time": where.act.at}
        elif why:
            answers[place] = {"answer": REFUSED, "why": why}
        else:
            good.setdefault(record["project"], []).append((place, record))
    with store.transaction():
        for project, arriving in good.items():
            foreign = _foreign(store, [record for _, record in arriving], hosted)
            part = []
            for place, record in arriving:
                if thing_of(record) in foreign:
                    answers[place] = {"answer": REFUSED, "why": _NOT_SHARED}
                else:
                    part.append((place, record))
            sender = Sender(
                author_named(MEMBER, member), False, project, is_relay=True, in_pages=True
            )
            batch = take(where, part, sender)
            things = [thing_of(record) for _, record in part]
            more = [thing for thing in things if thing[1] not in batch.as_said]
            ours = records_of(store, more, {project: project}, is_hub=True)
            for (place, record), thing in zip(part, things, strict=True):
                if place in batch.wrong:
                    answers[place] = {"answer": REFUSED, "why": batch.wrong[place]}
                elif thing[1] not in batch.as_said and not says_the_same(ours.get(thing), record):
                    answers[place] = {"answer": JOINED}
    return answers


def _foreign(store: Store, records: Sequence[Record], hosted: set[str]) -> set[Thing]:
    """The things that are here in a project which is not the sender's, whatever theirs is called.

    Who names the uid of another project's memory can neither change it, destroy it, nor move it to
    where they may read it. What their own project held before, they may still destroy.
    """
    by_noun: dict[str, list[str]] = {}
    for record in records:
        noun, name = thing_of(record)
        by_noun.setdefault(noun, []).append(name)
    places: dict[Thing, str] = {}
    for noun, names in by_noun.items():
        for kept in store.kept_records(noun, names):
            places[noun, kept.name] = kept.project
    uids = by_noun.get("memory", [])
    for memory in store.get_many(sorted(store.numbers_of(uids).values())).values():
        places["memory", memory.uid] = memory.project
    if "task" in by_noun:
        for task in store.tasks(TaskFilter(ids=tuple(by_noun["task"]))):
            places["task", task.id] = task.project
    foreign = {thing for thing, project in places.items() if project not in hosted}
    for record in records:
        if record.get("type") == "erased" and not hosted.isdisjoint(store.fed(str(record["uid"]))):
            foreign.discard(thing_of(record))
    return foreign


def _why_not(record: Any, hosted: Collection[str], where: Where) -> str:
    """Why a record is not taken; "" where it is."""
    if not isinstance(record, dict):
        return "it is no record"
    why = why_refused(record)
    if why:
        return why
    if record.get("project") not in hosted:
        return _NOT_SHARED
    stamps = record.get("stamps")
    latest = where.act.at + LENIENCY_MS
    if isinstance(stamps, dict) and any(
        is_stamp(stamp) and stamp[0] > latest for stamp in stamps.values()
    ):
        return CLOCK
    return secrets_in(record, where.allow)


def pull_page(store: Store, project: str, after: str, limit: int, max_bytes: int) -> Answer:
    """What changed in a project after a cursor, and the cursor that follows.

    A cursor of another epoch means nothing here: then everything comes once more (`reset`).
    """
    from json import dumps

    with store.snapshot():
        last = store.feed_last(project)
        if last is None:
            raise NotFound(f"the project {project} is not shared here")
        epoch = store.epoch()
        seen, is_known = position(after, epoch)
        rows = store.feed(project, seen, limit)
        things = [(row.noun, row.name) for row in rows]
        by_thing = records_of(store, things, {project: project}, is_hub=True)
    records: list[Record] = []
    size, upto = 0, seen
    for row in rows:
        record = by_thing.get((row.noun, row.name))
        if record is not None:
            size += len(dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass"))
            if records and size > max_bytes:
                break
            records.append(record)
        upto = row.number
    return {
        "project": project,
        "records": records,
        "next": f"{epoch}.{upto}",
        "more": upto < last and bool(rows),
        "epoch": epoch,
        "reset": bool(after) and not is_known,
    }


def has_news(store: Store, project: str, after: str) -> bool:
    """Whether anything changed in a project after a cursor: one indexed read."""
    last = store.feed_last(project)
    seen, _ = position(after, store.epoch())
    return last is not None and last > seen


def position(cursor: str, epoch: str) -> tuple[int, bool]:
    """The number in a cursor of this epoch, and whether it is one."""
    begun, _, number = cursor.partition(".")
    if begun == epoch and number.isascii() and number.isdigit() and len(number) < 19:
        return int(number), True
    return 0, False
