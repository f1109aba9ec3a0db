"""Each profile's formula recomputed by hand, and which weight wins: call, setting, profile."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.errors import BadInput
from recairn.core.model import DECAY_PER_DAY, total
from recairn.core.record import replace
from recairn.core.times import DAY
from recairn.ranking.fusion import Relevance
from recairn.ranking.lexical import is_strong
from recairn.ranking.profiles import PROFILES, Weight, for_model, reweighted, share_of, signal_named
from recairn.ranking.signals import Context
from tests.corpus import MEMORIES, NOW, opened
from tests.ranking.made_up import ranking, terms
from tests.ranking.test_signals import CONTEXTS, FACTS, PLAIN

DEFAULT = PROFILES["default"]
SHARES = DEFAULT.shares or {}

# Ten days old, used four times, last five days ago, helped three times of four; its keyword score
# of 18 counts 18/(18 + 6) = 0.75.
KNOWN = replace(
    PLAIN,
    id=1,
    keyword=18.0,
    cosine=0.6,
    created_at=NOW - 10 * DAY,
    decayed_at=NOW - 10 * DAY,
    last_used_at=NOW - 5 * DAY,
    usage_count=4,
    importance=0.8,
    helpful=3.0,
    harmful=1.0,
)
SAID = Relevance(0.5, 0.4, 0.45, 0, 3)
# ln(1 + 4) on a scale that reaches 1 at thirty uses
USED = math.log(5) / math.log(31)
OUTCOME = 4 / 6


def score(profile, facts=KNOWN, said=SAID, project="puffin"):
    context = Context(NOW, project, {facts.id: said})
    (scored,) = ranking([facts], context, PROFILES[profile])
    return scored.score


def left_of_salience(rate):
    """After ten days, at a rate slowed by importance 0.8 and four uses."""
    return math.exp(-rate * 10 * (1.5 - 0.8) / (1 + 0.2 * math.log(5)))


# The seeds


def test_tx_is_a_weighted_sum():
    """PRD-010: 0.4 BM25 + 0.4 cosine + 0.2 (1 - days/30) + boosts of outcome and frequency."""
    expected = 0.4 * 0.75 + 0.4 * 0.6 + 0.2 * (1 - 10 / 30) + 0.1 * OUTCOME + 0.05 * USED
    assert score("tx") == pytest.approx(expected)


def test_tx_lets_age_count_nothing_after_a_month_and_never_less():
    old = replace(KNOWN, created_at=NOW - 400 * DAY)
    assert score("tx", old) == pytest.approx(0.4 * 0.75 + 0.4 * 0.6 + 0.1 * OUTCOME + 0.05 * USED)


def test_tx_rrf_is_scaled_to_1_with_bonus_and_multipliers():
    """DD-010: words 2/61, meaning 1/64, of 3/61 at best; .05 for first; 0.8 + 0.4·outcome."""
    fused = (2 / 61 + 1 / 64) / (3 / 61)
    expected = (
        (0.75 * fused + 0.05 + 0.2 * (1 - 10 / 30)) * (0.8 + 0.4 * OUTCOME) * (1 + 0.15 * USED)
    )
    assert score("tx-rrf") == pytest.approx(expected)


def test_tx_rrf_frequency_is_what_its_document_says_up_to_the_cap():
    """1 + 0.1·log10(1 + uses): the same curve to a thousandth, and no higher than 1.15."""
    plain = score("tx-rrf", replace(KNOWN, usage_count=0))
    for uses in (1, 4, 12, 30):
        factor = score("tx-rrf", replace(KNOWN, usage_count=uses)) / plain
        assert factor == pytest.approx(1 + 0.1 * math.log10(1 + uses), abs=0.001)
    assert score("tx-rrf", replace(KNOWN, usage_count=10**9)) / plain == pytest.approx(1.15)


def test_the_best_of_tx_rrf_reaches_1_and_passes_its_own_threshold_when_old():
    best = Relevance(0.0, 0.0, 0.0, 0, 0)
    fresh = replace(KNOWN, created_at=NOW, usage_count=0, helpful=0.0, harmful=0.0)
    assert score("tx-rrf", fresh, best) == pytest.approx(1.0)
    assert score("tx-rrf", replace(fresh, created_at=0), best) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("scores", "strong"),
    [
        ([], False),
        ([50.0], False),
        ([50.0, 1.0], True),
        ([1.0, 50.0], True),
        ([50.0, 40.0], False),
        ([5.0, 0.1], False),
        ([5.7, 0.1], True),
        ([6.0, 2.4], True),
        ([6.0, 2.6], False),
    ],
)
def test_a_strong_signal_needs_two_hits_the_first_good_and_far_ahead(scores, strong):
    """On s/(1 + s): 5.7 is .851, 6 is .857, 2.4 is .706, 2.6 is .722."""
    assert is_strong(scores) is strong


def test_only_tx_rrf_skips_meaning():
    assert [name for name in PROFILES if PROFILES[name].strong_signal] == ["tx-rrf"]


@pytest.mark.parametrize(
    ("sector", "boost", "rate"),
    [
        ("reflective", 1.2, 0.008),
        ("semantic", 1.1, 0.005),
        ("procedural", 1.0, 0.01),
        ("emotional", 0.9, 0.003),
        ("episodic", 0.8, 0.02),
    ],
)
@pytest.mark.parametrize("superseded", [False, True])
def test_ccmemory_adds_four_and_multiplies_by_sector_and_supersession(
    sector, boost, rate, superseded
):
    facts = replace(KNOWN, sector=sector, valid_until=NOW - DAY if superseded else None)
    added = 0.4 * 0.6 + 0.25 * 0.75 + 0.2 * left_of_salience(rate) + 0.15 * math.exp(-0.5)
    assert score("ccmemory", facts) == pytest.approx(added * boost * (0.5 if superseded else 1.0))


def test_lore_multiplies_words_and_meaning_by_everything_else():
    """decay 1/(1 + 10/30); frequency to 15 %, natural log, capped; importance 20 %; access 10 %."""
    expected = (
        (0.7 * 0.75 + 0.3 * 0.6)
        * (1 / (1 + 10 / 30))
        * (1 + 0.15 * USED)
        * (1 + 0.2 * 0.8)
        * (1 + 0.1 * math.exp(-5 / 30))
    )
    assert score("lore") == pytest.approx(expected)


def test_lore_counts_the_own_project_one_and_a_half_times():
    assert score("lore") / score("lore", project="kestrel") == pytest.approx(1.5)


def test_lore_caps_its_frequency_boost_and_gives_none_without_use():
    unused = replace(KNOWN, usage_count=0, last_used_at=None)
    plain = (0.7 * 0.75 + 0.3 * 0.6) * 0.75 * 1.16
    assert score("lore", unused) == pytest.approx(plain)
    assert score("lore", replace(unused, usage_count=10**9)) == pytest.approx(plain * 1.15)


def test_lore_without_a_model_is_its_first_phase_and_meaning_alone_still_counts():
    by_words, by_meaning = replace(KNOWN, cosine=None), replace(KNOWN, keyword=0.0)
    both = score("lore")
    assert score("lore", by_words) / both == pytest.approx(0.7 * 0.75 / (0.7 * 0.75 + 0.3 * 0.6))
    assert score("lore", by_words) + score("lore", by_meaning) == pytest.approx(both)


def test_lore_ranks_a_superseded_decision_lower():
    superseded = replace(KNOWN, valid_until=NOW - DAY)
    assert score("lore", superseded) == pytest.approx(0.5 * score("lore"))


def test_brain_adds_vector_words_recency_and_importance():
    """Its recency knows the age and what use has left of the decay score: the mean of both."""
    recency = (0.5 ** (10 / 90) + left_of_salience(0.005)) / 2
    expected = 0.4 * 0.6 + 0.3 * 0.75 + 0.2 * recency + 0.1 * 0.8
    assert score("brain") == pytest.approx(expected)


def test_an_old_record_that_came_in_just_now_is_not_recent_to_brain():
    """An import begins to decay when it arrives, but its age counts from when it was written."""
    fresh = replace(KNOWN, created_at=NOW, decayed_at=NOW)
    old = replace(fresh, created_at=NOW - 3650 * DAY)
    assert score("brain", fresh) - score("brain", old) == pytest.approx(0.1)


def test_the_decay_of_brain_falls_with_age():
    ages = [replace(KNOWN, decayed_at=NOW - days * DAY) for days in (0, 30, 300, 3000)]
    scores = [score("brain", facts) for facts in ages]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


def test_one_step_of_importance_does_not_outweigh_all_relevance_in_brain():
    near = replace(KNOWN, importance=0.2, cosine=0.9)
    far = replace(KNOWN, importance=0.9, cosine=0.1)
    assert score("brain", near) > score("brain", far)


def test_default_adds_three_and_tilts_by_the_rest():
    """Equal shares: 0.45 words, 0.45 meaning, 0.1 agreement; then a factor for each tilt."""
    tilts = {
        0.06: 0.5 ** (10 / 90),
        0.08: 0.8,
        0.2: OUTCOME,
    }
    expected = 0.45 * 0.5 + 0.45 * 0.4 + 0.1 * 0.45
    for weight, value in tilts.items():
        expected *= 1 + weight * (value - 0.5)
    for value in (math.exp(-5 / 30), USED, left_of_salience(0.005), 0.5):
        expected *= 1 + 0.04 * (value - 0.5)
    assert score("default") == pytest.approx(expected)
    assert score("default", project="kestrel") == pytest.approx(expected * 0.8)
    assert score("default", replace(KNOWN, valid_until=NOW)) == pytest.approx(expected * 0.5)


# Time, use and outcome are bounded

TIME_USE_OUTCOME = ("recency", "freshness", "frequency", "salience", "outcome")


@given(FACTS, FACTS, CONTEXTS)
def test_no_time_use_or_outcome_moves_a_default_hit_beyond_half_the_weights(facts, other, context):
    """The same hit with another history: each weight moves it by ± half of itself at most."""
    history = {
        name: getattr(other, name)
        for name in ("created_at", "last_used_at", "usage_count", "salience", "decayed_at")
    }
    moved = replace(facts, **history, helpful=other.helpful, harmful=other.harmful)
    parts = terms(facts, context, DEFAULT)
    middle = total({name: term for name, term in parts.items() if name not in TIME_USE_OUTCOME})
    low = high = middle
    for name in TIME_USE_OUTCOME:
        assert DEFAULT.weights[name].effect == "tilt"
        half = DEFAULT.weights[name].weight / 2
        assert half <= 0.1
        low, high = low * (1 - half), high * (1 + half)
        alone = total(
            {each: t for each, t in parts.items() if each == name or each not in TIME_USE_OUTCOME}
        )
        assert abs(alone - middle) <= middle * half + 1e-12
    for each in (facts, moved):
        assert low - 1e-12 <= total(terms(each, context, DEFAULT)) <= high + 1e-12


# Which weights count


@pytest.mark.parametrize(
    ("model", "keyword", "semantic"),
    [
        ("minilm", 0.9 * (1 - SHARES["minilm"]), 0.9 * SHARES["minilm"]),
        ("static", 0.9 * (1 - SHARES["static"]), 0.9 * SHARES["static"]),
        ("someone-elses", 0.45, 0.45),
        (None, 0.9, 0.0),
    ],
)
def test_default_weighs_words_and_meaning_by_the_model_that_answers(model, keyword, semantic):
    weighed = for_model(DEFAULT, model)
    assert weighed.weights["keyword"].weight == pytest.approx(keyword)
    assert weighed.weights["semantic"].weight == pytest.approx(semantic)
    assert share_of(weighed) == pytest.approx(semantic / 0.9)
    rest = set(DEFAULT.weights) - {"keyword", "semantic"}
    assert all(weighed.weights[name] == DEFAULT.weights[name] for name in rest)


@pytest.mark.parametrize("name", [name for name in PROFILES if name != "default"])
def test_a_seeds_profile_is_the_same_for_every_model(name):
    assert for_model(PROFILES[name], "minilm") == for_model(PROFILES[name], None) == PROFILES[name]


@pytest.mark.parametrize(
    ("profile", "name", "signal"),
    [
        ("default", "vector", "semantic"),
        ("default", "bm25", "keyword"),
        ("default", "fts", "keyword"),
        ("default", "recency", "recency"),
        ("tx", "vector", "cosine"),
        ("tx", "semantic", "cosine"),
        ("tx", "bm25", "matched"),
        ("tx", "recency", "month"),
        ("tx-rrf", "bm25", "fused_rank"),
        ("tx-rrf", "vector", None),
        ("ccmemory", "keyword", "matched"),
        ("ccmemory", "recency", "fading"),
        ("ccmemory", "sector", "sector"),
        ("lore", "recency", "decay"),
        ("lore", "vector", "cosine"),
        ("brain", "fts", "matched"),
        ("brain", "recency", "vividness"),
        ("default", "nonsense", None),
    ],
)
def test_a_weight_goes_by_the_names_its_seed_gave_it(profile, name, signal):
    assert signal_named(PROFILES[profile], name) == signal
    changed = reweighted(PROFILES[profile], {name: 0.123})
    expected = dict(PROFILES[profile].weights)
    if signal is not None:
        expected[signal] = Weight(0.123, expected[signal].effect)
    assert changed.weights == expected


def test_an_explicit_nothing_counts():
    assert reweighted(DEFAULT, {"vector": 0.0}).weights["semantic"] == Weight(0.0)
    assert share_of(reweighted(DEFAULT, {"vector": 0.0})) == 0.0
    assert share_of(reweighted(DEFAULT, {"bm25": 0, "vector": 0})) == 0.5


@given(st.sampled_from(sorted(PROFILES)), st.floats(0, 1))
def test_changing_a_weight_leaves_the_profile_itself_alone(name, value):
    before = dict(PROFILES[name].weights)
    reweighted(PROFILES[name], dict.fromkeys(before, value))
    assert PROFILES[name].weights == before


# Through the engine


@pytest.fixture
def tides(tmp_path, clock):
    """The corpus with the model that comes along."""
    with opened(tmp_path / "m.db", clock=clock, model="static") as memory:
        memory.remember_many(MEMORIES)
        yield memory


def asked(memory, **options):
    return memory.search("harbour tide buoy", track=False, **options)


def weight(memory, signal, **options):
    """The weight that a search says it used, and that its hits' terms carry."""
    result = asked(memory, **options)
    used = result.meta.weights[signal]
    assert {hit.terms[signal].weight for hit in result.hits} == {used}
    return used


def test_a_call_beats_a_setting_beats_the_profile(tides):
    usual = weight(tides, "semantic")
    assert usual == pytest.approx(0.9 * SHARES["static"])
    tides.set_config("retrieval.vector_weight", "0.5")
    assert weight(tides, "semantic") == 0.5
    assert weight(tides, "semantic", weights={"vector": 0.25}) == 0.25
    assert weight(tides, "semantic", weights={"semantic": 0.25}) == 0.25
    assert weight(tides, "semantic") == 0.5


def test_weights_that_an_import_brought_count_in_the_profile_they_belong_to(tides):
    tides.set_config("brain.retrieval.vector_weight", "0.55")
    tides.set_config("tx.bm25_weight", "0.35")
    tides.set_config("brain.retrieval.fts_weight", "much")
    assert weight(tides, "cosine", profile="brain") == 0.55
    assert weight(tides, "matched", profile="brain") == 0.3
    assert weight(tides, "matched", profile="tx") == 0.35
    assert weight(tides, "cosine", profile="tx") == 0.4
    assert weight(tides, "fused_rank", profile="tx-rrf") == 0.75
    tides.set_config("retrieval.vector_weight", "0.6")
    assert weight(tides, "cosine", profile="brain") == 0.6
    assert weight(tides, "cosine", profile="brain", weights={"vector": 0.1}) == 0.1


def test_a_setting_takes_effect_at_once_and_for_every_profile_that_has_the_weight(tides):
    tides.set_config("bm25_weight", "0.7")
    assert weight(tides, "keyword") == 0.7
    assert weight(tides, "matched", profile="tx") == 0.7
    assert weight(tides, "matched", profile="brain") == 0.7
    assert weight(tides, "fused_rank", profile="tx-rrf") == 0.7
    tides.set_config("bm25_weight", "0.1")
    assert weight(tides, "keyword") == 0.1


def test_a_setting_of_another_process_takes_effect_at_once(tides, tmp_path, clock):
    with opened(tmp_path / "m.db", clock=clock, model="static") as other:
        other.set_config("retrieval.recency_weight", "0.01")
    assert weight(tides, "recency") == 0.01


def test_an_explicit_nothing_counts_in_calls_and_settings(tides):
    tides.set_config("retrieval.vector_weight", "0")
    assert weight(tides, "semantic") == 0.0
    assert weight(tides, "keyword", weights={"keyword": 0}) == 0.0


@pytest.mark.parametrize("name", PROFILES)
def test_the_answer_names_the_profile_that_ran(tides, name):
    meta = asked(tides, profile=name).meta
    assert meta.profile == name
    assert set(meta.weights) == set(PROFILES[name].weights)
    tides.set_config("retrieval.profile", name)
    assert asked(tides).meta.profile == name


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_finds_the_memory_that_says_it(tides, name):
    first = tides.search("what drains the battery of the buoy?", profile=name).hits[0]
    assert first.memory.content.startswith("Polling the barometer")


@pytest.mark.parametrize(
    ("boosts", "factors"),
    [
        ({"episodic": 1.1}, {"reflective": 1.2, "semantic": 1.1, "episodic": 1.1}),
        ({"emotional": 1.5}, {"emotional": 1.5, "reflective": 1.2, "procedural": 1.0}),
        (dict.fromkeys(DECAY_PER_DAY, 1.0), dict.fromkeys(DECAY_PER_DAY, 1.0)),
    ],
)
def test_sectors_have_boosts_of_ones_own(tides, boosts, factors):
    """What a score is multiplied by is told by its term."""
    for sector, boost in boosts.items():
        tides.set_config(f"retrieval.sector_boost.{sector}", str(boost))
    for sector, factor in factors.items():
        memory = tides.remember(f"Storm petrels breed {sector}", sector=sector, force=True).id
        hits = tides.search("petrels storm", profile="ccmemory", track=False).hits
        (hit,) = [each for each in hits if each.id == memory]
        term = hit.terms["sector"]
        assert 1.0 + term.weight * (term.value - 0.5) == pytest.approx(factor)
    assert "sector" not in tides.search("petrels storm").meta.weights


# Old and new together

SEEDS = [name for name in PROFILES if name != "default"]
OLD = (
    "The fog horn of the north pier sounds twice a minute when visibility falls below a mile",
    "Replace the anode of the tide gauge before the first frost or the mount will corrode",
    "Charts for the east channel are redrawn by hand because the survey of 1998 is wrong",
    "Never flash the firmware of the buoy while its battery reports less than eleven volts",
)
QUESTIONS = [" ".join(text.split()[:8]) for text in OLD]


@pytest.fixture
def mixed(tmp_path, clock):
    """Four memories of events of last year among sixty insights of today about the same things."""
    fresh = [
        f"Lesson {number}: the {first} of the {second} matters more than the {third} of the gauge"
        for number, (first, second, third) in enumerate(
            (a, b, c)
            for a in ("fog horn", "firmware", "survey", "anode")
            for b in ("north pier", "buoy", "east channel", "tide gauge", "battery")
            for c in ("mount", "chart", "frost")
        )
    ]
    with opened(tmp_path / "mixed.db", clock=clock, model="static") as memory:
        for text in OLD:
            memory.remember(
                text, sector="episodic", created_at=NOW - 400 * DAY, importance=0.2, force=True
            )
        memory.remember_many(
            [{"content": text, "sector": "reflective", "importance": 1.0} for text in fresh],
            on_similar="add",
        )
        yield memory


@pytest.mark.parametrize("name", PROFILES)
def test_whatever_its_age_a_memory_is_found_by_its_own_words(mixed, name):
    asked = [mixed.search(each, profile=name, track=False).hits for each in QUESTIONS]
    assert [hits[0].memory.content for hits in asked] == list(OLD)


@pytest.mark.parametrize("name", SEEDS)
def test_age_counts_as_it_always_did_where_nothing_is_quoted(mixed, name):
    """None of these says the question in its words, so the old ones come after the new ones."""
    hits = mixed.search("frost gauge", profile=name, track=False, limit=20).hits
    assert all(hit.memory.created_at == NOW for hit in hits[:3])


@pytest.mark.parametrize("name", sorted({*SEEDS} - {"tx-rrf"}))
def test_of_two_that_say_it_the_newer_one_comes_first(mixed, name):
    """Not with tx-rrf, where a place more counts as much as a week."""
    newer = mixed.remember(
        OLD[0].replace("twice", "thrice"), sector="episodic", importance=0.2, force=True
    )
    question = "The fog horn of the north pier sounds"
    first, second = mixed.search(question, profile=name, track=False).hits[:2]
    assert (first.id, second.memory.content) == (newer.id, OLD[0])


@pytest.mark.parametrize("name", PROFILES)
def test_no_score_is_beyond_1(mixed, name):
    """The best that can be: quoted, new, of the best sector, used and helpful time and again."""
    best = mixed.remember(
        "Seals sleep on the slipway from May to June", sector="reflective", importance=1.0
    )
    for _ in range(40):
        mixed.search("Seals sleep on the slipway from May to June")
        mixed.feedback(best.id)
    hits = mixed.search("Seals sleep on the slipway from May to June", profile=name).hits
    assert hits[0].id == best.id
    assert all(0.0 <= hit.score <= 1.0 for hit in hits)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_what_would_lead_beyond_1_is_pressed_below_it_in_its_order(mixed):
    """Three that are quoted: ccmemory gives 1.2, 1 and 0.8 for their sectors."""
    for sector in ("reflective", "procedural", "episodic"):
        mixed.remember(
            f"Seals sleep on the slipway from May to June, {sector} as they are",
            sector=sector,
            force=True,
        )
    hits = mixed.search("Seals sleep on the slipway from May", profile="ccmemory").hits[:3]
    assert [hit.memory.sector for hit in hits] == ["reflective", "procedural", "episodic"]
    assert 0.9 < hits[2].score < hits[1].score < hits[0].score <= 1.0
    assert hits[0].terms["ceiling"].effect == "gate"
    without = {name: term for name, term in hits[0].terms.items() if name != "ceiling"}
    assert total(without) * hits[0].terms["ceiling"].value == pytest.approx(hits[0].score)


def test_words_alone_are_sure_where_one_memory_says_the_question(mixed):
    """tx skips meaning then; the model that was not asked is not named."""
    asked = [mixed.search(each, profile="tx-rrf", track=False) for each in QUESTIONS]
    assert [result.meta.model for result in asked] == [None] * 4
    assert all(hit.match == "keyword" for result in asked for hit in result.hits)


@pytest.mark.parametrize("question", ["gauge", "what corrodes in winter", "firmware of the buoy"])
def test_words_alone_are_not_sure_where_none_or_several_say_it(mixed, question):
    assert mixed.search(question, profile="tx-rrf", track=False).meta.model == "static"


def test_an_unknown_weight_is_an_error_with_a_guess(tides):
    with pytest.raises(BadInput, match="the profile default has no weight 'vectr'") as caught:
        asked(tides, weights={"vectr": 0.5})
    assert "did you mean 'vector'" in caught.value.hint
    assert "semantic" in caught.value.hint


@pytest.mark.parametrize("value", ["much", True, math.nan, -0.1, 1.5])
def test_a_weight_is_a_number_between_0_and_1(tides, value):
    with pytest.raises(BadInput, match="weight vector"):
        asked(tides, weights={"vector": value})


@pytest.mark.parametrize("value", ["much", "nan", "-1", "2"])
def test_a_setting_that_is_no_weight_is_an_error_that_names_it(tides, value):
    """Also where an older database holds it already."""
    with tides.store.transaction():
        tides.store.set_config("retrieval.vector_weight", value, NOW)
    with pytest.raises(BadInput, match=r"retrieval\.vector_weight is") as caught:
        asked(tides)
    assert "recairn config" in caught.value.hint


def test_settings_of_other_things_are_no_weights(tides):
    before = asked(tides).meta.weights
    with tides.store.transaction():
        tides.store.set_config("cargo_weight", "12 tons", NOW)
    assert asked(tides).meta.weights == before
