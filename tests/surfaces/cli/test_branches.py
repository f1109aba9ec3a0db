"""Branches at the command line: kept to one, told when it is merged, promoted."""

from __future__ import annotations

import pytest

from tests.checkouts import needs_git, on_a_branch

pytestmark = needs_git
QUESTION = ("context", "--prompt", "where does the form post to?", "--json")
NOTE = "1 memory belongs to the branch feat/pay, which is merged: recairn branch promote feat/pay"


@pytest.fixture
def shop(tmp_path, clock, monkeypatch):
    checkout = on_a_branch(tmp_path / "shop", clock)
    monkeypatch.chdir(checkout.root)
    monkeypatch.setenv("RECAIRN_MODEL", "none")
    return checkout


def test_from_the_first_word_on_a_branch_to_its_promotion(recairn, shop):
    assert "no memory belongs to a branch" in recairn("branch", "list").out
    added = recairn("add", "The form posts to /pay-new", "--branch", ".")
    assert added.out == "Added learning #1 to project shop, on branch feat/pay\n"
    assert "feat/pay         1  checked out" in recairn("branch").out
    shop.write("pay.py", "pay()")
    shop.commit("Pay")
    shop.git("checkout", "-q", "main")
    assert "not merged" in recairn("branch", "list").out
    assert "on branch feat/pay" in recairn("search", "form posts").out
    assert "  Branch: feat/pay\n" in recairn("show", "1").out
    assert recairn(*QUESTION).json["hits"] == []
    shop.git("merge", "-q", "--no-ff", "-m", "merge", "feat/pay")
    assert NOTE in recairn("stale", "--check").err
    assert NOTE in recairn("review", "list").err
    assert "branches  merged or gone: feat/pay (recairn branch)\n" in recairn("status").out
    (waiting,) = recairn("stale", "--check", "--json").json["branches"]
    assert waiting == {"name": "feat/pay", "memories": [1], "state": "merged"}
    assert "#1 holds on all branches" in recairn("branch", "promote", "feat/pay").out
    assert recairn(*QUESTION).json["hits"]
    assert "branches" not in recairn("status").out
    assert recairn("branch", "promote", "feat/pay").status == 1


def test_a_branch_narrows_a_listing(recairn, shop):
    def listed() -> list[int]:
        return [each["id"] for each in recairn("list", "--branch", ".", "--json").json["memories"]]

    recairn("add", "The form posts to /pay-new", "--branch", "feat/pay")
    recairn("add", "The shop opens at nine")
    assert listed() == [1]
    assert recairn("edit", "1", "--branch", "feat/till").status == 0
    assert listed() == []


def test_the_branch_of_a_handoff_is_what_it_tells_of(recairn, shop):
    recairn("add", "Half of the form is done", "-k", "handoff", "--branch", "feat/pay")
    memory = recairn("show", "1", "--json").json
    assert memory["fields"]["branch"] == "feat/pay"
    assert memory["branch"] == ""
