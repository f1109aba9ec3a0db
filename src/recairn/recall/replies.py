"""The answer follows the question: in a conversation, what is looked for often stands one turn on.

A short question that was found lifts the short turn after it by a half of its own lead: worth .03
nDCG@10 on questions about dialogue, nothing among chats with long answers, where it would cost as
much without the limits of length (docs/ranking.md). Turns are the chunks of a conversation, or
memories that somebody stored one by one in their order: "Ann: Which port?", "Bo: 9464."
"""

from __future__ import annotations

from recairn.core.memory_text import flags_of
from recairn.core.model import Hit, Term, total
from recairn.core.record import replace
from recairn.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from recairn.core.model import Memory
    from recairn.ranking.score import Scored
    from recairn.recall.search import Request
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
# How far above a memory's number the next of its dialogue may lie.
_NEAR = 3
# Milliseconds after which another conversation has begun.
_PAUSE_MS = 3_600_000
# Characters and words of a speaker's name.
_LONGEST_NAME, _NAME_WORDS = 40, 3


def with_replies(hits: Sequence[Hit], store: Store) -> tuple[Hit, ...]:
    """The hits, best first, with the answers to those among them that are questions lifted."""
    if not hits:
        return ()
    base = hits[min(len(hits), _LAST) - 1].score
    by_id = {hit.id: hit for hit in hits}
    asking = [hit for hit in hits if _is_question(hit.memory)][:_LOOKED_UP]
    leads = [(hit, max(0.0, hit.score - base)) for hit in asking]
    for hit, lead in leads:
        reply = _next_turn(hit.memory, store)
        if reply is not None and len(reply.content) <= _LONGEST_ANSWER:
            by_id[reply.id] = _lifted(by_id.get(reply.id), reply, base, lead)
    return tuple(sorted(by_id.values(), key=lambda hit: (-hit.score, hit.id)))


def with_next_memories(
    hits: Sequence[Hit],
    best: Sequence[Scored],
    whole: Sequence[Scored],
    show: Callable[[Sequence[Scored]], Sequence[Hit]],
    request: Request,
    store: Store,
) -> tuple[Hit, ...]:
    """The same among memories that are turns of dialogue, each a memory of its own.

    The hits are of the `best`, which may have had a second look; behind them come others of the
    `whole` ranking, and `show` makes hits of more of these. Who is in neither has to pass the
    filter.
    """
    ahead = {scored.facts.id for scored in best}
    ranking = [*best, *[scored for scored in whole if scored.facts.id not in ahead]]
    first = ranking[:_LOOKED_UP]
    memories = store.get_many([scored.facts.id for scored in first])
    asking = [memories[one.facts.id] for one in first if _is_turn_question(memories, one)]
    replies = _next_memories(asking, store)
    places = {scored.facts.id: scored for scored in ranking}
    passing = store.passing([reply.id for reply in replies.values()], request.filter)
    base = ranking[min(len(ranking), _LAST) - 1].score
    by_id = {hit.id: hit for hit in hits}
    lifted = [
        reply.id for reply in replies.values() if reply.id not in by_id and reply.id in places
    ]
    by_id.update({hit.id: hit for hit in show([places[number] for number in lifted])})
    for asked, reply in replies.items():
        if reply.id in passing:
            lead = max(0.0, places[asked].score - base)
            by_id[reply.id] = _lifted(by_id.get(reply.id), reply, base, lead)
    order = sorted(by_id.values(), key=lambda hit: (-hit.score, hit.id))
    return tuple([hit for hit in order if hit.score >= request.min_score][: request.limit])


def _lifted(hit: Hit | None, reply: Memory, base: float, lead: float) -> Hit:
    """A reply with its share of the lead of the question before it."""
    if hit is None:
        terms = {"reply": Term(base + _SHARE * lead, 1.0)}
        snippet = one_line(reply.content, _SNIPPET)
        return Hit(reply, terms, "reply", snippet, flags=flags_of(reply))
    if "reply" in hit.terms:
        return hit
    return replace(hit, terms=_within_one({**hit.terms, "reply": Term(lead, _SHARE)}))


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


def _is_turn_question(memories: Mapping[int, Memory], scored: Scored) -> bool:
    memory = memories.get(scored.facts.id)
    return memory is not None and memory.kind != "chunk" and _is_question(memory)


def _next_memories(asking: Iterable[Memory], store: Store) -> dict[int, Memory]:
    """By question the memory that answers it: the next one of the same dialogue.

    What was stored right after it has a number not far above; what was stored already has none of
    its own.
    """
    asking = list(asking)
    later = [memory.id + step for memory in asking for step in range(1, _NEAR + 1)]
    stored = store.get_many(later)
    answers = {}
    for memory in asking:
        following = [stored.get(memory.id + step) for step in range(1, _NEAR + 1)]
        same = [other for other in following if other is not None and _is_beside(memory, other)]
        if same and len(same[0].content) <= _LONGEST_ANSWER and _answers(memory, same[0]):
            answers[memory.id] = same[0]
    return answers


def _is_beside(memory: Memory, other: Memory) -> bool:
    """Whether both lie in one place, and nobody paused between them."""
    return (
        (memory.project, memory.session_id) == (other.project, other.session_id)
        and memory.tier == other.tier
        and other.deleted_at is None
        and abs(other.created_at - memory.created_at) <= _PAUSE_MS
    )


def _answers(memory: Memory, other: Memory) -> bool:
    """Whether somebody else speaks; where no speaker is named, one session is one dialogue."""
    asking, answering = speaker(memory.content), speaker(other.content)
    if asking and answering:
        return asking != answering
    return not asking and not answering and memory.session_id is not None


def speaker(text: str) -> str:
    """Who says a turn that begins with a name and a colon; "" where none is named."""
    name, colon, _ = text[: _LONGEST_NAME + 2].partition(": ")
    plain = name.replace(" ", "").replace(".", "").replace("-", "").replace("_", "")
    return name if colon and plain.isalnum() and len(name.split()) <= _NAME_WORDS else ""
