"""What lies beside a draft: whether it repeats, resembles or opposes what is known already.

Look-alike keys lead to what may be like it (decision 0003), and its words decide.
"""

from __future__ import annotations

from recairn.core.derived import (
    SAME_SUBJECT,
    alikeness,
    least_shared,
    name_of,
    opposition,
    overlap,
    subject_words,
)
from recairn.core.kinds import KINDS
from recairn.core.memory_text import joined_text
from recairn.core.model import Similar
from recairn.core.record import record
from recairn.core.words import normalised, one_line, words
from recairn.store.memory_rows import LookAlike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.core.draft import Prepared
    from recairn.memory.remember import Door
    from recairn.store.contract.base import Store

# How many look-alikes are compared word by word; they come most-shared first.
CANDIDATES = 12
_SHOWN_SIMILAR = 3
# Drafts that wait to be put count from here, until they have a number.
WAITING = 1 << 62


class Known:
    """A stored memory, or a draft that waits to be one, beside others: its words are made once."""

    __slots__ = ("_subject", "_words", "row", "text")

    def __init__(self, row: LookAlike) -> None:
        self.row = row
        self.text = joined_text(row.title, row.content, row.details)
        self._words: set[str] | None = None
        self._subject: set[str] | None = None

    @property
    def words(self) -> set[str]:
        if self._words is None:
            self._words = set(words(self.text))
        return self._words

    @property
    def subject(self) -> set[str]:
        if self._subject is None:
            self._subject = subject_words(self.words)
        return self._subject


@record
class Verdict:
    """What becomes of a draft: new unless a memory is known that says it, or similar ones are.

    `conflicts` are what a new one may contradict: the memory, why, and how it begins.
    """

    known: int | None = None
    similar: tuple[Similar, ...] = ()
    conflicts: tuple[tuple[int, str, str], ...] = ()

    @property
    def is_new(self) -> bool:
        return self.known is None and not self.similar


NEW = Verdict()


class Beside:
    """What lies beside the drafts of a batch under their keys: stored, or waiting to be."""

    def __init__(
        self,
        store: Store,
        batch: Sequence[Prepared],
        waiting: dict[int, list[Known]],
        *,
        last: bool,
    ) -> None:
        """`last`: no more drafts are to come, so what one of these has alone leads to nobody."""
        self._batch = batch
        keys = [key for draft in batch for key in draft.keys]
        self._holders = store.key_holders(keys)
        self._shared = _duplicates(keys) if last else set(keys)
        self._waiting = waiting
        # Those that were judged to be new, in their order.
        self.new: list[Prepared] = []
        self._near: dict[int, list[int]] = {}
        asked: set[int] = set()
        held = self._holders.keys()
        for draft in batch:
            if not held.isdisjoint(draft.keys):
                near = self._most_shared(draft)
                if near:
                    self._near[id(draft)] = near
                    asked.update(near)
        rows = store.alike(sorted(asked), now=batch[0].row["updated_at"]) if asked else []
        self._known = {row.id: Known(row) for row in rows}

    def verdicts(self, door: Door) -> list[Verdict]:
        """What is to become of each; one that is new lies beside those that follow."""
        return [self._judged(draft, door) for draft in self._batch]

    def _judged(self, draft: Prepared, door: Door) -> Verdict:
        shared = self._shared.intersection(draft.keys)
        near = self._near.get(id(draft), ())
        alike = [self._known[number] for number in near if number in self._known][:CANDIDATES]
        if shared:
            alike += self._waiting_alike(draft, shared)
        verdict = judged(draft, alike, door) if alike else NEW
        if verdict.is_new:
            if shared:
                own = Known(_as_stored(draft, WAITING + len(self.new)))
                for key in shared:
                    self._waiting.setdefault(key, []).append(own)
            self.new.append(draft)
        return verdict

    def _most_shared(self, draft: Prepared) -> list[int]:
        """The stored memories that may resemble a draft, those that share most keys first."""
        worths, least = _worths(draft)
        shared: dict[int, int] = {}
        for key, worth in worths.items():
            for memory in self._holders.get(key, ()):
                shared[memory] = shared.get(memory, 0) + worth
        near = [memory for memory, worth in shared.items() if worth >= least]
        near.sort(key=lambda memory: (-shared[memory], -memory))
        return near[: 2 * CANDIDATES]  # some of them may have been forgotten

    def _waiting_alike(self, draft: Prepared, shared: Iterable[int]) -> list[Known]:
        """The same among those that wait; the last ones, in their order."""
        worths, least = _worths(draft)
        shares: dict[int, int] = {}
        others: dict[int, Known] = {}
        for key in shared:
            for other in self._waiting.get(key, ())[-CANDIDATES:]:
                others[id(other)] = other
                shares[id(other)] = shares.get(id(other), 0) + worths[key]
        near = [others[number] for number, worth in shares.items() if worth >= least]
        return sorted(near, key=lambda known: known.row.id)[-CANDIDATES:]


def _worths(draft: Prepared) -> tuple[dict[int, int], int]:
    """What sharing each key of a draft is worth, and how much makes a look-alike.

    The same text or the same name is enough, and a number of other keys.
    """
    telling = draft.keys[-2 if KINDS[draft.row["kind"]].named else -1 :]
    least = least_shared(len(draft.keys) - len(telling))
    return {**dict.fromkeys(draft.keys, 1), **dict.fromkeys(telling, least)}, least


def _duplicates(keys: Sequence[int]) -> set[int]:
    """The keys that occur more than once."""
    seen: set[int] = set()
    duplicates: set[int] = set()
    for key in keys:
        (duplicates if key in seen else seen).add(key)
    return duplicates


def judged(draft: Prepared, alike: Sequence[Known], door: Door) -> Verdict:
    """Whether a draft repeats, resembles or opposes what is beside it."""
    if not alike:
        return NEW
    own = Known(_as_stored(draft, 0))
    if door.supersede is None:
        hashed = draft.row["content_hash"]
        # What says exactly this shares every key, so it is among these.
        same = next((other.row.id for other in alike if other.row.content_hash == hashed), None)
        if same is not None:
            return Verdict(same)
        similar = _similar(draft, own, alike, door) if door.on_similar != "add" else ()
        if similar and door.on_similar == "reinforce":
            return Verdict(similar[0].id)
        if similar:
            return Verdict(None, similar)
    conflicts = _contradictions(own, alike, door.supersede)
    return Verdict(None, (), conflicts) if conflicts else NEW


def _similar(
    draft: Prepared, own: Known, alike: Sequence[Known], door: Door
) -> tuple[Similar, ...]:
    """The look-alikes, most alike first; who asks is also told what goes by the same name."""
    row = draft.row
    named = door.on_similar == "ask" and KINDS[row["kind"]].named
    name = normalised(name_of(row["title"], row["content"])) if named else ""
    similar = []
    for other in alike:
        stored = other.row
        share = overlap(own.words, other.words)
        same_name = named and normalised(name_of(stored.title, stored.content)) == name
        if not same_name and share >= door.similar_above:
            share = alikeness(own.words, other.words)
        if same_name or share >= door.similar_above:
            similar.append(Similar(*stored[:4], round(share, 3), same_name))
    similar.sort(key=lambda hit: (-hit.similarity, hit.id))
    return tuple(similar[:_SHOWN_SIMILAR])


def _contradictions(
    own: Known, alike: Sequence[Known], predecessor: int | None
) -> tuple[tuple[int, str, str], ...]:
    """Those that a text seems to oppose: the memory, why, and how it begins."""
    opposed: list[tuple[int, str, str]] = []
    for other in alike:
        if other.row.id == predecessor or overlap(own.subject, other.subject) < SAME_SUBJECT:
            continue
        why = opposition((own.text, own.words), (other.text, other.words))
        if why and len(opposed) < _SHOWN_SIMILAR:
            opposed.append((other.row.id, why, one_line(other.row.title or other.row.content, 60)))
    return tuple(opposed)


def _as_stored(draft: Prepared, number: int) -> LookAlike:
    """A draft that waits to be put, as the store would hand it out."""
    row = draft.row
    text = row["title"], row["content"], row["details"]
    return LookAlike._make((number, row["uid"], *text, row["content_hash"]))
