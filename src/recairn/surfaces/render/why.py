"""Why a hit stands where it stands, in one line a person can check."""

from __future__ import annotations

from recairn.core.model import Term, total
from recairn.core.words import MARK_OFF, MARK_ON, counted, one_line
from recairn.ranking.signals import neutral

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.core.model import Hit

# Words of the question that are named, and the letters of each.
_WORDS, _LETTERS = 3, 30
# How far above the middle of the candidates, in standard deviations, and what to say of it.
_NEAR = (
    (3.0, "very close in meaning"),
    (1.5, "close in meaning"),
    (0.4, "some closeness in meaning"),
)
# A tilt smaller than this that moves nothing is noise to a reader (share of the score).
_WORTH_NAMING = 0.04
# A tilt that changed a place is worth a word from here on, and of all of them so many are named.
_NOTICEABLE, _NAMED = 0.01, 2
_TILTS = {
    "outcome": ("helped before", "did not help before"),
    "recency": ("new", "old"),
    "freshness": ("used lately", "not used for long"),
    "frequency": ("used often", "hardly used"),
    "salience": ("present", "faded"),
    "importance": ("important", "unimportant"),
    "confidence": ("certain", "uncertain"),
    "project": ("", "of another project"),
    "current": ("", "no longer holds"),
    "standing": ("", "to review"),
}


def reasons(hits: Sequence[Hit]) -> list[str]:
    """One line for each hit, best first: shared words, nearness, and what else moved it."""
    scores = [hit.score for hit in hits]
    return [_reason(hit, place, scores) for place, hit in enumerate(hits)]


def _reason(hit: Hit, place: int, scores: Sequence[float]) -> str:
    tilts = [_tilt(name, hit.terms, place, scores) for name in _TILTS if name in hit.terms]
    worth = sorted((tilt for tilt in tilts if tilt[1]), key=lambda tilt: -tilt[0])
    named = [words for _, words in worth[:_NAMED]]
    parts = [_shared(hit.snippet), _nearness(hit.terms), *named]
    return "; ".join(part for part in parts if part)


def _shared(snippet: str) -> str:
    words: dict[str, str] = {}
    for piece in snippet.split(MARK_ON)[1:]:
        word = one_line(piece.partition(MARK_OFF)[0], _LETTERS)
        words.setdefault(word.lower(), word.lower())
    if not words:
        return "no word in common"
    named = ", ".join(f"“{word}”" for word in list(words.values())[:_WORDS])
    more = len(words) - _WORDS
    return f"shares {named}" + (f" and {more} more" if more > 0 else "")


def _nearness(terms: Mapping[str, Term]) -> str:
    """(z + 4)/16 is the scale of `semantic`; other profiles say what they computed themselves."""
    term = terms.get("semantic")
    if term is None or term.effect != "add":
        return ""
    above = 16 * term.value - 4
    return next((words for least, words in _NEAR if above >= least), "not close in meaning")


def _tilt(
    name: str, terms: Mapping[str, Term], place: int, scores: Sequence[float]
) -> tuple[float, str]:
    """(how much a signal moved the score, the words for it or "")."""
    term = terms[name]
    without = total({**terms, name: Term(neutral(name, term.effect), term.weight, term.effect)})
    share = scores[place] / without - 1.0 if without else 0.0
    moved = sum(1 for other in scores[place + 1 :] if other > without) - sum(
        1 for other in scores[:place] if other < without
    )
    words = _TILTS[name][share < 0]
    if not words or abs(share) < (_NOTICEABLE if moved else _WORTH_NAMING):
        return 0.0, ""
    places = f", {counted(abs(moved), 'place')} {'up' if moved > 0 else 'down'}"
    return abs(share), f"{words} ({100 * share:+.0f} %{places if moved else ''})"
