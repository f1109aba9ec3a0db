"""How much a memory bears on a prompt: whether an agent should read it unasked.

A person who searches wants the nearest; an agent at work has asked for nothing, and whatever it
reads costs attention. So a score that orders is not enough. Bearing is in log odds, fitted to
labelled prompts (decision 0021): at 0 a memory is as likely to help as not.
"""

from __future__ import annotations

import math

from recairn.core.model import Term
from recairn.core.record import record
from recairn.core.words import words
from recairn.ranking.lexical import rarities

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from recairn.core.words import Plan
    from recairn.ranking.lexical import Matches


@record
class Scale:
    """What each part of a bearing counts with one embedding model.

    The score; how far the cosine stands out among all candidates; the share of the prompt's telling
    words that the memory holds, and their weight where the prompt speaks of "us"; nearness to what
    the words have not said; less for each tenfold of memories, which are near by chance; what a
    reranker says that has read it with the prompt.
    """

    score: float
    outstanding: float
    share: float
    ours: float
    nearness: float
    size: float
    start: float
    reader: float = 0.0


# Fitted on the tuning half of bench/hook_prompts, each project alone and among 300 to 1,500
# strangers. Other models are taken for sentence encoders like minilm; "": words alone.
SCALES = {
    "static": Scale(12.8, 0.7, 1.1, 2.6, 3.8, 1.55, -9.15),
    "minilm": Scale(13.4, 0.3, 0.8, 2.2, 7.3, 2.2, -9.7),
    "": Scale(10.0, 0.0, 3.0, 2.5, 0.0, 1.0, -6.0),
}
# The same where our own reranker has read the memory with the prompt (decision 0021).
READ_SCALES = {
    "static": Scale(11.2, 0.55, 0.0, 1.2, 2.85, 1.55, -6.85, 0.33),
    "minilm": Scale(12.7, 0.4, 0.0, 1.05, 4.7, 2.2, -7.85, 0.28),
}
# A question about the world ("what is a mesh?") is not about the project, unless it says so.
_GENERAL = 2.25
# What bears less on a prompt is not injected, nor what bears so much less than the best, unless it
# is sure by itself.
FLOOR = 0.0
BEHIND = 2.5
SURE = 2.0
# Where all memories are about the same none stands out: one that holds so much of the prompt's
# telling words, and is so near, is sure however many do; without a vector, nearly all of them. Of
# what a reranker has read it knows better.
_SURE_SHARE, _SURE_COSINE, _SURE_WORDS = 0.6, 0.5, 0.9
# Vectors of the static model are the longer the more a word tells. Beside "the", a word up to so
# long tells nothing, one of so much counts as a telling word, and one of no known length is usual.
_PLAIN, _TELLING, _USUAL = 1.7, 2.2, 3.0
# What a word that every memory holds still counts, beside one that a single memory holds.
_COMMON = 0.3
# Cosines to strangers have a middle of .2 at most, and lie .03 to .16 around it: so much is assumed
# where all memories are about the same, or there are two of them.
_MIDDLE, _LEAST_SPREAD, _MOST_SPREAD = 0.2, 0.03, 0.13
# Memories of the projects that the scales were fitted on.
_USUAL_SIZE = 30

_OURS = frozenset("we our ours us here wir uns unser unsere nous notre".split())
_THIS = frozenset("this these my".split())


class Prompt:
    """What bearing looks at in a prompt: how its words weigh, and what sort of question it is.

    `lengths` says by term how telling a word is in any text: how long its vector is beside that of
    "the". How rare it is here counts as well, up to a word that one memory holds.
    """

    __slots__ = ("is_general", "is_ours", "telling", "weights")

    def __init__(self, text: str, matches: Matches | None, lengths: Mapping[str, float]) -> None:
        said = words(text)
        self.is_ours = not _OURS.isdisjoint(said)
        self.is_general = not self.is_ours and _is_general(text, said)
        self.weights: dict[str, float] = {}
        self.telling: frozenset[str] = frozenset()
        if matches is not None:
            rarest = math.log(max(2, matches.total))
            terms = {term: lengths.get(term, _USUAL) for term in (*matches.terms, *matches.extra)}
            self.telling = frozenset([term for term in terms if terms[term] > _TELLING])
            for term, rare in rarities(matches, terms).items():
                share = min(1.0, max(_COMMON, rare / rarest))
                self.weights[term] = max(0.0, terms[term] - _PLAIN) * share

    @property
    def floor(self) -> float:
        """Where the bearing on it is enough, whatever else bears on it."""
        return FLOOR + (_GENERAL if self.is_general else 0.0)


def bearings(
    prompt: Prompt,
    scores: Mapping[int, float],
    held: Mapping[int, frozenset[str]],
    near: tuple[Mapping[int, float], Mapping[int, float], Mapping[int, float]],
    setting: tuple[str, int],
) -> dict[int, float]:
    """How much each candidate that has a score bears on a prompt.

    `held` are the terms of the prompt that each holds; `near` the cosines of all candidates, their
    nearness to what words have not said, and of those that a reranker has read its number;
    `setting` the model and how many memories there are.
    """
    (cosines, unsaid, read), (model, total) = near, setting
    usual = SCALES.get(model, SCALES["minilm"])
    middle, spread = _spread(cosines)
    asked = sum(prompt.weights.values()) or 1.0
    tenfolds = math.log10(max(1, total) / _USUAL_SIZE)
    borne = {}
    for memory, score in scores.items():
        scale = READ_SCALES.get(model, usual) if memory in read else usual
        start = scale.start - scale.size * tenfolds + scale.reader * read.get(memory, 0.0)
        own, cosine = held.get(memory, frozenset()), cosines.get(memory, middle)
        share = len(own & prompt.telling) / max(1, len(prompt.telling))
        value = start + scale.score * score + scale.share * share
        value += scale.outstanding * (cosine - middle) / spread
        value += scale.nearness * unsaid.get(memory, 0.0)
        if prompt.is_ours:
            value += scale.ours * sum([prompt.weights.get(term, 0.0) for term in own]) / asked
        by_both = share >= _SURE_SHARE and cosine >= _SURE_COSINE
        by_words = not cosines and share >= _SURE_WORDS and len(prompt.telling) > 1
        if memory not in read and (by_both or by_words):
            value = max(value, SURE)
        borne[memory] = value
    return borne


def too_little(borne: Mapping[int, float], prompt: Prompt) -> dict[int, str]:
    """Those that do not bear on a prompt enough to be read unasked, with the reason."""
    floor, enough = prompt.floor, floor_of(borne, prompt)
    best = max(borne, key=borne.__getitem__, default=0)
    left_out = {}
    for memory, value in borne.items():
        if value < floor:
            left_out[memory] = "bears too little on the prompt"
        elif value < enough:
            left_out[memory] = f"bears much less on the prompt than #{best}"
    return left_out


def floor_of(borne: Mapping[int, float], prompt: Prompt) -> float:
    """Where the bearing on a prompt is enough, given that of all candidates."""
    return max(prompt.floor, min(SURE, max(borne.values(), default=0.0) - BEHIND))


def spelled(plan: Plan, matches: Matches) -> dict[str, str]:
    """How the terms are spelled in the question, where one term is one word."""
    aligned = len(matches.extra) == len(plan.parts)
    parts = zip(matches.extra, plan.parts, strict=True) if aligned else ()
    return {**dict(parts), **{term: word for word, term in matches.spelled.items()}}


def _is_general(text: str, said: list[str]) -> bool:
    """Whether a prompt asks about the world: it begins like that, and names nothing as ours."""
    if "\n" in text or not _THIS.isdisjoint(said):
        return False
    start = " ".join(said[:4]) + " "
    if start.startswith(("explain ", "what does ", "what is a ", "what is an ", "what s a ")):
        return True
    if start.startswith(
        ("what is the difference ", "what s the difference ", "what is the meaning ")
    ):
        return True
    return start.startswith(("how do ", "how does ")) and "work" in said


def _spread(cosines: Mapping[int, float]) -> tuple[float, float]:
    """The mean of the cosines, and how far they lie from it."""
    if not cosines:
        return 0.0, 1.0
    mean = sum(cosines.values()) / len(cosines)
    square = sum([(value - mean) ** 2 for value in cosines.values()]) / len(cosines)
    return min(mean, _MIDDLE), min(math.sqrt(square), _MOST_SPREAD) + _LEAST_SPREAD


def odds_of_bearing(borne: Mapping[int, float]) -> dict[int, dict[str, Term]]:
    """The log odds of what nobody asked for: how much it bears on the prompt is just that."""
    made = {memory: Term._make((bearing, 1.0, "add")) for memory, bearing in borne.items()}
    return {memory: {"bearing": term} for memory, term in made.items()}
