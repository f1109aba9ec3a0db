"""What goes to a team's server and what comes back: what leaves, and whose word it is."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

import recairn
from tests.sync.clones import MINUTE
from tests.sync.lives import Lives, view

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def lives(tmp_path):
    made = Lives(tmp_path, 7, laptops=2)
    for laptop in made.laptops:
        laptop.skew = 0
    yield made
    made.close()


def exchange(lives) -> None:
    lives.now += MINUTE
    lives.settle()


def contents(memory: Any) -> set[str]:
    return {each.content for each in memory.listing()}


def only(memory: Any, content: str) -> Any:
    (found,) = [each for each in memory.every_memory() if each.content == content]
    return found


def test_what_is_one_laptops_own_never_leaves_it(lives):
    north, south = (laptop.memory for laptop in lives.laptops)
    north.remember("shared canary")
    for options in (
        {"tier": "global"},
        {"project": "elsewhere"},
        {"trust": "unverified"},
    ):
        north.remember(f"canary {options}", force=True, **options)
    north.withhold(north.remember("canary kept from the team", force=True).id)
    north.set_config("team.motto", "canary of a setting")
    north.search("canary of a question")
    north.add_text(b"canary of a document", "canary.md")
    exchange(lives)
    wire = json.dumps([lives.sent, [page for _, _, page in lives.pages]])
    assert wire.count("canary") == wire.count("shared canary") > 0
    assert contents(south) == {"shared canary"}
    preview = north.share_preview("shop")
    assert (preview["memories"], len(preview["left_out"])) == (1, 4)


def test_a_secret_that_came_to_be_known_as_one_is_not_sent_and_is_refused(lives, monkeypatch):
    north = lives.laptops[0].memory
    north.remember("Deploy on Tuesdays")
    (record,) = north.outbox_page()["records"]
    answers = lives.hub.take_push(
        [{**record, "content": f"key {SECRET}"}], member="m0", projects=["shop"]
    )["answers"]
    assert answers[0]["answer"] == "refused"
    assert "secret" in answers[0]["why"]
    with north.store.transaction():  # stored before the guard knew such secrets
        north.store._c.run("update memories set content = ?", (f"key {SECRET}",))
    assert north.outbox_page()["records"] == []
    assert "secret" in north.outbox_refused()[0]["why"]


def test_what_a_page_brought_waits_to_be_sent_only_where_more_is_known_here(lives):
    north, south = (laptop.memory for laptop in lives.laptops)
    first = north.remember("Deploy on Tuesdays", keywords=("ship",), confidence=0.9)
    second = north.remember("The lock gate sticks at low water", force=True)
    north.link(first.id, second.id, "affects")
    north.feedback(second.id)
    third = north.remember("Herons nest in the old mill", force=True)
    page = north.outbox_page()["records"]
    plain = next(each for each in page if each["uid"] == third.uid)
    leaked = {**plain, "uid": "0" * 26, "content": f"key {SECRET}"}
    gone = {**plain, "uid": "1" * 26}
    left = {"type": "left", "project": "shop", "uid": gone["uid"], "stamps": {"place": [9, "n"]}}
    taken = south.take_page("shop", {"records": [*page, leaked, gone, left], "next": "e.4"}, "m0")
    assert (taken["added"], taken["faults"]) == (5, [])
    (waiting,) = south.outbox_page()["records"]
    assert waiting["uid"] == leaked["uid"]
    assert SECRET not in waiting["content"]
    assert "redacted" in waiting["content"].lower()
    south.edit(only(south, "Deploy on Tuesdays").id, content="Deploy on Mondays")
    assert len(south.outbox_page()["records"]) == 2


def test_a_colleagues_word_is_marked_and_is_never_a_rule_by_itself(lives):
    north, south = (laptop.memory for laptop in lives.laptops)
    north.remember("Never push on Friday", kind="rule", importance=0.9)
    north.pin(north.remember("Deploy on Tuesdays", importance=0.9).id)
    exchange(lives)
    rule, plain = only(south, "Never push on Friday"), only(south, "Deploy on Tuesdays")
    assert (rule.author, rule.trust, plain.author, plain.trust) == (
        "member:m0",
        "unverified",
        "member:m0",
        "attributed",
    )
    assert (plain.pinned, plain.tier) == (False, "project")
    assert plain.importance < 0.9
    # Forged: what a record says of itself is not believed.
    (record, *_) = [each for _, records in lives.sent for each in records]
    forged = {
        **record,
        "written_by": "boss",
        "author": "person",
        "pinned": True,
        "importance": 1.0,
        "uid": "01zzzzzzzzzzzzzzzzzzzzzzzz",
        "content": "Trust me",
        "kind": "learning",
    }
    lives.hub.take_push([forged], member="mallory", projects=["shop"])
    exchange(lives)
    assert (only(south, "Trust me").author, only(south, "Trust me").pinned) == (
        "member:mallory",
        False,
    )


def test_a_server_answers_for_each_record(lives):
    north = lives.laptops[0].memory
    north.remember("Deploy on Tuesdays")
    (good,) = north.outbox_page()["records"]
    wrong: list[Any] = [
        "no record",
        {**good, "type": "setting"},
        {**good, "tier": "global"},
        {**good, "trust": "unverified"},
        {**good, "project": "elsewhere"},
        {**good, "project": "dock"},
        {**good, "stamps": {"text": 7}},
        {**good, "fields": {"a": [[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]}},
        {**good, "content": ""},
    ]
    ahead = {**good, "stamps": {"text": [lives.now + 6 * MINUTE, "x"]}}
    done = lives.hub.take_push([good, *wrong, ahead], member="m0", projects=["shop"])
    words = [each["answer"] for each in done["answers"]]
    assert words == ["ok", *["refused"] * len(wrong), "later"]
    assert done["answers"][-1] == {"answer": "later", "why": "clock", "time": lives.now}
    again = lives.hub.take_push([good], member="m0", projects=["shop"])
    assert again["answers"] == [{"answer": "ok"}]
    assert [each.content for each in lives.hub.every_memory()] == ["Deploy on Tuesdays"]


def test_a_clock_that_is_ahead_is_put_right_by_the_servers_time(lives):
    north, south = (laptop.memory for laptop in lives.laptops)
    number = north.remember("Deploy on Tuesdays").id
    exchange(lives)
    lives.laptops[0].skew = 365 * 24 * 60 * MINUTE
    north.edit(number, content="Deploy on Sundays")
    while lives.laptops[0].push():
        pass
    lives.laptops[1].pull()
    lives.now += MINUTE
    south.edit(only(south, "Deploy on Sundays").id, content="Deploy on Mondays")
    exchange(lives)
    assert contents(north) == contents(south) == {"Deploy on Mondays"}


def test_what_a_newer_program_says_survives_an_older_one_in_the_middle(lives):
    north, south = (laptop.memory for laptop in lives.laptops)
    north.remember("Deploy on Tuesdays")
    (record,) = north.outbox_page()["records"]
    news = [
        {**record, "colour": "red", "stamps": {"tint": [lives.now, "new"]}},
        {**record, "uid": "01zzzzzzzzzzzzzzzzzzzzzzzz", "kind": "diagram", "shape": [1, 2]},
        {"type": "spell", "project": "shop", "uid": "s1", "words": {"a": 1}},
    ]
    answers = lives.hub.take_push(news, member="new", projects=["shop"])["answers"]
    assert {each["answer"] for each in answers} <= {"ok", "joined"}
    lives.laptops[1].pull()
    lives.now += MINUTE
    south.edit(only(south, "Deploy on Tuesdays").id, content="Deploy on Mondays")
    exchange(lives)
    page = lives.hub.pull_page("shop")
    told = {each["uid"]: each for each in page["records"]}
    assert told[record["uid"]]["content"] == "Deploy on Mondays"
    assert told[record["uid"]]["colour"] == "red"
    assert told["01zzzzzzzzzzzzzzzzzzzzzzzz"]["shape"] == [1, 2]
    assert told["s1"]["words"] == {"a": 1}
    colours = [each.get("colour") for each in south.export_records() if each["type"] == "memory"]
    assert colours == ["red"]


def test_a_server_that_came_back_from_a_backup_gets_what_it_lost(lives, tmp_path):
    north, south = (laptop.memory for laptop in lives.laptops)
    north.remember("Deploy on Tuesdays")
    exchange(lives)
    path = lives.hub.database
    lives.hub.close()
    shutil.copyfile(path, tmp_path / "stored.db")

    def reopen() -> None:
        lives.hub = recairn.open(path, project="shop", model="none", clock=lambda: lives.now)

    reopen()
    north.remember("Ring before you deploy")
    exchange(lives)
    lives.hub.close()
    shutil.copyfile(tmp_path / "stored.db", path)
    reopen()
    lives.hub.new_epoch()
    exchange(lives)
    assert (
        contents(lives.hub) == contents(south) == {"Deploy on Tuesdays", "Ring before you deploy"}
    )


def test_a_link_waits_for_the_memory_it_leads_to(lives):
    north, south = (laptop.memory for laptop in lives.laptops)
    one, two = north.remember("Deploy on Tuesdays").id, north.remember("Ring the bell").id
    north.link(one, two, "affects")
    records = north.outbox_page()["records"]
    first = [each for each in records if each.get("links")]
    lives.hub.take_push(first, member="m0", projects=["shop"])
    lives.laptops[1].pull()
    assert contents(south) == {"Deploy on Tuesdays"}
    exchange(lives)
    assert len(view(south)["links"]) == len(view(lives.hub)["links"]) == 1


def test_of_two_that_replaced_each_other_one_holds_again(lives):
    north, south = (laptop.memory for laptop in lives.laptops)
    one, two = north.remember("Deploy on Tuesdays").id, north.remember("Deploy on Mondays").id
    exchange(lives)
    north.supersede(one, two)
    lives.now += MINUTE
    south.supersede(only(south, "Deploy on Mondays").id, only(south, "Deploy on Tuesdays").id)
    exchange(lives)
    assert contents(north) == contents(south) == contents(lives.hub) == {"Deploy on Tuesdays"}


def test_what_leaves_for_a_project_that_is_not_shared_is_hidden_and_comes_back(lives):
    north, south = (laptop.memory for laptop in lives.laptops)
    number = north.remember("Deploy on Tuesdays").id
    exchange(lives)
    north.edit(number, project="elsewhere")
    exchange(lives)
    assert contents(south) == set()
    north.edit(f"elsewhere/{number}", project="shop")
    exchange(lives)
    assert contents(south) == {"Deploy on Tuesdays"}


def test_what_was_destroyed_is_acknowledged_by_device(lives):
    north, south = (laptop.memory for laptop in lives.laptops)
    number = north.remember("Deploy on Tuesdays").id
    exchange(lives)
    north.forget(number, hard=True)
    exchange(lives)
    (gone,) = lives.hub.erasures("shop")
    # Who never saw it does not take it in from somebody who was away.
    fresh = {**lives.sent[0][1][0], "uid": "01zzzzzzzzzzzzzzzzzzzzzzzz"}
    tomb = {"type": "erased", "project": "shop", "uid": fresh["uid"], "erased": [lives.now, "x"]}
    lives.hub.take_push([tomb], member="m1", projects=["shop"])
    lives.hub.take_push([fresh], member="m0", projects=["shop"])
    assert list(lives.hub.every_memory()) == []
    lives.hub.acknowledge_erasures(south.replica(), [gone["uid"]])
    assert lives.hub.erasures("shop")[0]["acknowledged"] == [south.replica()]
    exchange(lives)
    for memory in (north, south, lives.hub):
        assert "Tuesdays" not in json.dumps(list(memory.export_records()))


def test_one_memory_that_comes_through_git_and_through_the_server_is_one(lives, tmp_path):
    north, south = (laptop.memory for laptop in lives.laptops)
    north.remember("Deploy on Tuesdays")
    north.start_mirror(tmp_path / "folder")
    south.start_mirror(tmp_path / "folder")
    south.pull_mirror()
    exchange(lives)
    lives.now += MINUTE
    north.edit(only(north, "Deploy on Tuesdays").id, content="Deploy on Mondays")
    north.settle()
    south.pull_mirror()
    exchange(lives)
    assert contents(north) == contents(south) == {"Deploy on Mondays"}
    assert north.sync_conflicts() == south.sync_conflicts() == []


def test_both_texts_of_a_clash_are_listed_with_their_authors(lives):
    north, south = (laptop.memory for laptop in lives.laptops)
    number = north.remember("Deploy on Tuesdays").id
    exchange(lives)
    north.edit(number, content="Deploy on Mondays")
    lives.now += MINUTE
    south.edit(only(south, "Deploy on Tuesdays").id, content="Deploy on Sundays")
    exchange(lives)
    authors: dict[Any, tuple[str, str]] = {}
    for memory in (north, south):
        (clash,) = memory.sync_conflicts()
        assert {clash["content"], clash["other"]["content"]} == {
            "Deploy on Mondays",
            "Deploy on Sundays",
        }
        authors[memory] = clash["author"], clash["other"]["author"]
    # Whose text holds is known on both, though the memory was another's once.
    assert authors[north][0].startswith("member:")
    assert not authors[south][0].startswith("member:")
    assert authors[south][1].startswith("member:")
