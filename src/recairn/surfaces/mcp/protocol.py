"""JSON-RPC and the words of MCP: versions, error codes, well-formed messages, tools and their sets.

Two eras are spoken. Until 2025-11-25 a connection begins with `initialize` and agrees on a version.
From 2026-07-28 on there is no handshake: every request names its version in `params._meta`.
"""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.fastjson import dumps
from recairn.core.kinds import one_of
from recairn.core.lazy import load
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.mcp.schema import Schema

    Message = dict[str, Any]
    RequestId = int | str

STATELESS = ("2026-07-28",)
# Newest first: what a client gets that asks for a version nobody knows.
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
# The only version in which several messages may come in one array.
BATCHES = "2025-03-26"
# From these versions on, tools have annotations, and results a structured part.
ANNOTATIONS_SINCE = "2025-03-26"
STRUCTURED_SINCE = "2025-06-18"
QUESTIONS_SINCE = "2025-06-18"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
# Retired with the handshake: later clients expect INVALID_PARAMS.
RESOURCE_NOT_FOUND = -32002
UNSUPPORTED_VERSION = -32022
# A header of a request over HTTP says something else than its body.
HEADER_MISMATCH = -32020

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"

# Characters of a client's own words that an error message repeats.
_QUOTED = 80


class ProtocolError(Exception):
    """Trouble with the protocol itself: it is answered as a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


# Characters of a client's name that are looked at.
_LONGEST_NAME = 200


def client_name(info: Any) -> str:
    """What a client calls itself in `clientInfo`; empty where it does not say."""
    name = info.get("name") if isinstance(info, dict) else None
    return name[:_LONGEST_NAME] if isinstance(name, str) else ""


def shows_questions(capabilities: Any, version: str) -> bool:
    """Whether a client can show its user a form with a question, and knows how since its version.

    One that names no way of asking has forms: they came first.
    """
    ways = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(ways, dict) and (not ways or "form" in ways) and version >= QUESTIONS_SINCE


# Characters; agents name sessions by numbers of 36.
_LONGEST_SESSION = 200


@record
class Request:
    """A request, or with `id` None a notification."""

    id: RequestId | None
    method: str
    params: Message

    @property
    def meta(self) -> Message:
        """`params._meta`, empty when there is none."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def session(self) -> str | None:
        """The agent's session as Codex names it in every call; None for one that says nothing."""
        named = self.meta.get("sessionId")
        if not isinstance(named, str) or len(named) > _LONGEST_SESSION:
            return None
        return named if named.isprintable() and named.strip() else None


def request_from(message: Any) -> Request | None:
    """The request a message is; None for an answer, which we never asked for."""
    if not isinstance(message, dict):
        raise ProtocolError(INVALID_REQUEST, "a message is a JSON object")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    if message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'a message needs "jsonrpc": "2.0"')
    method = message.get("method")
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, "a request needs a method, which is text")
    if "id" in message and id_of(message) is None:
        raise ProtocolError(INVALID_REQUEST, "the id of a request is text or a whole number")
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "params must be an object")
    return Request(id_of(message), method, params)


def id_of(message: Any) -> RequestId | None:
    """The id a message's answer carries, when it has a proper one."""
    id = message.get("id") if isinstance(message, dict) else None
    return id if isinstance(id, int | str) and not isinstance(id, bool) else None


def result(id: RequestId | None, body: Message) -> Message:
    return {"jsonrpc": "2.0", "id": id, "result": body}


def error(id: RequestId | None, trouble: ProtocolError) -> Message:
    described: Message = {"code": trouble.code, "message": trouble.message}
    if trouble.data is not None:
        described["data"] = trouble.data
    return {"jsonrpc": "2.0", "id": id, "error": described}


class Payload(dict[str, "Any"]):
    """What a tool or resource answers, and its JSON, which is written once: it stays as it is."""

    __slots__ = ("json",)

    def __init__(self, document: Message) -> None:
        super().__init__(document)
        self.json = compact(document)


def payload(document: Message) -> Payload:
    return document if isinstance(document, Payload) else Payload(document)


def compact(value: Any) -> str:
    """A value as JSON without needless spaces."""
    return dumps(value, ascii=False, compact=True)


def line(message: Message | list[Message]) -> str:
    """A message, or an array of them, as JSON; the JSON of a payload inside is taken over."""
    if isinstance(message, list):
        return f"[{','.join(map(line, message))}]"
    body = message.get("result", {})
    structured = body.get("structuredContent")
    if not isinstance(structured, Payload):
        return compact(message)
    frame = compact({name: value for name, value in message.items() if name != "result"})
    rest = compact({name: value for name, value in body.items() if name != "structuredContent"})
    return f'{frame[:-1]},"result":{rest[:-1]},"structuredContent":{structured.json}}}}}'


def notification(method: str, params: Message) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def stateless_version(request: Request) -> str | None:
    """The version a request of the later era names; None for one of the handshake's era."""
    if VERSION_KEY not in request.meta:
        return None
    version = request.meta[VERSION_KEY]
    if not isinstance(version, str):
        raise ProtocolError(INVALID_PARAMS, f"params._meta[{VERSION_KEY!r}] must be text")
    if version not in STATELESS:
        raise ProtocolError(
            UNSUPPORTED_VERSION,
            f"unsupported protocol version {version[:_QUOTED]!r}",
            {"supported": [*STATELESS, *HANDSHAKE], "requested": version[:_QUOTED]},
        )
    if not isinstance(request.meta.get(CAPABILITIES_KEY), dict):
        raise ProtocolError(INVALID_PARAMS, f"params._meta needs {CAPABILITIES_KEY!r}, an object")
    return version


def text_param(params: Message, name: str, method: str) -> str:
    """A parameter that must be there and be text."""
    value = params.get(name)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f"{method} needs {name!r}, which is text")
    return value


# Where each set's tools are defined; a set is loaded when it is offered.
TOOLSETS = {
    "default": "recairn.surfaces.mcp.toolsets.default",
    "tx": "recairn.surfaces.mcp.toolsets.tx",
    "lore": "recairn.surfaces.mcp.toolsets.lore",
    "brain": "recairn.surfaces.mcp.toolsets.brain",
    "ccmemory": "recairn.surfaces.mcp.toolsets.ccmemory",
}

# Said instead of sets by a server that another one makes superfluous: it offers no tool.
NOTHING = "nothing"

# What a tool does to the memory: hosts ask the user before some of these. Not idempotent is the
# protocol's default.
READS, ADDS, SETS, CHANGES = "reads", "adds", "sets", "changes"
_HINTS = {
    READS: {"readOnlyHint": True},
    ADDS: {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
    SETS: {"readOnlyHint": False, "destructiveHint": False},
    CHANGES: {"readOnlyHint": False, "destructiveHint": True},
}


@record
class Tool:
    """A tool: `effect` is one of READS ... CHANGES, `handler` is `module:function`.

    `always` asks hosts that hide tools until they are searched for to show this one at once.
    """

    name: str
    title: str
    about: str
    effect: str
    takes: Schema
    gives: Schema
    handler: str
    always: bool = False

    def described(self, version: str) -> dict[str, Any]:
        """The tool as a client of that protocol version is told about it."""
        shown: dict[str, Any] = {"name": self.name}
        if version >= STRUCTURED_SINCE:
            shown["title"] = self.title
        shown |= {"description": self.about, "inputSchema": self.takes}
        if version >= STRUCTURED_SINCE:
            shown["outputSchema"] = self.gives
        if version >= ANNOTATIONS_SINCE:
            shown["annotations"] = {**_HINTS[self.effect], "openWorldHint": False}
        if self.always:
            shown["_meta"] = {"anthropic/alwaysLoad": True}
        return shown


class Cancelled(Exception):
    """The client does not wait for this answer any more."""


@record
class Call:
    """What a tool's handler gets: the memory, checked parameters, and where to report progress.

    `report(done, total)` raises Cancelled when nobody waits for the answer any more. `ask` shows
    the user a question: True for yes, False for no, None where nobody can be asked, or answers.
    """

    memory: Recairn
    arguments: dict[str, Any]
    report: Callable[[int, int], None]
    ask: Callable[[str], bool | None]

    def chosen(self, *names: str) -> dict[str, Any]:
        """Those of the named parameters that were given."""
        return {name: self.arguments[name] for name in names if name in self.arguments}


def offered(sets: Sequence[str]) -> dict[str, Tool]:
    """The tools of the sets named, by name; BadInput for a set that does not exist."""
    tools: dict[str, Tool] = {}
    if NOTHING in sets:
        return tools
    for name in sets or ("default",):
        module = one_of("set of tools", name, tuple(TOOLSETS))
        for tool in load(f"{TOOLSETS[module]}:TOOLS"):
            tools[tool.name] = tool
    return tools


def sets_named(text: str) -> tuple[str, ...]:
    """The sets in `default,tx`; BadInput when there is none."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise BadInput("no set of tools was named", f"known: {', '.join(TOOLSETS)}")
    for name in names:
        one_of("set of tools", name, (*TOOLSETS, NOTHING))
    return names
