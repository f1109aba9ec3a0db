"""What tx's documents (PRD-010, DD-010) promise of learnings, in their words and their order."""

from __future__ import annotations

import pytest

import recairn
from recairn.core.times import DAY
from tests.corpus import PROJECT

PROFILES = ("tx", "tx-rrf")


@pytest.fixture
def memory(tmp_path, clock):
    """The learnings of the documents' examples; with the model that is shipped."""
    with recairn.open(tmp_path / "tx.db", project=PROJECT, clock=clock) as opened:
        for content, category in (
            ("Always use transactions for multi-step DB operations", "database"),
            ("Use savepoints for nested transactions", "database"),
            ("Test rollback paths before deploying", "migration"),
            ("Index foreign keys for query performance", "database"),
            ("JWT tokens should use RS256", ""),
        ):
            opened.remember(content, category=category, force=True)
        yield opened


def texts(result):
    return [hit.memory.content for hit in result.hits]


# Relevance scoring


def test_a_score_is_made_of_bm25_vector_recency_outcome_and_frequency(memory):
    (first, *_) = memory.search("database transactions", profile="tx").hits
    assert first.memory.content == "Always use transactions for multi-step DB operations"
    weights = {name: term.weight for name, term in first.terms.items()}
    assert weights == {
        "matched": 0.4,
        "cosine": 0.4,
        "month": 0.2,
        "outcome": 0.1,
        "frequency": 0.05,
    }


@pytest.mark.parametrize("profile", PROFILES)
def test_learnings_that_have_nothing_to_do_with_the_task_are_left_out(memory, profile):
    assert texts(memory.search("which bakery sells the best croissants", profile=profile)) == []
    found = texts(memory.search("nested transactions", profile=profile))
    assert found[0] == "Use savepoints for nested transactions"
    assert "JWT tokens should use RS256" not in found


@pytest.mark.parametrize("profile", PROFILES)
def test_a_learning_that_fits_is_found_however_old_it_is(memory, clock, profile):
    clock.advance(400 * DAY)
    found = memory.search("nested transactions", profile=profile)
    assert texts(found)[0] == "Use savepoints for nested transactions"


# BM25 search tests


@pytest.mark.parametrize("profile", PROFILES)
def test_three_tier_query_ranks_phrase_before_near_before_terms(memory, profile):
    for content in (
        "use lanterns for signals",
        "lanterns are useful for signals",
        "use for lanterns",
    ):
        memory.remember(content, force=True)
    found = memory.search("use lanterns for signals", profile=profile, mode="keyword")
    assert texts(found)[0] == "use lanterns for signals"


# Hybrid search tests


def test_it_returns_bm25_only_when_confident_and_scores_it_no_lower(memory):
    memory.remember("Renew the quorum lease before the heartbeat of the kiln controller ends")
    memory.remember("A kiln for the garden", force=True)
    result = memory.search("renew quorum lease heartbeat kiln controller", profile="tx-rrf")
    assert result.meta.model is None
    assert result.hits[0].score == pytest.approx(1.0, abs=0.01)
    unsure = memory.search("transactions", profile="tx-rrf")
    assert unsure.meta.model == "static"


@pytest.mark.parametrize("profile", PROFILES)
def test_it_applies_the_recency_bonus(memory, clock, profile):
    old, new = clock.now - 60 * DAY, clock.now - DAY
    memory.remember("old lantern rule", created_at=old, force=True)
    memory.remember("new lantern rule", created_at=new, force=True)
    assert texts(memory.search("lantern rule", profile=profile))[:2] == [
        "new lantern rule",
        "old lantern rule",
    ]


@pytest.mark.parametrize("profile", PROFILES)
def test_outcome_and_use_rank_equals(memory, profile):
    good = memory.remember("The kiln wants an hour of heat", force=True).id
    bad = memory.remember("The kiln wants an hour of heat", force=True, tier="global").id
    memory.feedback(good, 1.0)
    memory.feedback(bad, 0.0)
    hits = memory.search("kiln hour heat", profile=profile).hits
    assert [hit.id for hit in hits[:2]] == [good, bad]


# Task context retrieval


def test_the_question_of_a_task_is_title_description_category_and_parent(memory):
    memory.add_task("Rework the storage", id="tx-par00001")
    memory.add_task(
        "Implement database migration",
        id="tx-a1b2c3d4",
        description="with savepoints",
        category="database",
        parent="tx-par00001",
    )
    result = memory.context("tx-a1b2c3d4")
    assert {*result.query.splitlines()} == {
        "Implement database migration",
        "with savepoints",
        "database",
        "Rework the storage",
    }
    assert "Use savepoints for nested transactions" in texts(result)


def test_retrieving_a_context_counts_as_use(memory):
    memory.add_task("Nested transactions", id="tx-a1b2c3d4")
    (first, *_) = memory.context("tx-a1b2c3d4").hits
    assert memory.get(first.id).usage_count == 1


def test_learnings_are_filtered_by_source_and_category(memory):
    memory.remember("Transactions were summed up", source_type="compaction", source_ref="tx-1")
    memory.remember("Transactions as the file tells", source_type="claude_md")
    options = {"source_type": ["compaction", "claude_md"], "profile": "tx"}
    assert len(memory.search("transactions", **options).hits) == 2
    assert len(memory.search("transactions", category="database").hits) == 2
