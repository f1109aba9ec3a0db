"""One relevance from two arms: words and meaning, put on one scale.

Meaning is nearness to what the words have not said: a word of the question that stands in the
memory has been counted by the keyword score. In meaning it then counts less, and the words that are
missing there more: is what they mean there? +.005 nDCG@10 with minilm, +.003 with static over the
plain cosine.

Statistics of the candidate pool are plain values; nothing here reads a store.
"""

from __future__ import annotations

import math

from recairn.core.record import Row
from recairn.ranking.codes import Neighbourhood, cosine_rows, cosines, middle
from recairn.ranking.lexical import rarities
from recairn.ranking.profiles import assumed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recairn.core.model import Said
    from recairn.ranking.lexical import Matches
    from recairn.ranking.profiles import Profile

    _Word = tuple[str, Sequence[float], float, float]

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
# So many of the most relevant are looked at for a clear answer, beside the best by score.
_LEADERS = 3
# Candidates whose neighbours are asked; the others are too far back for a tenth to matter.
_AGREEING = 40
_AT_ONCE = 8
_ECHO_SHARPNESS = 32.0 / 0.3
# Equal memories get equal values, whatever order their neighbours were summed in.
_DIGITS = 9
# What a word counts where the memory holds it, and what stop words and punctuation count.
_HELD = 0.4
_REST = 0.7
# Rare words ask more: the share of a word grows with the root of its rarity.
_RARITY_POWER = 0.5


class Relevance(Row):
    """What the arms say about one candidate, each value in 0..1.

    `words_alone` says that meaning was not asked at all, of this candidate or any other.
    """

    keyword: float
    semantic: float
    agreement: float
    keyword_place: int | None
    semantic_place: int | None
    words_alone: bool = False


def on_scale(values: Mapping[int, float], strange: float) -> dict[int, float]:
    """Each value as (z + 4)/16, clamped; z among the pool and some strangers of value `strange`."""
    strangers = max(0, _FULL_POOL - len(values))
    count = len(values) + strangers
    mean = (sum(values.values()) + strangers * strange) / count
    spread = sum([(value - mean) ** 2 for value in values.values()])
    spread = math.sqrt((spread + strangers * (strange - mean) ** 2) / count) + 1e-9
    scaled = [((value - mean) / spread - _LOWEST) / _SPAN for value in values.values()]
    if min(scaled, default=0.0) < 0.0 or max(scaled, default=0.0) > 1.0:
        scaled = [min(1.0, max(0.0, value)) for value in scaled]
    return dict(zip(values, scaled, strict=True))


class Arms(dict[int, Relevance]):
    """What the arms say about each candidate of a pool, by id.

    What is costly (neighbours) or seldom asked for (places) is worked out when it is asked for, and
    is an entry of this dict from then on.
    """

    def __init__(
        self,
        scaled: tuple[Mapping[int, float], Mapping[int, float], Mapping[int, float]],
        words: Mapping[int, float],
        meaning: Mapping[int, float],
        around: Neighbourhood | None,
        placed: bool = True,
    ) -> None:
        """`scaled` are the keyword and semantic values, and the base, which is both in one.

        Whether anybody asks for places is said beforehand (`placed`).
        """
        self._keyword, self._semantic, self._base = scaled
        self._words, self._meaning, self._around = words, meaning, around
        self._agreed: dict[int, float] = {}
        self._unasked = [] if around is None else _best(self._base, _AGREEING)
        self._placed: tuple[Mapping[int, int], Mapping[int, int]] | None = (
            None if placed else ({}, {})
        )

    def __missing__(self, memory: int) -> Relevance:
        by_words, by_meaning = self._places()
        said = (
            round(self._keyword[memory], _DIGITS),
            round(self._semantic.get(memory, 0.0), _DIGITS),
            round(self._agreement(memory), _DIGITS),
            by_words.get(memory),
            by_meaning.get(memory),
            not self._meaning,
        )
        self[memory] = Relevance._make(said)
        return self[memory]

    def most(self, profile: Profile) -> dict[int, float]:
        """What the added terms of each candidate make at most: no mean is above the best base."""
        weights = {
            name: weight.weight
            for name, weight in profile.weights.items()
            if weight.effect == "add"
        }
        keyword, semantic = weights.pop("keyword", 0.0), weights.pop("semantic", 0.0)
        others = weights.pop("agreement", 0.0) * max(self._base.values(), default=0.0)
        others += sum(weights.values())
        return {
            memory: keyword * value + semantic * self._semantic.get(memory, 0.0) + others
            for memory, value in self._keyword.items()
        }

    def leaders(self, among: Iterable[int]) -> list[int]:
        """The most relevant three of some candidates, whatever else a profile weighs."""
        return _best({memory: self._base[memory] for memory in among}, _LEADERS)

    def _agreement(self, memory: int) -> float:
        """The mean base of its nearest neighbours in the pool, weighted by cosine squared.

        Only the best candidates have their neighbours asked, a few at a time.
        """
        if self._around is not None and memory in self._unasked:
            asked = self._unasked.index(memory) // _AT_ONCE * _AT_ONCE
            some = self._unasked[asked : asked + _AT_ONCE]
            del self._unasked[asked : asked + _AT_ONCE]
            self._agreed.update(_agreements(self._base, self._around, some))
        return self._agreed.get(memory, self._base[memory])

    def _places(self) -> tuple[Mapping[int, int], Mapping[int, int]]:
        """The place of each memory by words and by meaning, the best one 0."""
        if self._placed is None:
            matched = {memory: score for memory, score in self._words.items() if score > 0.0}
            by_words = enumerate(_best(matched, len(matched)))
            by_meaning = enumerate(_best(self._meaning, len(self._meaning)))
            self._placed = (
                {memory: place for place, memory in by_words},
                {memory: place for place, memory in by_meaning},
            )
        return self._placed


def relevance(
    words: Mapping[int, float],
    meaning: Mapping[int, float],
    vectors: Mapping[int, Sequence[bytes]],
    share: float,
    placed: bool = True,
) -> Arms:
    """Keyword, semantic and agreement values of the pool, and places unless nobody asks for them.

    `words` are keyword scores, `meaning` nearness to the question (absent without a vector),
    `vectors` the codes of each memory's pieces, `share` the weight of meaning.
    """
    keyword = on_scale(words, 0.0)
    if not meaning:
        return Arms((keyword, {}, keyword), words, {}, None, placed)
    lowest = min(meaning.values())
    nearness = {memory: meaning.get(memory, lowest) for memory in words}
    strange = min(lowest, 0.0)
    semantic = on_scale(nearness, strange)
    base = _mixed(keyword, semantic, share)
    around = Neighbourhood(vectors)
    echoed = _echo(base, around)
    if echoed:
        common = _common(vectors)
        blended = {
            memory: (1 - _ECHO) * value
            + _ECHO * echoed.get(memory, lowest)
            - common.get(memory, 0.0)
            for memory, value in nearness.items()
        }
        semantic = on_scale(blended, strange)
        base = _mixed(keyword, semantic, share)
    return Arms((keyword, semantic, base), words, meaning, around, placed)


def _mixed(
    keyword: Mapping[int, float], semantic: Mapping[int, float], share: float
) -> dict[int, float]:
    return {
        memory: (1 - share) * value + share * semantic[memory] for memory, value in keyword.items()
    }


def _echo(base: Mapping[int, float], around: Neighbourhood) -> dict[int, float]:
    """Nearness to the centre of what ranks best, the very best counting most."""
    best = _best(base, _ECHO_HITS)
    top = base[best[0]] if best else 0.0
    return around.to_centre(
        {memory: math.exp(_ECHO_SHARPNESS * (base[memory] - top)) for memory in best}
    )


def _common(vectors: Mapping[int, Sequence[bytes]]) -> dict[int, float]:
    """What is taken off for nearness to the middle of the pool: more than usual, or less."""
    if len(vectors) < _FULL_POOL:
        return {}
    near = cosines(middle(vectors), vectors)
    usual = sum(near.values()) / len(near) if near else 0.0
    return {memory: _COMMON * (value - usual) for memory, value in near.items()}


def _agreements(
    base: Mapping[int, float], around: Neighbourhood, asked: Sequence[int]
) -> dict[int, float]:
    agreed = {}
    for memory, near in around.nearest(asked).items():
        weight = sum(cosine * cosine for _, cosine in near)
        if weight > 0.0:
            agreed[memory] = sum(base[other] * cosine**2 for other, cosine in near) / weight
    return agreed


def _best(values: Mapping[int, float], count: int) -> list[int]:
    """The memories of the highest values, the best first; equal ones in order of id."""
    # Sorting is stable, backwards too.
    return sorted(sorted(values), key=values.__getitem__, reverse=True)[:count]


# What the words left unsaid


def near_meanings(
    asked: bytes,
    said: Sequence[Said],
    vectors: Mapping[int, Sequence[bytes]],
    matches: Matches,
    model: str = "",
) -> tuple[dict[int, float], dict[int, float]]:
    """The cosine of each memory's nearest piece, and its nearness to what the words left unsaid."""
    pieces = [piece for own in vectors.values() for piece in own]
    if not pieces or not any(asked):
        return {}, {}
    whole, *parts = cosine_rows([asked, *(word.codes for word in said)], pieces)
    words = _words(said, parts, matches)
    pulled, size = [0.0] * len(pieces), 0.0
    for _, part, pull, share in words:
        pulled = [value + pull * cosine for value, cosine in zip(pulled, part, strict=True)]
        size += share
    # Two words may be one term: runs, running.
    by_term: dict[str, list[_Word]] = {}
    for word in words:
        by_term.setdefault(word[0], []).append(word)
    cosines, nearness, at = {}, {}, 0
    # The nearest of n pieces of a long text is nearer by chance: so much times ln(n). Without it
    # long texts crowd out short ones that answer (-.03 nDCG@10 on long chat turns with minilm).
    by_chance = assumed(model).by_chance
    for memory, own in vectors.items():
        if own:
            many = len(own) > 1
            best = max(range(at, at + len(own)), key=whole.__getitem__) if many else at
            near = cosines[memory] = whole[best]
            if words:
                unsaid, left = pulled[best], size
                for term in matches.places.get(memory, ()):
                    for _, part, pull, share in by_term.get(term, ()):
                        unsaid -= (1.0 - _HELD) * pull * part[best]
                        left -= (1.0 - _HELD) * share
                near = unsaid / left
            nearness[memory] = near - by_chance * math.log(len(own)) if many else near
            at += len(own)
    return cosines, nearness


def _words(said: Sequence[Said], parts: Sequence[Sequence[float]], matches: Matches) -> list[_Word]:
    """(index term, cosines, pull, size) of each word, weighed by how rare it is.

    None where words and index terms do not correspond; then the cosine has to do.
    """
    terms = matches.spelled
    rare = rarities(matches, terms.values())
    usual = sum(rare.values()) / len(rare) if rare else 0.0
    if not usual > 0.0:
        return []
    words = []
    for saying, part in zip(said, parts, strict=True):
        term = terms.get(saying.word, "")
        weight = (rare[term] / usual) ** _RARITY_POWER if term else _REST
        words.append((term, part, weight * saying.length, weight * saying.size))
    return words
