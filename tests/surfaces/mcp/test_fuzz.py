"""5,000 messages nobody should send: each is answered by the book or not at all, and none hurts."""

from __future__ import annotations

import json
import random
import string
from typing import Any

from recairn.core.times import now_ms
from recairn.surfaces.mcp.dispatch import TOOLSETS, offered
from recairn.surfaces.mcp.protocol import ProtocolError
from recairn.surfaces.mcp.server import Batch, Work
from recairn.surfaces.mcp.stdio import parsed
from tests.corpus import opened

from .conftest import STATELESS

MESSAGES = 5_000
METHODS = (
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "notifications/cancelled",
    "notifications/initialized",
    "logging/setLevel",
)
TOOLS = offered([*TOOLSETS])
# Destroying is tried too, but not at every turn: something must be left to talk about.
RARE = ("memory_delete", "batch_embed")
STRANGE = (
    "",
    " ",
    "\x00",
    "\ud800",
    "\u202e",
    "é" * 300,
    "'; drop table memories; --",
    '"NEAR(',
    "a" * 5_000,
    "recairn://memory/1",
    "#1",
    "-1",
    "9" * 30,
    "NaN",
    "{}",
    "../../etc/passwd",
    "日本語のテスト",
)


class Fuzz:
    """Messages at random, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, depth: int = 0) -> Any:
        pick = self.random.randrange(10 if depth < 3 else 7)
        if pick == 7:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        if pick >= 8:
            return {self.text(): self.value(depth + 1) for _ in range(self.random.randrange(4))}
        plain = (None, True, -1, 2**63, 1e300, 0.5, self.text())
        return plain[pick]

    def text(self) -> str:
        if self.random.random() < 0.5:
            return self.random.choice(STRANGE)
        letters = self.random.choices(string.printable, k=self.random.randrange(12))
        return "".join(letters)

    def arguments(self, name: str) -> Any:
        """Arguments that are nearly right: so they get past the first check."""
        if self.random.random() < 0.1:
            return self.value()
        given = {}
        for parameter, schema in TOOLS[name].takes["properties"].items():
            if self.random.random() < 0.5 or parameter in TOOLS[name].takes.get("required", ()):
                given[parameter] = self.fitting(schema)
        if self.random.random() < 0.1:
            given[self.text()] = self.value()
        return given

    def fitting(self, schema: dict[str, Any]) -> Any:
        if self.random.random() < 0.15:
            return self.value()
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        kind = schema["type"]
        if kind == "array":
            return [self.fitting(schema["items"]) for _ in range(self.random.randrange(3))]
        plain: dict[str, Any] = {
            "integer": self.random.choice((-1, 0, 1, 3, 99, 10**12)),
            "number": self.random.choice((0, 0.3, 1, 2, -5)),
            "boolean": self.random.random() < 0.5,
            "object": {self.text(): self.value()},
        }
        number = str(self.random.randrange(1, 20))
        return plain.get(kind, self.random.choice((number, number, self.text())))

    def message(self) -> Any:
        if self.random.random() < 0.1:
            return self.value()
        method = self.random.choice((*METHODS, "tools/call", "tools/call", "tools/call"))
        params = self.params(method)
        if self.random.random() < 0.2:
            params = self.value()
        if isinstance(params, dict) and self.random.random() < 0.3:
            params["_meta"] = self.meta()
        message = {"jsonrpc": "2.0", "id": self.random.choice((1, 2, "a", 7)), "method": method}
        message["params"] = params
        for name in [*message]:
            if self.random.random() < 0.03:
                del message[name]
            elif self.random.random() < 0.03:
                message[name] = self.value()
        return message

    def params(self, method: str) -> Any:
        if method == "tools/call":
            name = self.random.choice([*TOOLS])
            if name in RARE and self.random.random() < 0.9:
                name = "recairn_search"
            return {"name": name, "arguments": self.arguments(name)}
        fitting: dict[str, Any] = {
            "resources/read": {"uri": f"recairn://memory/{self.text()}"},
            "prompts/get": {"name": "recall", "arguments": {"topic": self.text()}},
            "notifications/cancelled": {"requestId": self.random.choice((1, "1", [1], 7))},
        }
        version = self.random.choice(("2025-03-26", "2025-11-25", "x"))
        return fitting.get(method, {"protocolVersion": version})

    def meta(self) -> Any:
        if self.random.random() < 0.2:
            return self.value()
        return {
            "io.modelcontextprotocol/protocolVersion": self.random.choice((STATELESS, "x", 3)),
            "io.modelcontextprotocol/clientCapabilities": self.random.choice(({}, None)),
            "progressToken": self.random.choice((1, "p", None, [])),
        }

    def line(self) -> bytes:
        """A message as it comes over the wire: whole, several at once, cut off, or mangled."""
        pick = self.random.random()
        message = self.message()
        if pick < 0.05:
            message = [self.message() for _ in range(self.random.randrange(4))]
        line = bytearray(json.dumps(message).encode())
        if pick > 0.9:
            del line[self.random.randrange(len(line) + 1) :]
        elif pick > 0.8:
            for _ in range(self.random.randrange(1, 6)):
                line[self.random.randrange(len(line))] = self.random.randrange(256)
        return bytes(line)


def check(answer: Any) -> None:
    """An answer is well-formed JSON-RPC that can be written down."""
    for each in answer if isinstance(answer, list) else [answer]:
        assert each["jsonrpc"] == "2.0"
        assert ("result" in each) != ("error" in each)
        assert each.get("id") is None or isinstance(each["id"], int | str)
        if "error" in each:
            assert -32768 <= each["error"]["code"] <= -32000
            assert each["error"]["message"]
            # A mistake of ours would be an error of this code, or told in these words.
            assert each["error"]["code"] != -32603, each
        assert "failed inside" not in str(each), each
    json.dumps(answer, ensure_ascii=False).encode("utf-8", "backslashreplace")


def test_5000_malformed_and_out_of_order_messages_are_survived(connect, path):
    fuzz = Fuzz(20261115)
    agent = connect(*TOOLSETS, version=None)
    waiting: list[Work | Batch] = []
    answered = 0
    for _ in range(MESSAGES):
        try:
            message = parsed(fuzz.line())
        except ProtocolError:
            continue  # it was no JSON; any other error ends the test
        received = agent.connection.receive(message)
        if isinstance(received, Work | Batch):
            waiting.append(received)
        elif received is not None:
            check(received)
            answered += 1
        # Requests pile up, and are run later: as they came, or in any order.
        if len(waiting) > fuzz.random.randrange(6):
            answer = waiting.pop(fuzz.random.randrange(len(waiting))).run()
            if answer is not None:
                check(answer)
                answered += 1
    assert answered > MESSAGES // 2
    for each in waiting:  # an id that is under way cannot be asked again
        answer = each.run()
        if answer is not None:
            check(answer)
    agent.ask("initialize", protocolVersion="2025-11-25")
    assert agent.call("recairn_add", content="Still in its right mind", force=True)["id"]
    agent.desk.close()
    with opened(path, clock=now_ms) as memory:
        assert memory.verify().problems == ()
