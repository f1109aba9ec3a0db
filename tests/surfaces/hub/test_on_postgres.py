"""A team's server over PostgreSQL: any process answers, and the tables keep members apart."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

import recairn
from tests.postgres_server import OWNER
from tests.surfaces.hub.laptop import Laptop
from tests.surfaces.hub.team import members, serving


@pytest.fixture
def hubs(tmp_path, team_address):
    tokens = members(team_address, ann="admin", bob="writer", rhea="reader")
    folders = [tmp_path / f"process-{number}" for number in range(2)]
    with ExitStack() as servers:
        for folder in folders:
            folder.mkdir()
        yield [servers.enter_context(serving(folder, team_address, tokens)) for folder in folders]


@pytest.fixture
def team_address(postgres):
    from recairn.store.server_tables import server

    server(postgres.server.address(OWNER)).create_team("fulmars")
    return postgres.server.address(team="fulmars")


def test_what_one_team_knows_by_its_uid_another_can_neither_see_nor_harm(postgres):
    from recairn.store.server_tables import server

    for name in ("skuas", "gannets"):
        server(postgres.server.address(OWNER)).create_team(name)
    ours, theirs = (postgres.server.address(team=name) for name in ("skuas", "gannets"))
    tokens = members(ours, ann="admin") | members(theirs, eve="admin")
    skuas: Any
    with (
        recairn.open(ours, project="", model="none") as skuas,
        recairn.open(theirs, project="", model="none") as gannets,
    ):
        assert skuas.device_with(tokens["ann"]).member == "ann"
        assert skuas.device_with(tokens["eve"]) is gannets.device_with(tokens["ann"]) is None
        record: dict[str, Any] = {
            "type": "memory",
            "uid": "01k5t" + "0" * 21,
            "project": "lantern",
            "stamps": {},
        }
        record |= {"kind": "fact", "content": "Skuas steal fish"}
        record |= {"created_at": "2026-01-01T00:00:00.000Z"}
        gone = {"type": "erased", "uid": record["uid"], "project": "lantern", "erased": [9, "x"]}
        told = []
        for team, member, sent in (
            (skuas, "ann", record),
            (gannets, "eve", {**record, "content": "Mine"}),
            (gannets, "eve", gone),
        ):
            team.host_project("lantern")
            told += team.take_push([sent], member=member, projects=["lantern"])["answers"]
        assert {each["answer"] for each in told} <= {"ok", "joined"}
        assert skuas.get(record["uid"]).content == "Skuas steal fish"
        assert gannets.get(record["uid"]) is None
        (kept,) = skuas.pull_page("lantern", "")["records"]
        assert (kept["content"], kept["written_by"]) == ("Skuas steal fish", "ann")
        cursor = skuas.pull_page("lantern", "")["next"]
        assert len(gannets.pull_page("lantern", cursor)["records"]) == 1  # another epoch: all of it


def test_two_processes_serve_one_team_and_what_is_private_stays_so(hubs, tmp_path):
    one, other = hubs
    ann, bob = Laptop(tmp_path, "ann"), Laptop(tmp_path, "bob")
    with ann.open() as memory:
        memory.remember("The lamp turns with a stepper motor")
    ann.join(one.url, one.tokens["ann"])
    assert bob.join(other.url, other.tokens["bob"])["added"] == 1
    with bob.open() as memory:
        memory.edit(1, content="The lamp turns with a servo motor")
        memory.sync()
    assert ann.sync()["updated"] == 1
    assert ann.contents() == bob.contents()
    # What an admin makes policy through one process the other one tells.
    with ann.open() as memory:
        law = memory.remember("Never merge without a review", kind="rule", force=True)
        memory.set_policy(law.id)
    assert len(bob.sync()["policies"]) == 1
    forged = {"project": "lantern", "uid": "x", "version": None}
    assert other.ask("POST", "/sync/1/policy", forged, token=other.tokens["bob"]).status == 403
    # What an agent adds over HTTP is its member's own until it is shared.
    added = {"name": "recairn_add", "arguments": {"content": "Fulmars spit oil at strangers"}}
    assert one.modern("tools/call", member="bob", **added).status == 200
    asked = "/api/search?q=fulmars&project=lantern"
    found = {
        name: len(other.ask("GET", asked, token=other.tokens[name]).json["hits"])
        for name in ("ann", "bob")
    }
    assert found == {"ann": 0, "bob": 1}
    refused = other.modern("tools/call", member="rhea", **added).json["result"]
    assert refused["isError"]
    assert other.ask("GET", "/health", token="").json["ok"] is True
    assert 'part="sync/push"' in one.ask("GET", "/metrics").body.decode()
