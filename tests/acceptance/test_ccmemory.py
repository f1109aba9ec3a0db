"""The acceptance lines of ccmemory's search specification, in its words and its order."""

from __future__ import annotations

import pytest

import recairn
from recairn.core.model import Edge
from recairn.core.times import DAY, MINUTE
from tests.corpus import PROJECT


@pytest.fixture
def memory(tmp_path, clock):
    """The specification's memories, made in its session sess1; with the model that is shipped."""
    path = tmp_path / "cc.db"
    with recairn.open(path, project=PROJECT, clock=clock, session="sess1") as opened:
        opened.start_session("sess1", summary="frontend work")
        opened.remember(
            "Decided to use React with TypeScript for the frontend", sector="reflective"
        )
        opened.remember("To deploy, run npm build then upload to S3", sector="procedural")
        opened.remember("The API routes are defined in src/routes/api.ts", sector="semantic")
        opened.remember("The authentication module handles user login and JWT tokens")
        opened.remember("Database migrations are run with the migrate command")
        yield opened


def texts(result):
    return [hit.memory.content for hit in result.hits]


def found(memory, query, **options):
    return [hit.id for hit in memory.search(query, **options).hits]


def hit_of(result, memory):
    return next(hit for hit in result.hits if hit.id == memory)


# FTS5 finds memories by keywords


def test_fts5_finds_memories_by_keywords(memory):
    result = memory.search("authentication", mode="keyword")
    assert texts(result) == ["The authentication module handles user login and JWT tokens"]
    assert "authentication" in result.hits[0].snippet


def test_a_snippet_marks_the_words_that_matched(memory):
    from recairn.surfaces.render.json_objects import hit_json

    (hit,) = memory.search("authentication", mode="keyword").hits
    assert "<mark>authentication</mark>" in hit_json(hit)["snippet"]


def test_keyword_search_stays_in_its_project(memory):
    memory.remember("authentication in another project", project="proj2")
    assert len(found(memory, "authentication", mode="keyword")) == 1


def test_an_empty_query_finds_nothing(memory):
    assert memory.search("", mode="keyword").hits == ()


# FTS5 supports prefix matching


def test_fts5_supports_prefix_matching(memory):
    assert texts(memory.search("auth", mode="keyword")) == [
        "The authentication module handles user login and JWT tokens"
    ]


# Vector search finds semantically similar memories


def test_vector_search_finds_semantically_similar_memories(memory):
    result = memory.search("login system security", mode="semantic")
    assert texts(result)[0] == "The authentication module handles user login and JWT tokens"
    assert 0.0 < result.hits[0].terms["semantic"].value <= 1.0


# Hybrid search combines both methods


def test_hybrid_search_combines_both_methods(memory):
    result = memory.search("React TypeScript", mode="hybrid")
    assert result.hits[0].match == "both"
    assert result.hits[0].terms["keyword"].value > 0.0
    assert result.hits[0].terms["semantic"].value > 0.0


# Ranking weights semantic, keyword, salience, and recency


def test_ranking_weights_semantic_keyword_salience_and_recency(memory):
    (hit, *_) = memory.search("React TypeScript", profile="ccmemory").hits
    added = {name: term.weight for name, term in hit.terms.items() if term.effect == "add"}
    assert added == {"cosine": 0.4, "matched": 0.25, "salience": 0.2, "fading": 0.15}


# Sector-specific boosts applied


def test_sector_specific_boosts_applied(memory):
    one = memory.remember("Kestrels hover over the quay", sector="reflective").id
    two = memory.remember("Kestrels hover over the quay", sector="episodic", tier="global").id
    result = memory.search("kestrels hover quay", profile="ccmemory")
    assert hit_of(result, one).score > hit_of(result, two).score


# Filters work (sector, tier, minSalience, sessionId)


def test_filters_work_by_sector(memory):
    result = memory.search("npm build deploy", sector="procedural")
    assert {hit.memory.sector for hit in result.hits} == {"procedural"}


def test_filters_work_by_tier(memory):
    shared = memory.remember("Everybody builds with npm", tier="global").id
    assert found(memory, "npm", tier="global") == [shared]
    assert shared not in found(memory, "npm", tier="project")


def test_filters_work_by_min_salience(memory):
    weak = memory.remember("An npm cache on the build server", kind="fact").id
    memory.deemphasize(weak, 0.6)
    assert weak in found(memory, "npm build", track=False)
    assert weak not in found(memory, "npm build", min_salience=0.5, track=False)


def test_filters_work_by_session_id(memory):
    only = memory.remember("Only in session 2", session="sess2").id
    result = memory.search("session", in_session="sess2")
    assert [hit.id for hit in result.hits] == [only]
    assert result.hits[0].source_session["id"] == "sess2"


# Timeline returns chronological context with session info


def test_timeline_returns_chronological_context_with_session_info(memory, clock):
    clock.advance(10)
    memory.remember("First")
    clock.advance(10)
    second = memory.remember("Second").id
    clock.advance(10)
    third = memory.remember("Third").id
    timeline = memory.timeline(second, before=2, after=2)
    assert timeline.anchor.id == second
    assert [each.content for each in timeline.before] == [
        "Database migrations are run with the migrate command",
        "First",
    ]
    assert [each.id for each in timeline.after] == [third]
    assert set(timeline.sessions) == {"sess1"}
    assert timeline.sessions["sess1"].summary == "frontend work"


# Search boosts salience of returned results


def test_search_boosts_salience_of_returned_results(memory):
    fact = memory.remember("Gannets dive from thirty metres").id
    memory.deemphasize(fact, 0.5)
    memory.search("gannets")
    assert memory.get(fact).salience == pytest.approx(0.5 + 0.02 * 0.5)
    assert memory.get(fact).usage_count == 1


# Different search modes work (hybrid, semantic, keyword)


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_different_search_modes_work(memory, mode):
    result = memory.search("database migrations", mode=mode)
    assert result.meta.mode == mode
    assert texts(result)[0] == "Database migrations are run with the migrate command"


# Search results include session context (sourceSession)


def test_search_results_include_session_context(memory):
    (hit, *_) = memory.search("React").hits
    assert hit.source_session["id"] == "sess1"
    assert hit.source_session["summary"] == "frontend work"
    assert hit.source_session["project"] == PROJECT


# Search results include superseded status


def test_search_results_include_superseded_status(memory):
    old = memory.remember("Old API endpoint is /v1").id
    new = memory.remember("New API endpoint is /v2").id
    memory.supersede(old, new)
    hit = hit_of(memory.search("API endpoint", include_superseded=True), old)
    assert hit.memory.superseded_by == new
    assert hit.superseded_by["id"] == new
    assert hit.superseded_by["content"] == "New API endpoint is /v2"


# Superseded memories excluded by default


def test_superseded_memories_excluded_by_default(memory):
    old = memory.remember("The old fact about fog").id
    new = memory.remember("The new fact about fog and mist").id
    memory.supersede(old, new)
    assert found(memory, "fact fog")[0] == new
    assert old not in found(memory, "fact fog")


# getSessionContext returns memory usage info


def test_get_session_context_returns_memory_usage_info(memory):
    context = memory.session_context(memory.remember("Test memory").id)
    assert context.session.id == "sess1"
    assert context.usage == "created"
    assert context.memories_in_session == 6


def test_get_session_context_of_a_memory_without_session_is_nothing(tmp_path, clock):
    with recairn.open(tmp_path / "n.db", project=PROJECT, clock=clock, model="none") as memory:
        memory.remember("Alone")
        assert memory.session_context(1) is None


# Related memory count included in results


def test_related_memory_count_included_in_results(memory, clock):
    one = memory.remember("Cormorants dry their wings on the mole").id
    two = memory.remember("Something else about ropes").id
    with memory.store.transaction():
        at = clock()
        memory.store.put_edges(
            [Edge(one, two, "relates_to", 1.0, 1.0, "user", at, at, None)], replace=True
        )
    assert hit_of(memory.search("cormorants wings"), one).related_count == 1


# Recalled memories tracked in session


def test_recalled_memories_tracked_in_session(memory, clock):
    recalled = memory.remember("Petrels come ashore at night").id
    clock.advance(MINUTE)
    memory.search("petrels", session="sess2")
    context = memory.session_context(recalled)
    assert (context.session.id, context.usage) == ("sess2", "recalled")
    assert memory.get(recalled).session_id == "sess1"


def test_no_age_hides_a_memory(memory, clock):
    """The specification's recency is a weight, never a cut."""
    clock.advance(3000 * DAY)
    assert texts(memory.search("authentication", mode="keyword")) == [
        "The authentication module handles user login and JWT tokens"
    ]
