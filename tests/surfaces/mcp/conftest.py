"""An agent in this process: it sends messages to the protocol core and keeps what comes back."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from recairn.surfaces.mcp.dispatch import Desk
from recairn.surfaces.mcp.server import Connection
from tests.corpus import ELSEWHERE, MEMORIES, PROJECT, opened, place

HANDSHAKE = "2025-11-25"
STATELESS = "2026-07-28"


class Agent:
    """A client of one connection; `notices` are the messages it did not ask for."""

    def __init__(self, path: Any, *sets: str, version: str | None = HANDSHAKE) -> None:
        self.notices: list[Any] = []
        self.desk = Desk(str(place(path)), PROJECT)
        self.connection = Connection(self.desk, sets or ("default",), self.notices.append)
        self.asked = 0
        self.meta: dict[str, Any] = {}
        if version == STATELESS:
            self.meta = {
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        elif version is not None:
            self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={})
            self.tell("notifications/initialized")

    def message(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        meta = {**self.meta, **params.pop("_meta", {})}
        told = {**params, **({"_meta": meta} if meta else {})}
        return {"jsonrpc": "2.0", "id": self.asked, "method": method, "params": told}

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to a request: its result, or its error."""
        sent = self.message(method, params)
        answer = self.connection.handle(sent)
        assert isinstance(answer, dict)
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", sent["id"])
        return answer["error"] if "error" in answer else answer["result"]

    def tell(self, method: str, **params: Any) -> None:
        told = {"jsonrpc": "2.0", "method": method, "params": params}
        assert self.connection.handle(told) is None

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """What a tool gives; the text of a failure is not looked for here."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refused(self, tool: str, /, **arguments: Any) -> str:
        """What a tool says when it cannot."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        assert "structuredContent" not in result
        return str(result["content"][0]["text"])


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """The corpus in a database that nobody writes to."""
    path = tmp_path_factory.mktemp("mcp") / "puffin.db"
    with opened(path) as memory:
        memory.remember_many(MEMORIES)
        memory.store.backup_to(str(path.with_suffix(".copy")))
    return path.with_suffix(".copy")


@pytest.fixture
def path(filled, tmp_path, monkeypatch):
    """A database of the project puffin with the whole corpus in it, which knows words only."""
    monkeypatch.setenv("RECAIRN_MODEL", "none")
    if ELSEWHERE:
        with opened(tmp_path / "puffin.db") as memory:
            memory.remember_many(MEMORIES)
    else:
        shutil.copy(filled, tmp_path / "puffin.db")
    return tmp_path / "puffin.db"


@pytest.fixture
def connect(path):
    """Connects an agent to that database."""
    agents: list[Agent] = []

    def connected(*sets: str, version: str | None = HANDSHAKE) -> Agent:
        agents.append(Agent(path, *sets, version=version))
        return agents[-1]

    yield connected
    for agent in agents:
        agent.desk.close()


@pytest.fixture
def agent(connect):
    return connect()
