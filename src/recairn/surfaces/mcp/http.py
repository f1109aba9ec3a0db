"""The protocol over HTTP, one request and one answer, whatever server carries them.

No session is kept: every request says which version it speaks, and any process answers it. In the
era of the handshake the header `MCP-Protocol-Version` does; from 2026-07-28 on headers repeat what
the body says, so that what stands between can route by them, and one that differs is refused.
"""

from __future__ import annotations

from recairn.core.record import record
from recairn.surfaces.mcp import protocol
from recairn.surfaces.mcp.protocol import BATCHES, HANDSHAKE, STATELESS, ProtocolError
from recairn.surfaces.mcp.stdio import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recairn.surfaces.mcp.protocol import Message
    from recairn.surfaces.mcp.server import Connection

VERSION, METHOD, NAME = "mcp-protocol-version", "mcp-method", "mcp-name"
# Headers of which two would let each reader believe another one.
ONCE = (VERSION, METHOD, NAME)
# Which parameter `Mcp-Name` repeats.
_NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
# The status for what is wrong with a message; trouble of ours is an answer like any other.
_STATUS = {
    protocol.PARSE_ERROR: 400,
    protocol.INVALID_REQUEST: 400,
    protocol.INVALID_PARAMS: 400,
    protocol.HEADER_MISMATCH: 400,
    protocol.UNSUPPORTED_VERSION: 400,
    protocol.METHOD_NOT_FOUND: 404,
}
_TAKEN, _OK = 202, 200
_JSON = ("application/json", "application/*", "*/*")


@record
class Answer:
    """What goes back; without a body where nothing is said."""

    status: int
    body: bytes


def takes_json(headers: Mapping[str, str]) -> bool:
    """Whether a client reads what we answer; one that does not say so reads everything."""
    kinds = headers.get("accept", "*/*").lower().split(",")
    return any(kind.partition(";")[0].strip() in _JSON for kind in kinds)


def answer(connection: Connection, headers: Mapping[str, str], body: bytes) -> Answer:
    """The answer to the body of a POST; header names are in lower case."""
    message: Any = None
    try:
        message = parsed(body)
        version = _version(headers, message)
        connection.resume(version, _client(headers))
        outcome = connection.handle(message)
    except ProtocolError as trouble:
        return _written(protocol.error(protocol.id_of(message), trouble), stateless=True)
    if outcome is None:
        return Answer(_TAKEN, b"")
    return _written(outcome, stateless=version in STATELESS)


def _written(outcome: Message | list[Message], *, stateless: bool) -> Answer:
    status = _OK
    if stateless and isinstance(outcome, dict) and "error" in outcome:
        status = _STATUS.get(outcome["error"]["code"], _OK)
    return Answer(status, protocol.line(outcome).encode("utf-8", "backslashreplace"))


def _version(headers: Mapping[str, str], message: Any) -> str:
    """The version a request is in; ProtocolError where headers and body do not agree on it."""
    named = headers.get(VERSION)
    if _is_stateless(message) or named in STATELESS:
        _check_headers(headers, message)
        return named or STATELESS[0]
    if isinstance(message, dict) and message.get("method") == "initialize":
        return HANDSHAKE[0]  # the body says which
    if named is None:
        return BATCHES  # as the protocol says of clients that do not know the header
    if named not in HANDSHAKE:
        raise ProtocolError(
            protocol.UNSUPPORTED_VERSION,
            f"unsupported protocol version {named[:80]!r}",
            {"supported": [*STATELESS, *HANDSHAKE], "requested": named[:80]},
        )
    return named


def _is_stateless(message: Any) -> bool:
    return isinstance(message, dict) and protocol.VERSION_KEY in _meta(message)


def _meta(message: Message) -> Message:
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def _check_headers(headers: Mapping[str, str], message: Any) -> None:
    """Each header says what the body says."""
    if not isinstance(message, dict):
        raise ProtocolError(protocol.INVALID_REQUEST, "a message is a JSON object")
    if "id" not in message and "method" in message:
        return  # a notification has no answer to be wrong
    meta = _meta(message)
    if protocol.VERSION_KEY not in meta:
        reason = f"params._meta needs {protocol.VERSION_KEY!r}"
        raise ProtocolError(protocol.INVALID_PARAMS, reason)
    said: list[tuple[str, Any]] = [
        ("MCP-Protocol-Version", meta[protocol.VERSION_KEY]),
        ("Mcp-Method", message.get("method")),
    ]
    parameter = _NAMES.get(str(message.get("method")))
    if parameter is not None and message["params"].get(parameter) is not None:
        said.append(("Mcp-Name", message["params"][parameter]))
    for header, value in said:
        if _plain(headers.get(header.lower())) != value:
            reason = f"the header {header} does not say what the body says"
            raise ProtocolError(protocol.HEADER_MISMATCH, reason)


def _plain(value: str | None) -> str | None:
    """A header as it was meant: what a header cannot hold comes as `=?base64?…?=`."""
    start, end = "=?base64?", "?="
    if value is None or not (value.startswith(start) and value.endswith(end)):
        return value
    from base64 import b64decode

    try:
        return b64decode(value[len(start) : -len(end)], validate=True).decode("utf-8")
    except ValueError:
        return None


def _client(headers: Mapping[str, str]) -> str:
    """The name of the program that asks, as it is called in its requests (`claude-code/2.1`)."""
    product = headers.get("user-agent", "").split(" ", 1)[0]
    return protocol.client_name({"name": product.partition("/")[0]})
