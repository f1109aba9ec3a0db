"""Tools: what is offered, running them on the memory, and trouble in words a client can act on.

The memory is opened at the first call, and opened anew when trouble has passed: a server lives for
hours. Meanwhile the database may be locked, replaced by a backup, or deleted, and agent sessions
begin and end. One thread uses a desk.

Arguments are read in a friendly way where nothing can be misunderstood ("5" for 5, 0.4 for "0.4",
null or "" for nothing), and strictly about names.
"""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, RecairnError, StoreAbsent, StoreError
from recairn.core.fastjson import dumps
from recairn.core.guard import plain_name
from recairn.core.kinds import nearest, one_of
from recairn.core.lazy import load
from recairn.core.record import record
from recairn.surfaces.mcp import protocol
from recairn.surfaces.mcp.protocol import ANNOTATIONS_SINCE, STRUCTURED_SINCE, ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.mcp.protocol import Message, Request
    from recairn.surfaces.mcp.schema import Schema
    from recairn.surfaces.mcp.server import Work


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


# How the names of our own tools begin, which hints may speak of.
_DEFAULT = "recairn_"
_NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def call_tool(tool: Tool, request: Request, desk: Desk, work: Work, version: str) -> Message:
    """The result of a tool; trouble is a result too, which the model reads and can act on."""
    try:
        arguments = request.params.get("arguments")
        checked = arguments_of(tool.name, tool.takes, {} if arguments is None else arguments)
        document = _document(tool, desk, checked, work)
    except (RecairnError, OSError) as trouble:
        if isinstance(trouble, StoreError):
            desk.close()
        own = tool.name.startswith(_DEFAULT)
        return {"content": [text_part(explanation(trouble, default_set=own))], "isError": True}
    except Cancelled:
        raise
    except Exception as trouble:
        desk.close()
        return {"content": [text_part(fault(trouble))], "isError": True}
    payload = protocol.payload(document)
    answer: Message = {"content": [text_part(payload.json)], "isError": False}
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


def arguments_of(tool: str, schema: Schema, arguments: Any) -> dict[str, Any]:
    """The parameters of a call; BadInput says which one is wrong and what it may be."""
    if not isinstance(arguments, dict):
        raise BadInput(f"the arguments of {tool} must be an object")
    _check_text(tool, arguments)
    return _object(tool, schema, arguments)


def _check_text(tool: str, arguments: Mapping[str, Any]) -> None:
    """BadInput for half a surrogate pair, which JSON can spell and nothing can store."""
    try:
        dumps(arguments, ascii=False).encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"the arguments of {tool} hold half a character, which is no text", "send whole ones"
        ) from None


def _object(what: str, schema: Schema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    if properties is None:
        return dict(arguments)
    values = {}
    needed = schema.get("required", ())
    for name, value in arguments.items():
        if name not in properties:
            names = tuple(properties)
            listing = f"it takes: {', '.join(names)}" if names else "it takes none"
            raise BadInput(
                f"{what} has no parameter {name[:80]!r}", f"{nearest(name[:80], names)}{listing}"
            )
        if value is not None and (value != "" or name in needed):
            values[name] = _value(name, properties[name], value)
    missing = [name for name in needed if name not in values]
    if missing:
        about = properties[missing[0]].get("description", "")
        raise BadInput(f"{what} needs {missing[0]!r}", about)
    return values


def _value(name: str, schema: Schema, raw: Any) -> Any:
    kind = schema["type"]
    value = _coerced(kind, raw)
    if not _is(kind, value):
        raise BadInput(f"{name} must be {_NAMES[kind]}, got {_shown(raw)}")
    if kind == "string":
        return _string(name, schema, value)
    if kind in ("integer", "number"):
        return _bounded(name, schema, value)
    if kind == "array":
        return _items(name, schema, value)
    return _object(name, schema, value) if kind == "object" else value


def _coerced(kind: str, raw: Any) -> Any:
    """The value in the type that was wanted, where it cannot mean anything else."""
    if kind == "string" and _is("number", raw) and abs(raw) < 10**18:
        return str(raw)
    if kind == "array" and isinstance(raw, str | int) and not isinstance(raw, bool):
        return [raw]
    if kind in ("integer", "number") and isinstance(raw, str) and len(raw) <= 20:
        try:
            raw = float(raw) if kind == "number" or "." in raw else int(raw)
        except ValueError:
            return raw
    if kind == "integer" and isinstance(raw, float) and raw.is_integer():
        return int(raw)
    return raw


def _is(kind: str, value: Any) -> bool:
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    types = {"string": str, "boolean": bool, "array": list, "object": dict}
    return isinstance(value, types[kind])


def _string(name: str, schema: Schema, value: str) -> str:
    names = schema.get("enum")
    if names and value not in names:
        way = f"{nearest(value[:80], tuple(names))}it is one of {', '.join(names)}"
        raise BadInput(f"{name} cannot be {_shown(value)}", way)
    return value


def _bounded(name: str, schema: Schema, value: float) -> float:
    low, high = schema.get("minimum"), schema.get("maximum")
    below, above = low is not None and not value >= low, high is not None and not value <= high
    if below or above:
        ends = f"between {low} and {high}" if low is not None and high is not None else None
        limit = ends or (f"{low} or more" if low is not None else f"{high} at most")
        raise BadInput(f"{name} must be {limit}, got {_shown(value)}")
    return value


def _items(name: str, schema: Schema, value: list[Any]) -> list[Any]:
    most = schema.get("maxItems", 100)
    if len(value) > most:
        raise BadInput(f"{name} has {len(value):,} entries, {most} at most")
    if len(value) < schema.get("minItems", 0):
        raise BadInput(f"{name} needs at least one entry")
    return [_value(f"{name}[{place}]", schema["items"], item) for place, item in enumerate(value)]


def _shown(value: Any) -> str:
    """What was given, short enough for a message."""
    shown = ascii(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
    return shown if len(shown) <= 80 else shown[:77] + "..."


def failure(trouble: RecairnError | OSError, desk: Desk) -> ProtocolError:
    """The protocol's own error for trouble with what is no tool."""
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


def text_part(text: str) -> Message:
    """A text as a part of an answer."""
    return {"type": "text", "text": text}


class Desk:
    """Opens the memory that calls act on."""

    def __init__(self, path: str | None = None, project: str | None = None) -> None:
        # What the program that calls is named; it is the author of what it writes.
        self.client = ""
        self._path = path
        self._project = project
        self._memory: Recairn | None = None
        self._file: tuple[str, int, int] | None = None
        self._session: str | None = None

    def memory(self, caller: str | None = None, *, create: bool = False) -> Recairn:
        """The open memory, in the session of the caller, or else the one that is open here now.

        Where there is no database, none is made unless `create` says so.

        The caller's is the one its message names, or the environment it has started this server in
        (after Claude Code's /clear that is the one before, which its hook has ended).
        """
        if self._memory is not None and (self._memory.read_only or self._file != self._file_now()):
            self.close()  # what could not be written may be writable again
        if self._memory is None:
            from recairn.engine import open_as_allowed

            self._memory = open_as_allowed(self._path, project=self._project, create=create)
            self._file = self._file_now()
            self._session = self._memory.session
            self._memory.keeps_apart = self._memory.stays = True
        self._memory.name_no_other()
        author = self._memory.author = self._author()
        # The agent's hooks begin a session after this server has started, and end it before.
        self._memory.session = plain_name(caller) if caller else self._session
        from recairn.host.project import session_here

        self._memory.join_session(session_here(), of=author if ":" in author else "")
        return self._memory

    def _author(self) -> str:
        """The agent that calls, whatever its environment says: no tool is called by a person."""
        from recairn.core.author import PERSON, agent_named

        if self.client:
            return agent_named(self.client)
        from recairn.host.project import author_here

        here = author_here()
        return agent_named("") if here == PERSON else here

    def _file_now(self) -> tuple[str, int, int] | None:
        """Which file is the database at this moment; None when there is none."""
        from recairn.host.project import database_path

        path = database_path(self._path, os.getcwd())
        try:
            status = os.stat(path)
        except OSError:
            return None
        return path, status.st_dev, status.st_ino

    def settle(self) -> None:
        """Does the book-keeping that no answer waits for; trouble with it is no trouble."""
        if self._memory is not None:
            try:
                self._memory.settle()
            except Exception:
                self.close()

    def close(self) -> None:
        """Closes the memory; the next call opens it again."""
        memory, self._memory = self._memory, None
        if memory is not None:
            try:
                memory.close()
            except Exception:
                return  # the database is out of reach, and so is what close would have written
