"""An agent can ask for a memory to be destroyed; only a person does it."""

from __future__ import annotations

import pytest

from tests.corpus import opened

from .conftest import Agent


@pytest.mark.parametrize(
    ("tools", "tool", "arguments"),
    [
        ("default", "recairn_update", {"id": "1", "action": "destroy", "reason": "a name"}),
        ("ccmemory", "memory_delete", {"memory_id": "1", "hard": True}),
    ],
)
def test_it_is_hidden_and_waits_for_a_person(tmp_path, tools, tool, arguments):
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        memory.remember("Gulls nest on the crane")
    agent = Agent(path, tools)
    assert "recairn review accept 1" in str(agent.call(tool, **arguments))
    agent.call(tool, **arguments)
    with opened(path) as memory:
        assert memory.listing() == []
        assert memory.get(1).content == "Gulls nest on the crane"
        (waiting,) = memory.erasure_requests()
        assert waiting[0].id == 1


def test_one_declared_unchangeable_is_not_even_asked_for(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        memory.remember("Gulls nest on the crane", immutable=True)
    assert "immutable" in Agent(path).refused("recairn_update", id="1", action="destroy")
