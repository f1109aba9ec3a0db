"""Destroying by a person's word alone: what `forget --hard` says, and what agents may ask for."""

from __future__ import annotations

import pytest

import recairn as library
from tests.corpus import ELSEWHERE


@pytest.fixture
def asked(lamp):
    """#1, which an agent asked to destroy."""
    with library.open() as memory:
        memory.request_erasure(1, reason="it names a customer")
    return lamp


def test_forget_hard_says_what_went_with_it(lamp):
    lamp("search", "lens storm")
    ran = lamp("forget", "1", "--hard", "--yes")
    assert ran.out == "Erased learning #1 for good, with 1 question\n"


def test_forget_hard_names_what_is_left(lamp):
    lamp("backup", "create")
    ran = lamp("forget", "1", "--hard", "--yes", "--json")
    assert (ran.json["id"], ran.json["also"], ran.json["cleared"]) == (1, [], {})
    left = "the server's own log and its backups " if ELSEWHERE else "1 backup in "
    assert ran.json["left"][0].startswith(left)


def test_a_request_hides_the_memory_and_waits_in_review(asked):
    assert asked("recent", "--json").json["memories"] == []
    assert "to destroy for good, as an agent asked: it names a customer" in asked("review").out
    (request,) = asked("review", "--json").json["erasure_requests"]
    assert (request["id"], request["reason"]) == (1, "it names a customer")


def test_a_person_accepts_it_and_the_memory_is_gone(asked):
    assert asked("review", "accept", "1").status == 1  # nobody is there to say yes
    assert asked("review", "accept", "1", "--yes").out.startswith("Erased learning #1 for good")
    assert "there is no memory 1" in asked("show", "1").err
    assert asked("review").out == "nothing to review\n"


def test_a_person_drops_it_and_the_memory_is_back(asked):
    assert asked("review", "drop", "1").status == 0
    assert len(asked("recent", "--json").json["memories"]) == 1
    assert asked("review").out == "nothing to review\n"


def test_candidates_and_requests_are_decided_about_together(asked):
    with library.open() as memory:
        memory.capture(["Remember: trim the wick before dusk"], source_ref="prompt")
    ran = asked("review", "accept", "1", "2", "--yes")
    assert "Erased learning #1 for good" in ran.out
    assert "Accepted learning #2" in ran.out


def test_whoever_restores_a_memory_has_answered_the_request(asked):
    asked("restore", "1")
    assert asked("review").out == "nothing to review\n"


def test_in_an_agents_shell_a_person_is_asked(lamp, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = lamp("forget", "1", "--hard", "--yes")
    assert ran.out == "learning #1 is hidden, and waits in review\n"
    assert "recairn review accept 1" in ran.err
    refused = lamp("review", "accept", "1", "--yes")
    assert (refused.status, "only a person may destroy #1" in refused.err) == (1, True)
    monkeypatch.delenv("CLAUDECODE")
    assert lamp("review", "accept", "1", "--yes").out.startswith("Erased learning #1 for good")


def test_a_rule_in_force_holds_while_an_agent_asks_for_its_end(lamp, monkeypatch):
    lamp("add", "Trim the wick before dusk", "-k", "rule")
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = lamp("forget", "2", "--hard", "--yes", "--json")
    assert (ran.json["requested"], ran.json["deleted_at"]) == (True, None)
    assert "Trim the wick" in lamp("context", "--prompt", "lamps").out
