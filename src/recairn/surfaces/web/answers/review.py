"""What was picked up and waits for a person's word."""

from __future__ import annotations

from recairn.surfaces.render.json_objects import memory_json
from recairn.surfaces.web.answers.brief import clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine import Recairn
    from recairn.surfaces.web.parameters import Parameters

_AT_ONCE = 12
_TEXT = 1_600


def candidates(memory: Recairn, parameters: Parameters) -> dict[str, Any]:
    """The oldest that wait, and how many there are."""
    chosen = {"all_projects": True} if memory.everywhere else {}
    listed = memory.candidates(limit=_AT_ONCE, **chosen)
    return {
        "candidates": [
            {
                **memory_json(candidate),
                "content": clipped(candidate.content, _TEXT),
                "shortened": len(candidate.content) > _TEXT,
                "fields": {name: clipped(value, 600) for name, value in candidate.fields.items()},
                "version": memory.version(candidate.id),
                "prompt": clipped(memory.prompt_of(candidate.id), _TEXT),
            }
            for candidate in listed
        ],
        "total": memory.count(trust="unverified", **chosen),
    }
