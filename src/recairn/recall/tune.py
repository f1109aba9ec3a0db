"""Fitting the profile's weights to what was recorded: ratings, outcomes, and searches that missed.

The questions are asked again through the real pipeline. A part of them is held back: what is told
about the fit is told of questions it has not seen.
"""

from __future__ import annotations

from zlib import crc32

from recairn.core.errors import NotFound, Refused
from recairn.core.model import Term
from recairn.core.record import record
from recairn.ranking.weight_fit import Question, fitted, won

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recairn.core.model import Hit, SearchResult
    from recairn.ranking.profiles import Profile
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import Evidence

    Ask = Callable[[str, int], SearchResult]

# Questions with a known better answer below which a fit would be chance.
MIN_QUESTIONS = 12
# Answers that are compared: as many as the agent may have looked at, and where a miss may lie.
ANSWERS = 50
_LOOKED_AT = 10
# Not to be named beside one that helped says a little; to be called unhelpful says all.
_UNNAMED = 0.1
# One question in so many is held back.
_HELD_BACK = 4
_MOST_QUESTIONS = 400
_MOST_MISSES = 200
# What a weight must move to be worth a setting.
_NOTICEABLE = 0.002
# Where the values before the last --apply are kept: lines of key, value before, value written.
BEFORE = "tune.before"


@record
class Tuned:
    """What a fit found: weights by name, and the share of held-back pairs they get right.

    `missing` is the number of questions still needed; above 0, nothing was fitted.
    """

    profile: str
    questions: int
    held_back: int
    pairs: int
    missing: int
    before: Mapping[str, float]
    after: Mapping[str, float]
    right_before: float
    right_after: float
    applied: tuple[str, ...] = ()

    @property
    def better(self) -> bool:
        return not self.missing and self.right_after > self.right_before


def tune(store: Store, ask: Ask, profile: Profile, prior: Mapping[str, float]) -> Tuned:
    """The weights of the profile fitted to the recorded feedback; `prior` is what they start from.

    Gates, which keep out what must not count, are not for tuning.
    """
    asked_before = questions(store, ask)
    current = asked_before[0][1] if asked_before else dict(prior)
    asked = [question for question, _ in asked_before]
    held_back = [question for question in asked if crc32(question.query.encode()) % _HELD_BACK == 0]
    seen = [question for question in asked if question not in held_back]
    missing = max(0, MIN_QUESTIONS - len(asked))
    after = dict(current)
    if not missing and seen and held_back:
        tuned = [name for name, weight in profile.weights.items() if weight.effect != "gate"]
        after = fitted(seen, {**current, **{name: prior[name] for name in tuned}}, tuned)
    return Tuned(
        profile=profile.name,
        questions=len(asked),
        held_back=len(held_back),
        pairs=sum(len(question.pairs) for question in asked),
        missing=missing or int(not (seen and held_back)),
        before=current,
        after=after,
        right_before=won(held_back, current),
        right_after=won(held_back, after),
    )


def questions(store: Store, ask: Ask) -> list[tuple[Question, dict[str, float]]]:
    """The questions with a known better answer, and the weights that answered them."""
    ratings: dict[str, dict[int, float]] = {}
    said: dict[tuple[str, int], list[Evidence]] = {}
    for entry in store.feedback():
        if entry.query and not entry.undone:
            marks = ratings.setdefault(entry.query, {})
            worth = entry.weight * (2.0 * entry.score - 1.0)
            marks[entry.memory] = marks.get(entry.memory, 0.0) + worth
            said.setdefault((entry.query, entry.memory), []).append(entry)
    for miss in store.failures("semantic_miss", _MOST_MISSES):
        if miss.wanted is not None:
            ratings.setdefault(miss.query, {}).setdefault(miss.wanted, 1.0)
    questions_asked = []
    for query, marks in list(ratings.items())[-_MOST_QUESTIONS:]:
        wanted = [memory for memory, worth in marks.items() if worth > 0.0]
        if wanted:
            result = ask(query, wanted[0])
            evidence = {memory: said.get((query, memory), []) for memory in marks}
            question = _compared(query, result.hits, marks, evidence)
            if question.pairs:
                questions_asked.append((question, dict(result.meta.weights)))
    return questions_asked


def _compared(
    query: str,
    hits: Sequence[Hit],
    marks: Mapping[int, float],
    said: Mapping[int, Sequence[Evidence]],
) -> Question:
    """Every answer that helped beside those that did not, or that nobody named."""
    helped = {hit.id: marks[hit.id] for hit in hits if marks.get(hit.id, 0.0) > 0.0}
    others = {hit.id: -marks[hit.id] for hit in hits if marks.get(hit.id, 0.0) < 0.0}
    others |= {hit.id: _UNNAMED for hit in hits[:_LOOKED_AT] if hit.id not in marks}
    chosen = [hit for hit in hits if hit.id in helped or hit.id in others]
    place = {hit.id: index for index, hit in enumerate(chosen)}
    return Question(
        query,
        [_without(hit, said.get(hit.id, ())) for hit in chosen],
        [
            (place[good], place[bad], min(1.0, worth) * min(1.0, against))
            for good, worth in helped.items()
            for bad, against in others.items()
        ],
    )


def _without(hit: Hit, said: Sequence[Evidence]) -> dict[str, Term]:
    """The terms of an answer as if nobody had rated it for this very question.

    Otherwise the rating would explain itself, and having helped would always seem to matter.
    """
    terms = dict(hit.terms)
    if said and "outcome" in terms:
        helped = max(0.0, hit.memory.helpful - sum(entry.weight * entry.score for entry in said))
        harmed = hit.memory.harmful - sum(entry.weight * (1.0 - entry.score) for entry in said)
        value = (helped + 1.0) / (helped + max(0.0, harmed) + 2.0)
        terms["outcome"] = Term(value, terms["outcome"].weight, terms["outcome"].effect)
    return terms


def apply(store: Store, tuned: Tuned, names: Mapping[str, str], at: int) -> tuple[str, ...]:
    """Writes the new weights as settings (signal → setting in `names`); which were written."""
    if tuned.missing:
        raise Refused(
            f"{tuned.questions} {'question has' if tuned.questions == 1 else 'questions have'}"
            f" a known better answer, {MIN_QUESTIONS} are needed",
            "recairn helpful ID and recairn task done --outcome record more",
        )
    if not tuned.better:
        raise Refused(
            "the new weights are no better on the questions held back",
            "nothing was changed; more feedback may help",
        )
    changed = {
        names[name]: f"{weight:.4g}"
        for name, weight in tuned.after.items()
        if abs(weight - tuned.before[name]) >= _NOTICEABLE
    }
    settings = store.config()
    kept = [f"{key}\t{settings.get(key, '')}\t{value}" for key, value in changed.items()]
    with store.transaction():
        for key, value in changed.items():
            store.set_config(key, value, at)
        store.set_config(BEFORE, "\n".join(kept), at)
    return tuple(changed)


def take_back(store: Store, at: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Puts the settings back as they were before the last apply: (restored, changed since)."""
    settings = store.config()
    if BEFORE not in settings:
        raise NotFound("nothing was tuned", "recairn tune --apply does it")
    restored, left = [], []
    with store.transaction():
        for line in settings[BEFORE].split("\n"):
            key, before, written = line.split("\t")
            if settings.get(key) == written:
                store.set_config(key, before or None, at)
                restored.append(key)
            else:
                left.append(key)
        store.set_config(BEFORE, None, at)
    return tuple(restored), tuple(left)
