"""The query log, misses, profiles and weights from the command line."""

from __future__ import annotations

import pytest


def test_the_query_log_is_counted(lamp):
    lamp("search", "storm")
    lamp("search", "storm")
    lamp("search", "zeppelin")
    lines = lamp("stats", "queries").out.splitlines()
    assert lines[0].startswith("3 searches in the last 30 days, 1 without a hit; ")
    assert lines[2].split() == ["query", "count", "empty", "hits", "ms", "p95", "ms", "last"]
    assert lines[3].split()[:4] == ["storm", "2", "0", "1.0"]
    assert lines[4].split()[:4] == ["zeppelin", "1", "1", "0.0"]
    assert lamp("stats:queries").out.splitlines()[2:] == lines[2:]


def test_the_query_log_is_counted_by_tool_and_day(lamp):
    lamp("search", "storm")
    by_tool = lamp("stats", "queries", "--by", "tool", "--days", "1", "-n", "5", "--json").json
    assert by_tool["grouped_by"] == "tool"
    assert [(each["tool"], each["count"]) for each in by_tool["data"]] == [("cli", 1)]
    by_day = lamp("stats", "queries", "--by", "day", "--json").json
    assert by_day["totals"]["count"] == 1
    assert by_day["totals"]["last_at"].startswith(by_day["data"][0]["day"])
    assert lamp("stats", "queries", "--by", "hour").status == 2


def test_a_log_without_searches_says_so(recairn):
    assert recairn("stats", "queries", "--days", "1").out.startswith(
        "no searches in the last 1 day\n"
    )
    assert recairn("stats", "queries", "--json").json["data"] == []


def test_stats_alone_stay_what_they_are(lamp):
    assert lamp("stats", "--json").json["memories"] == 1
    assert lamp("stats", "quries").err.endswith(
        "did you mean queries? known: growth, rules, queries\n"
    )
    both = lamp("help", "stats").out
    assert both.startswith("recairn stats\n")
    assert "\nrecairn stats queries [options]\n" in both


def test_the_log_is_cleaned_up_only_with_yes(lamp):
    lamp("search", "storm")
    none = lamp("stats", "queries", "--cleanup", "90d")
    assert none.out == "the log holds no search that old\n"
    dry = lamp("stats", "queries", "--cleanup", "now")
    assert dry.out == "1 search would be removed from the log; --yes does it\n"
    assert lamp("stats", "--json").json["queries"] == 1
    done = lamp("stats", "queries", "--cleanup", "now", "--yes")
    assert done.out == "Removed 1 search from the log\n"
    assert lamp("stats", "--json").json["queries"] == 0
    again = lamp("stats", "queries", "--cleanup", "now", "--yes", "--json").json
    assert again == {"dry_run": False, "queries": 0}
    assert lamp("stats", "queries", "--cleanup", "90d", "--by", "day").status == 2


def test_a_long_query_is_shortened_in_the_table(lamp):
    lamp("search", "word " * 40)
    shown = lamp("stats", "queries").out.splitlines()[3]
    assert shown.startswith("word word")
    assert "…" in shown


def test_a_miss_is_recorded_and_listed(lamp):
    done = lamp("miss", "clean", "glass", "--wanted", "#1", "--note", "lens is glass")
    said = '"clean glass" did not find #1 (with static)\n  lens is glass\n'
    assert (done.out, done.err) == (f"Recorded: {said}", "")
    assert lamp("miss", "--list").out == f"1. just now: {said}"
    (listed,) = lamp("miss", "--list", "--json").json["misses"]
    assert (listed["query"], listed["wanted"], listed["model"]) == ("clean glass", 1, "static")


def test_a_miss_is_taken_back_by_its_number(lamp):
    lamp("miss", "clean", "glass")
    lamp("miss", "paint the tower")
    assert lamp("miss", "--drop", "1").out == "Miss 1 is taken back\n"
    assert [each["id"] for each in lamp("miss", "--list", "--json").json["misses"]] == [2]
    gone = lamp("miss", "--drop", "1")
    assert (gone.status, "there is no miss 1" in gone.err) == (1, True)
    assert lamp("miss", "--drop", "1", "glass").status == 2


def test_the_third_miss_says_how_to_get_the_better_model(lamp):
    assert lamp("miss", "one").err == ""
    assert lamp("miss", "two").err == ""
    assert lamp("miss", "three").err == (
        "3 misses so far; another model may find more:\n"
        "  recairn model pull minilm\n  recairn model use minilm\n"
    )
    document = lamp("miss", "four", "--json").json
    assert (document["count"], len(document["advice"])) == (4, 2)
    assert lamp("miss", "--list", "-n", "1").err == "1 of 4; -n shows more\n"


def test_a_secret_in_a_miss_is_redacted_and_said(lamp):
    ran = lamp("miss", "ghp_" + "a1B2c3D4e5F6" * 3, "refused")
    assert ran.out == 'Recorded: "ghp_[REDACTED] refused" (with static)\n'
    assert ran.err == "warning: redacted 1 secret (github-token)\n"


def test_a_miss_of_nothing_is_refused(lamp):
    assert lamp("miss", "x", "--wanted", "99").status == 1
    assert lamp("miss", tty=True).status == 2
    assert lamp("miss", "x", "--list").status == 2
    assert lamp("miss", "--list").out.startswith("no misses\n")


def test_the_profiles_are_listed_with_their_weights(recairn):
    listed = recairn("profiles").out
    assert listed.startswith("default (in use): ")
    assert "\ntx: " in listed
    assert "    cosine 0.4, matched 0.3, vividness 0.2, importance 0.1\n" in listed
    document = recairn("profiles", "--json").json
    assert document["in_use"] == "default"
    names = [each["name"] for each in document["profiles"]]
    assert names == ["default", "tx", "tx-rrf", "ccmemory", "lore", "brain"]
    assert document["profiles"][5]["weights"]["cosine"] == {"weight": 0.4, "effect": "add"}


def test_one_profile_is_shown_whole(recairn):
    recairn("config", "set", "retrieval.profile", "lore")
    lines = recairn("profiles", "lore").out.splitlines()
    assert lines[0].startswith("lore (in use): ")
    assert lines[1].split() == ["signal", "weight", "effect"]
    assert ["decay", "1", "gate"] in [line.split() for line in lines]
    assert "with minilm, meaning is " in recairn("profiles", "default").out
    assert recairn("profiles", "lroe").status == 2


def test_weights_and_profile_of_one_search(lamp):
    options = ["--profile", "brain", "--weight", "vector=0.5", "--weight=recency=0", "--json"]
    document = lamp("search", "storm", *options).json
    assert document["profile"] == "brain"
    assert document["meta"]["weights"] == {
        "cosine": 0.5,
        "matched": 0.3,
        "vividness": 0.0,
        "importance": 0.1,
    }


@pytest.mark.parametrize(
    ("weight", "status"),
    [("recency", 2), ("=1", 2), ("recency=much", 2), ("recency=7", 2), ("zeal=1", 2)],
)
def test_a_weight_that_is_none_is_refused(lamp, weight, status):
    assert lamp("search", "storm", "--weight", weight).status == status


def test_all_is_named_and_shows_the_nearest(lamp):
    ran = lamp("search", "zeppelin", "--all-projects")
    assert ran.out.splitlines()[0] == (
        "nothing relevant among 1 memory of all projects (--all shows the nearest)"
    )
    assert [hit["id"] for hit in lamp("search", "zeppelin", "--all", "--json").json["hits"]] == [1]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("retrieval.vector_weight", "much"),
        ("retrieval.vector_weight", "2"),
        ("retrieval.fading_weight", "-1"),
        ("bm25_weight", "nan"),
        ("retrieval.profile", "lroe"),
    ],
)
def test_a_bad_ranking_setting_is_refused_with_a_hint(lamp, setting, value):
    ran = lamp("config", "set", "--", setting, value)
    assert ran.status == 1
    assert "hint: " in ran.err
    assert lamp("config", "list", "--json").json == {}


def test_ranking_settings_count_in_the_next_search(lamp):
    lamp("config", "set", "retrieval.profile", "brain")
    assert lamp("config", "set", "retrieval.vector_weight", "0.50").err == ""
    document = lamp("search", "storm", "--json").json
    assert document["profile"] == "brain"
    assert document["meta"]["weights"]["cosine"] == 0.5
    assert "did you mean" in lamp("config", "set", "retrieval.vektor_weight", "1").err
