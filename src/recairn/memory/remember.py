"""The write door. Everything that is remembered comes through here, and leaves it clean.

A draft arrives prepared (`drafts.prepare`); then one transaction: duplicate and contradiction
check, row, indexes, vectors, edges, session link, history.
"""

from __future__ import annotations

import gc

from recairn.core.derived import NEAR_DUPLICATE
from recairn.core.draft import MAX_CONTENT
from recairn.core.errors import BadInput
from recairn.core.kinds import checked_fields
from recairn.core.model import Act, Edge, Event, Remembered, Vectors, decayed, lifted
from recairn.core.record import record, replace
from recairn.memory import link_state
from recairn.memory.likeness import CANDIDATES, NEW, WAITING, Beside, Known, judged
from recairn.memory.lookup import known_memory
from recairn.memory.mentions import link_mentions, relink
from recairn.store.memory_rows import NewMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.draft import Prepared
    from recairn.embed.index import Meaning
    from recairn.store.contract.base import Store

# Weight and confidence of a contradiction that only words suggest.
_MAYBE = 0.5
# Drafts that are judged and put at once in bulk work: the more, the nearer to one another lie the
# keys of look-alikes on disk, which are read and written in their order; and how long all of them
# may be.
_BATCH = 10_000
_BATCH_CHARACTERS = 8_000_000


@record
class Door:
    """How to treat a draft: which model embeds it, and what happens to look-alikes.

    `on_similar` is ask (write nothing, report), reinforce (strengthen the known one) or add. From
    `similar_above` on, the share of common words makes two texts look alike.
    """

    meaning: Meaning
    on_similar: str = "ask"
    supersede: int | None = None
    merge: int | None = None
    similar_above: float = NEAR_DUPLICATE


def remember(
    store: Store, prepared: Prepared, door: Door, pieces: Sequence[bytes] = ()
) -> Remembered:
    """Stores a prepared draft, or says why not; joins the caller's transaction if there is one."""
    with store.transaction():
        row, now = prepared.row, prepared.row["updated_at"]
        if door.merge is not None:
            return _merge(store, door, prepared)
        alike = store.look_alikes(prepared.keys, CANDIDATES, now=now)
        verdict = judged(prepared, list(map(Known, alike)), door) if alike else NEW
        if verdict.known is not None:
            return _reinforce_stored(store, verdict.known, row, prepared.warnings)
        if verdict.similar:
            return Remembered(None, None, "needs_decision", verdict.similar, prepared.warnings)
        memory = store.put([NewMemory._make((row, prepared.keys))])[0]
        link_mentions(store, [memory], [prepared])
        _put_vectors(store, door, [memory], [prepared], [pieces])
        if door.supersede is not None:
            replace_with(store, door.supersede, memory, Act(now, row["session_id"]))
        status = "added" if door.supersede is None else "superseded"
        return _added(store, memory, prepared, verdict.conflicts, status)


def remember_all(store: Store, drafts: Iterable[Prepared], door: Door) -> list[Remembered]:
    """The same for many drafts in one transaction, each judged against all before it."""
    results: list[Remembered] = []
    # Drafts, rows and answers are made by the hundred thousand, none in a circle: a look for those
    # at every seven hundredth finds nothing, again and again.
    collecting = gc.isenabled()
    gc.disable()
    try:
        with store.transaction():
            for batch in _batches(drafts):
                results += _remember_batch(store, batch, door)
    finally:
        if collecting:
            gc.enable()
    return results


def _batches(drafts: Iterable[Prepared]) -> Iterator[list[Prepared]]:
    batch: list[Prepared] = []
    size = 0
    for draft in drafts:
        batch.append(draft)
        size += len(draft.text)
        if len(batch) == _BATCH or size > _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _remember_batch(store: Store, batch: Sequence[Prepared], door: Door) -> list[Remembered]:
    """All are judged first; what is new is put at once, and the rest follows in its order."""
    beside = Beside(store, batch, {}, last=True)
    verdicts, new = beside.verdicts(door), beside.new
    ids = store.put([NewMemory._make((draft.row, draft.keys)) for draft in new])
    link_mentions(store, ids, new)
    vectors = door.meaning.pieces_at_once([draft.text for draft in new])
    _put_vectors(store, door, ids, new, vectors)

    def number(memory: int) -> int:
        return memory if memory < WAITING else ids[memory - WAITING]

    upcoming, results = iter(ids), []
    for draft, verdict in zip(batch, verdicts, strict=True):
        if verdict.known is not None:
            known = number(verdict.known)
            results.append(_reinforce_stored(store, known, draft.row, draft.warnings))
        elif verdict.similar:
            similar = tuple([replace(other, id=number(other.id)) for other in verdict.similar])
            results.append(Remembered(None, None, "needs_decision", similar, draft.warnings))
        else:
            conflicts = [(number(other), why, text) for other, why, text in verdict.conflicts]
            results.append(_added(store, next(upcoming), draft, conflicts, "added"))
    return results


def foreseen(
    store: Store, drafts: Sequence[Prepared], door: Door, coming: dict[int, list[Known]]
) -> list[bool]:
    """Which of the drafts `remember_all` would add; nothing is written.

    `coming` is what calls before this one would have added, by its keys, and is added to.
    """
    verdicts = Beside(store, drafts, coming, last=False).verdicts(door)
    return [verdict.is_new for verdict in verdicts]


def _added(
    store: Store,
    memory: int,
    draft: Prepared,
    conflicts: Sequence[tuple[int, str, str]],
    status: str,
) -> Remembered:
    """The answer for a memory that was put, which is linked to what it may contradict."""
    row, warnings = draft.row, draft.warnings
    for other, why, beginning in conflicts:
        # Kept until somebody decides; lighter than what a person says.
        at = row["updated_at"]
        edge = Edge(memory, other, "contradicts", _MAYBE, _MAYBE, "system", at, at, None)
        link_state.begin(store, edge, at)
        warnings = (*warnings, f"may contradict #{other} ({why}): {beginning}")
    others = tuple([other for other, _, _ in conflicts])
    where = row["project"], row["tier"]
    return Remembered._make((memory, row["uid"], status, (), warnings, others, *where))


def _put_vectors(
    store: Store,
    door: Door,
    ids: Sequence[int],
    drafts: Sequence[Prepared],
    pieces: Sequence[Sequence[bytes]],
) -> None:
    vectors = [
        Vectors._make((memory, draft.row["reach"], draft.row["content_hash"], codes))
        for memory, draft, codes in zip(ids, drafts, pieces, strict=True)
        if codes
    ]
    if vectors:
        door.meaning.put(vectors, now=drafts[0].row["updated_at"])


def replace_with(store: Store, old: int, new: int, act: Act) -> None:
    """Ends the old memory's validity, names its successor, and links the two."""
    predecessor = known_memory(store, old)
    known_memory(store, new)
    reason = act.reason or f"by #{new}"
    event = Event(0, old, act.at, "superseded", reason, {}, {}, act.session, None)
    until = max(predecessor.valid_from, min(act.at, predecessor.valid_until or act.at))
    store.change(old, {"superseded_by": new, "valid_until": until, "updated_at": act.at}, event)
    if predecessor.superseded_by is not None:
        before = link_state.state_of(store, predecessor.superseded_by, old, "supersedes")
        if before is not None:
            link_state.end(store, before, act.at)
    edge = Edge(new, old, "supersedes", 1.0, 1.0, "system", act.at, act.at, None)
    link_state.begin(store, edge, act.at)
    if act.session is not None:
        store.link_session(act.session, old, "updated", act.at)


def _reinforce_stored(
    store: Store, memory: int, row: Mapping[str, Any], warnings: tuple[str, ...]
) -> Remembered:
    """Strengthens what was known already instead of storing it twice."""
    current = known_memory(store, memory)
    now, session = row["updated_at"], row["session_id"]
    event = Event(0, memory, now, "reinforced", "remembered again", {}, {}, session, None)
    changes = {"salience": lifted(decayed(current, now)), "decayed_at": now}
    if row["trust"] == "verified" and current.trust != "verified":
        changes["trust"] = "verified"  # who writes down what others said so far confirms it
    elif row["trust"] == "attributed" and current.trust == "unverified" and current.kind != "rule":
        changes["trust"] = "attributed"
    store.change(memory, changes, event)
    if session is not None:
        store.link_session(session, memory, "reinforced", now)
    where = current.project, current.tier
    return Remembered(memory, current.uid, "reinforced", (), warnings, (), *where)


def _merge(store: Store, door: Door, prepared: Prepared) -> Remembered:
    """Adds a draft's text, fields and keywords to a known memory."""
    from recairn.memory.joined_sentences import joined_sentences

    assert door.merge is not None
    current, row = known_memory(store, door.merge), prepared.row
    content = joined_sentences(current.content, row["content"])
    if len(content) > MAX_CONTENT:
        raise BadInput(
            f"#{current.id} would grow over {MAX_CONTENT:,} characters", "use --supersede"
        )
    title = current.title or row["title"]
    fields = checked_fields(current.kind, _joined(current.fields, row["fields"]))
    changes = {
        "title": title,
        "content": content,
        "fields": fields,
        "keywords": tuple(dict.fromkeys((*current.keywords, *row["keywords"]))),
        "updated_at": row["updated_at"],
    }
    if (
        content != current.content
        and row["trust"] != "verified"
        and row["author"] != current.author
    ):
        # Whoever puts other words into a memory is the author of those words.
        changes["author"] = row["author"]
        if current.trust == "verified":
            changes["trust"] = "attributed"
    at, session = row["updated_at"], row["session_id"]
    event = Event(0, current.id, at, "merged", "new text added", {}, {}, session, None)
    store.change(current.id, changes, event)
    after = known_memory(store, current.id)
    relink(store, after, at)
    door.meaning.renew(after, now=at)
    where = current.project, current.tier
    return Remembered(current.id, current.uid, "merged", (), prepared.warnings, (), *where)


def _joined(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Both sets of fields: lists one after the other, texts by sentence, else the new value."""
    from recairn.memory.joined_sentences import joined_sentences

    fields = dict(old)
    for name, value in new.items():
        before = fields.get(name)
        if isinstance(before, list) and isinstance(value, list):
            fields[name] = [*before, *(item for item in value if item not in before)]
        elif isinstance(before, str) and isinstance(value, str) and value != before:
            fields[name] = joined_sentences(before, value)
        else:
            fields[name] = value
    return fields
