"""A team's server over PostgreSQL: any process answers, and the tables keep members apart."""

from __future__ import annotations

import pytest

from tests.postgres_server import OWNER
from tests.surfaces.hub.laptop import Laptop
from tests.surfaces.hub.team import TeamServer, members


@pytest.fixture
def hubs(tmp_path, team_address):
    tokens = members(team_address, ann="admin", bob="writer", rhea="reader")
    found = []
    for number in range(2):
        folder = tmp_path / f"process-{number}"
        folder.mkdir()
        served = TeamServer(folder, team_address)
        served.tokens = tokens
        found.append(served)
    yield found
    for served in found:
        served.stop()


@pytest.fixture
def team_address(postgres):
    from recairn.store.server_tables import server

    server(postgres.server.address(OWNER)).create_team("fulmars")
    return postgres.server.address(team="fulmars")


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
