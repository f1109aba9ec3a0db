"""What every store promises about its logs: questions asked, and searches that failed."""

import pytest

from recairn.core.model import Event
from recairn.core.times import DAY
from recairn.store.work_rows import LogText
from tests.corpus import NOW, PROJECT, logged_search
from tests.store.test_contract import keep

# Noon of 2026-11-15, so that an hour more or less is the same day.
BEFORE = NOW - DAY
RATING = {"at": NOW, "score": 1.0, "weight": 1.0, "source": "user"}


def ask(store, query, at=NOW, **columns):
    usual = {"tool": "cli", "results": 2, "result_ids": "[1,2]", "duration_ms": 4.0}
    entry = logged_search(query, at=at, **{**usual, **columns})
    with store.transaction():
        store.log_search(entry, [])


@pytest.fixture
def asked(store):
    for number in range(20):
        ask(store, "which tide", at=NOW + number, duration_ms=float(number + 1))
    ask(store, "what fog", at=BEFORE, tool="mcp", results=0, result_ids="[]", duration_ms=2.0)
    return store


def test_questions_are_counted_by_their_words_most_asked_first(asked):
    tide, fog = asked.query_stats("query", 0, 10)
    assert (tide.name, tide.searches, tide.empty) == ("which tide", 20, 0)
    assert (tide.mean_results, tide.mean_ms, tide.p95_ms) == (2.0, 10.5, 19.0)
    assert tide.last_at == NOW + 19
    assert (fog.name, fog.searches, fog.empty, fog.mean_results) == ("what fog", 1, 1, 0.0)
    assert [row.name for row in asked.query_stats("query", 0, 1)] == ["which tide"]


def test_questions_are_counted_by_tool_by_day_and_in_all(asked):
    assert [row.name for row in asked.query_stats("tool", 0, 10)] == ["cli", "mcp"]
    assert [row.name for row in asked.query_stats("day", 0, 10)] == ["2026-11-15", "2026-11-14"]
    assert [row.searches for row in asked.query_stats("", 0, 10)] == [21]
    assert [row.searches for row in asked.query_stats("", NOW, 10)] == [20]
    assert asked.query_stats("query", NOW + DAY, 10) == []


def test_old_questions_are_counted_and_dropped(asked):
    assert asked.queries_before(NOW) == 1
    with asked.transaction():
        assert asked.drop_queries(NOW) == 1
    assert asked.queries_before(NOW + DAY) == 20


def test_failures_come_newest_first_and_are_counted_by_type(store):
    entry = {
        "at": NOW,
        "query": "pier",
        "project": PROJECT,
        "wanted": None,
        "model": "static",
        "note": "the green one",
    }
    with store.transaction():
        first = store.add_failure("semantic_miss", entry)
        second = store.add_failure("semantic_miss", {**entry, "query": "mole"})
        store.add_failure("other", entry)
    assert [(row.id, row.query) for row in store.failures("semantic_miss", 9)] == [
        (second, "mole"),
        (first, "pier"),
    ]
    assert store.failures("semantic_miss", 1)[0].model == "static"
    assert store.count_failures("semantic_miss") == 2
    assert store.count_failures("unheard of") == 0
    with store.transaction():
        assert store.drop_failure(first)
        assert not store.drop_failure(first)
    assert [row.id for row in store.failures("semantic_miss", 9)] == [second]


def test_what_the_logs_say_is_read_whole_and_cleared_entry_by_entry(asked):
    (memory,) = keep(asked, "Low tide at the pier")
    with asked.transaction():
        asked.add_failure("semantic_miss", {"at": NOW, "query": "which pier", "wanted": memory})
        asked.add_feedback(
            memory,
            {
                "at": NOW,
                "score": 1.0,
                "weight": 1.0,
                "source": "user",
                "query": "the pier",
                "note": "yes",
            },
        )
        injection = asked.put_injection(
            {"at": NOW, "surface": "hook", "query": "a pier", "tokens": 1, "characters": 1},
            [(memory, 1, 0.5)],
        )
        turn = {"at": NOW, "session_id": "s1", "event": "prompt", "prompt": "which pier?"}
        asked.put_turn({**turn, "injection": injection})
        asked.add_compaction({"at": NOW, "task_ids": "[]", "memories": "[]", "summary": "piers"})
        asked.open_session("s1", {"project": PROJECT}, NOW)
        asked.end_session("s1", "went to the pier", NOW)
        event = Event(0, memory, NOW, "updated", "why the pier", {"title": "Pier"}, {}, None, None)
        asked.note(event)
    logs: dict[str, list[LogText]] = {}
    for entry in asked.log_texts():
        logs.setdefault(entry.log, []).append(entry)
    assert {log: len(entries) for log, entries in logs.items()} == {
        "query_log": 21,
        "search_failures": 1,
        "injections": 1,
        "turns": 1,
        "feedback": 1,
        "compactions": 1,
        "sessions": 1,
        "history": 1,
    }
    assert "Pier" in logs["history"][0].text
    about = asked.logged_about(memory)
    assert {log: len(keys) for log, keys in about.items()} == {
        "query_log": 20 if memory in (1, 2) else 0,
        "search_failures": 1,
        "injections": 1,
        "turns": 1,
    }
    with asked.transaction():
        asked.clear_logs({log: [entry.key for entry in entries] for log, entries in logs.items()})
    assert list(asked.log_texts()) == []
    assert [each.event for each in asked.history(memory)] == ["created", "updated"]
    assert (asked.queries_before(NOW + DAY), asked.count_failures("semantic_miss")) == (0, 0)


def test_events_are_found_by_their_names(store):
    one, other = keep(store, "Low tide", "High tide")
    with store.transaction():
        for memory in (other, one):
            store.note(Event(0, memory, NOW, "asked", "", {}, {}, None, None))
    assert [each.memory for each in store.events_named(("asked",))] == [other, one]
    assert len(store.events_named(("asked", "created"))) == 4
    assert store.events_named(("unheard of",)) == []
