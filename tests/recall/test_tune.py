"""Weights fitted to what helped: only with enough evidence, honest about it, and undoable."""

import pytest

from recairn.core.errors import NotFound, Refused
from recairn.core.model import Term
from recairn.ranking.weight_fit import Question, fitted, log_score, won
from recairn.recall.tune import MIN_QUESTIONS
from tests.corpus import opened

SUBJECTS = (
    "anchor ballast compass dinghy ensign fender galley halyard jib keel lantern mast"
    " netting oar pennant quay rudder sextant tiller windlass yawl capstan bowsprit hawser"
).split()


@pytest.fixture
def fleet(tmp_path, clock):
    """For every subject an important note that helped, and a plain one that was of no use."""
    with opened(tmp_path / "fleet.db", clock=clock) as memory:
        for subject in SUBJECTS:
            memory.remember(f"care of the {subject}: oil it in spring", importance=1.0, force=True)
            memory.remember(
                f"care of the {subject}: sing to it at dusk", importance=0.0, force=True
            )
        yield memory


def rated(memory, count):
    for number, subject in enumerate(SUBJECTS[:count]):
        query = f"care of the {subject}"
        memory.feedback(2 * number + 1, 1.0, query=query)
        memory.feedback(2 * number + 2, 0.0, query=query)


def test_too_little_evidence_says_how_much_is_missing(fleet):
    rated(fleet, 5)
    tuned = fleet.tune()
    assert (tuned.questions, tuned.missing) == (5, MIN_QUESTIONS - 5)
    assert tuned.after == tuned.before
    with pytest.raises(Refused, match="5 questions have a known better answer, 12 are needed"):
        fleet.tune(apply=True)
    assert fleet.config() == {}


def test_an_empty_memory_has_nothing_to_learn_from(memory):
    assert (memory.tune().questions, memory.tune().missing) == (0, MIN_QUESTIONS)


def test_what_told_good_answers_from_bad_gains_weight(fleet):
    rated(fleet, len(SUBJECTS))
    tuned = fleet.tune()
    assert tuned.missing == 0
    assert tuned.held_back >= 3
    assert tuned.after["importance"] > tuned.before["importance"]
    assert tuned.right_after >= tuned.right_before
    assert fleet.config() == {}


def test_a_rating_does_not_explain_itself(fleet):
    """Only ratings differ: having helped must not seem to matter because somebody said so."""
    for memory in range(1, 2 * len(SUBJECTS) + 1):
        fleet.edit(memory, importance=0.5)
    rated(fleet, len(SUBJECTS))
    tuned = fleet.tune()
    assert tuned.after["outcome"] == pytest.approx(tuned.before["outcome"], abs=0.01)


def test_the_fit_is_the_same_every_time_and_whatever_was_applied_before(fleet):
    rated(fleet, len(SUBJECTS))
    first = fleet.tune()
    assert fleet.tune() == first


@pytest.fixture
def contrary(tmp_path, clock):
    """Old notes helped and new ones misled, which the profile gets wrong."""
    from recairn.core.times import DAY

    with opened(tmp_path / "contrary.db", clock=clock) as memory:
        now = clock()
        for subject in SUBJECTS:
            memory.remember(
                f"care of the {subject}: oil it in spring",
                importance=1.0,
                created_at=now - 400 * DAY,
                force=True,
            )
            memory.remember(
                f"care of the {subject}: sing to it at dusk", importance=0.62, force=True
            )
        rated(memory, len(SUBJECTS))
        yield memory


def test_applied_weights_are_settings_and_can_be_taken_back(contrary):
    contrary.set_config("retrieval.fts_weight", "0.8")
    tuned = contrary.tune(apply=True)
    assert tuned.better
    assert tuned.applied
    written = contrary.config()
    assert float(written["retrieval.importance_weight"]) == tuned.after["importance"]
    found = contrary.search("care of the keel").meta.weights
    assert found["importance"] == tuned.after["importance"]
    restored, left = contrary.undo_tuning()
    assert (set(restored), left) == (set(tuned.applied), ())
    assert contrary.config() == {"retrieval.fts_weight": "0.8"}
    with pytest.raises(NotFound):
        contrary.undo_tuning()


def test_a_setting_changed_since_is_left_alone(contrary):
    contrary.tune(apply=True)
    contrary.set_config("retrieval.importance_weight", "0.5")
    _, left = contrary.undo_tuning()
    assert left == ("retrieval.importance_weight",)
    assert contrary.config() == {"retrieval.importance_weight": "0.5"}


def test_weights_that_are_no_better_are_not_applied(fleet):
    for number, subject in enumerate(SUBJECTS):
        good = number % 2  # what helped follows no signal
        query = f"care of the {subject}"
        fleet.edit(2 * number + 1, importance=0.5)
        fleet.edit(2 * number + 2, importance=0.5)
        fleet.feedback(2 * number + 1 + good, 1.0, query=query)
        fleet.feedback(2 * number + 2 - good, 0.0, query=query)
    with pytest.raises(Refused, match="no better"):
        fleet.tune(apply=True)
    assert fleet.config() == {}


def test_misses_count_as_questions(fleet):
    for number, subject in enumerate(SUBJECTS):
        fleet.record_miss(f"care of the {subject}", wanted=2 * number + 1)
    assert fleet.tune().questions == len(SUBJECTS)


def test_what_was_taken_back_does_not_count(fleet):
    rated(fleet, 3)
    fleet.undo(since="1s")
    assert fleet.tune().questions == 0


# The fit alone


def pair(better, worse, effect="tilt"):
    def terms(value):
        return {"keyword": Term(0.5, 1.0, "add"), "age": Term(value, 0.1, effect)}

    return Question("q", [terms(better), terms(worse)], [(0, 1, 1.0)])


PRIOR = {"keyword": 1.0, "age": 0.1}


def test_a_weight_moves_towards_what_wins_and_stays_within_bounds():
    up = fitted([pair(1.0, 0.0)] * 200, PRIOR, ["keyword", "age"])
    down = fitted([pair(0.0, 1.0)] * 200, PRIOR, ["keyword", "age"])
    assert down["age"] < PRIOR["age"] < up["age"] <= 0.25
    assert up["keyword"] == down["keyword"] == 1.0


def test_few_questions_move_a_weight_less_than_many():
    few = fitted([pair(1.0, 0.0)] * 2, PRIOR, ["age"])["age"]
    many = fitted([pair(1.0, 0.0)] * 200, PRIOR, ["age"])["age"]
    assert PRIOR["age"] < few < many


@pytest.mark.parametrize("effect", ["add", "gate", "boost", "tilt"])
def test_the_logarithm_is_that_of_the_score_search_computes(effect):
    from math import exp

    from recairn.core.model import total

    terms = {"keyword": Term(0.5, 0.7, "add"), "age": Term(0.3, 0.2, effect)}
    weights = {name: term.weight for name, term in terms.items()}
    assert exp(log_score(terms, weights)) == pytest.approx(total(terms))


def test_equal_scores_win_half_a_pair():
    assert won([pair(0.5, 0.5), pair(1.0, 0.0)], PRIOR) == 0.75
    assert won([], PRIOR) == 0.0
