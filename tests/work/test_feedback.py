"""What became of memories reaches them: shared out, bounded, explained, and taken back."""

import pytest

from recairn.core.errors import BadInput, Refused
from recairn.work.feedback import MOST_OF_AN_OUTCOME, observation, shares_of
from tests.corpus import NOW


@pytest.fixture
def harbour(memory):
    """Four memories, and a task for which the first three were handed out."""
    for text in (
        "Sound the horn in fog",
        "Polish the lens on Mondays",
        "Count the gulls",
        "Paint it",
    ):
        memory.remember(text)
    memory.add_task("Keep ships off the rocks", id="t-fog")
    handed_out(memory, "t-fog", {1: "cited", 2: "expanded", 3: None})
    return memory


def handed_out(memory, task, uses, query="fog at night"):
    """Records a hand-out to a task, and what was done with each memory."""
    entry = {
        "at": memory._clock(),
        "surface": "cli",
        "task_id": task,
        "project": memory.project,
        "query": query,
        "tokens": 10,
        "characters": 40,
    }
    with memory.store.transaction():
        memory.store.put_injection(entry, [(each, 5, 0.5) for each in uses])
        for each, how in uses.items():
            if how is not None:
                at = memory._clock()
                memory.store.note_used([each], how, session=None, since=0, at=at)


def counts(memory, number):
    found = memory.get(number)
    return round(found.helpful, 6), round(found.harmful, 6)


def test_a_rating_is_evidence_with_its_time_source_and_question(memory):
    memory.remember("Sound the horn in fog")
    memory.search("when does the horn sound")
    memory.feedback(1, 0.75, source="agent", note="saved the ferry")
    (said,) = memory.evidence(1)
    assert (said.at, said.score, said.weight, said.source) == (NOW, 0.75, 1.0, "agent")
    assert (said.query, said.note) == ("when does the horn sound", "saved the ferry")
    assert counts(memory, 1) == (0.75, 0.25)
    assert memory.get(1).outcome_score == 0.75


def test_a_rating_may_name_its_question(memory):
    memory.remember("Sound the horn in fog")
    memory.search("horn")
    memory.feedback(1, query="what to do in fog")
    assert memory.evidence(1)[0].query == "what to do in fog"


def test_a_rating_nobody_searched_for_has_no_question(memory):
    memory.remember("Sound the horn in fog")
    memory.feedback(1)
    assert memory.evidence(1)[0].query == ""


def test_used_memories_get_more_of_an_outcome_than_those_merely_handed_out(harbour):
    harbour.finish_task("t-fog", "success")
    assert counts(harbour, 1) == (1.0, 0.0)
    assert counts(harbour, 2) == (0.6, 0.0)
    assert counts(harbour, 3) == (0.1, 0.0)
    assert counts(harbour, 4) == (0.0, 0.0)


def test_a_failure_counts_against_them_but_half_as_much(harbour):
    harbour.finish_task("t-fog", "failure")
    assert [counts(harbour, each) for each in (1, 2, 3)] == [(0, 0.5), (0, 0.3), (0, 0.05)]


def test_a_partial_success_counts_both_ways(harbour):
    harbour.finish_task("t-fog", "partial")
    assert counts(harbour, 1) == (0.5, 0.5)


def test_the_evidence_names_task_use_and_outcome(harbour):
    harbour.finish_task("t-fog", "success")
    said = harbour.evidence(2)[0]
    assert (said.source, said.task, said.note) == ("task", "t-fog", "success, expanded")
    assert said.query == "fog at night"


def test_a_later_outcome_takes_the_place_of_the_earlier_one(harbour):
    harbour.finish_task("t-fog", "success")
    harbour.finish_task("t-fog", "failure")
    assert counts(harbour, 1) == (0.0, 0.5)
    assert [(said.score, said.undone) for said in harbour.evidence(1)] == [(1, True), (0, False)]


def test_an_outcome_that_is_taken_back_leaves_what_it_had_reached(harbour):
    harbour.finish_task("t-fog", "success", "all went by #1")
    harbour.finish_task("t-fog", "failure")
    before = harbour.undo_task("t-fog")
    assert (before.status, before.outcome, before.outcome_note) == (
        "done",
        "success",
        "all went by #1",
    )
    assert counts(harbour, 1) == (1.0, 0.0)
    before = harbour.undo_task("t-fog")
    assert (before.status, before.outcome, before.completed_at) == ("open", None, None)
    assert [counts(harbour, each) for each in (1, 2, 3)] == [(0, 0)] * 3
    assert {each.outcome for each in harbour.store.injections(task="t-fog")} == {None}
    assert harbour.verify().problems == ()


def test_a_step_of_a_task_is_taken_back_as_long_as_nobody_went_on(harbour):
    harbour.edit_task("t-fog", title="Fog at noon", metadata={"sky": "grey"})
    seen = len(harbour.task_events("t-fog"))
    harbour.block_task("t-fog", "no horn")
    with pytest.raises(Refused, match="is blocked by now"):
        harbour.undo_task("t-fog", seen=seen)
    assert harbour.undo_task("t-fog", seen=seen + 1).status == "open"
    again = harbour.undo_task("t-fog")
    assert (again.title, dict(again.metadata)) == ("Keep ships off the rocks", {})
    with pytest.raises(Refused, match="nothing is left to undo"):
        harbour.undo_task("t-fog")
    harbour.add_task("Buy a horn", id="t-horn")
    harbour.add_dependency("t-fog", "t-horn")
    with pytest.raises(Refused) as refused:
        harbour.undo_task("t-fog")
    assert refused.value.hint == "recairn task dep rm t-fog t-horn"


def test_a_memory_handed_out_twice_counts_once_by_its_strongest_use(harbour):
    handed_out(harbour, "t-fog", {1: None, 2: "helpful"})
    harbour.finish_task("t-fog", "success")
    assert counts(harbour, 1) == counts(harbour, 2) == (pytest.approx(0.952381), 0)


def test_test_runs_count_little_and_only_the_last_one(harbour):
    task = harbour.task("t-fog")
    for passed in (False, False, True):
        with harbour.store.transaction():
            observation(harbour.store, task, passed=passed, act=harbour._act())
    assert counts(harbour, 1) == (0.25, 0.0)
    harbour.finish_task("t-fog", "success")
    assert counts(harbour, 1) == (1.25, 0.0)


def test_a_run_that_says_the_same_again_leaves_no_trace(harbour):
    task = harbour.task("t-fog")
    for _ in range(3):
        with harbour.store.transaction():
            observation(harbour.store, task, passed=True, act=harbour._act())
    assert [event.event for event in harbour.history(1)] == ["created", "rated"]


def test_what_the_note_of_an_outcome_names_was_cited(harbour):
    harbour.finish_task("t-fog", "success", "went by #3, not by #4")
    assert counts(harbour, 3) == (pytest.approx(0.769231), 0.0)
    assert counts(harbour, 4) == (0.0, 0.0)
    assert harbour.evidence(3)[0].note == "success, cited"


@pytest.mark.parametrize("many", [1, 2, 3, 10, 100])
def test_one_outcome_never_gives_more_than_so_much_in_all(many):
    assert sum(shares_of(["cited"] * many)) <= MOST_OF_AN_OUTCOME + 1e-9
    assert shares_of([]) == []


def test_undo_takes_an_outcome_back_and_the_evidence_says_so(harbour):
    harbour.finish_task("t-fog", "success")
    harbour.undo(1)
    assert counts(harbour, 1) == (0.0, 0.0)
    assert harbour.evidence(1)[0].undone is True


def test_a_session_takes_back_all_its_outcomes(harbour):
    harbour.session = "s-night"
    harbour.finish_task("t-fog", "failure")
    harbour.undo(session="s-night")
    assert [counts(harbour, each) for each in (1, 2, 3)] == [(0, 0)] * 3


def test_a_memory_destroyed_since_is_left_out_of_the_outcome(harbour):
    harbour.forget(2, hard=True)
    harbour.finish_task("t-fog", "success")
    assert counts(harbour, 1) == (1.0, 0.0)
    assert harbour.verify().problems == ()


def test_a_success_confirms_what_was_used_and_not_what_merely_lay_there(memory):
    memory.remember("Heard in passing: the tide turns at six", trust="unverified")
    memory.remember("Heard in passing: the cook is late", trust="unverified")
    memory.add_task("Leave in time", id="t-1")
    handed_out(memory, "t-1", {1: "cited", 2: None})
    memory.finish_task("t-1", "success")
    assert [memory.get(each).trust for each in (1, 2)] == ["verified", "unverified"]


def test_a_helpful_rating_marks_the_memory_where_it_was_handed_out(harbour):
    harbour.feedback(3)
    (injection,) = harbour.store.injections(task="t-fog")
    assert {each.memory: each.used for each in injection.memories}[3] == "helpful"
    harbour.finish_task("t-fog", "success")
    assert counts(harbour, 3)[0] > 1.0


def test_a_task_without_hand_outs_reaches_nobody(memory):
    memory.add_task("Nothing was known", id="t-1")
    assert memory.finish_task("t-1", "success").outcome == "success"


def test_no_stream_of_failures_buries_a_relevant_memory(memory):
    memory.remember("Sound the fog horn twice a minute when fog is thick")
    memory.remember("The fog of 1911 was mentioned in a song about sheep and cheese and weather")
    for number in range(200):
        memory.add_task("Fog", id=f"t-{number}")
        handed_out(memory, f"t-{number}", {1: "cited"})
        memory.finish_task(f"t-{number}", "failure")
        memory.feedback(2, 1.0)
    hits = memory.search("how often to sound the fog horn").hits
    assert [hit.id for hit in hits] == [1, 2]


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_a_score_outside_0_to_1_is_refused(memory, score):
    memory.remember("Sound the horn in fog")
    with pytest.raises(BadInput):
        memory.feedback(1, score)
    assert memory.evidence(1) == []


def test_evidence_taken_back_does_not_make_a_memory_look_edited(harbour, clock):
    written = harbour.get(1).updated_at
    clock.advance(1000)
    harbour.finish_task("t-fog", "success")
    clock.advance(1000)
    harbour.finish_task("t-fog", "failure")
    assert harbour.get(1).updated_at == written


def test_sums_of_evidence_have_no_dust_of_floating_point(memory):
    name = memory.remember("Oil the hinge").id
    memory.feedback(name, 0.9)
    after = memory.feedback(name, 0.9)
    assert (after.helpful, after.harmful) == (1.8, 0.2)
