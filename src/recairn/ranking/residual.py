"""How near a memory is in meaning to what its words have not said.

A word of the question that stands in the memory has been counted by the keyword score. In meaning
it then counts less, and the words that are missing there more: is what they mean there? +.005
nDCG@10 with minilm, +.003 with static over the plain cosine.
"""

from __future__ import annotations

import math

from recairn.ranking.by_model import assumed
from recairn.ranking.cosine import cosine_rows
from recairn.ranking.lexical import rarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.core.model import Said
    from recairn.ranking.lexical import Matches

    _Word = tuple[str, Sequence[float], float, float]

# What a word counts where the memory holds it, and what stop words and punctuation count.
_HELD = 0.4
_REST = 0.7
# Rare words ask more: the share of a word grows with the root of its rarity.
_RARITY_POWER = 0.5


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
    whole, *parts = cosine_rows([asked, *(each.codes for each in said)], pieces)
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
            best = max(range(at, at + len(own)), key=whole.__getitem__) if own[1:] else at
            near = cosines[memory] = whole[best]
            if words:
                unsaid, left = pulled[best], size
                for term in matches.places.get(memory, ()):
                    for _, part, pull, share in by_term.get(term, ()):
                        unsaid -= (1.0 - _HELD) * pull * part[best]
                        left -= (1.0 - _HELD) * share
                near = unsaid / left
            nearness[memory] = near - by_chance * math.log(len(own))
            at += len(own)
    return cosines, nearness


def _words(said: Sequence[Said], parts: Sequence[Sequence[float]], matches: Matches) -> list[_Word]:
    """(index term, cosines, pull, size) of each word, weighed by how rare it is.

    None where words and index terms do not correspond; then the cosine has to do.
    """
    terms = matches.spelled
    rare = {
        term: rarity(matches.total, matches.frequencies.get(term, 0)) for term in terms.values()
    }
    usual = sum(rare.values()) / len(rare) if rare else 0.0
    if not usual > 0.0:
        return []
    words = []
    for each, part in zip(said, parts, strict=True):
        term = terms.get(each.word, "")
        weight = (rare[term] / usual) ** _RARITY_POWER if term else _REST
        words.append((term, part, weight * each.length, weight * each.size))
    return words
