"""Candidates: what was captured without anyone asking, until a person accepts or drops it."""

from __future__ import annotations

from recairn.core.errors import Refused
from recairn.core.members import REVIEWER
from recairn.core.model import Draft
from recairn.core.record import replace
from recairn.memory.authority import guard_person
from recairn.memory.capture import candidates
from recairn.memory.lifecycle import event_of, forget
from recairn.memory.lookup import known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.core.draft import Prepared
    from recairn.core.model import Act, Filter, Memory
    from recairn.store.contract.base import Store

# How sure a rule over words can be; a person's own entry has 0.5 and rises with use.
_CONFIDENCE = 0.4
# Words of a decision or an order that say nothing of what it is about.
_TALK = frozenset("decided decide agreed chose use using instead because now please always".split())
# The share of its telling words that a memory must have to say the same as a candidate, and how
# many a candidate must have to be known by them.
_SHARED = 0.7
_FEWEST = 2
# Candidates looked at in one go; who has more to review has stopped reviewing.
MANY = 1000


def drafts_from(texts: Iterable[str], source_ref: str) -> list[Draft]:
    """A draft for each candidate in texts, unverified, that says where it came from."""
    return [
        Draft(
            content=candidate.content,
            kind=candidate.kind,
            fields=candidate.fields or None,
            confidence=_CONFIDENCE,
            source_type="hook",
            source_ref=source_ref,
            trust="unverified",
        )
        for text in texts
        for candidate in candidates(text)
    ]


def still_open(store: Store, drafts: Sequence[Prepared]) -> list[Prepared]:
    """The drafts a person has not dropped before: a no holds."""
    dropped_keys = store.dropped_keys([draft.keys[-1] for draft in drafts])
    return [draft for draft in drafts if draft.keys[-1] not in dropped_keys]


def withdraw_repeated(store: Store, session: str, act: Act) -> list[int]:
    """Forgets the candidates of a session that something else written in it says; their ids.

    An agent that was told a decision often writes it down itself: then nobody needs to be asked.
    """
    created = [use.memory for use in store.used_in(session) if use.usage == "created"]
    memories = [memory for memory in store.get_many(created).values() if memory.deleted_at is None]
    captured = [
        memory
        for memory in memories
        if memory.source_type == "hook" and memory.trust == "unverified"
    ]
    written = [memory for memory in memories if memory.source_type not in ("hook", "import")]
    withdrawn = []
    for candidate in captured if written else ():
        twin = next((other for other in written if _says(other, candidate)), None)
        if twin is not None:
            forget(store, candidate.id, replace(act, reason=f"#{twin.id} says it"))
            withdrawn.append(candidate.id)
    return withdrawn


def _says(other: Memory, candidate: Memory) -> bool:
    """Whether a memory says what a candidate says, in whatever words around it."""
    from recairn.core.derived import contradiction, subject_words
    from recairn.core.memory_text import whole_text
    from recairn.core.words import words

    text = whole_text(other)
    wanted = set(map(_root, subject_words(set(words(candidate.content))) - _TALK))
    roots = set(map(_root, words(text)))
    if len(wanted) < _FEWEST or len(wanted & roots) < _SHARED * len(wanted):
        return False
    return not contradiction(candidate.content, text)


def _root(word: str) -> str:
    """The word without the ending that only its place in a sentence gives it."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending).rstrip("e")
    return word.rstrip("e")


def waiting(store: Store, filter: Filter, *, limit: int) -> list[Memory]:
    """The candidates nobody has decided about, oldest first."""
    return store.listing(replace(filter, trust="unverified"), order="oldest", limit=limit)


def accept(store: Store, memories: Sequence[int], act: Act) -> list[Memory]:
    """Makes candidates count as verified: all of them or, on an error, none."""
    guard_person(act, "accept what waits for review", "review")
    _guard_shared(store, memories)
    with store.transaction():
        for memory in memories:
            if _open_candidate(store, memory).trust != "verified":
                event = event_of("updated", memory, act, act.reason or "accepted in review")
                store.change(memory, {"trust": "verified", "updated_at": act.at}, event)
        return [known_memory(store, memory) for memory in memories]


def drop(store: Store, memories: Sequence[int], act: Act) -> list[Memory]:
    """Forgets candidates: all of them or, on an error, none."""
    guard_person(act, "drop what waits for review", "review")
    _guard_shared(store, memories)
    with store.transaction():
        for memory in memories:
            if _open_candidate(store, memory).trust == "verified":
                raise Refused(
                    f"#{memory} is no candidate, it is verified", f"recairn forget {memory}"
                )
        drop_act = replace(act, reason=act.reason or "dropped in review")
        return [forget(store, memory, drop_act) for memory in memories]


def _guard_shared(store: Store, memories: Sequence[int]) -> None:
    """What the team sees is for its reviewers to decide, one's own for oneself."""
    if store.role and not all(row.is_private for row in store.sharing(memories).values()):
        from recairn.memory.sharing import guard_role

        guard_role(store, REVIEWER, "to review what the team sees")


def _open_candidate(store: Store, memory: int) -> Memory:
    candidate = known_memory(store, memory)
    if candidate.deleted_at is not None:
        raise Refused(f"#{memory} was forgotten", f"recairn restore {memory}")
    return candidate
