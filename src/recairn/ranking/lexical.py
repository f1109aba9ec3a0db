"""How well words match: BM25 over the candidates, with what stands together counting more.

A first pass by plain BM25 chooses them; then they are scored again with word positions, lengths
without stop words and other constants. Each part is small (.002 to .005 nDCG@10), together .014
over eight question sets. Both count within the asker's own scope.
"""

from __future__ import annotations

import math
from itertools import pairwise

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    _Worth = tuple[Mapping[str, float], Mapping[str, float], frozenset[str]]

# BM25 of the first pass as the full-text engine has it: how soon repetition stops to count, and how
# much length does; what a word counts that more than half of all memories hold.
_K1, _B = 1.2, 0.75
_NOTHING = 1e-6
# Where the words of a long question stand in more memories than this, only its rarest choose: with
# six of them .024 nDCG@10 were lost, with twelve .005.
_MANY = 20_000
_RAREST = 12
# BM25's saturation and length normalisation, and a little more weight for rare words.
_SATURATION = 1.0
_LENGTH = 0.8
_RARITY_POWER = 1.2
# What two neighbouring words of the question are worth when they stand together in the text, and
# when they stand within so many places of each other.
_ADJACENT = 0.5
_NEARBY = 0.25
_NEARBY_PLACES = 11
# In a question this short every word counts alike towards coverage: half of it is half of it.
_FEW_WORDS = 3
# What a name of the question covers that one memory holds, or at most one in so many: whoever asks
# for it wants to see where it stands, whatever else is missing there.
_NAMED = 0.6
_SELDOM = 200
# What a part of a number with points counts where the number itself does not stand.
_PART = 0.25
# A word that only begins like the unfinished last one of the question.
_PREFIX = 0.5
# The score where all the letters are there, but inside other words: that of one rare word.
INSIDE_WORDS = 6.0
# Of the wording of a question, what any text about the same thing has, and what is as good as all
# of it: a word in another form, or one in eight left out. Between .2 to .6 and .9 to 1 this found
# most of what was quoted from the beginning, the middle and the end of two stores of mixed age.
_SAID_BY_CHANCE = 0.4
_SAID_AS_A_WHOLE = 0.8
# Places from one word of a question to the next: four stop words may stand between.
_IN_STEP = 5


@record
class Matches:
    """Where the terms of a question stand in the candidates, and how common they are.

    `terms` are index terms in the order of the question, repeats kept; `spelled` gives the term of
    each word, `names` are the terms of words with a capital. `places` gives for each memory, term
    and column the positions, `weights` what a hit in a column counts. `total` and `frequencies`
    count the memories of the asker's scope, all and with the term; `usual_words` is how long they
    are.
    """

    terms: tuple[str, ...]
    extra: tuple[str, ...]
    prefix: str
    total: int
    usual_words: float
    frequencies: Mapping[str, int]
    places: Mapping[int, Mapping[str, Mapping[int, Sequence[int]]]]
    weights: Sequence[float]
    spelled: Mapping[str, str]
    names: frozenset[str]


def first_weights(
    times: Mapping[str, int], counted: Mapping[str, int], total: int
) -> dict[str, float]:
    """What each term counts in the first pass: how often it is asked, times how rare it is.

    `counted` says how many of all memories of the scope hold each; those nobody holds are left out.
    """
    held = [term for term in times if counted.get(term)]
    if len(times) > _RAREST and sum([counted[term] for term in held]) > _MANY:
        held = sorted(held, key=lambda term: (counted[term], term))[:_RAREST]
    weights = {}
    for term in held:
        others = max(total - counted[term] + 0.5, 1e-9)
        weights[term] = times[term] * max(math.log(others / (counted[term] + 0.5)), _NOTHING)
    return weights


def first_scores(
    weights: Mapping[str, float],
    held: Mapping[int, tuple[Mapping[str, Mapping[int, Sequence[int]]], int]],
    usual: float,
    by_column: Sequence[float],
) -> list[tuple[int, float]]:
    """Memories with a term that counts, best first: BM25 of the places and length of each.

    Scores are rounded, so that those of equal texts are equal whoever adds them up.
    """
    least, by_length = _K1 * (1.0 - _B), _K1 * _B / max(usual, 1.0)
    scores = []
    for memory, (places, length) in held.items():
        slack = least + by_length * length
        score = 0.0
        for term, columns in places.items():
            weight = weights.get(term)
            if weight is not None:
                often = 0.0
                for column, at in columns.items():
                    often += by_column[column] * len(at)
                score += weight * often / (often + slack)
        if score > 0.0:
            scores.append((-round(score * (_K1 + 1.0), 9), memory))
    scores.sort()
    return [(memory, -score) for score, memory in scores]


def rarity(total: int, frequency: int) -> float:
    """ln(1 + (N − n + ½)/(n + ½)): never negative, also where most memories have the word."""
    return math.log(1.0 + (max(total, frequency) - frequency + 0.5) / (frequency + 0.5))


def rarities(matches: Matches, terms: Iterable[str]) -> dict[str, float]:
    """How rare each of the terms is in the asker's scope."""
    total, frequencies = matches.total, matches.frequencies
    return {term: rarity(total, frequencies.get(term, 0)) for term in terms}


def keyword_matches(
    matches: Matches, lengths: Mapping[int, int], numbers: Sequence[Sequence[str]] = ()
) -> tuple[dict[int, float], dict[int, float]]:
    """The keyword score of every candidate, and the share of the question's weight it covers.

    Those without a single word score 0. `numbers` are the parts of each number with points: where
    these do not stand in a row, they count little.
    """
    counts: dict[str, int] = {}
    for term in (*matches.terms, *matches.extra):
        counts[term] = counts.get(term, 0) + 1
    rare = rarities(matches, counts)
    weights = {term: count * rare[term] ** _RARITY_POWER for term, count in counts.items()}
    if matches.prefix:
        weights[matches.prefix] = _PREFIX * max(weights.values(), default=1.0)
    pairs = _pairs(matches.terms, rare)
    asked = sum(rare.values()) or 1.0
    few = len(counts) if len(counts) <= _FEW_WORDS else 0
    plain, split = (weights, rare, frozenset[str]()), _own_parts(numbers, counts)
    known: dict[frozenset[str], _Worth] = {plain[2]: plain}
    seldom = _seldom(matches)
    by_memory, by_column, usual = matches.places, matches.weights, max(matches.usual_words, 1.0)
    scores, coverage = dict.fromkeys(lengths, 0.0), dict.fromkeys(lengths, 0.0)
    for memory, length in lengths.items():
        places = by_memory.get(memory)
        if not places:
            continue
        slack = _SATURATION * (1.0 - _LENGTH + _LENGTH * length / usual)
        score = covered = 0.0
        worth, telling, loose = _worth(known, split, places) if split else plain
        rare_held = (_PART - 1.0) * len(loose.intersection(places)) if loose else 0.0
        for term, columns in places.items():
            often = 0.0
            for column, at in columns.items():
                often += by_column[column] * len(at)
            score += worth[term] * often * (_SATURATION + 1.0) / (often + slack)
            if term in telling:
                covered += telling[term]
                rare_held += 1.0
        if len(places) > 1:
            score += _together(pairs, places)
        if matches.prefix in places and matches.terms[-1] not in loose:
            covered = max(covered, rare.get(matches.terms[-1], 0.0))
        share = max(covered / asked, rare_held / few) if few else covered / asked
        named = 0.0 if seldom.isdisjoint(places) else _NAMED
        scores[memory] = score
        coverage[memory] = min(1.0, max(share, named))
    return scores, coverage


def _own_parts(
    numbers: Sequence[Sequence[str]], counts: Mapping[str, int]
) -> list[tuple[Sequence[str], set[str]]]:
    """Each number with those of its parts that the question does not hold beside its numbers."""
    inside = [part for number in numbers for part in number]
    return [
        (number, {part for part in number if 0 < counts.get(part, 0) <= inside.count(part)})
        for number in numbers
    ]


def _worth(
    known: dict[frozenset[str], _Worth],
    numbers: Sequence[tuple[Sequence[str], set[str]]],
    places: Mapping[str, Mapping[int, Sequence[int]]],
) -> _Worth:
    """What each term counts in this memory towards the score and the coverage; and the parts of
    those numbers that do not stand in it as a whole."""
    whole, broken = set[str](), set[str]()
    for number, parts in numbers:
        (whole if _in_a_row(number, places) else broken).update(parts)
    loose = frozenset(broken - whole)
    if loose not in known:
        weights, rare, _ = known[frozenset()]
        known[loose] = _lessened(weights, loose), _lessened(rare, loose), loose
    return known[loose]


def _lessened(weights: Mapping[str, float], loose: Collection[str]) -> dict[str, float]:
    return {term: _PART * weight if term in loose else weight for term, weight in weights.items()}


def _in_a_row(parts: Sequence[str], places: Mapping[str, Mapping[int, Sequence[int]]]) -> bool:
    """Whether the parts follow one another in one column; of a v3.11 the index has the 3 apart."""
    if not all(part in places for part in parts):
        return False
    first, second, *others = [places[part] for part in parts]
    for column, after in second.items():
        starts = set(after)
        if column in first:
            starts &= {place + 1 for place in first[column]}
        for step, there in enumerate(others, 1):
            starts &= {place - step for place in there.get(column, ())}
        if starts:
            return True
    return False


def wordings(matches: Matches) -> dict[int, float]:
    """How nearly each memory says the question word for word, 0..1; absent: not at all.

    That is the share of the question's weight it holds, times the share of neighbouring words of
    the question that follow each other there too. A single word has no wording.
    """
    rare = rarities(matches, matches.terms)
    pairs = _pairs(matches.terms, rare)
    asked, linked = sum(rare.values()), sum(weight for _, _, weight in pairs)
    said = {}
    for memory, places in matches.places.items():
        held = sum(rare[term] for term in rare if term in places)
        if not held > _SAID_BY_CHANCE * asked or not linked > 0.0:
            continue
        follow = sum(weight for one, two, weight in pairs if _follows(places, one, two))
        share = held / asked * follow / linked
        if share > _SAID_BY_CHANCE:
            said[memory] = min(
                1.0, (share - _SAID_BY_CHANCE) / (_SAID_AS_A_WHOLE - _SAID_BY_CHANCE)
            )
    return said


def _follows(places: Mapping[str, Mapping[int, Sequence[int]]], one: str, two: str) -> bool:
    """Whether the second word follows the first, with at most stop words between."""
    here, there = places.get(one, {}), places.get(two, {})
    return 0 < _closest(here, there) <= _IN_STEP


def _seldom(matches: Matches) -> set[str]:
    """The names of the question that hardly any memory holds."""
    # Most stores are small: a name that one memory of eight holds is as telling there.
    seldom = max(1, matches.total // _SELDOM)
    return {name for name in matches.names if matches.frequencies.get(name, 0) <= seldom}


def _pairs(terms: Sequence[str], rare: Mapping[str, float]) -> list[tuple[str, str, float]]:
    """Neighbouring different words of the question, each pair once, worth its commoner word."""
    pairs = dict.fromkeys(pairwise(terms))
    return [(one, two, min(rare[one], rare[two])) for one, two in pairs if one != two]


def _together(
    pairs: Sequence[tuple[str, str, float]],
    places: Mapping[str, Mapping[int, Sequence[int]]],
) -> float:
    worth = 0.0
    for one, two, weight in pairs:
        first, second = places.get(one), places.get(two)
        if not first or not second:
            continue
        gap = _closest(first, second)
        if gap == 1:
            worth += _ADJACENT * weight
        if abs(gap) <= _NEARBY_PLACES:
            worth += _NEARBY * weight
    return worth


def _closest(first: Mapping[int, Sequence[int]], second: Mapping[int, Sequence[int]]) -> int:
    """The smallest distance from a place of the first word to one of the second; 1: right after."""
    best = _NEARBY_PLACES + 1
    for column, here in first.items():
        for there in second.get(column, ()):
            for at in here:
                gap = there - at
                if gap == 1:
                    return 1
                if abs(gap) < abs(best):
                    best = gap
    return best


# tx: words alone are sure when the first is this good and this far ahead of the second.
_STRONG, _AHEAD = 0.85, 0.15


def is_strong(scores: Sequence[float]) -> bool:
    """Whether the best of at least two keyword scores s stands out, on the scale s/(1 + s)."""
    return stands_out([score / (1.0 + score) for score in scores])


def stands_out(values: Sequence[float]) -> bool:
    """Whether the best of at least two values in 0..1 is good, and far ahead of the second."""
    if len(values) < 2:
        return False
    first, second = sorted(values, reverse=True)[:2]
    return first >= _STRONG and first - second >= _AHEAD
