"""What could be imported: looked for in a project, and where agents keep their memory."""

from __future__ import annotations

import os

from recairn.core.errors import RecairnError
from recairn.core.record import record
from recairn.sources import SOURCES, source_named
from recairn.sources.readers.files import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Folders of all projects together, and what reads them: the variable that moves the first part,
# where that lies otherwise, the second part.
_OF_ALL_PROJECTS = (
    ("transcripts", "CLAUDE_CONFIG_DIR", "~/.claude", "projects"),
    ("transcripts", "CODEX_HOME", "~/.codex", "sessions"),
    ("claude-memory", "CLAUDE_CONFIG_DIR", "~/.claude", "projects"),
)


@record
class Offer:
    """What one format could read. `words` are those to type after `recairn import`."""

    source: str
    paths: Sequence[str]
    words: tuple[str, ...]


def importable(folder: str) -> list[Offer]:
    """What the formats find about a project: in its folder, and about it or anyhow at home."""
    offers = [
        Offer(name, [shown(path, folder) for path in paths], (name,))
        for name in SOURCES
        if (paths := _finds(name, folder))
    ]
    return offers + _of_all_projects()


def _of_all_projects() -> list[Offer]:
    offers = []
    for name, variable, usual, below in _OF_ALL_PROJECTS:
        home = os.environ.get(variable) or os.path.expanduser(usual)
        place = os.path.join(home, below)
        if os.path.isdir(place) and _finds(name, place):
            path = shown(place, place)
            offers.append(Offer(name, [path], (name, path)))
    return offers


def _finds(name: str, folder: str) -> list[str]:
    try:
        return source_named(name).find(folder)
    except RecairnError:  # whoever asks for that format by its name is told
        return []
