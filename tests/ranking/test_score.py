"""From terms to a score, and from scores to an order."""

import math
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.model import Term, total
from recairn.ranking.fuse import Relevance
from recairn.ranking.profiles import PROFILES
from recairn.ranking.score import ranked, terms
from recairn.ranking.signals import SIGNALS, Context
from recairn.record import replace
from tests.corpus import NOW
from tests.ranking.test_signals import ASKED, CONTEXTS, FACTS, PLAIN

DEFAULT = PROFILES["default"]
UNIT = st.floats(0, 1)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([], 0.0),
        ([Term(0.5, 2.0)], 1.0),
        ([Term(0.5, 0.4), Term(1.0, 0.1)], 0.3),
        ([Term(1.0, 1.0), Term(0.0, 0.5, "gate")], 0.5),
        ([Term(1.0, 1.0), Term(1.0, 0.5, "gate")], 1.0),
        ([Term(1.0, 1.0), Term(1.0, 0.5, "boost")], 1.5),
        ([Term(1.0, 1.0), Term(1.0, 0.2, "tilt")], 1.1),
        ([Term(1.0, 1.0), Term(0.0, 0.2, "tilt")], 0.9),
        ([Term(1.0, 1.0), Term(0.5, 0.2, "tilt")], 1.0),
        ([Term(0.5, 1.0), Term(0.0, 0.5, "gate"), Term(1.0, 0.2, "tilt")], 0.275),
    ],
)
def test_the_score_is_the_sum_of_what_is_added_times_the_rest(parts, expected):
    assert total({f"signal {number}": part for number, part in enumerate(parts)}) == pytest.approx(
        expected
    )


@pytest.mark.parametrize("name", PROFILES)
def test_a_score_is_recomputed_from_its_terms(name):
    @given(st.lists(FACTS, max_size=6), CONTEXTS)
    def recomputed(facts, context):
        for score, each, parts in ranked(facts, context, PROFILES[name]):
            assert score == total(parts)
            assert set(parts) == set(PROFILES[name].weights)
            for signal, term in parts.items():
                assert term.value == SIGNALS[signal](each, context)
                weight = PROFILES[name].weights[signal]
                assert (term.weight, term.effect) == (weight.weight, weight.effect)

    recomputed()


@given(FACTS, CONTEXTS)
def test_a_default_score_is_finite_and_not_negative(facts, context):
    score = total(terms(facts, context, DEFAULT))
    assert math.isfinite(score)
    assert score >= 0.0


@given(st.lists(FACTS, max_size=12, unique_by=lambda each: each.id), st.integers(0, 2**31))
def test_the_order_does_not_depend_on_the_order_of_arrival(facts, seed):
    shuffled = list(facts)
    random.Random(seed).shuffle(shuffled)
    expected = [(score, each.id) for score, each, _ in ranked(facts, ASKED, DEFAULT)]
    assert [(score, each.id) for score, each, _ in ranked(shuffled, ASKED, DEFAULT)] == expected
    assert expected == sorted(expected, key=lambda pair: (-pair[0], pair[1]))


def test_equal_scores_are_ordered_by_id():
    twins = [replace(PLAIN, id=number) for number in (5, 2, 9)]
    same = Context(NOW, "puffin", dict.fromkeys((5, 2, 9), Relevance(0.4, 0.4, 0.4, 0, 0)))
    assert [each.id for _, each, _ in ranked(twins, same, DEFAULT)] == [2, 5, 9]


@given(FACTS, CONTEXTS)
def test_time_use_and_outcome_only_tilt(facts, context):
    """Each moves the score by its half weight at most, all together by less than a third."""
    parts = terms(facts, context, DEFAULT)
    tilts = {name: term for name, term in parts.items() if term.effect == "tilt"}
    assert {"recency", "outcome", "salience", "frequency"} <= set(tilts)
    without = total({name: term for name, term in parts.items() if name not in tilts})
    assert total(parts) <= without * 1.34 + 1e-12
    assert total(parts) >= without * 0.66 - 1e-12
    for name, term in tilts.items():
        assert term.weight <= 0.2
        alone = total({**{k: v for k, v in parts.items() if k not in tilts}, name: term})
        assert abs(alone - without) <= without * term.weight / 2 + 1e-12


def test_the_better_match_wins_against_age_and_neglect():
    old = replace(PLAIN, id=1, created_at=0, salience=0.05, harmful=1.0)
    new = replace(PLAIN, id=2, importance=1.0, usage_count=99, helpful=9.0)
    said = {1: Relevance(0.6, 0.6, 0.5, 0, 0), 2: Relevance(0.3, 0.3, 0.4, 1, 1)}
    order = ranked([new, old], Context(NOW, "puffin", said), DEFAULT)
    assert [each.id for _, each, _ in order] == [1, 2]


PROGRAM = """
import recairn, sys, tempfile
from tests.corpus import MEMORIES, PROJECT, Clock
with tempfile.TemporaryDirectory() as folder:
    with recairn.open(folder + "/m.db", project=PROJECT, clock=Clock(), model=MODEL) as memory:
        memory.remember_many(MEMORIES)
        for query in ("harbour tide buoy", "sensor battery", "metres water charts", "the server"):
            print([(hit.id, hit.score) for hit in memory.search(query, track=False).hits])
"""


@pytest.mark.parametrize("model", ["none", "static"])
def test_the_order_does_not_depend_on_the_hash_seed(pytestconfig, monkeypatch, model):
    answers = set()
    for seed in ("0", "1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        done = subprocess.run(
            [sys.executable, "-c", f"MODEL = {model!r}\n{PROGRAM}"],
            cwd=pytestconfig.rootpath,
            capture_output=True,
            text=True,
            check=True,
        )
        answers.add(done.stdout)
    (answer,) = answers
    assert len(answer.splitlines()) == 4
    assert "[]" not in answer
