"""The answer follows the question: in a conversation, what is looked for often stands one turn on.

A short question that was found lifts the short turn after it by a half of its own lead: worth .03
nDCG@10 on questions about dialogue, nothing among chats with long answers, where it would cost as
much without the limits of length (docs/ranking.md).
"""

from __future__ import annotations

from recairn.core.memory_text import flags_of
from recairn.core.model import Hit, Term, total
from recairn.core.record import replace
from recairn.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.core.model import Memory
    from recairn.store.contract.base import Store

# The share of a question's lead that its answer gets.
_SHARE = 0.5
# Characters beyond which a question or an answer is a text of its own.
_LONGEST_QUESTION, _LONGEST_ANSWER = 300, 400
# The hit whose score is no lead any more.
_LAST = 50
# Questions whose next turn is looked up.
_LOOKED_UP = 30
_SNIPPET = 200


def with_replies(hits: Sequence[Hit], store: Store) -> tuple[Hit, ...]:
    """The hits, best first, with the answers to those among them that are questions lifted."""
    if not hits:
        return ()
    base = hits[min(len(hits), _LAST) - 1].score
    found = {hit.id: hit for hit in hits}
    scores = {hit.id: hit.score for hit in hits}
    for hit in [hit for hit in hits if _is_question(hit.memory)][:_LOOKED_UP]:
        reply = _next_turn(hit.memory, store)
        if reply is None or len(reply.content) > _LONGEST_ANSWER:
            continue
        lead = max(0.0, scores[hit.id] - base)
        known = found.get(reply.id)
        if known is None:
            terms = {"reply": Term(base + _SHARE * lead, 1.0)}
            snippet = one_line(reply.content, _SNIPPET)
            known = Hit(reply, terms, "reply", snippet, flags=flags_of(reply))
        elif "reply" not in known.terms:
            known = replace(known, terms=_within_one({**known.terms, "reply": Term(lead, _SHARE)}))
        found[reply.id] = known
    return tuple(sorted(found.values(), key=lambda hit: (-hit.score, hit.id)))


def _within_one(terms: Mapping[str, Term]) -> dict[str, Term]:
    """The terms, and the one that keeps the score within 1 where they lead beyond."""
    bare = {name: term for name, term in terms.items() if name != "ceiling"}
    beyond = total(bare)
    return bare if beyond <= 1.0 else {**bare, "ceiling": Term(1.0 / beyond, 1.0, "gate")}


def _is_question(memory: Memory) -> bool:
    return len(memory.content) <= _LONGEST_QUESTION and memory.content.rstrip().endswith("?")


def _next_turn(memory: Memory, store: Store) -> Memory | None:
    """The turn after one in its conversation; None after the last."""
    position = memory.fields.get("position")
    if not isinstance(position, int):
        return None
    # Turns are written in their order: the next one has a number not far above.
    later = [id for id in store.chunks_of(str(memory.fields.get("document"))) if id > memory.id]
    for turn in store.get_many(later[:3]).values():
        if turn.fields.get("position") == position + 1 and turn.deleted_at is None:
            return turn
    return None
