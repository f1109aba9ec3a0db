"""Lore's retrieval plan, the lines of its "Verification", as users type them."""

from __future__ import annotations

import pytest

from tests.corpus import opened

ARITHMETIC = "Safe bash arithmetic"
SOLUTION = "Use x=$((x + 1)) instead of ((x++)), which fails under set -e"


@pytest.fixture
def lore(tmp_path, clock):
    with opened(tmp_path / "m.db", project="lore", model="static", clock=clock) as memory:
        memory.remember(
            ARITHMETIC, kind="pattern", fields={"solution": SOLUTION}, external_id="pat-123"
        )
        memory.remember("Store decisions as JSONL, one line each", kind="decision")
        memory.remember("JSONL lines are appended, never edited", kind="decision")
        yield memory


def test_phase_1_searching_bash_arithmetic_finds_the_pattern(lore):
    (hit,) = lore.search("bash arithmetic", profile="lore").hits
    assert (hit.memory.kind, hit.memory.content, hit.memory.project) == (
        "pattern",
        ARITHMETIC,
        "lore",
    )
    assert hit.score > 0


def test_phase_1_the_same_project_ranks_higher(lore):
    text = "The state machine has four states"
    lore.remember(text, kind="decision", project="other")
    own = lore.remember(text, kind="decision", project="flow").id
    lore.project = "flow"
    first, second = lore.search("state machine", profile="lore", all_projects=True).hits
    assert first.id == own
    assert first.score == pytest.approx(1.5 * second.score)


def test_other_projects_surface_in_every_search_when_the_settings_say_so(lore):
    text = "The state machine has four states"
    other = lore.remember(text, kind="decision", project="other").id
    own = lore.remember(text, kind="decision", project="flow").id
    lore.project = "flow"
    assert [hit.id for hit in lore.search("state machine").hits] == [own]
    lore.set_config("retrieval.all_projects", "on")
    assert [hit.id for hit in lore.search("state machine").hits] == [own, other]
    assert {hit.id for hit in lore.semantic_search("state machine").hits} >= {own, other}
    assert [hit.id for hit in lore.search("state machine", project="other").hits] == [other]
    assert [hit.id for hit in lore.search("state machine", all_projects=False).hits] == [own]
    found = lore.context(prompt="draw the state machine").hits
    assert [hit.id for hit in found] == [own]


def test_phase_1_a_similar_pattern_is_noticed_and_force_overrides(lore):
    again = {"kind": "pattern", "fields": {"solution": SOLUTION + " always"}}
    asked = lore.remember(ARITHMETIC, **again)
    assert (asked.status, [each.id for each in asked.similar]) == ("needs_decision", [1])
    assert lore.remember(ARITHMETIC, force=True, **again).status == "added"


def test_phase_1_a_pattern_of_the_same_name_is_noticed_however_short_its_solution(lore):
    """The plan's own line: learn "Safe bash arithmetic" --solution "Use x=$((x + 1))"."""
    again = {"kind": "pattern", "fields": {"solution": "Use x=$((x + 1))"}}
    asked = lore.remember(ARITHMETIC, **again)
    assert (asked.status, [each.id for each in asked.similar]) == ("needs_decision", [1])
    assert lore.remember(ARITHMETIC, force=True, **again).status == "added"


def test_risks_the_threshold_of_conflict_detection_can_be_adjusted(lore):
    said = "Store decisions as JSONL, one line each, in one file"
    lore.set_config("add.similar_above", "0.95")
    assert lore.remember(said, kind="learning").status == "added"
    lore.set_config("add.similar_above", "0.6")
    asked = lore.remember(said + " there", kind="learning")
    assert asked.status == "needs_decision"


def test_phase_1_what_is_searched_often_ranks_higher(lore, clock):
    def scores():
        found = lore.search("JSONL", profile="lore", track=False).hits
        return {hit.id: hit.score for hit in found}

    before = scores()
    lore.search("JSONL decisions", profile="lore", limit=1)
    lore.search("JSONL decisions", profile="lore", limit=1)
    lore.settle()
    after = scores()
    assert after[2] > before[2]
    assert after[3] == before[3]


def test_phase_2_error_handling_finds_retry_logic_by_its_meaning(lore):
    solution = {"solution": "exponential backoff with three attempts"}
    retry = lore.remember("Retry logic", kind="pattern", fields=solution).id
    found = {hit.id: hit for hit in lore.search("error handling", profile="lore").hits}
    assert found.keys() <= {1, retry}
    assert found[retry].match == "semantic"
    assert found[retry].score > 0


def test_phase_2_what_shares_neither_words_nor_meaning_is_no_result(lore):
    assert {hit.id for hit in lore.search("JSONL", profile="lore").hits} == {2, 3}
    assert lore.search("zebra stampede", profile="lore").hits == ()


def test_appendix_a_a_superseded_decision_stays_and_ranks_lower(lore):
    lore.link(3, 2, "supersedes")
    found = lore.search("JSONL", profile="lore", include_superseded=True).hits
    assert [hit.id for hit in found] == [3, 2]
    assert found[0].score > 1.5 * found[1].score


def test_phase_3_following_edges_surfaces_what_a_hit_leads_to(lore):
    concept = lore.remember("JWT is how requests prove who sends them", kind="fact").id
    file = lore.remember("auth.py checks the signature", kind="entity").id
    lore.link(file, concept, "implements")
    reached = [hit for hit in lore.search("JWT", graph_depth=2).hits if hit.match == "graph"]
    assert [hit.id for hit in reached] == [file]
    assert "implements" in reached[0].path
