"""A model on loopback that does as it is told: enough of the vendors' APIs for their own programs.

It keeps every request, so that a test sees what a model would have been sent, and answers with the
moves it was given: say a text, or call a tool.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A tool the model calls; the name may be a part of the one it was offered."""

    tool: str
    arguments: dict[str, Any]


class Model:
    """The moves still to be made (texts and calls), and the requests so far."""

    def __init__(self) -> None:
        self.moves: list[str | Call] = []
        self.requests: list[dict[str, Any]] = []
        self.address = ""
        self._lock = threading.Lock()

    def answer(self, path: str, request: dict[str, Any]) -> list[dict[str, Any]] | None:
        """The events of an answer; None where the path is not one of the model's."""
        if path.endswith("/messages"):
            return _messages(self._move(request, "messages"), _named(request))
        if path.endswith("/responses"):
            return _responses(self._move(request, "input"), _named(request))
        if path.endswith(("streamGenerateContent", ":generateContent")):
            return _contents(self._move(request, "contents"), _named(request))
        return None

    def _move(self, request: dict[str, Any], part: str) -> str | Call:
        """Side questions (a title, a summary) get a word; the conversation gets the next move."""
        with self._lock:
            if not request.get("tools") or part not in request:
                return "Very well."
            self.requests.append(request)
            return self.moves.pop(0) if self.moves else "Done."

    def sent(self) -> str:
        """Everything the model was sent in conversations, as one text."""
        return "\n".join(json.dumps(each, ensure_ascii=False) for each in self.requests)


def _named(request: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The tools on offer: whole name → what a call of it says beside its arguments."""
    found: dict[str, dict[str, str]] = {}
    for tool in request.get("tools", ()):
        name = tool.get("name", "")
        if tool.get("type") == "namespace":
            for inner in tool.get("tools", ()):
                found[inner["name"]] = {"name": inner["name"], "namespace": name}
        elif "functionDeclarations" in tool:
            found |= {
                inner["name"]: {"name": inner["name"]} for inner in tool["functionDeclarations"]
            }
        else:
            found[name] = {"name": name}
    return found


def tool_names(request: dict[str, Any]) -> list[str]:
    return sorted(_named(request))


def _chosen(call: Call, offered: dict[str, dict[str, str]]) -> dict[str, str] | None:
    exact = offered.get(call.tool)
    ending = (said for name, said in offered.items() if name.endswith(call.tool))
    return exact or next(ending, None)


def _messages(move: str | Call, offered: dict[str, dict[str, str]]) -> list[dict[str, Any]]:
    """A streamed answer of Anthropic's Messages API."""
    tool = _chosen(move, offered) if isinstance(move, Call) else None
    if isinstance(move, Call) and tool is not None:
        block = {"type": "tool_use", "id": "toolu_1", "name": tool["name"], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(move.arguments)}
        reason = "tool_use"
    else:
        said = move if isinstance(move, str) else f"There is no tool {move.tool}."
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": said}
        reason = "end_turn"
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "mock",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]


def _responses(move: str | Call, offered: dict[str, dict[str, str]]) -> list[dict[str, Any]]:
    """A streamed answer of OpenAI's Responses API."""
    tool = _chosen(move, offered) if isinstance(move, Call) else None
    item: dict[str, Any]
    if isinstance(move, Call) and tool is not None:
        item = {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            **tool,
            "arguments": json.dumps(move.arguments),
        }
    else:
        said = move if isinstance(move, str) else f"There is no tool {move.tool}."
        content = [{"type": "output_text", "text": said}]
        item = {"type": "message", "role": "assistant", "id": "msg_1", "content": content}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
    ]


def _streamed(event: dict[str, Any]) -> str:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


def _contents(move: str | Call, offered: dict[str, dict[str, str]]) -> list[dict[str, Any]]:
    """An answer of Google's Gemini API, in one piece."""
    tool = _chosen(move, offered) if isinstance(move, Call) else None
    part: dict[str, Any]
    if isinstance(move, Call) and tool is not None:
        part = {"functionCall": {"id": "call_1", **tool, "args": move.arguments}}
    else:
        part = {"text": move if isinstance(move, str) else f"There is no tool {move.tool}."}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return [{"candidates": [candidate], "usageMetadata": usage}]


@contextmanager
def serving() -> Iterator[Model]:
    """A model that listens on loopback while the block runs."""
    model = Model()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            try:
                request = json.loads(self.rfile.read(length) or b"{}")
            except ValueError:
                request = {}
            events = model.answer(self.path.partition("?")[0], request)
            if events is None:
                self._send(200, "application/json", b"{}")
                return
            if self.path.endswith(":generateContent"):
                self._send(200, "application/json", json.dumps(events[0]).encode())
                return
            self._send(200, "text/event-stream", "".join(map(_streamed, events)).encode())

        def do_GET(self) -> None:
            self._send(200, "application/json", b'{"data": [], "models": []}')

        def _send(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
