"""Memory from elsewhere: one module for each source format, one driver for all of them.

A new format is a module with a `SOURCE` (see `base.Source`) and a row here.
"""

from __future__ import annotations

import os

from recairn.errors import BadInput, NotFound
from recairn.kinds import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.ingest.base import Source

# In the order in which they are asked whether a path is theirs: name → where its SOURCE is.
SOURCES: dict[str, str] = {
    "transcripts": "recairn.ingest.transcripts",
    "claude-memory": "recairn.ingest.claude_memory",
    "claude-md": "recairn.ingest.claude_md",
    "tx": "recairn.ingest.tx",
    "beads": "recairn.ingest.beads",
    "lore": "recairn.ingest.lore",
    "brain": "recairn.ingest.brain",
    "adr": "recairn.ingest.adr",
    "mem0": "recairn.ingest.mem0",
    "mcp-memory": "recairn.ingest.mcp_memory",
    "ccmemory": "recairn.ingest.ccmemory",
    "engram": "recairn.ingest.engram",
    "jsonl": "recairn.ingest.jsonl",
}


def source_named(name: str) -> Source:
    """The source format of that name."""
    from importlib import import_module

    source: Source = import_module(SOURCES[name]).SOURCE
    return source


def source_of(path: str) -> Source:
    """The first format that takes the path for its own; BadInput when none does."""
    for name in SOURCES:
        source = source_named(name)
        if source.takes(path):
            return source
    if not os.path.lexists(path):
        raise NotFound(
            f"there is no file or folder {path}, and no format of that name",
            f"{nearest(path, tuple(SOURCES))}formats: {', '.join(SOURCES)}",
        )
    if not os.access(path, os.R_OK):
        raise BadInput(f"{path} may not be read", "check its permissions")
    raise BadInput(
        f"cannot tell what {path} is",
        f"name the format: recairn import NAME {path} (known: {', '.join(SOURCES)})",
    )
