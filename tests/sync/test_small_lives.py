"""Lives of a few steps that once ended apart: what shrinking the random ones has left."""

from __future__ import annotations

from typing import Any

import pytest

from recairn.core.times import iso
from tests.sync.clones import MINUTE
from tests.sync.lives import Lives, view


@pytest.fixture
def lives(tmp_path):
    made = Lives(tmp_path, 7, laptops=3)
    for laptop in made.laptops:
        laptop.skew = 0
    yield made
    made.close()


def all_told(lives: Lives) -> dict[str, Any]:
    """What everybody says once all is exchanged."""
    lives.now += MINUTE
    lives.settle()
    said = view(lives.hub)
    for laptop in lives.laptops:
        assert view(laptop.memory) == said
    return said


def contents(said: dict[str, Any]) -> set[str]:
    return {each["content"] for each in said["memories"].values()}


def number_of(memory: Any, content: str) -> int:
    (found,) = [each.id for each in memory.every_memory() if each.content == content]
    return int(found)


def test_a_machine_that_was_put_back_does_not_count_its_texts_anew(lives):
    """It sends before it hears of what it had said itself: both texts stay."""
    north = lives.laptops[0]
    number = north.memory.remember("Deploy on Tuesdays").id
    all_told(lives)
    lives.backup(north)
    for day in ("Mondays", "Sundays"):
        lives.now += MINUTE
        north.memory.edit(number, content=f"Deploy on {day}")
    lives.go_back(north)  # what was said by then is with the server
    lives.now += MINUTE
    north.memory.edit(number, content="Deploy on Fridays")
    north.push()
    assert contents(all_told(lives)) == {"Deploy on Fridays", "Deploy on Sundays"}


def test_what_was_rewritten_is_not_forgotten_though_it_was_moved_meanwhile(lives):
    north, south, west = (laptop.memory for laptop in lives.laptops)
    number = north.remember("Deploy on Tuesdays").id
    all_told(lives)
    south.edit(number_of(south, "Deploy on Tuesdays"), project="dock")
    here = number_of(west, "Deploy on Tuesdays")
    west.forget(here)
    west.edit(here, content="Deploy on Mondays")
    lives.now += MINUTE
    north.forget(number)  # without knowing of either
    said = all_told(lives)
    (found,) = said["memories"].values()
    assert (found["content"], found["project"]) == ("Deploy on Mondays", "dock")


def test_what_left_is_hidden_until_it_comes_back_whatever_is_said_of_it(lives):
    north, south, west = (laptop.memory for laptop in lives.laptops)
    number = north.remember("Deploy on Tuesdays").id
    all_told(lives)
    north.edit(number, content="Deploy on Mondays")
    all_told(lives)
    here = number_of(west, "Deploy on Mondays")
    west.edit(here, category="upkeep")
    north.edit(number, project="elsewhere")
    lives.laptops[0].push()
    lives.laptops[2].push()
    lives.laptops[1].pull()
    assert south.listing() == lives.hub.listing() == []
    north.edit(f"elsewhere/{number}", project="shop")
    (found,) = all_told(lives)["memories"].values()
    assert (found["content"], found["category"]) == ("Deploy on Mondays", "upkeep")


def test_what_a_clock_ahead_has_made_can_be_forgotten_today(lives):
    north = lives.laptops[0]
    north.skew = 365 * 24 * 60 * MINUTE
    number = north.memory.remember("Deploy on Tuesdays").id
    north.push()
    north.memory.forget(number)
    while north.push():  # the first time the server tells what time it is
        pass
    north.skew = 0
    assert contents(all_told(lives)) == set()


def test_that_one_known_memory_replaced_another_is_told_with_both(lives):
    north = lives.laptops[0].memory
    one, two = north.remember("Deploy on Tuesdays").id, north.remember("Deploy on Mondays").id
    all_told(lives)
    north.supersede(one, two)
    assert len(north.outbox_page()["records"]) == 2
    assert len(all_told(lives)["links"]) == 1


def test_a_record_that_does_not_name_a_known_successor_takes_it_from_nobody(lives):
    north, south, _ = (laptop.memory for laptop in lives.laptops)
    one, two = north.remember("Deploy on Tuesdays").id, north.remember("Deploy on Mondays").id
    all_told(lives)
    south.edit(number_of(south, "Deploy on Tuesdays"), category="upkeep")
    north.supersede(one, two)
    lives.laptops[0].push()
    lives.laptops[1].push()  # it knows of no successor
    assert [each.content for each in lives.hub.listing()] == ["Deploy on Mondays"]
    assert [each["successor"] for each in view(lives.hub)["memories"].values() if each["category"]]
    assert len(all_told(lives)["links"]) == 1


def test_of_what_cannot_be_read_the_later_state_holds_in_whatever_order_it_comes(lives):
    spell: dict[str, Any] = {"type": "spell", "project": "shop", "uid": "s1"}
    diagram: dict[str, Any] = {"type": "memory", "project": "shop", "uid": "01" + "0" * 24}
    diagram |= {"kind": "diagram", "content": "drawn", "created_at": iso(lives.now)}

    def said(record: dict[str, Any], word: str, at: int) -> dict[str, Any]:
        return {**record, "words": word, "stamps": {"text": [lives.now + at, "newer"]}}

    for records in ([said(spell, "b", 2), said(diagram, "b", 2)],) * 2:
        lives.hub.take_push(records, member="m0", projects=["shop"])
    older = [said(spell, "c", 1), said(diagram, "c", 1)]
    lives.hub.take_push(older, member="m0", projects=["shop"])
    unread = all_told(lives)["unread"]
    assert {each["words"] for each in unread.values()} == {"b"}
    # A server that lost it gets it back, from whoever has it.
    lives.store_hub()
    lives.hub.take_push([said(spell, "a", 3)], member="m0", projects=["shop"])
    all_told(lives)
    lives.put_hub_back()
    assert all_told(lives)["unread"]["s1"]["words"] == "a"
    # It can be forgotten, and destroyed, by who can read it.
    stub: dict[str, Any] = {"type": "forgotten", "project": "shop", "uid": diagram["uid"]}
    stub |= {"deleted_at": iso(lives.now), "stamps": {"life": [lives.now, "newer"]}}
    lives.hub.take_push([stub], member="m0", projects=["shop"])
    assert all_told(lives)["unread"][diagram["uid"]]["type"] == "forgotten"
    tomb = {"type": "erased", "project": "shop", "uid": diagram["uid"], "erased": [lives.now, "x"]}
    lives.hub.take_push([tomb], member="m0", projects=["shop"])
    lives.hub.take_push([said(diagram, "d", 9)], member="m0", projects=["shop"])
    assert all_told(lives)["unread"].keys() == {"s1"}


def test_who_sent_and_never_read_sends_again_to_a_server_that_came_back(lives):
    lives.store_hub()
    north = lives.laptops[0]
    north.memory.remember("Deploy on Tuesdays")
    north.push()
    lives.put_hub_back()
    assert contents(all_told(lives)) == {"Deploy on Tuesdays"}


@pytest.mark.parametrize("is_told_before", [False, True])
def test_what_left_and_is_destroyed_there_is_destroyed_wherever_its_text_went(
    lives, is_told_before
):
    north = lives.laptops[0].memory
    number = north.remember("Deploy on Tuesdays").id
    all_told(lives)
    north.edit(number, project="elsewhere")
    if is_told_before:
        all_told(lives)
    north.forget(f"elsewhere/{number}", hard=True)
    assert len(all_told(lives)["erased"]) == 1
    for memory in (lives.hub, *(laptop.memory for laptop in lives.laptops)):
        assert not list(memory.every_memory())


def test_of_what_never_travelled_nobody_hears_that_it_was_destroyed(lives):
    north = lives.laptops[0].memory
    number = north.remember("The cellar key is under the mat", project="elsewhere").id
    north.forget(f"elsewhere/{number}", hard=True)
    assert north.outbox_page()["records"] == []
    assert all_told(lives)["erased"] == set()


def test_a_text_kept_beside_what_left_goes_with_it_and_nobody_else_is_told(lives):
    """It was made where the memory had gone: others had that text as the memory itself."""
    north, south, _ = (laptop.memory for laptop in lives.laptops)
    number = north.remember("Deploy on Tuesdays").id
    all_told(lives)
    here = number_of(south, "Deploy on Tuesdays")
    south.edit(here, content="Deploy on Sundays")
    lives.laptops[1].push()
    lives.now += MINUTE
    north.edit(number, content="Deploy on Mondays")
    north.edit(number, project="elsewhere")
    lives.laptops[0].pull()
    assert {each.content for each in north.every_memory()} == {
        "Deploy on Mondays",
        "Deploy on Sundays",
    }
    south.forget(here, hard=True)
    assert len(all_told(lives)["erased"]) == 1
    assert not list(north.every_memory())


def test_who_moves_what_left_sees_it_again_where_it_comes_back(lives):
    north, south, _ = (laptop.memory for laptop in lives.laptops)
    number = north.remember("Deploy on Tuesdays").id
    all_told(lives)
    here = number_of(south, "Deploy on Tuesdays")
    north.edit(number, project="elsewhere")
    lives.laptops[0].push()
    lives.laptops[1].pull()
    north.edit(f"elsewhere/{number}", project="shop")
    lives.now += MINUTE
    south.edit(here, project="dock")  # it is hidden here: nobody hears of that
    (found,) = all_told(lives)["memories"].values()
    assert found["project"] == "shop"


def test_who_reads_only_the_project_that_a_memory_left_hears_that_it_was_destroyed(lives):
    north, south, _ = (laptop.memory for laptop in lives.laptops)
    number = north.remember("Deploy on Tuesdays").id
    all_told(lives)
    north.edit(number, project="dock")
    lives.laptops[0].push()
    cursor = lives.hub.pull_page("shop")["next"]
    north.forget(f"dock/{number}", hard=True)
    lives.laptops[0].push()
    (told,) = lives.hub.pull_page("shop", cursor)["records"]
    assert told["type"] == "erased"
    south.take_page("shop", lives.hub.pull_page("shop", cursor), member="m1")
    assert not list(south.every_memory())


def test_that_a_successor_gave_way_to_another_is_told_with_it(lives):
    north, south, _ = (laptop.memory for laptop in lives.laptops)
    for day in ("Tuesdays", "Mondays", "Sundays"):
        north.remember(f"Deploy on {day}")
    all_told(lives)
    north.supersede(number_of(north, "Deploy on Tuesdays"), number_of(north, "Deploy on Mondays"))
    lives.laptops[0].push()
    cursor = lives.hub.pull_page("shop")["next"]
    lives.now += MINUTE
    south.supersede(number_of(south, "Deploy on Tuesdays"), number_of(south, "Deploy on Sundays"))
    lives.laptops[1].push()
    told = {each["content"]: each for each in lives.hub.pull_page("shop", cursor)["records"]}
    (link,) = told["Deploy on Mondays"]["links"]
    assert link["relation"] == "supersedes"
    assert "valid_until" in link
    all_told(lives)
