"""The JSON contract: memories, hits, searches and answers of the write door as plain objects.

Whole, or concise: with only what an agent uses, whose context each word takes room in.
"""

from __future__ import annotations

from recairn.core.times import iso
from recairn.core.words import MARK_OFF, MARK_ON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from recairn.core.model import Hit, Memory, Remembered, SearchResult, Term

# What `Memory` holds that no reader has a use for.
_INTERNAL = ("decayed_at", "content_hash")
TIMES = frozenset(
    (
        "last_used_at",
        "created_at",
        "updated_at",
        "decayed_at",
        "valid_from",
        "valid_until",
        "expires_at",
        "deleted_at",
    )
)
_JSON_NAMES = {"session_id": "session"}


def memory_json(memory: Memory, names: Collection[str] | None = None) -> dict[str, Any]:
    """The memory object of the JSON contract, or some fields of it; times are ISO 8601 with Z."""
    slots: tuple[str, ...] = memory.__slots__  # type: ignore[attr-defined]
    return {
        _JSON_NAMES.get(name, name): _value(name, getattr(memory, name))
        for name in (slots if names is None else filter(names.__contains__, slots))
        if name not in _INTERNAL
    }


def _value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in TIMES:
        return iso(value)
    if name == "salience":
        return round(value, 6)  # it fades with every millisecond
    return list(value) if isinstance(value, tuple) else value


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit: first what the contract promises in its order, then the rest of the memory."""
    memory = memory_json(hit.memory)
    leading = ("id", "uid", "kind", "title", "content", "project", "category", "created_at")
    return {
        **{name: memory.pop(name) for name in leading},
        "score": hit.score,
        "match": hit.match,
        "terms": terms_json(hit.terms),
        "snippet": marked_html(hit.snippet),
        "superseded_by": successor_json(hit),
        "source_session": _with_iso(hit.source_session, "started_at"),
        "related_count": hit.related_count,
        **{name: value for name, value in memory.items() if name != "superseded_by"},
        "path": hit.path,
        "flags": list(hit.flags),
        "spans": marked_spans(hit.snippet),
        "chance": hit.chance,
        "odds": odds_json(hit),
    }


def odds_json(hit: Hit) -> dict[str, dict[str, float]] | None:
    """What the log odds of a hit add up from; null where no chance is known."""
    if hit.odds is None:
        return None
    return {name: {"value": term.value, "weight": term.weight} for name, term in hit.odds.items()}


def terms_json(terms: Mapping[str, Term]) -> dict[str, dict[str, Any]]:
    """The terms of a score; `neutral` is the value that speaks neither for nor against."""
    from recairn.ranking.signals import neutral

    return {
        name: {
            "value": term.value,
            "weight": term.weight,
            "effect": term.effect,
            "neutral": neutral(name, term.effect),
        }
        for name, term in terms.items()
    }


def successor_json(hit: Hit) -> dict[str, Any] | None:
    """What took the place of a found memory."""
    return _with_iso(hit.superseded_by, "created_at")


def _with_iso(value: Mapping[str, Any] | None, time: str) -> dict[str, Any] | None:
    return None if value is None else {**value, time: iso(value[time])}


def search_json(result: SearchResult) -> dict[str, Any]:
    """The answer of a search."""
    meta = result.meta
    return {
        "query": meta.query,
        "profile": meta.profile,
        "mode": meta.mode,
        "hits": [hit_json(hit) for hit in result.hits],
        "meta": {
            "candidates": meta.candidates,
            "returned": meta.returned,
            "duration_ms": meta.duration_ms,
            "model": meta.model,
            "weights": dict(meta.weights),
            "project": meta.project,
            "searched": meta.searched,
            "notices": list(meta.notices),
        },
    }


def remembered_json(outcome: Remembered) -> dict[str, Any]:
    """The answer of the write door."""
    return {
        "id": outcome.id,
        "uid": outcome.uid,
        "status": outcome.status,
        "similar": [
            {
                "id": similar.id,
                "uid": similar.uid,
                "title": similar.title,
                "content": similar.content,
                "similarity": similar.similarity,
                "same_name": similar.same_name,
            }
            for similar in outcome.similar
        ],
        "warnings": list(outcome.warnings),
        "conflicts": list(outcome.conflicts),
        "project": outcome.project or None,
        "tier": outcome.tier or None,
    }


def marked_html(snippet: str) -> str:
    """The snippet as HTML: text escaped first, then matched words inside <mark> and </mark>."""
    text = snippet.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    pieces = text.replace('"', "&quot;").split(MARK_ON)
    marked = [pieces[0].replace(MARK_OFF, "")]
    for piece in pieces[1:]:
        word, end, rest = piece.partition(MARK_OFF)
        marked.append(f"<mark>{word}</mark>" if end else word)
        marked.append(rest.replace(MARK_OFF, ""))
    return "".join(marked)


def marked_spans(snippet: str) -> list[dict[str, Any]]:
    """The snippet as plain text in pieces, each with whether it matched; nothing is escaped."""
    pieces = snippet.split(MARK_ON)
    spans = [(pieces[0], False)]
    for piece in pieces[1:]:
        word, end, rest = piece.partition(MARK_OFF)
        spans += [(word, bool(end)), (rest, False)]
    plain = [(text.replace(MARK_OFF, ""), mark) for text, mark in spans]
    return [{"text": text, "mark": mark} for text, mark in plain if text]


# Concise

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
# What says nothing.
_EMPTY: tuple[Any, ...] = (None, "", [], {})


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


def without_empty(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without nulls and empty values."""
    return {name: value for name, value in document.items() if value not in _EMPTY}
