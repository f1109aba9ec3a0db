"""A team's server as a process of its own, its members' tokens, and questions to it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import recairn
from tests.surfaces.web.serving import PATIENCE_S, Answer, Served, surroundings

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "codex", "version": "1"},
}


class TeamServer(Served):
    """`recairn serve --team`; `tokens` are those of the members, by name."""

    def __init__(self, folder: Path, database: str, *words: str, port: int = 0) -> None:
        command = [sys.executable, "-m", "recairn", "serve", "--team", "--port", str(port)]
        env = {**surroundings(folder), "RECAIRN_MODEL": "none"}
        self.audit_file = folder / "audit.jsonl"
        self.database = database
        self.process = subprocess.Popen(
            [*command, "--db", database, "--audit", str(self.audit_file), *words],
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.said)
        assert found, self.process.communicate(timeout=PATIENCE_S)
        self.url, self.port = found[0], int(found[1])
        self.host = f"127.0.0.1:{self.port}"
        self.tokens: dict[str, str] = {}

    @property
    def token(self) -> str:
        return self.tokens["ann"]

    def mcp(
        self, message: Any, *, member: str = "ann", query: str = "?project=lantern", **more: str
    ) -> Answer:
        """A message of the handshake's era; `more` are headers, with _ for -."""
        headers = [(name.replace("_", "-"), value) for name, value in more.items()]
        return self.ask("POST", f"/mcp{query}", message, token=self.tokens[member], headers=headers)

    def modern(self, method: str, *, member: str = "ann", **params: Any) -> Answer:
        """A request of the later era, with the headers that repeat it."""
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {**params, "_meta": META}}
        named = params.get("name") or params.get("uri")
        more = {"mcp_name": named} if named else {}
        headers = {"mcp_protocol_version": MODERN, "mcp_method": method, **more}
        return self.mcp(message, member=member, **headers)

    def audit(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.audit_file.read_text().splitlines()]


@contextmanager
def serving(folder: Path, database: str, tokens: dict[str, str]) -> Iterator[TeamServer]:
    """A server of the team in that database, for members with these tokens."""
    server = TeamServer(folder, database)
    server.tokens = tokens
    try:
        yield server
    finally:
        server.stop()


def members(database: str, **roles: str) -> dict[str, str]:
    """Makes members with these roles; a token for each."""
    tokens = {}
    with recairn.open(database, project="", model="none") as memory:
        for name, role in roles.items():
            memory.add_member(name, role=role)
            tokens[name] = memory.add_device(name, "laptop")[1]
    return tokens
