"""Answers that fit into an agent's context: only what it uses, and never more than a cap.

Hosts show the model the structured part of a result and cut what is too long, so a result must be
small and complete in itself.
"""

from __future__ import annotations

from recairn.surfaces.mcp.protocol import Payload, compact
from recairn.surfaces.render.json_objects import memory_json, successor_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Hit

    Path = tuple[Any, Any]

# Characters of JSON in one result. Hosts spill above 10,000; this leaves room for the frame.
MOST = 8_000
# Characters of one text before entries are dropped, and what no text is cut below.
_LONG, _SHORTEST = 1_500, 200
_MOST_ROUNDS = 1_000

# What a reader needs of a memory to use it, and to ask for more.
CONCISE = (
    "id",
    "kind",
    "title",
    "content",
    "fields",
    "project",
    "category",
    "scope",
    "created_at",
    "score",
    "chance",
    "match",
    "hops",
    "path",
    "flags",
    "superseded_by",
    "latest_session",
)


# Authors that need no word: the person, and whom nobody noted.
_UNREMARKABLE = (None, "", "person")


def concise(document: Mapping[str, Any]) -> dict[str, Any]:
    """What matters of a memory or hit as JSON: a few keys, nothing empty, no needless digits."""
    shown = {name: document[name] for name in CONCISE if document.get(name) not in _EMPTY}
    for name in ("score", "chance"):
        if isinstance(shown.get(name), float):
            shown[name] = round(shown[name], 3)
    flags = document["flags"] if "flags" in document else _flags(document)
    if flags:
        shown["flags"] = flags
    if document.get("author") not in _UNREMARKABLE:
        shown["author"] = document["author"]
    if document.get("trust") == "unverified":
        shown["trust"] = "unverified"
    if document.get("deleted_at"):
        shown["deleted_at"] = document["deleted_at"]
    return shown


def _flags(document: Mapping[str, Any]) -> list[str]:
    """What a reader must know of a memory that no search has found."""
    avoid = ["anti-pattern"] if (document.get("fields") or {}).get("anti_pattern") else []
    stale = document.get("stale")
    return [*avoid, f"may be stale: {stale}"] if stale else avoid


def concise_hit(hit: Hit) -> dict[str, Any]:
    """What matters of a hit."""
    return concise(
        {
            **memory_json(hit.memory, (*CONCISE, "author", "trust", "deleted_at")),
            "score": hit.score,
            "chance": hit.chance,
            "match": hit.match,
            "path": hit.path,
            "flags": list(hit.flags),
            "superseded_by": successor_json(hit) if hit.superseded_by else None,
        }
    )


_EMPTY: tuple[Any, ...] = (None, "", [], {})


def without_empty(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without nulls and empty values."""
    return {name: value for name, value in document.items() if value not in _EMPTY}


def size(value: Any) -> int:
    """Characters of a value as JSON."""
    return len(compact(value))


def fitted(document: dict[str, Any], max_tokens: int | None = None) -> Payload:
    """The document cut to what an answer may have, or to fewer tokens.

    Long texts are cut first, then entries dropped from the end of its longest list (`omitted` says
    how many), then texts cut further.
    """
    most = MOST
    if max_tokens is not None:
        from recairn.core.token_estimate import JSON_CHARACTERS

        most = min(MOST, max_tokens * JSON_CHARACTERS)
    payload = Payload(document)
    if len(payload.json) <= most:
        return payload
    document = _copied(document)
    _cut_texts(document, most, _LONG)
    room = len(',"omitted":1000')
    _drop_entries(document, most - room)
    _cut_texts(document, most, _SHORTEST)
    return Payload(document)


def fitted_entries(document: dict[str, Any], usual: Mapping[str, Any]) -> Payload:
    """The document cut to what fits, with all entries of its lists if that can be.

    What has its usual value goes first, then the ends of long texts, all alike, and only then
    entries; `omitted` says how many.
    """
    payload = Payload(document)
    if len(payload.json) <= MOST:
        return payload
    lean = _without(document, usual)
    for longest in _LENGTHS:
        payload = Payload(_shortened(lean, longest))
        if len(payload.json) <= MOST:
            return payload
    return fitted(payload)


# Characters of the texts of a list, one length after the other until all entries fit.
_LENGTHS = (_LONG, 1_000, 700, 500, 350, 250, 180, 120)


def _without(value: Any, usual: Mapping[str, Any]) -> Any:
    """A copy that lacks whatever has its usual value."""
    if isinstance(value, list):
        return [_without(inner, usual) for inner in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _without(inner, usual)
        for name, inner in value.items()
        if name not in usual or inner != usual[name]
    }


def _shortened(value: Any, longest: int) -> Any:
    """A copy in which no text is longer, but for the mark of what was cut."""
    if isinstance(value, dict):
        return {name: _shortened(inner, longest) for name, inner in value.items()}
    if isinstance(value, list):
        return [_shortened(inner, longest) for inner in value]
    if isinstance(value, str) and len(value) > longest + _MARK:
        return _cut(value, longest)
    return value


def _cut(text: str, length: int) -> str:
    return f"{text[:length]}… [{len(text) - length:,} more characters]"


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copied(inner) for name, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


def _cut_texts(document: dict[str, Any], most: int, shortest: int) -> None:
    """Cuts the longest text again and again, to `shortest` characters at least."""
    excess = size(document) - most
    for _ in range(_MOST_ROUNDS):
        if excess <= 0:
            return
        where, name = max(_texts(document), key=_length, default=(None, None))
        if where is None or len(where[name]) <= shortest + _MARK:
            return
        whole = where[name]
        length = max(shortest, len(whole) - excess - _MARK)
        where[name] = _cut(whole, length)
        excess = size(document) - most


# Characters that the mark of a cut text takes.
_MARK = 32


def _length(place: Path) -> int:
    where, name = place
    return len(where[name])


def _texts(value: Any) -> Iterator[Path]:
    """(container, key) of every text inside."""
    for name, inner in _entries(value):
        if isinstance(inner, str):
            yield value, name
        else:
            yield from _texts(inner)


def _lists(value: Any) -> Iterator[list[Any]]:
    for _, inner in _entries(value):
        if isinstance(inner, list) and len(inner) > 1:
            yield inner
        yield from _lists(inner)


def _entries(value: Any) -> Sequence[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else ()


def _drop_entries(document: dict[str, Any], most: int) -> None:
    """Drops the last entries of the longest lists; every list keeps its first."""
    for _ in range(_MOST_ROUNDS):
        excess = size(document) - most
        longest = max(_lists(document), key=size, default=None)
        if excess <= 0 or longest is None:
            return
        dropped = 0
        while excess > 0 and len(longest) > 1:
            excess -= size(longest.pop()) + 1
            dropped += 1
        document["omitted"] = document.get("omitted", 0) + dropped
