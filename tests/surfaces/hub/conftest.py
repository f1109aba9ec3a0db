"""One team's server for all tests of a module, over a file or over PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recairn
from tests.surfaces.hub.team import TeamServer, members, serving


@pytest.fixture(scope="module")
def team(tmp_path_factory) -> Iterator[TeamServer]:
    """A server over one file: ann is its admin, bob writes, rhea reads, cora's token is fenced."""
    folder = tmp_path_factory.mktemp("team")
    database = str(folder / "team.db")
    with recairn.open(database, project="lantern", model="none") as memory:
        memory.remember("The lamp turns with a stepper motor", kind="decision")
        memory.remember("Fog is visibility below 800 m")
    with recairn.open(database, project="puffin", model="none") as memory:
        memory.remember("Puffins nest in burrows")
    tokens = members(database, ann="admin", bob="writer", rhea="reader", cora="writer")
    with recairn.open(database, project="", model="none") as memory:
        tokens["cora"] = memory.add_device("cora", "ci", projects=["lantern"])[1]
        tokens["gone"] = memory.add_device("bob", "old")[1]
        memory.revoke_device("bob", "old")
    with serving(folder, database, tokens) as served:
        yield served
