"""The write door. Everything that is remembered comes through here, and leaves it clean.

A draft arrives prepared (`drafts.prepare`); then one transaction: duplicate and contradiction
check, row, indexes, vectors, edges, session link, history.
"""

from __future__ import annotations

from itertools import islice

from recairn.core.derived import (
    NEAR_DUPLICATE,
    alikeness,
    least_shared,
    name_of,
    opposition,
    overlap,
)
from recairn.core.draft import MAX_CONTENT
from recairn.core.errors import BadInput
from recairn.core.kinds import KINDS, checked_fields
from recairn.core.memory_text import joined_text
from recairn.core.model import Act, Edge, Event, Remembered, Similar, Vectors, decayed, lifted
from recairn.core.record import record
from recairn.core.words import normalised, one_line, words
from recairn.memory import link_state
from recairn.memory.lookup import known_memory
from recairn.memory.mentions import link_mentions, relink
from recairn.store.memory_rows import LookAlike, NewMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from recairn.core.draft import Prepared
    from recairn.embed.index import Meaning
    from recairn.store.contract.base import Store

# How many look-alikes are compared word by word; they come most-shared first.
_CANDIDATES = 12
_SHOWN_SIMILAR = 3
# Weight and confidence of a contradiction that only words suggest.
_MAYBE = 0.5
# Drafts whose look-alike keys are asked for at once in bulk work.
_BATCH = 1000


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
        alike = store.look_alikes(prepared.keys, _CANDIDATES, now=now)
        if alike and door.supersede is None:
            duplicate = _same(row, alike)
            if duplicate is not None:
                return _reinforce_stored(store, duplicate, row, prepared.warnings)
            similar = _similar(prepared, alike, door) if door.on_similar != "add" else ()
            if similar and door.on_similar == "reinforce":
                return _reinforce_stored(store, similar[0].id, row, prepared.warnings)
            if similar:
                return Remembered(None, None, "needs_decision", similar, prepared.warnings)
        conflicts = _contradictions(prepared.text, alike, door.supersede) if alike else {}
        memory = store.put([NewMemory._make((row, prepared.keys))])[0]
        link_mentions(store, [memory], [prepared])
        _put_vectors(store, door, [memory], [prepared], [pieces])
        if door.supersede is not None:
            replace_with(store, door.supersede, memory, Act(now, row["session_id"]))
        for other in conflicts:
            # Kept until somebody decides; lighter than what a person says.
            edge = Edge(memory, other, "contradicts", _MAYBE, _MAYBE, "system", now, now, None)
            link_state.begin(store, edge, now)
        status = "added" if door.supersede is None else "superseded"
        warnings = (*prepared.warnings, *conflicts.values())
        where = row["project"], row["tier"]
        return Remembered(memory, row["uid"], status, (), warnings, tuple(conflicts), *where)


def remember_all(store: Store, drafts: Iterable[Prepared], door: Door) -> list[Remembered]:
    """The same for many drafts in one transaction, each judged against all before it.

    Unremarkable drafts are put together; the others go through `remember` one by one.
    """
    results: list[Remembered] = []
    with store.transaction():
        upcoming = iter(drafts)
        while batch := list(islice(upcoming, _BATCH)):
            keys = [key for draft in batch for key in draft.keys]
            beside = _Beside(store.key_holders(keys), _duplicates(keys))
            vectors = door.meaning.pieces_at_once([draft.text for draft in batch])
            ready: list[tuple[Prepared, Sequence[bytes]]] = []
            for draft, pieces in zip(batch, vectors, strict=True):
                if _remarkable(store, draft, door, beside):
                    _put_ready(store, door, ready, results)
                    results.append(remember(store, draft, door, pieces))
                else:
                    ready.append((draft, pieces))
                beside.add(draft)
            _put_ready(store, door, ready, results)
    return results


def foreseen(
    store: Store, drafts: Sequence[Prepared], door: Door, coming: dict[int, list[Prepared]]
) -> list[bool]:
    """Which of the drafts `remember_all` would add; nothing is written.

    `coming` is what calls before this one would have added, by its keys, and is added to.
    """
    beside = _Beside(store.key_holders([key for draft in drafts for key in draft.keys]), None)
    beside.waiting = coming
    added = []
    for draft in drafts:
        alike = beside.alike(store, draft)
        known = _same(draft.row, alike) is not None
        if door.on_similar == "reinforce":
            known = known or bool(_similar(draft, alike, door))
        if not known:
            beside.add(draft)
        added.append(not known)
    return added


class _Beside:
    """What lies beside the drafts of a batch under their keys: stored, or waiting to be."""

    __slots__ = ("_holders", "_shared", "waiting")

    def __init__(self, holders: Mapping[int, Sequence[int]], shared: set[int] | None) -> None:
        """`shared` are the keys that several drafts have; None where more drafts are to come."""
        self._holders = holders
        self._shared = shared
        self.waiting: dict[int, list[Prepared]] = {}

    def add(self, draft: Prepared) -> None:
        """From now on the draft lies beside the others, too."""
        keys = draft.keys if self._shared is None else self._shared.intersection(draft.keys)
        for key in keys:
            self.waiting.setdefault(key, []).append(draft)

    def alike(self, store: Store, draft: Prepared) -> list[LookAlike]:
        """What may resemble a draft: it has the same text or name, or enough keys in common."""
        telling = draft.keys[-2 if KINDS[draft.row["kind"]].named else -1 :]
        least = least_shared(len(draft.keys) - len(telling))
        stored: dict[int, int] = {}
        waiting: dict[int, int] = {}
        drafts: dict[int, Prepared] = {}
        for key in draft.keys:
            worth = least if key in telling else 1
            for memory in self._holders.get(key, ()):
                stored[memory] = stored.get(memory, 0) + worth
            for other in self.waiting.get(key, ())[-_CANDIDATES:]:
                drafts[id(other)] = other
                waiting[id(other)] = waiting.get(id(other), 0) + worth
        alike: list[LookAlike] = []
        if any(worth >= least for worth in stored.values()):
            alike = store.look_alikes(draft.keys, _CANDIDATES, now=draft.row["updated_at"])
        near = [drafts[number] for number, worth in waiting.items() if worth >= least]
        return alike + [_as_stored(other) for other in near[-_CANDIDATES:]]


def _duplicates(keys: Sequence[int]) -> set[int]:
    """The keys that occur more than once."""
    seen: set[int] = set()
    duplicates: set[int] = set()
    for key in keys:
        (duplicates if key in seen else seen).add(key)
    return duplicates


def _remarkable(store: Store, draft: Prepared, door: Door, beside: _Beside) -> bool:
    """Whether a draft repeats, resembles or opposes something stored, or waiting to be."""
    alike = beside.alike(store, draft)
    if not alike:
        return False
    return bool(
        _same(draft.row, alike) is not None
        or _similar(draft, alike, door)
        or _contradictions(draft.text, alike, None)
    )


def _put_ready(
    store: Store,
    door: Door,
    ready: list[tuple[Prepared, Sequence[bytes]]],
    results: list[Remembered],
) -> None:
    ids = store.put([NewMemory._make((draft.row, draft.keys)) for draft, _ in ready])
    link_mentions(store, ids, [draft for draft, _ in ready])
    results += [
        Remembered(
            memory,
            draft.row["uid"],
            "added",
            warnings=draft.warnings,
            project=draft.row["project"],
            tier=draft.row["tier"],
        )
        for memory, (draft, _) in zip(ids, ready, strict=True)
    ]
    _put_vectors(store, door, ids, [draft for draft, _ in ready], [pieces for _, pieces in ready])
    ready.clear()


def _put_vectors(
    store: Store,
    door: Door,
    ids: Sequence[int],
    drafts: Sequence[Prepared],
    pieces: Sequence[Sequence[bytes]],
) -> None:
    vectors = [
        Vectors(memory, draft.row["reach"], draft.row["content_hash"], codes)
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


def _same(row: Mapping[str, Any], alike: Sequence[LookAlike]) -> int | None:
    """The memory that says exactly this already; it shares every key, so it is among these."""
    return next((stored.id for stored in alike if stored.content_hash == row["content_hash"]), None)


def _similar(draft: Prepared, alike: Sequence[LookAlike], door: Door) -> tuple[Similar, ...]:
    """The look-alikes, most alike first; who asks is also told what goes by the same name."""
    row = draft.row
    named = door.on_similar == "ask" and KINDS[row["kind"]].named
    name = normalised(name_of(row["title"], row["content"])) if named else ""
    similar = []
    own = set(words(draft.text))
    for stored in alike:
        other = set(words(_text(stored)))
        share = alikeness(own, other)
        same_name = named and normalised(name_of(stored.title, stored.content)) == name
        if same_name:
            share = overlap(own, other)
        if same_name or share >= door.similar_above:
            similar.append(Similar(*stored[:4], round(share, 3), same_name))
    similar.sort(key=lambda hit: (-hit.similarity, hit.id))
    return tuple(similar[:_SHOWN_SIMILAR])


def _contradictions(
    text: str, alike: Sequence[LookAlike], predecessor: int | None
) -> dict[int, str]:
    """Memory → the warning, of those that a text seems to oppose."""
    warnings: dict[int, str] = {}
    said = text, set(words(text))
    for stored in alike:
        other = _text(stored)
        why = "" if stored.id == predecessor else opposition(said, (other, set(words(other))))
        if why and len(warnings) < _SHOWN_SIMILAR:
            beginning = one_line(stored.title or stored.content, 60)
            warnings[stored.id] = f"may contradict #{stored.id} ({why}): {beginning}"
    return warnings


def _text(stored: LookAlike) -> str:
    return joined_text(stored.title, stored.content, stored.details)


def _as_stored(draft: Prepared) -> LookAlike:
    """A draft that waits to be put, as the store would hand it out."""
    row = draft.row
    return LookAlike(0, "", row["title"], row["content"], row["details"], row["content_hash"])
