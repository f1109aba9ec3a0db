"""From terms to a score, and from scores to an order."""

import math
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.model import Term, added, total
from recairn.core.record import replace
from recairn.ranking.fusion import Relevance, relevance
from recairn.ranking.profiles import PROFILES, for_model, share_of
from recairn.ranking.score import ranked
from recairn.ranking.signals import SIGNALS, Context, best_of
from tests.corpus import NOW
from tests.ranking.made_up import codes, cosine, ranking, terms
from tests.ranking.test_signals import ASKED, CONTEXTS, FACTS, PLAIN, row

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


@given(st.lists(FACTS, max_size=6), CONTEXTS)
def test_a_score_is_recomputed_from_its_terms(facts, context):
    for profile in PROFILES.values():
        for scored in ranking(facts, context, profile):
            parts = scored.terms
            assert scored.score == total(parts)
            assert list(parts) == list(profile.weights)
            for signal, term in parts.items():
                assert term.value == SIGNALS[signal](scored.facts, context)
                weight = profile.weights[signal]
                assert (term.weight, term.effect) == (weight.weight, weight.effect)


@given(FACTS, CONTEXTS)
def test_a_default_score_is_finite_and_not_negative(facts, context):
    score = total(terms(facts, context, DEFAULT))
    assert math.isfinite(score)
    assert score >= 0.0


@given(st.lists(FACTS, max_size=12, unique_by=lambda each: each.id), st.integers(0, 2**31))
def test_the_order_does_not_depend_on_the_order_of_arrival(facts, seed):
    shuffled = list(facts)
    random.Random(seed).shuffle(shuffled)
    expected = [(each.score, each.facts.id) for each in ranking(facts, ASKED, DEFAULT)]
    assert [(one.score, one.facts.id) for one in ranking(shuffled, ASKED, DEFAULT)] == expected
    assert expected == sorted(expected, key=lambda pair: (-pair[0], pair[1]))


def test_equal_scores_are_ordered_by_id():
    twins = [replace(PLAIN, id=number) for number in (5, 2, 9)]
    same = Context(NOW, "puffin", dict.fromkeys((5, 2, 9), Relevance(0.4, 0.4, 0.4, 0, 0)))
    assert [each.facts.id for each in ranking(twins, same, DEFAULT)] == [2, 5, 9]


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
    order = ranking([new, old], Context(NOW, "puffin", said), DEFAULT)
    assert [each.facts.id for each in order] == [1, 2]


# Only whoever can still be among the best is scored


def pool(seed):
    """A pool with everything that moves a score, twins included, and what the arms say of it."""
    draw = random.Random(seed)
    ids = draw.sample(range(1, 500), draw.choice((0, 1, 4, 12, 60, 150)))
    vectors = {
        each: [codes(*draw.choices(range(-127, 128), k=8))] for each in ids if draw.random() < 0.8
    }
    words = {each: draw.choice((0.0, 2.5, draw.random() * 20)) for each in ids}
    asked = codes(*draw.choices(range(-127, 128), k=8))
    meaning = {each: cosine(asked, pieces[0]) for each, pieces in vectors.items()}
    facts = {
        each: replace(
            PLAIN,
            id=each,
            project=draw.choice(("puffin", "puffin", "kestrel")),
            created_at=NOW - draw.randrange(10**11),
            usage_count=draw.choice((0, 0, 7, 99)),
            importance=draw.choice((0.0, 0.5, 1.0)),
            salience=draw.random(),
            helpful=draw.choice((0.0, 0.0, 9.0)),
            harmful=draw.choice((0.0, 0.0, 9.0)),
            valid_until=draw.choice((None, None, None, NOW - 1)),
            stale=draw.choice((0.0, 0.0, 1.0)),
            keyword=words[each],
            cosine=meaning.get(each),
        )
        for each in ids
    }
    return facts, (words, draw.choice((meaning, {})), vectors)


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("seed", range(12))
def test_the_best_are_those_that_scoring_everybody_finds(name, seed):
    facts, (words, meaning, vectors) = pool(seed)
    for model in ("static", None):
        profile = for_model(PROFILES[name], model)
        arms = relevance(words, meaning, vectors, share_of(profile))
        context = Context(NOW, "puffin", arms)
        everybody = ranking(list(facts.values()), context, profile)
        assert [each.score for each in everybody] == [total(each.terms) for each in everybody]
        for wanted in (1, 3, 10, 40, 1000):
            again = relevance(words, meaning, vectors, share_of(profile))
            context = Context(NOW, "puffin", again)
            best = ranked(again.most(profile), facts.__getitem__, context, profile, wanted)
            assert best == everybody[:wanted]
            ideal = best_of([row(each) for each in facts.values()], NOW) if facts else None
            most, known = again.most(profile), facts.__getitem__
            assert ranked(most, known, context, profile, wanted, ideal) == everybody[:wanted]


@pytest.mark.parametrize("seed", range(12))
def test_no_sum_of_added_terms_exceeds_what_was_said_to_be_the_most(seed):
    facts, (words, meaning, vectors) = pool(seed)
    for name, plain in PROFILES.items():
        profile = for_model(plain, "static")
        arms = relevance(words, meaning, vectors, share_of(profile))
        context = Context(NOW, "puffin", arms)
        most = arms.most(profile)
        assert set(most) == set(facts), name
        for memory, each in facts.items():
            parts = [(t.value, t.weight, t.effect) for t in terms(each, context, profile).values()]
            assert added(parts) <= most[memory] + 1e-8


def test_of_a_large_pool_only_some_are_scored():
    ids = range(1, 201)
    words = {each: float(each % 50) for each in ids}
    arms = relevance(words, {}, {}, 0.5)
    profile = for_model(DEFAULT, None)
    scored = []

    def facts_of(memory):
        scored.append(memory)
        return replace(PLAIN, id=memory, keyword=words[memory])

    best = ranked(arms.most(profile), facts_of, Context(NOW, "puffin", arms), profile, 10)
    assert [each.facts.id for each in best] == [49, 99, 149, 199, 48, 98, 148, 198, 47, 97]
    assert len(scored) < 120
    some = len(scored)
    scored.clear()
    context = Context(NOW, "puffin", arms)
    ideal = best_of([row(PLAIN)], NOW)
    assert ranked(arms.most(profile), facts_of, context, profile, 10, ideal) == best
    assert len(scored) < some


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
