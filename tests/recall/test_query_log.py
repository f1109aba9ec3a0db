"""What was asked: the query log in numbers, its clean-up, and searches that missed."""

import pytest

from recairn.core.errors import BadInput, NotFound
from recairn.core.times import DAY, HOUR
from tests.corpus import NOW, logged_search, opened


@pytest.fixture
def asked(memory, clock):
    """A log of known durations: by tool cli 1, 2 ... 20 ms, and by tool mcp one of 100 ms."""
    rows = [("tide", "cli", 2, float(ms), 0) for ms in range(1, 20)]
    rows += [("gull", "cli", 0, 20.0, 1), ("siren", "mcp", 0, 100.0, 40)]
    with memory.store.transaction():
        for query, tool, results, duration, days in rows:
            columns = {"tool": tool, "results": results, "duration_ms": duration}
            entry = logged_search(query, at=NOW - days * DAY, **columns)
            memory.store.log_search(entry, [])
    return memory


def test_totals_count_searches_empty_ones_and_durations(asked):
    assert asked.query_stats()["totals"] == {
        "count": 20,
        "empty": 1,
        "mean_results": 1.9,
        "mean_ms": 10.5,
        "p95_ms": 19.0,
        "last_at": NOW,
    }


def test_queries_are_grouped_by_query_most_asked_first(asked):
    counted = asked.query_stats()
    assert counted["grouped_by"] == "query"
    assert [(each["query"], each["count"], each["empty"]) for each in counted["data"]] == [
        ("tide", 19, 0),
        ("gull", 1, 1),
    ]
    assert counted["data"][0]["p95_ms"] == 19.0
    assert counted["data"][1] == {
        "query": "gull",
        "count": 1,
        "empty": 1,
        "mean_results": 0.0,
        "mean_ms": 20.0,
        "p95_ms": 20.0,
        "last_at": NOW - DAY,
    }


def test_queries_are_grouped_by_tool_and_by_day_newest_first(asked):
    by_tool = asked.query_stats(by="tool", days=60)["data"]
    assert [(each["tool"], each["count"], each["mean_ms"]) for each in by_tool] == [
        ("cli", 20, 10.5),
        ("mcp", 1, 100.0),
    ]
    by_day = asked.query_stats(by="day", days=60)["data"]
    assert [(each["day"], each["count"]) for each in by_day] == [
        ("2026-11-15", 19),
        ("2026-11-14", 1),
        ("2026-10-06", 1),
    ]


def test_days_and_limit_bound_what_is_counted(asked):
    assert asked.query_stats(days=0.5)["totals"]["count"] == 19
    counted = asked.query_stats(limit=1)
    assert (counted["totals"]["count"], len(counted["data"])) == (20, 1)


def test_an_empty_log_counts_nothing(memory):
    assert memory.query_stats() == {
        "totals": {
            "count": 0,
            "empty": 0,
            "mean_results": None,
            "mean_ms": None,
            "p95_ms": None,
            "last_at": None,
        },
        "grouped_by": "query",
        "data": [],
    }


def test_a_search_just_made_is_counted(puffin):
    puffin.search("tide tables", tool="mcp")
    puffin.search("zeppelin")
    puffin.search("barometer", track=False)
    data = puffin.query_stats(by="tool")["data"]
    assert sorted((each["tool"], each["count"], each["empty"]) for each in data) == [
        ("mcp", 1, 0),
        ("python", 1, 1),
    ]


@pytest.mark.parametrize("options", [{"by": "hour"}, {"days": 0}, {"days": "x"}, {"limit": 0}])
def test_what_cannot_be_counted_is_refused(memory, options):
    with pytest.raises(BadInput):
        memory.query_stats(**options)


def test_cleaning_up_counts_first_and_removes_when_asked(asked):
    assert asked.cleanup_queries("30d") == 1
    assert asked.query_stats(days=60)["totals"]["count"] == 21
    assert asked.cleanup_queries(NOW - 12 * HOUR, dry_run=False) == 2
    assert asked.query_stats(days=60)["totals"]["count"] == 19
    assert asked.cleanup_queries("30d", dry_run=False) == 0


# Misses


def test_a_miss_is_recorded_with_what_was_wanted(puffin):
    uid = puffin.get(3).uid
    missed = puffin.record_miss("bird problems", wanted=uid, note="gulls are birds")
    assert (missed.miss.id, missed.miss.at, missed.miss.project) == (1, NOW, "puffin")
    assert (missed.miss.query, missed.miss.wanted) == ("bird problems", 3)
    assert (missed.miss.note, missed.miss.model) == ("gulls are birds", None)
    assert (missed.count, missed.advice, missed.warnings) == (1, (), ())
    assert puffin.misses() == ([missed.miss], 1)


def test_misses_are_listed_newest_first(memory):
    for query in ("one", "two", "three"):
        memory.record_miss(query)
    found, total = memory.misses(limit=2)
    assert ([each.query for each in found], total) == (["three", "two"], 3)


def test_a_miss_keeps_no_secret_and_no_control_character(memory):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    missed = memory.record_miss(f"why is {token}\x1b[31m refused", note=f"see {token}")
    assert missed.miss.query.startswith("why is ghp_[REDACTED]")
    assert "\x1b" not in missed.miss.query
    assert missed.miss.note == "see ghp_[REDACTED]"
    assert missed.warnings == ("redacted 2 secrets (github-token)",)


def test_what_the_user_allowed_stays_in_a_miss(memory):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    memory.set_config("redaction.allow", token)
    assert memory.record_miss(token).miss.query == token


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"query": " "}, BadInput),
        ({"query": "x" * 1001}, BadInput),
        ({"query": "x", "wanted": 99}, NotFound),
    ],
)
def test_a_miss_that_says_nothing_is_refused(memory, arguments, error):
    with pytest.raises(error):
        memory.record_miss(**arguments)
    assert memory.misses() == ([], 0)


def test_the_third_miss_names_the_better_model(memory):
    advice = [memory.record_miss(f"query {n}").advice for n in range(3)]
    better = ("recairn model pull minilm", "recairn model use minilm")
    assert advice == [(), (), better]


def test_once_the_better_model_answers_a_miss_advises_nothing(memory):
    with memory.store.transaction():
        model = {
            "fingerprint": "minilm:1",
            "name": "minilm",
            "revision": "1",
            "dim": 384,
            "normalisation": "l2",
        }
        memory.store.add_model(model, at=NOW)
    missed = [memory.record_miss(f"query {n}") for n in range(4)]
    assert [each.advice for each in missed] == [(), (), (), ()]
    assert missed[0].miss.model == "minilm"


# Weights from settings


def test_a_configured_weight_counts_at_once_and_a_call_outweighs_it(puffin):
    puffin.set_config("retrieval.recency_weight", "0.3")
    assert puffin.search("tide").meta.weights["recency"] == 0.3
    assert puffin.search("tide", weights={"recency": 0}).meta.weights["recency"] == 0.0
    puffin.set_config("retrieval.recency_weight", None)
    puffin.set_config("recency_weight", "0")
    assert puffin.search("tide").meta.weights["recency"] == 0.0


@pytest.mark.parametrize("value", ["heavy", "nan", "inf", "-0.1", "2"])
def test_a_broken_weight_in_the_settings_names_the_way_out(puffin, value):
    puffin.set_config("retrieval.recency_weight", value)
    with pytest.raises(BadInput) as caught:
        puffin.search("tide")
    assert caught.value.hint == "recairn config unset retrieval.recency_weight"


def test_a_setting_of_ones_own_is_no_weight(puffin):
    puffin.set_config("team.lift_weight", "heavy")
    puffin.set_config("lift_weight", "heavy")
    assert puffin.search("tide").hits


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), float("inf"), True, "0.5"])
def test_a_weight_of_a_call_lies_between_0_and_1(puffin, value):
    with pytest.raises(BadInput):
        puffin.search("tide", weights={"recency": value})


def test_all_shows_the_nearest_when_there_is_no_answer(tmp_path, clock):
    with opened(tmp_path / "meaning.db", clock=clock, model="static") as memory:
        memory.remember("The harbour webcam is foggy until ten every morning")
        assert memory.search("zeppelin flights").hits == ()
        assert [hit.id for hit in memory.search("zeppelin flights", all=True).hits] == [1]


def test_what_all_shows_below_the_floor_is_not_a_use(tmp_path, clock):
    with opened(tmp_path / "meaning.db", clock=clock, model="static") as memory:
        memory.remember("The harbour webcam is foggy until ten every morning")
        memory.remember("Airship flights leave from the old zeppelin hangar", force=True)
        hits = memory.search("zeppelin flights", all=True).hits
        assert [(hit.id, hit.below_floor) for hit in hits] == [(2, False), (1, True)]
        assert (memory.get(1).usage_count, memory.get(2).usage_count) == (0, 1)
        memory.search("zeppelin flights")
        assert (memory.get(1).usage_count, memory.get(2).usage_count) == (0, 2)
        assert [hit.id for hit in memory.search("submarine cables", all=True).hits] != []
        assert (memory.get(1).usage_count, memory.get(2).usage_count) == (0, 2)
        assert memory.stats()["queries"] == 3
