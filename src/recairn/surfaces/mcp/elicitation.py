"""Questions to the user, which the client shows: MCP calls them elicitation."""

from __future__ import annotations

from _queue import Empty, SimpleQueue

from recairn.surfaces.mcp.dispatch import Cancelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.mcp.protocol import Message
    from recairn.surfaces.mcp.server import Connection, Work

# Seconds: clients give a call up after a minute; until then somebody may be reading.
_PATIENCE_S = 50.0
_POLL_S = 0.1
_YES = "yes"


def ask(connection: Connection, work: Work, question: str) -> bool | None:
    """True only where the user has said yes in so many words; None where nobody has answered."""
    number = f"question-{work.request.id}"
    awaited: SimpleQueue[Message] = SimpleQueue()
    connection.questions[number] = awaited
    field = {"type": "boolean", "title": "Yes", "description": question}
    form = {"type": "object", "properties": {_YES: field}, "required": [_YES]}
    connection.notify(
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "elicitation/create",
            "params": {"message": question, "requestedSchema": form},
        }
    )
    try:
        return _understood(_answer(connection, awaited, work))
    finally:
        connection.questions.pop(number, None)


def _answer(connection: Connection, awaited: SimpleQueue[Message], work: Work) -> Message | None:
    for _ in range(int(_PATIENCE_S / _POLL_S)):
        try:
            return awaited.get(timeout=_POLL_S)
        except Empty:
            if work.cancelled:
                raise Cancelled from None
            if not connection.listens:
                break
    return None


def _understood(answer: Message | None) -> bool | None:
    said = answer.get("result") if answer else None
    if not isinstance(said, dict) or said.get("action") not in ("accept", "decline"):
        return None
    content = said.get("content")
    agreed = isinstance(content, dict) and content.get(_YES) is True
    return agreed and said["action"] == "accept"
