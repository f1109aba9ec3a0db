"""A laptop's side of a server: what it has to send, and how it takes what others sent."""

from __future__ import annotations

from recairn.core.author import MEMBER, author_named
from recairn.core.errors import BadInput, NotFound
from recairn.core.record import replace
from recairn.core.stamps import GROUPS, is_stamp, parsed, spelled
from recairn.memory.lifecycle import event_of
from recairn.memory.versions import SYNCED
from recairn.store.share_rows import Queued, Refusal
from recairn.sync.arrival import Sender
from recairn.sync.taking import secrets_in, take
from recairn.sync.team_records import noun_of, records_of, says_the_same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.store.contract.base import Store
    from recairn.store.share_rows import Share
    from recairn.sync.taking import Where

    Record = dict[str, Any]

# What an answer may say of a record; the first two mean that the server has it.
OK, JOINED, REFUSED, LATER = "ok", "joined", "refused", "later"
ANSWERS = (OK, JOINED, REFUSED, LATER)
CLOCK = "clock"
# Milliseconds that a clock may be ahead of the server's.
LENIENCY_MS = 5 * 60 * 1000
# Things looked at for one page beyond its limit: what may not leave is passed over.
_SPARE = 4


def page(where: Where, limit: int, max_bytes: int) -> Record:
    """The next records to send; what turned out not to leave is taken out of the outbox."""
    from json import dumps

    store = where.store
    names = {share.project: share.name for share in store.shares()}
    with store.transaction():
        queued = store.outbox(limit * _SPARE)
        by_thing = records_of(store, [(thing.noun, thing.name) for thing in queued], names)
        records: list[Record] = []
        marks, passed, size = [], [], 0
        for thing in queued:
            record = by_thing.get((thing.noun, thing.name))
            why = "" if record is None else secrets_in(record, where.allow)
            if record is None or why:
                passed.append(thing)
                if why and record is not None:
                    project = str(record["project"])
                    store.refuse(Refusal(thing.noun, thing.name, project, why, where.act.at))
                continue
            size += len(dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass"))
            if records and (len(records) >= limit or size > max_bytes):
                break
            records.append(record)
            marks.append([thing.noun, thing.name, thing.mark])
        store.unqueue(passed)
        more = len(records) + len(passed) < store.outbox_size() + len(passed)
    return {"replica": store.replica(), "records": records, "marks": marks, "more": more}


def settle(where: Where, marks: Sequence[Any], answers: Sequence[Mapping[str, Any]]) -> Record:
    """Takes out of the outbox what the server has; the rest stays, or is listed as refused."""
    store, counts = where.store, {"sent": 0, "refused": 0, "later": 0}
    if len(marks) != len(answers):
        raise BadInput(f"{len(answers)} answers came for {len(marks)} records")
    names = {share.project: share.name for share in store.shares()}
    with store.transaction():
        for mark, answer in zip(marks, answers, strict=True):
            thing = Queued(str(mark[0]), str(mark[1]), int(mark[2]))
            word, why = answer.get("answer"), str(answer.get("why") or "")
            if word in (OK, JOINED):
                store.unqueue([thing])
                store.unrefuse(thing.noun, thing.name)
                counts["sent"] += 1
            elif word == REFUSED:
                record = records_of(store, [(thing.noun, thing.name)], names)
                project = next((str(raw["project"]) for raw in record.values()), "")
                at = where.act.at
                store.refuse(Refusal(thing.noun, thing.name, project, why[:500], at))
                store.unqueue([thing])
                counts["refused"] += 1
            else:
                if why == CLOCK and type(answer.get("time")) is int:
                    _stamp_anew(where, thing, answer["time"])
                counts["later"] += 1
    return counts


def _stamp_anew(where: Where, thing: Queued, time: int) -> None:
    """Brings stamps of a clock that is ahead back to the server's time."""
    store = where.store
    number = store.numbers_of([thing.name]).get(thing.name) if thing.noun == "memory" else None
    if number is None:
        return
    stamps = parsed(store.stamps_of([number])[number])
    for name, stamp in stamps.items():
        if (name in GROUPS or name == "all") and is_stamp(stamp) and stamp[0] > time:
            stamps[name] = [time, store.replica()]
    event = event_of(SYNCED, number, where.act, "the clock was ahead of the server's")
    store.change(number, {}, event, spelled(stamps))


def share_of(store: Store, project: str) -> Share:
    """A shared project; NotFound for one that is not."""
    own = next((share for share in store.shares() if share.project == project), None)
    if own is None:
        raise NotFound(f"the project {project} is not shared", f"recairn --project {project} share")
    return own


def take_page(where: Where, project: str, page: Mapping[str, Any], me: str) -> Record:
    """Takes a page of the server's feed in, and notes how far it was read, in one transaction.

    What is known here beyond the page waits to be sent; what it says itself does not.
    """
    store = where.store
    share = share_of(store, project)
    records = [record for record in page.get("records", ()) if isinstance(record, dict)]
    counts: Record = {"added": 0, "updated": 0, "joined": 0, "unchanged": 0, "waiting": 0}
    faults: list[str] = []
    clashes: list[int] = []
    erased: list[str] = []
    with store.transaction():
        if page.get("reset") or not share.position:
            # Who never read may have sent to a server that has lost it since: no cursor tells.
            store.queue_project(project)
        uids: set[str] = set()
        for writer, part in _by_writer(records).items():
            author = author_named(MEMBER, writer)
            sender = Sender(author, writer == me and bool(me), project, in_pages=True)
            batch = take(where, part, sender)
            receipt = batch.receipt
            counts["added"] += len(receipt.added)
            counts["updated"] += len(receipt.updated)
            counts["joined"] += len(receipt.joined)
            counts["unchanged"] += receipt.unchanged
            counts["waiting"] += receipt.waiting
            clashes += receipt.clashes
            erased += receipt.erased
            uids |= batch.as_said
            faults += [f"{records[place].get('uid')}: {why}" for place, why in batch.wrong.items()]
        _requeue(
            store, project, [record for record in records if str(record.get("uid")) not in uids]
        )
        position = str(page.get("next") or share.position)
        store.put_share(replace(share, position=position, pulled_at=where.act.at))
    ends = {"clashes": clashes, "erased": erased, "faults": faults, "cursor": position}
    return {**counts, **ends}


def joined(page: Record, following: Record) -> Record:
    """Two pages of a feed as one."""
    records = [*page["records"], *following["records"]]
    reset = bool(page.get("reset") or following.get("reset"))
    return {**following, "records": records, "reset": reset}


def _by_writer(records: Sequence[Record]) -> dict[str, list[tuple[int, Record]]]:
    """The records with their places, by who wrote them."""
    by_writer: dict[str, list[tuple[int, Record]]] = {}
    for place, record in enumerate(records):
        if isinstance(record.get("type"), str) and isinstance(record.get("uid"), str):
            writer = record.get("written_by")
            by_writer.setdefault(writer if isinstance(writer, str) else "", []).append(
                (place, record)
            )
    return by_writer


def _requeue(store: Store, project: str, records: Sequence[Record]) -> None:
    """Queues those of the things of which more is known here than the server said; no others.

    A memory may be in another shared project here than where the page has it.
    """
    said = {(noun_of(record), str(record.get("uid"))): record for record in records}
    names = {share.project: share.name for share in store.shares()}
    for row in store.erased([uid for noun, uid in said if noun == "memory"]):
        if row.project not in names:  # destroyed where nobody looks, and others have it
            store.put_erased(row.uid, row.memory, project, row.stamp)
    ours = records_of(store, list(said), names)
    settled: list[Queued] = []
    for noun in sorted({noun for noun, _ in said}):
        keys = [key for kind, key in said if kind == noun]
        waiting = store.outbox_marks(noun, keys)
        for key in keys:
            mine = ours.get((noun, key))
            if mine is None:
                continue  # the next page of the outbox passes it over
            if not says_the_same(mine, said[noun, key]):
                store.queue_name(noun, key, project)
            elif key in waiting:
                settled.append(Queued(noun, key, waiting[key]))
    store.unqueue(settled)
