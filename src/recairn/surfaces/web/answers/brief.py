"""What a list shows of a memory: the object of docs/json.md, with less of its text."""

from __future__ import annotations

from recairn.core.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.model import Memory

# Characters of a text in a list; fifty of them stay far below what one answer may hold.
LIST_TEXT = 320
# Characters of one value of a change, and of a field, that are sent.
VALUE_TEXT = 2_000
# What a list shows as it is, and what it shows as a time.
_PLAIN = (
    *("id", "uid", "kind", "title", "content", "project", "tier", "category", "superseded_by"),
    *("pinned", "source_type", "author", "trust", "stale", "scope", "usage_count", "importance"),
)
_TIMES = ("created_at", "updated_at", "expires_at", "deleted_at", "last_used_at")


def brief_json(memory: Memory, length: int = LIST_TEXT) -> dict[str, Any]:
    """A memory in a list; `shortened` says that its text goes on."""
    document: dict[str, Any] = {name: getattr(memory, name) for name in _PLAIN}
    for name in _TIMES:
        document[name] = iso(getattr(memory, name))
    document["session"] = memory.session_id
    document["anti_pattern"] = bool(memory.fields.get("anti_pattern"))
    return shortened(document, length)


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
