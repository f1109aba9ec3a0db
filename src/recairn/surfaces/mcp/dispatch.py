"""Running what a client asked for on the memory, and turning trouble into words it can act on."""

from __future__ import annotations

from recairn.core.errors import NotFound, RecairnError, StoreAbsent, StoreError
from recairn.core.lazy import load
from recairn.surfaces.mcp import protocol
from recairn.surfaces.mcp.protocol import STATELESS, STRUCTURED_SINCE, ProtocolError
from recairn.surfaces.mcp.schema import read
from recairn.surfaces.mcp.tools import Call, Cancelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.surfaces.mcp.prompts import Prompt
    from recairn.surfaces.mcp.protocol import Message, Request
    from recairn.surfaces.mcp.server import Work
    from recairn.surfaces.mcp.session import Desk
    from recairn.surfaces.mcp.tools import Tool


# How the names of our own tools begin, which hints may speak of.
_DEFAULT = "recairn_"


def call_tool(tool: Tool, request: Request, desk: Desk, work: Work, version: str) -> Message:
    """The result of a tool; trouble is a result too, which the model reads and can act on."""
    try:
        arguments = request.params.get("arguments")
        checked = read(tool.name, tool.takes, {} if arguments is None else arguments)
        document = _document(tool, desk, checked, work)
    except (RecairnError, OSError) as trouble:
        if isinstance(trouble, StoreError):
            desk.close()
        own = tool.name.startswith(_DEFAULT)
        return {"content": [_text(explanation(trouble, default_set=own))], "isError": True}
    except Cancelled:
        raise
    except Exception as trouble:
        desk.close()
        return {"content": [_text(fault(trouble))], "isError": True}
    payload = protocol.payload(document)
    answer: Message = {"content": [_text(payload.json)], "isError": False}
    if version >= STRUCTURED_SINCE:
        answer["structuredContent"] = payload
    return answer


def _document(
    tool: Tool,
    desk: Desk,
    arguments: dict[str, Any],
    work: Work,
) -> Message:
    """What a tool answers; only the first that has something to keep makes the database."""
    handler, session = load(tool.handler), work.request.session
    memory = desk.memory(session)
    try:
        document: Message = handler(Call(memory, arguments, work.report, work.ask))
    except StoreAbsent:
        memory = desk.memory(session, create=True)
        document = handler(Call(memory, arguments, work.report, work.ask))
    if memory.damaged:
        document = {**document, "damaged": sorted(memory.damaged)}
    if memory.absent:
        document = {**document, "database": f"there is none at {memory.database} yet"}
    if memory.keep_mirrors() and memory.mirror_notice:
        document = {**document, "mirror": memory.mirror_notice}
    return document


def read_resource(uri: str, request: Request, desk: Desk, version: str) -> Message:
    """What stands behind an address."""
    from recairn.surfaces.mcp.resources import document

    missing = protocol.INVALID_PARAMS if version in STATELESS else protocol.RESOURCE_NOT_FOUND
    try:
        payload = protocol.payload(document(uri, desk.memory(request.session)))
    except NotFound as trouble:
        raise ProtocolError(missing, explanation(trouble), {"uri": uri[:1000]}) from None
    except (RecairnError, OSError) as trouble:
        raise _failed(trouble, desk) from None
    content = {"uri": uri, "mimeType": "application/json", "text": payload.json}
    return {"contents": [content]}


def get_prompt(prompt: Prompt, arguments: dict[str, str], request: Request, desk: Desk) -> Message:
    """The messages of a prompt, with what the memory has to say filled in."""
    try:
        text = load(prompt.handler)(desk.memory(request.session), arguments)
    except (RecairnError, OSError) as trouble:
        raise _failed(trouble, desk) from None
    return {
        "description": prompt.about,
        "messages": [{"role": "user", "content": _text(text)}],
    }


def _failed(trouble: RecairnError | OSError, desk: Desk) -> ProtocolError:
    if isinstance(trouble, StoreError):
        desk.close()
    return ProtocolError(protocol.INTERNAL_ERROR, explanation(trouble))


def explanation(trouble: RecairnError | OSError, *, default_set: bool = True) -> str:
    """What went wrong, and the way out for someone who has these tools."""
    if isinstance(trouble, RecairnError):
        if not trouble.hint:
            return trouble.message
        from recairn.surfaces.mcp.hints import in_calls

        return f"{trouble.message}\n{in_calls(trouble.hint, default_set=default_set)}"
    where = f"{trouble.filename}: " if trouble.filename else ""
    return f"{where}{trouble.strerror or trouble}"


def fault(trouble: Exception) -> str:
    """What an agent is told of a mistake of ours; standard error gets the rest."""
    from traceback import print_exception

    print_exception(trouble)
    return (
        f"recairn has failed inside ({type(trouble).__name__}); go on without memory, and tell the"
        " user: standard error of `recairn mcp` has the details"
    )


def _text(text: str) -> Message:
    return {"type": "text", "text": text}
