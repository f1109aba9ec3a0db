"""Candidates: captured through the one door, unverified until a person decides."""

from __future__ import annotations

import pytest

from recairn.core.errors import NotFound, Refused


@pytest.fixture
def captured(memory):
    """A memory with two candidates: #1 a rule, #2 a decision."""
    memory.capture(
        [
            "no, use pnpm not npm",
            "We decided to keep two replicas because one was down for a day",
        ],
        source_ref="prompt",
    )
    return memory


def texts(memories):
    return [each.content for each in memories]


def test_what_is_captured_waits_unverified_and_says_where_it_came_from(captured):
    rule, decision = captured.candidates()
    assert (rule.kind, rule.trust, rule.source_type) == ("rule", "unverified", "hook")
    assert (rule.source_ref, rule.project) == ("prompt", "puffin")
    assert decision.fields == {"rationale": "one was down for a day"}


def test_ordinary_talk_stores_nothing(memory):
    assert memory.capture(["why does it always fail?", "yes"]) == []
    assert memory.count() == 0


def test_a_secret_in_what_is_captured_is_redacted(memory):
    memory.capture(["Remember that the deploy token is ghp_0123456789abcdefghijABCDEFGHIJ456789"])
    (only,) = memory.candidates()
    assert "0123456789abcdef" not in only.content
    assert "[REDACTED]" in only.content


def test_saying_it_again_reinforces_instead_of_adding(captured):
    (again,) = captured.capture(["No, use pnpm not npm!"])
    assert (again.id, again.status) == (1, "reinforced")
    assert captured.count() == 2


def test_what_is_known_and_verified_stays_verified_when_it_is_captured(memory):
    memory.remember("Never push to main", kind="rule")
    memory.capture(["never push to main"])
    assert memory.candidates() == []
    assert memory.get(1).trust == "verified"


def test_accepting_verifies_with_an_event_and_can_be_undone(captured):
    (rule,) = captured.accept(1)
    assert rule.trust == "verified"
    assert captured.history(1)[-1].reason == "accepted in review"
    assert texts(captured.candidates()) == texts([captured.get(2)])
    captured.undo(1)
    assert captured.get(1).trust == "unverified"


def test_editing_a_candidate_accepts_it_in_the_new_words(captured):
    after = captured.accept_edited(1, content="Install with pnpm, never with npm")
    assert (after.content, after.trust) == ("Install with pnpm, never with npm", "verified")


def test_dropping_forgets_and_a_no_holds(captured):
    (dropped,) = captured.drop(1, reason="only for that day")
    assert dropped.deleted_at is not None
    assert captured.history(1)[-1].reason == "only for that day"
    assert captured.capture(["no, use pnpm not npm"]) == []
    assert len(captured.candidates()) == 1


def test_a_dropped_candidate_that_was_restored_is_known_again(captured):
    captured.drop(1)
    captured.restore(1)
    (again,) = captured.capture(["no, use pnpm not npm"])
    assert (again.id, again.status) == (1, "reinforced")


def test_all_named_candidates_are_decided_about_or_none(captured):
    with pytest.raises(NotFound):
        captured.accept([1, 99])
    captured.accept(2)
    with pytest.raises(Refused, match="#2 is no candidate"):
        captured.drop([1, 2])
    assert texts(captured.candidates()) == ["Use pnpm not npm"]


def test_what_was_forgotten_cannot_be_accepted(captured):
    captured.forget(1)
    with pytest.raises(Refused, match="#1 was forgotten"):
        captured.accept(1)


def test_a_person_who_writes_it_down_confirms_a_candidate(captured):
    outcome = captured.remember("Use pnpm not npm", kind="rule")
    assert (outcome.id, outcome.status) == (1, "reinforced")
    assert captured.get(1).trust == "verified"


def test_candidates_are_filtered_like_a_listing(captured):
    assert texts(captured.candidates(kind="rule")) == ["Use pnpm not npm"]
    assert len(captured.candidates(limit=1)) == 1
    assert captured.candidates(project="heron") == []
    assert captured.verify().problems == ()


def test_what_the_agent_wrote_down_itself_needs_no_review(memory):
    memory.start_session("s-1", agent="claude")
    memory.capture(
        [
            "We decided to use PostgreSQL instead of MySQL because of the JSON operators",
            "Never deploy on Fridays",
        ]
    )
    memory.remember(
        "PostgreSQL is our database, not MySQL",
        kind="decision",
        fields={"rationale": "its JSON operators"},
        source_type="agent",
        force=True,
    )
    assert memory.withdraw_candidates() == [1]
    assert texts(memory.candidates()) == ["Never deploy on Fridays"]
    assert memory.history(1)[-1].reason == "#3 says it"
    # Nor is it proposed anew at the end of the session.
    memory.capture(["We decided to use PostgreSQL instead of MySQL because of the JSON operators"])
    assert texts(memory.candidates()) == ["Never deploy on Fridays"]


def test_a_candidate_that_comes_after_what_the_agent_wrote_does_not_wait(memory):
    memory.start_session("s-1", agent="claude")
    memory.remember("Branches are named after their ticket", source_type="agent")
    memory.capture(["From now on, name branches after the ticket"])
    assert memory.candidates() == []


@pytest.mark.parametrize(
    "written",
    [
        "Deploys on Fridays are never a problem, deploy always",
        "The deploy takes nine minutes",
        "PostgreSQL is our database",
    ],
)
def test_what_the_agent_wrote_about_something_else_leaves_the_candidate(memory, written):
    memory.start_session("s-1", agent="claude")
    memory.capture(["Never deploy the billing service on Fridays"])
    memory.remember(written, source_type="agent", force=True)
    assert memory.withdraw_candidates() == []
    assert len(memory.candidates()) == 1


def test_what_was_written_in_another_session_leaves_the_candidate(memory):
    memory.start_session("s-1", agent="codex")
    memory.remember("Branches are named after their ticket", source_type="agent")
    memory.start_session("s-2", agent="claude")
    memory.capture(["From now on, name branches after the ticket"])
    assert len(memory.candidates()) == 1
