"""What became of memories: ratings by people, outcomes of tasks, results of tests.

Each piece of evidence is a row that names its memory, its weight, where it came from and the event
in the memory's history that counted it. The counts feed one signal, (helpful + 1)/(total + 2). It
tilts a score by a few per cent: evidence orders equals and cannot bury what is relevant.
"""

from __future__ import annotations

from recairn.core.draft import unit
from recairn.core.ids import cited_in
from recairn.core.record import record, replace
from recairn.core.times import DAY
from recairn.memory.authority import RULE
from recairn.memory.lifecycle import event_of
from recairn.memory.lookup import known_memory
from recairn.memory.undo import undo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Act, Memory
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import Evidence, InjectionRow, Task

# How much a memory helped, by the outcome of the task it was handed out for.
SCORES = {"success": 1.0, "partial": 0.5, "failure": 0.0}
# What a task's outcome says of a memory, by what was done with it; a person's own word counts 1.
WEIGHTS = {"helpful": 1.0, "cited": 1.0, "expanded": 0.6, None: 0.1}
# Evidence one outcome may give in all: with more memories each gets a smaller share.
MOST_OF_AN_OUTCOME = 2.0
# A failure has many causes; what was remembered is seldom the one.
FAILURE_COUNTS = 0.5
# A run of tests says less than the end of the task, and the next run takes its place.
OBSERVATION_COUNTS = 0.25

TASK, OBSERVED = "task", "observe"

# A memory is confirmed by a person or an outcome at or above this score.
_HELPED = 0.5
# Digits of a sum of evidence; beyond them is only what 1 − 0.9 leaves in floating point.
_DIGITS = 9
# A rating belongs to the question, or the hand-out, that brought the memory up lately.
_LATELY = 7 * DAY


@record
class Rating:
    """What is said about a memory: how much it helped (0..1), who says so, and how much it counts.

    `used` is what was done with the memory; unused ones are not confirmed by a success.
    """

    score: float
    source: str
    weight: float = 1.0
    query: str = ""
    task: str | None = None
    note: str = ""
    used: bool = True


def rate(store: Store, memory: int, rating: Rating, act: Act) -> Memory:
    """Counts a piece of evidence: weight·score as help, weight·(1 − score) as harm."""
    with store.transaction():
        before = known_memory(store, memory)
        score, weight = unit("score", rating.score, 1.0), unit("weight", rating.weight, 1.0)
        changes: dict[str, Any] = {
            "helpful": round(before.helpful + weight * score, _DIGITS),
            "harmful": round(before.harmful + weight * (1.0 - score), _DIGITS),
        }
        if rating.task is None and rating.source != OBSERVED:
            changes["outcome_score"] = score
        if score >= _HELPED and rating.used and _confirms(before, rating, act):
            changes["trust"] = "verified"
        share = "" if weight == 1.0 else f", weight {weight:.3g}"
        task = f" {rating.task}" if rating.task else ""
        reason = f"{score:g} by {rating.source}{task}{share}"
        store.change(memory, changes, event_of("rated", memory, act, reason))
        store.add_feedback(
            memory,
            {
                "at": act.at,
                "score": score,
                "weight": weight,
                "source": rating.source,
                "query": rating.query,
                "task_id": rating.task,
                "session_id": act.session,
                "note": rating.note,
            },
        )
        return known_memory(store, memory)


def _confirms(memory: Memory, rating: Rating, act: Act) -> bool:
    """Whether a good word verifies a memory: a person's does, and of what is no rule an outcome.

    What an agent says of its own work does not.
    """
    if memory.trust == "verified":
        return False
    return act.is_own or (memory.kind != RULE and rating.task is not None)


def rate_directly(store: Store, memory: int, rating: Rating, act: Act) -> Memory:
    """The rating of a person or agent: belongs to the last question that found the memory.

    One that helped is marked so where it was handed out last.
    """
    since = act.at - _LATELY
    with store.transaction():
        query = rating.query or store.question_for(memory, session=act.session, since=since)
        full_rating = Rating(rating.score, rating.source, query=query, note=rating.note)
        after = rate(store, memory, full_rating, act)
        if rating.score > _HELPED:
            store.note_used([memory], "helpful", session=act.session, since=since, at=act.at)
        return after


def task_outcome(store: Store, task: Task, outcome: str, act: Act, note: str = "") -> int:
    """Carries the outcome of a task to what was handed out for it; how many memories it reached.

    Joins the caller's transaction. What the outcome's note names as `#42` was cited. A later
    outcome of the same task takes the earlier one's place.
    """
    cited = cited_in(task.outcome_note)
    since = act.at - _LATELY
    store.note_used(cited, "cited", session=task.session_id, since=since, at=act.at)
    store.note_outcome(task.id, outcome, act.at)
    counts = FAILURE_COUNTS if outcome == "failure" else 1.0
    rating = Rating(SCORES[outcome], TASK, counts, task=task.id, note=note or outcome)
    return _spread(store, rating, act)


def withdraw_outcome(store: Store, task: Task, act: Act) -> None:
    """Takes back what the last outcome of a task said of memories; an outcome that the task had
    before that, and has again, counts once more."""
    if task.outcome is not None:
        task_outcome(store, task, task.outcome, act)
        return
    said = store.feedback(task=task.id)
    _withdraw(
        store,
        [evidence for evidence in said if evidence.source == TASK and not evidence.undone],
        act,
    )
    store.note_outcome(task.id, None, act.at)


def observation(store: Store, task: Task, *, passed: bool, act: Act, note: str = "") -> int:
    """Carries a run of tests to what was handed out for a task; how many memories it reached."""
    counts = OBSERVATION_COUNTS * (1.0 if passed else FAILURE_COUNTS)
    return _spread(store, Rating(float(passed), OBSERVED, counts, task=task.id, note=note), act)


def _spread(store: Store, total: Rating, act: Act) -> int:
    """Divides evidence among the memories handed out for a task, by what was done with them."""
    assert total.task is not None
    with store.transaction():
        ratings = _divided(total, store.injections(task=total.task))
        earlier = [
            piece
            for piece in store.feedback(task=total.task)
            if piece.source == total.source and not piece.undone
        ]
        if not _same(earlier, ratings):
            _withdraw(store, earlier, act)
            for memory, rating in ratings.items():
                rate(store, memory, rating, act)
        return len(ratings)


def session_outcome(
    store: Store, injections: Sequence[InjectionRow], *, passed: bool, act: Act, note: str
) -> int:
    """Carries what a session has shown without a task to what was injected; how many it reached.

    An injection counts once: what has an outcome already is passed over.
    """
    with store.transaction():
        fresh = [
            injection
            for injection in injections
            if injection.outcome is None and injection.task_id is None
        ]
        counts = OBSERVATION_COUNTS * (1.0 if passed else FAILURE_COUNTS)
        ratings = _divided(Rating(float(passed), OBSERVED, counts, note=note), fresh)
        for memory, rating in ratings.items():
            rate(store, memory, rating, act)
        store.settle_injections(
            [injection.id for injection in fresh], "success" if passed else "failure", act.at
        )
        return len(ratings)


def _divided(total: Rating, injections: Sequence[InjectionRow]) -> dict[int, Rating]:
    """The evidence divided among the memories of injections, by what was done with each."""
    handed_out = _handed_out(injections)
    shares = shares_of([used for _, used in handed_out.values()])
    return {
        memory: replace(
            total,
            weight=share * total.weight,
            query=query,
            note=", ".join(filter(None, (total.note, used or "handed out"))),
            used=used is not None,
        )
        for (memory, (query, used)), share in zip(handed_out.items(), shares, strict=True)
    }


def _same(earlier: Sequence[Evidence], ratings: Mapping[int, Rating]) -> bool:
    """Whether nothing new is said: tests that pass again need no new rows."""
    before = {piece.memory: (piece.score, piece.weight, piece.note) for piece in earlier}
    return before == {
        memory: (rating.score, rating.weight, rating.note) for memory, rating in ratings.items()
    }


def shares_of(uses: Sequence[str | None]) -> list[float]:
    """How much of an outcome each memory gets, by what was done with it; never more than 2 in all.

    WEIGHTS[use] · min(1, 2 / Σ WEIGHTS[use]).
    """
    weights = [WEIGHTS[use] for use in uses]
    whole = sum(weights)
    scale = min(1.0, MOST_OF_AN_OUTCOME / whole) if whole else 1.0
    return [weight * scale for weight in weights]


def _handed_out(injections: Sequence[InjectionRow]) -> dict[int, tuple[str, str | None]]:
    """Memory → (the question it answered, the strongest use), of everything handed out."""
    uses: dict[int, tuple[str, str | None]] = {}
    for injection in injections:
        for member in injection.memories:
            before = uses.get(member.memory)
            if before is None or WEIGHTS[member.used] > WEIGHTS[before[1]]:
                uses[member.memory] = (injection.query, member.used)
    return uses


def _withdraw(store: Store, earlier: Sequence[Evidence], act: Act) -> None:
    """Takes back what the same source said of the task before: its latest word counts."""
    event_ids = {piece.event for piece in earlier}
    events = [
        event
        for memory in dict.fromkeys(piece.memory for piece in earlier)
        for event in store.history(memory)
        if event.id in event_ids
    ]
    if events:
        undo(store, events, act)
