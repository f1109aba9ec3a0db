"""From ranked candidates to hits: what is an answer at all, and what only repeats a better one."""

from __future__ import annotations

import math

from recairn.core.record import record
from recairn.ranking.by_model import assumed
from recairn.ranking.cosine import cosines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from recairn.core.model import Facts
    from recairn.ranking.profiles import Profile
    from recairn.ranking.score import Scored

# Memories in a scope from which on the calibrated floor holds as it is.
_MANY = 3000
# One of so many best must be a clear answer; otherwise there is none.
_LOOKED_AT = 3


@record
class Floor:
    """Where something is still an answer in a scope.

    `near` is the cosine from which on what shares no word with the question is no stranger. One of
    the best has to be clear: its cosine, and `words` times the share of the question that it holds,
    make `clear`, which is what chance alone reaches among so many.
    """

    near: float
    clear: float
    words: float


def floor_for(profile: Profile, model: str | None, memories: int) -> Floor | None:
    """The floor in a scope of so many memories; None where the profile has none for the model.

    The nearest of many strangers is nearer, and holds more of the words, than that of a few.
    """
    known = assumed(model)
    usual = known.floor or 0.0
    floor = 0.0 if profile.floors is None else profile.floors.get(model or "", usual)
    if profile.floors is None or (model is not None and not floor):
        return None
    tenfolds = math.log10(max(1, memories))
    clear = min(start + more * tenfolds for start, more in (known.few, known.many))
    near = floor * min(1.0, 0.5 + 0.5 * tenfolds / math.log10(_MANY))
    return Floor(near, clear - (usual - floor), known.words)


def answers(
    ranking: Sequence[Scored], floor: Floor | None, leaders: Callable[[], Iterable[Facts]] = tuple
) -> list[Scored]:
    """What is left of a ranking when strangers are taken out; nothing when no best one is clear.

    A stranger shares no word with the question and is not near in meaning. The best are those of
    the ranking, and where age or use put others first, the most relevant ones: `leaders`.
    """
    known = [
        scored
        for scored in ranking
        if not is_stranger(scored.facts.keyword, scored.facts.cosine, floor)
    ]
    if any(_is_clear(scored.facts, floor) for scored in known[:_LOOKED_AT]):
        return known
    return known if any(_is_clear(facts, floor) for facts in leaders()) else []


def _is_clear(facts: Facts, floor: Floor | None) -> bool:
    if floor is None:
        return True
    return (facts.cosine or 0.0) + floor.words * facts.coverage >= floor.clear


def is_stranger(keyword: float, cosine: float | None, floor: Floor | None) -> bool:
    """Whether a candidate of that keyword score and cosine is no answer, however it ranks."""
    return not keyword > 0.0 and not _near(cosine, floor)


def _near(cosine: float | None, floor: Floor | None) -> bool:
    return cosine is not None and cosine >= (0.0 if floor is None else floor.near)


def decisive(profile: Profile, limit: int) -> int | None:
    """How many of a ranking decide which hits are selected; None: all of them."""
    if profile.fold is None and profile.per_source is None and profile.diversity is None:
        return max(limit, _LOOKED_AT)
    return None


def selected(
    ranking: Sequence[Scored],
    vectors: Mapping[int, Sequence[bytes]],
    profile: Profile,
    limit: int,
) -> list[Scored]:
    """The best, without what the profile folds away or caps."""
    if decisive(profile, limit) is not None:
        return list(ranking[:limit])
    chosen: list[Scored] = []
    nearest: dict[int, float] = {}
    sources: dict[str, int] = {}
    left = list(ranking)
    while left and len(chosen) < limit:
        best = max(left, key=lambda one: (_worth(one, nearest, profile.diversity), -one.facts.id))
        left.remove(best)
        facts = best.facts
        if profile.fold is not None and nearest.get(facts.id, 0.0) >= profile.fold:
            continue
        if profile.per_source is not None and facts.source_ref:
            sources[facts.source_ref] = sources.get(facts.source_ref, 0) + 1
            if sources[facts.source_ref] > profile.per_source:
                continue
        chosen.append(best)
        if vectors.get(facts.id):
            for other, cosine in cosines(vectors[facts.id][0], vectors).items():
                nearest[other] = max(nearest.get(other, 0.0), cosine)
    return chosen


def _worth(entry: Scored, nearest: Mapping[int, float], diversity: float | None) -> float:
    """Maximal marginal relevance: λ·score − (1 − λ)·nearness to what was chosen."""
    if diversity is None:
        return entry.score
    return diversity * entry.score - (1.0 - diversity) * nearest.get(entry.facts.id, 0.0)
