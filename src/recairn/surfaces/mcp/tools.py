"""What a tool is, and the sets of tools a server may offer."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.kinds import one_of
from recairn.core.lazy import load
from recairn.core.record import record
from recairn.surfaces.mcp.protocol import ANNOTATIONS_SINCE, STRUCTURED_SINCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.mcp.schema import Schema

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
