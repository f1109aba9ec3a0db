"""PRD-010, graceful degradation: no embeddings, no learnings, no tasks, and no errors."""

import pytest


@pytest.fixture
def words_only(recairn):
    """No embedding model at all."""
    recairn("config", "set", "embedding.model", "none")
    return recairn


READING = [
    ("search", "anything at all"),
    ("learning:search", "anything at all"),
    ("recent",),
    ("list",),
    ("context", "tx-a1b2c3d4"),
    ("context", "--prompt", "draw the tide chart"),
    ("task", "list"),
    ("task", "ready"),
    ("ledger",),
    ("tune",),
    ("compact",),
    ("compact", "--dry-run"),
    ("outcome", "observe"),
    ("outcome", "observe", "--status", "0"),
    ("pin", "--refresh"),
    ("stats",),
]


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_an_empty_database_gives_empty_results_and_no_errors(recairn, words):
    assert recairn(*words).status == 0


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_an_empty_database_without_a_model_does_too(words_only, words):
    assert words_only(*words).status == 0


def test_without_learnings_context_and_search_are_empty_lists(recairn):
    recairn("task", "add", "Implement database migration", "--id", "tx-a1b2c3d4")
    answer = recairn("context", "tx-a1b2c3d4", "--json").json
    assert (answer["rules"], answer["hits"]) == ([], [])
    assert recairn("search", "database transactions", "--json").json["hits"] == []


def test_without_embeddings_words_find_everything_they_should(words_only):
    words_only("add", "Always use transactions for multi-step DB operations", "-c", "database")
    words_only("task", "add", "Migrate with transactions", "--id", "tx-a1b2c3d4")
    (hit,) = words_only("search", "transactions", "--json").json["hits"]
    assert hit["match"] == "keyword"
    (given,) = words_only("context", "tx-a1b2c3d4", "--json").json["hits"]
    assert given["id"] == hit["id"]
    assert words_only("helpful", "1").status == 0
    assert words_only("task", "done", "tx-a1b2c3d4", "--outcome", "success").status == 0
    assert "No embedding model configured" in (
        words_only("learning:embed").out + words_only("learning:embed").err
    )


def test_an_outcome_without_anything_handed_out_is_simply_kept(recairn):
    recairn("task", "add", "Implement database migration", "--id", "tx-a1b2c3d4")
    assert recairn("task", "done", "tx-a1b2c3d4", "--outcome", "failure").status == 0
    assert recairn("task", "show", "tx-a1b2c3d4", "--json").json["outcome"] == "failure"
