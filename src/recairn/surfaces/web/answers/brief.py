"""What a list shows of a memory: the object of docs/json.md, with less of its text."""

from __future__ import annotations

from recairn.surfaces.render.json_objects import memory_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Memory

# Characters of a text in a list; fifty of them stay far below what one answer may hold.
LIST_TEXT = 320
# Characters of one value of a change, and of a field, that are sent.
VALUE_TEXT = 2_000
_BRIEF = frozenset(
    (
        *("id", "uid", "kind", "title", "content", "project", "tier", "category", "created_at"),
        *(
            "updated_at",
            "superseded_by",
            "expires_at",
            "deleted_at",
            "pinned",
            "source_type",
            "author",
        ),
        *("session_id", "trust", "stale", "scope", "usage_count", "last_used_at", "importance"),
    )
)


def brief_json(memory: Memory, length: int = LIST_TEXT) -> dict[str, Any]:
    """A memory in a list; `shortened` says that its text goes on."""
    return shortened(memory_json(memory, _BRIEF), length)


def shortened(document: dict[str, Any], length: int = LIST_TEXT) -> dict[str, Any]:
    """The object with its content and title cut to a length."""
    cut = len(document["content"]) > length
    title = document.get("title") or ""
    return {
        **document,
        "title": clipped(title, length),
        "content": clipped(document["content"], length),
        "shortened": cut,
    }


def clipped(value: Any, length: int = VALUE_TEXT) -> Any:
    """A text cut to a length with a mark that it goes on; anything else as it is."""
    return f"{value[:length]}…" if isinstance(value, str) and len(value) > length else value
