"""Memory from elsewhere: one module for each source format, one driver for all of them.

A new format is a module with a `SOURCE` (see `format.Source`) and a row here.
"""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, NotFound
from recairn.core.kinds import nearest
from recairn.core.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.sources.format import Source

# In the order in which they are asked whether a path is theirs: name → where its SOURCE is.
SOURCES: dict[str, str] = {
    "transcripts": "recairn.sources.transcripts",
    "claude-memory": "recairn.sources.claude_memory",
    "claude-md": "recairn.sources.claude_md",
    "tx": "recairn.sources.tx.source",
    "beads": "recairn.sources.beads",
    "lore": "recairn.sources.lore.source",
    "brain": "recairn.sources.brain.source",
    "adr": "recairn.sources.adr",
    "mem0": "recairn.sources.mem0",
    "mcp-memory": "recairn.sources.mcp_memory",
    "ccmemory": "recairn.sources.ccmemory",
    "engram": "recairn.sources.engram",
    "jsonl": "recairn.sources.jsonl",
}
# Finds what is about a folder and lies elsewhere; should that be below it, it is not meant.
_ABOUT_A_FOLDER = ("transcripts",)


def source_named(name: str) -> Source:
    """The source format of that name."""
    source: Source = load(f"{SOURCES[name]}:SOURCE")
    return source


def sources_of(path: str) -> list[Source]:
    """The first format that takes the path for its own, or all that find something in the folder;
    BadInput when none does."""
    for name in SOURCES:
        source = source_named(name)
        if source.takes(path):
            return [source]
    formats = f"formats: {', '.join(SOURCES)}"
    if not os.path.lexists(path):
        raise NotFound(
            f"there is no file or folder {path}, and no format of that name",
            f"{nearest(path, tuple(SOURCES))}{formats}",
        )
    if not os.access(path, os.R_OK):
        raise BadInput(f"{path} may not be read", "check its permissions")
    if os.path.isdir(path):
        return _sources_in(path, formats)
    _check_database(path)
    raise BadInput(
        f"cannot tell what {path} is", f"name the format: recairn import NAME {path}; {formats}"
    )


def _check_database(path: str) -> None:
    """Refuses a database that cannot be read, or is recairn's own, with the way out for it."""
    from recairn.sources.readers.database import Database, is_database
    from recairn.sources.readers.files import Origin

    if is_database(path):
        Database(Origin(path, path)).close()


def _sources_in(folder: str, formats: str) -> list[Source]:
    """The formats that find something in a folder itself."""
    from recairn.sources.readers.files import is_inside

    root = os.path.realpath(folder)
    sources = [source_named(name) for name in SOURCES if name not in _ABOUT_A_FOLDER]
    matches = [
        source for source in sources if any(is_inside(root, path) for path in source.find(folder))
    ]
    if not matches:
        raise BadInput(
            f"{folder} holds nothing that can be imported",
            f"name a file in it, or a format; {formats}",
        )
    return matches
