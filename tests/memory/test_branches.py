"""A memory may belong to a branch: found everywhere, handed out there, and for all when merged."""

from __future__ import annotations

import json

import pytest

from recairn.core.errors import BadInput, NotFound
from tests.checkouts import needs_git, on_a_branch
from tests.corpus import opened

pytestmark = needs_git
FORM = "The payment form posts to /pay-new"


@pytest.fixture
def shop(tmp_path, clock, monkeypatch):
    """A checkout on the branch feat/pay, which has no commit of its own yet."""
    checkout = on_a_branch(tmp_path / "shop", clock)
    monkeypatch.chdir(checkout.root)
    return checkout


@pytest.fixture
def kept(memory, shop):
    memory.remember(FORM, branch=".")
    memory.remember("Never touch the old payment form", kind="rule", branch="feat/pay")
    memory.remember("Payments are retried with full jitter")
    return memory


def states(memory):
    return {each.name: each.state for each in memory.branches()}


def handed_out(memory):
    result = memory.context(prompt="where does the payment form post to")
    return {each.id for each in (*result.rules, *(hit.memory for hit in result.hits))}


def merged(shop, *words):
    shop.write("pay.py", "pay()")
    shop.commit("Pay")
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", *words, "feat/pay")


def test_the_current_branch_is_a_dot(kept):
    assert kept.get(1).branch == "feat/pay"
    assert [each.id for each in kept.listing(branch=".")] == [2, 1]


def test_outside_git_there_is_no_current_branch(memory, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match="no branch is checked out here"):
        memory.remember(FORM, branch=".")


def test_on_its_branch_it_is_handed_out(kept):
    assert {1, 2} <= handed_out(kept)


def test_elsewhere_it_is_found_and_marked_and_not_handed_out(kept, shop):
    shop.git("checkout", "-q", "main")
    found = {hit.id: hit.flags for hit in kept.search("payment form").hits}
    assert found[1] == found[2] == ("on branch feat/pay",)
    assert handed_out(kept).isdisjoint({1, 2})


def test_a_branch_without_commits_of_its_own_is_not_taken_for_merged(kept, shop, clock):
    assert states(kept) == {"feat/pay": "here"}
    shop.git("checkout", "-q", "main")
    assert states(kept) == {"feat/pay": "open"}


def test_a_branch_with_commits_that_are_not_merged_is_open(kept, shop):
    shop.write("pay.py", "pay()")
    shop.commit("Pay")
    shop.git("checkout", "-q", "main")
    assert states(kept) == {"feat/pay": "open"}


@pytest.mark.parametrize("words", [("--no-ff", "-m", "merge"), ("--ff-only",)], ids=["merge", "ff"])
def test_a_merged_branch_waits_to_be_promoted(kept, shop, clock, words):
    clock.advance(3_600_000)
    merged(shop, *words)
    assert states(kept) == {"feat/pay": "merged"}
    assert kept.branches()[0].waits
    assert [each.id for each in kept.promote_branch("feat/pay")] == [1, 2]
    assert kept.branches() == []
    assert {1, 2} <= handed_out(kept)


def test_what_was_remembered_after_the_last_commit_waits_when_that_is_merged(memory, shop, clock):
    shop.write("pay.py", "pay()")
    shop.commit("Pay")
    clock.advance(3_600_000)
    memory.remember(FORM, branch=".")
    shop.git("checkout", "-q", "main")
    assert states(memory) == {"feat/pay": "open"}
    shop.git("merge", "-q", "--ff-only", "feat/pay")
    assert states(memory) == {"feat/pay": "merged"}


def test_a_branch_that_only_followed_another_is_not_taken_for_merged(kept, shop, clock):
    clock.advance(-3_600_000)
    shop.git("checkout", "-q", "main")
    shop.write("more.py", "more()")
    shop.commit("More")
    shop.git("checkout", "-q", "feat/pay")
    shop.git("merge", "-q", "--ff-only", "main")
    shop.git("checkout", "-q", "main")
    assert states(kept) == {"feat/pay": "open"}


def test_a_branch_that_is_gone_waits_too(kept, shop, clock):
    merged(shop, "--no-ff", "-m", "merge")
    shop.git("branch", "-q", "-d", "feat/pay")
    assert states(kept) == {"feat/pay": "gone"}
    assert kept.branches()[0].waits


def test_a_promotion_can_be_taken_back(kept):
    kept.promote_branch(".")
    kept.undo(1)
    assert states(kept) == {"feat/pay": "here"}
    assert kept.branches()[0].memories == (1,)


def test_promoting_a_branch_that_nothing_belongs_to_is_told(kept):
    with pytest.raises(NotFound, match="no memory belongs to the branch main"):
        kept.promote_branch("main")


def test_it_travels_in_an_export_and_the_row_is_sound(kept, tmp_path):
    path = tmp_path / "all.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in kept.export_records()))
    with opened(tmp_path / "other.db") as other:
        other.import_from(path)
        assert [each.branch for each in other.listing(order="id")] == ["feat/pay", "feat/pay", ""]
        assert other.verify().problems == ()
    assert kept.verify().problems == ()


def test_it_is_in_the_mirror(kept, tmp_path):
    kept.start_mirror(tmp_path / "mirror")
    lines = (tmp_path / "mirror" / "learning.jsonl").read_text().splitlines()
    assert [json.loads(line).get("branch") for line in lines if FORM in line] == ["feat/pay"]


def test_what_is_edited_may_get_a_branch_and_lose_it(kept):
    assert kept.edit(3, branch=".").branch == "feat/pay"
    assert kept.edit(3, branch="").branch == ""
