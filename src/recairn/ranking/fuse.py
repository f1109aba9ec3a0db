"""One relevance from two arms: words and meaning, put on one scale.

Statistics of the candidate pool are plain values; nothing here reads a store.
"""

from __future__ import annotations

import math

from recairn.ranking.nearness import centre, cosines, middle, nearest_neighbours
from recairn.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A z-score of -4 is 0, one of 12 is 1: hardly any candidate lies outside.
_LOWEST, _SPAN = -4.0, 16.0
# A pool smaller than this is filled up with strangers, so that two memories do not set their own
# scale; in a larger one they would only blur it (-.004 nDCG@10).
_FULL_POOL = 24
# Share of a candidate's meaning taken from its nearness to what ranked best so far: +.0045.
_ECHO = 0.3
_ECHO_HITS = 10
# What a candidate shares with all candidates tells it from none of them: so much of its cosine to
# their middle is taken off (+.003). Fewer than a full pool have no middle to speak of.
_COMMON = 0.25
# Candidates whose neighbours are asked; the others are too far back for a tenth to matter.
_AGREEING = 40
_ECHO_SHARPNESS = 32.0 / 0.3
# Equal memories get equal values, whatever order their neighbours were summed in.
_DIGITS = 9


@record
class Relevance:
    """What the arms say about one candidate, each value in 0..1."""

    keyword: float
    semantic: float
    agreement: float
    keyword_place: int | None
    semantic_place: int | None


def on_scale(values: Mapping[int, float], strange: float) -> dict[int, float]:
    """Each value as (z + 4)/16, clamped; z among the pool and some strangers of value `strange`."""
    strangers = max(0, _FULL_POOL - len(values))
    count = len(values) + strangers
    mean = (sum(values.values()) + strangers * strange) / count
    spread = sum((value - mean) ** 2 for value in values.values())
    spread = math.sqrt((spread + strangers * (strange - mean) ** 2) / count) + 1e-9
    return {
        memory: min(1.0, max(0.0, ((value - mean) / spread - _LOWEST) / _SPAN))
        for memory, value in values.items()
    }


def relevance(
    words: Mapping[int, float],
    meaning: Mapping[int, float],
    vectors: Mapping[int, Sequence[bytes]],
    share: float,
) -> dict[int, Relevance]:
    """Keyword, semantic and agreement values of the pool.

    `words` are keyword scores, `meaning` nearness to the question (absent without a vector),
    `vectors` the codes of each memory's pieces, `share` the weight of meaning.
    """
    keyword = on_scale(words, 0.0)
    lowest = min(meaning.values(), default=0.0)
    if not meaning:
        return _placed(keyword, {}, dict(keyword), words, meaning)
    known = {memory: meaning.get(memory, lowest) for memory in words}
    strange = min(lowest, 0.0)
    semantic = on_scale(known, strange)
    base = {each: (1 - share) * keyword[each] + share * semantic[each] for each in words}
    echoed = _echo(base, vectors)
    if echoed:
        common = _common(vectors)
        blended = {
            each: (1 - _ECHO) * value + _ECHO * echoed.get(each, lowest) - common.get(each, 0.0)
            for each, value in known.items()
        }
        semantic = on_scale(blended, strange)
        base = {each: (1 - share) * keyword[each] + share * semantic[each] for each in words}
    return _placed(keyword, semantic, _agreement(base, vectors), words, meaning)


def _echo(base: Mapping[int, float], vectors: Mapping[int, Sequence[bytes]]) -> dict[int, float]:
    """Nearness to the centre of what ranks best, the very best counting most."""
    best = sorted(base, key=lambda each: (-base[each], each))[:_ECHO_HITS]
    top = base[best[0]] if best else 0.0
    weighed = [
        (vectors[each][0], math.exp(_ECHO_SHARPNESS * (base[each] - top)))
        for each in best
        if vectors.get(each)
    ]
    return cosines(centre(weighed), vectors) if len(weighed) > 1 else {}


def _common(vectors: Mapping[int, Sequence[bytes]]) -> dict[int, float]:
    """What is taken off for nearness to the middle of the pool: more than usual, or less."""
    if len(vectors) < _FULL_POOL:
        return {}
    near = cosines(middle(vectors), vectors)
    usual = sum(near.values()) / len(near) if near else 0.0
    return {each: _COMMON * (value - usual) for each, value in near.items()}


def _agreement(
    base: Mapping[int, float], vectors: Mapping[int, Sequence[bytes]]
) -> dict[int, float]:
    """The mean base of a candidate's nearest neighbours in the pool, weighted by cosine squared."""
    agreed = dict(base)
    best = set(sorted(base, key=lambda each: (-base[each], each))[:_AGREEING])
    for memory, near in nearest_neighbours(vectors, best).items():
        weight = sum(cosine * cosine for _, cosine in near)
        if weight > 0.0:
            agreed[memory] = sum(base[other] * cosine**2 for other, cosine in near) / weight
    return agreed


def _placed(
    keyword: Mapping[int, float],
    semantic: Mapping[int, float],
    agreement: Mapping[int, float],
    words: Mapping[int, float],
    meaning: Mapping[int, float],
) -> dict[int, Relevance]:
    by_words = _places({each: score for each, score in words.items() if score > 0.0})
    by_meaning = _places(meaning)
    return {
        each: Relevance(
            round(keyword[each], _DIGITS),
            round(semantic.get(each, 0.0), _DIGITS),
            round(agreement[each], _DIGITS),
            by_words.get(each),
            by_meaning.get(each),
        )
        for each in keyword
    }


def _places(scores: Mapping[int, float]) -> dict[int, int]:
    """The place of each memory in the order of its scores, the best one 0."""
    ordered = sorted(scores, key=lambda each: (-scores[each], each))
    return {memory: place for place, memory in enumerate(ordered)}
