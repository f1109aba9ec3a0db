"""Commands about a team: made by the owner, members by an admin, memories by their writer."""

from __future__ import annotations

import json

import pytest

from tests.postgres_server import OWNER


@pytest.fixture
def team(recairn, postgres):
    """The address of a team that was made with commands."""
    owner = postgres.server.address(OWNER)
    made = recairn("team", "create", "petrels", "--db", owner)
    assert made.status == 0
    return postgres.server.address(team="petrels")


def test_a_team_its_members_and_what_they_share(recairn, postgres, team):
    again = recairn("team", "create", "petrels", "--db", postgres.server.address(OWNER))
    assert "There is a team petrels already" in again.out
    assert "no members yet" in recairn("member", "list", "--db", team).out
    assert recairn("member", "add", "ann", "--role", "captain", "--db", team).status == 1
    recairn("member", "add", "ann", "--role", "admin", "--db", team)
    recairn("member", "add", "bob", "--db", team)
    ann, bob = f"{team}&member=ann", f"{team}&member=bob"
    number = json.loads(recairn("--db", ann, "add", "Petrels walk on water", "--json").out)["id"]
    assert "among 0 memories" in recairn("--db", bob, "search", "petrels").out
    assert recairn("--db", ann, "share", str(number)).out == f"All of the team see #{number} now\n"
    assert "walk on water" in recairn("--db", bob, "search", "petrels").out
    assert "created by ann" in recairn("--db", bob, "history", str(number)).out
    refused = recairn("--db", bob, "withhold", str(number))
    assert (refused.status, "needs a role of admin" in refused.err) == (1, True)
    assert recairn("--db", ann, "withhold", str(number)).out == f"Only you see #{number} now\n"
    recairn("member", "revoke", "bob", "--db", ann)
    listed = json.loads(recairn("member", "list", "--json", "--db", ann).out)["members"]
    assert [(row["name"], row["role"], row["revoked_at"] is None) for row in listed] == [
        ("ann", "admin", True),
        ("bob", "writer", False),
    ]
    gone = recairn("--db", bob, "recent")
    assert (gone.status, "no longer a member" in gone.err) == (1, True)


@pytest.mark.files("without members a server has nobody who alone sees a memory")
def test_in_a_file_private_is_a_mark_that_travels(recairn, tmp_path):
    recairn("add", "Petrels walk on water", "--private")
    recairn("add", "Storms bring them ashore", "--shared")
    exported = recairn("export").out
    assert exported.count('"type": "private"') + exported.count('"type":"private"') == 1
    recairn("share", "1")
    recairn("withhold", "2")
    recairn("undo", "2")
    assert '"private"' not in recairn("export").out
    both = recairn("add", "One more", "--private", "--shared")
    assert (both.status, "contradict each other" in both.err) == (2, True)


@pytest.mark.files("the owner of a server's tables makes its teams")
def test_a_file_is_the_memory_of_one_team_and_a_token_is_shown_once(recairn, tmp_path):
    assert "Made the team gulls" in recairn("team", "create", "gulls").out
    assert "There is a team gulls already" in recairn("team", "create", "gulls").out
    other = recairn("team", "create", "terns")
    assert (other.status, "memory of the team gulls" in other.err) == (1, True)
    recairn("member", "add", "ann")
    nobody = recairn("member", "token", "bob")
    assert (nobody.status, "recairn member add bob" in nobody.err) == (1, True)
    first = recairn("member", "token", "ann", "--device", "ci", "--projects", "shop, lantern")
    second = recairn("member", "token", "ann", "--device", "ci", "--days", "30")
    assert first.out.startswith("rcn_")
    assert "for shop, lantern until" in first.err
    listed = recairn("member", "list", "--json").out
    assert first.out not in listed
    (ann,) = json.loads(listed)["members"]
    assert [bool(device["revoked_at"]) for device in ann["devices"]] == [True, False]
    assert "comes in no longer" in recairn("member", "revoke", "ann", "--device", "ci").out
    assert recairn("member", "revoke", "ann", "--device", "ci").status == 1
    assert "recairn-token" in recairn("add", f"ann has {second.out.strip()}", "--json").out
