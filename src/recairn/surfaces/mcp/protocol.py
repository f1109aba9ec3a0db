"""JSON-RPC and the words of MCP: versions, error codes, well-formed messages, answers that fit.

Two eras are spoken. Until 2025-11-25 a connection begins with `initialize` and agrees on a version.
From 2026-07-28 on there is no handshake: every request names its version in `params._meta`.

Hosts show the model the structured part of a result and cut what is too long, so a result must be
small and complete in itself: it never has more than a cap.
"""

from __future__ import annotations

from recairn.core.fastjson import dumps
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Path = tuple[Any, Any]
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


# Answers that fit

# Characters of JSON in one result. Hosts spill above 10,000; this leaves room for the frame.
MOST = 8_000
# Characters of one text before entries are dropped, and what no text is cut below.
_LONG, _SHORTEST = 1_500, 200
_MOST_ROUNDS = 1_000


def size(value: Any) -> int:
    """Characters of a value as JSON."""
    return len(compact(value))


def fitted(document: dict[str, Any], max_tokens: int | None = None) -> Payload:
    """The document cut to what an answer may have, or to fewer tokens.

    Long texts are cut first, then entries dropped from the end of its longest list (`omitted` says
    how many), then texts cut further.
    """
    most = MOST
    if max_tokens is not None:
        from recairn.core.token_estimate import JSON_CHARACTERS

        most = min(MOST, max_tokens * JSON_CHARACTERS)
    payload = Payload(document)
    if len(payload.json) <= most:
        return payload
    document = _copied(document)
    _cut_texts(document, most, _LONG)
    room = len(',"omitted":1000')
    _drop_entries(document, most - room)
    _cut_texts(document, most, _SHORTEST)
    return Payload(document)


def fitted_entries(document: dict[str, Any], usual: Mapping[str, Any]) -> Payload:
    """The document cut to what fits, with all entries of its lists if that can be.

    What has its usual value goes first, then the ends of long texts, all alike, and only then
    entries; `omitted` says how many.
    """
    payload = Payload(document)
    if len(payload.json) <= MOST:
        return payload
    lean = _without(document, usual)
    for longest in _LENGTHS:
        payload = Payload(_shortened(lean, longest))
        if len(payload.json) <= MOST:
            return payload
    return fitted(payload)


# Characters of the texts of a list, one length after the other until all entries fit.
_LENGTHS = (_LONG, 1_000, 700, 500, 350, 250, 180, 120)


def _without(value: Any, usual: Mapping[str, Any]) -> Any:
    """A copy that lacks whatever has its usual value."""
    if isinstance(value, list):
        return [_without(inner, usual) for inner in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _without(inner, usual)
        for name, inner in value.items()
        if name not in usual or inner != usual[name]
    }


def _shortened(value: Any, longest: int) -> Any:
    """A copy in which no text is longer, but for the mark of what was cut."""
    if isinstance(value, dict):
        return {name: _shortened(inner, longest) for name, inner in value.items()}
    if isinstance(value, list):
        return [_shortened(inner, longest) for inner in value]
    if isinstance(value, str) and len(value) > longest + _MARK:
        return _cut(value, longest)
    return value


def _cut(text: str, length: int) -> str:
    return f"{text[:length]}… [{len(text) - length:,} more characters]"


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copied(inner) for name, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


def _cut_texts(document: dict[str, Any], most: int, shortest: int) -> None:
    """Cuts the longest text again and again, to `shortest` characters at least."""
    excess = size(document) - most
    for _ in range(_MOST_ROUNDS):
        if excess <= 0:
            return
        where, name = max(_texts(document), key=_length, default=(None, None))
        if where is None or len(where[name]) <= shortest + _MARK:
            return
        whole = where[name]
        length = max(shortest, len(whole) - excess - _MARK)
        where[name] = _cut(whole, length)
        excess = size(document) - most


# Characters that the mark of a cut text takes.
_MARK = 32


def _length(place: Path) -> int:
    where, name = place
    return len(where[name])


def _texts(value: Any) -> Iterator[Path]:
    """(container, key) of every text inside."""
    for name, inner in _entries(value):
        if isinstance(inner, str):
            yield value, name
        else:
            yield from _texts(inner)


def _lists(value: Any) -> Iterator[list[Any]]:
    for _, inner in _entries(value):
        if isinstance(inner, list) and len(inner) > 1:
            yield inner
        yield from _lists(inner)


def _entries(value: Any) -> Sequence[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else ()


def _drop_entries(document: dict[str, Any], most: int) -> None:
    """Drops the last entries of the longest lists; every list keeps its first."""
    for _ in range(_MOST_ROUNDS):
        excess = size(document) - most
        longest = max(_lists(document), key=size, default=None)
        if excess <= 0 or longest is None:
            return
        dropped = 0
        while excess > 0 and len(longest) > 1:
            excess -= size(longest.pop()) + 1
            dropped += 1
        document["omitted"] = document.get("omitted", 0) + dropped
