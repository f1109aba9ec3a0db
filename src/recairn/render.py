"""Hits, memories and events as text, JSON and Markdown; every surface shows them through here.

Pure functions. Text carries private-use characters where a style begins and ends; a terminal turns
them into colour, `without_marks` removes them. Making text safe to print is the printer's duty.
"""

from __future__ import annotations

from recairn.model import Term, total
from recairn.text import one_line
from recairn.times import age, iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.model import Event, Hit, Memory, Remembered, SearchResult

# The store marks matched words in snippets with the first and the last of these.
HIT_ON, HIT_OFF = "\ue000", "\ue001"
STYLE_MARKS = {"hit": HIT_ON, "bold": "\ue010", "dim": "\ue011", "name": "\ue012", "end": HIT_OFF}
_NO_MARKS = {ord(mark): None for mark in STYLE_MARKS.values()}

# Characters of a memory that a list shows; `show` has the rest.
PREVIEW = 200
_CHANGE_PREVIEW = 100
_INDENT = "      "

# What `Memory` holds that no reader has a use for.
_INTERNAL = ("decayed_at", "content_hash")
_TIMES = (
    "last_used_at",
    "created_at",
    "updated_at",
    "decayed_at",
    "valid_from",
    "valid_until",
    "expires_at",
    "deleted_at",
)
# Columns that follow from others: a change of them is not a change anyone made.
_DERIVED = ("details", "concepts", "idents", "reach", "content_hash", "updated_at", "decayed_at")


def styled(text: str, style: str) -> str:
    return f"{STYLE_MARKS[style]}{text}{HIT_OFF}"


def without_marks(text: str) -> str:
    """The text without style marks."""
    return text.translate(_NO_MARKS)


# JSON


def memory_json(memory: Memory) -> dict[str, Any]:
    """The memory object of the JSON contract; times are ISO 8601 with Z."""
    return {
        _JSON_NAMES.get(name, name): _value(name, getattr(memory, name))
        for name in memory.__slots__  # type: ignore[attr-defined]
        if name not in _INTERNAL
    }


_JSON_NAMES = {"session_id": "session"}


def _value(name: str, value: Any) -> Any:
    if name in _TIMES:
        return iso(value)
    return list(value) if isinstance(value, tuple) else value


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit: first what the contract promises in its order, then the rest of the memory."""
    memory = memory_json(hit.memory)
    leading = ("id", "uid", "kind", "title", "content", "project", "category", "created_at")
    return {
        **{name: memory.pop(name) for name in leading},
        "score": hit.score,
        "match": hit.match,
        "terms": {
            name: {"value": term.value, "weight": term.weight, "effect": term.effect}
            for name, term in hit.terms.items()
        },
        "snippet": marked_html(hit.snippet),
        "superseded_by": _with_iso(hit.superseded_by, "created_at"),
        "source_session": _with_iso(hit.source_session, "started_at"),
        "related_count": hit.related_count,
        **{name: value for name, value in memory.items() if name != "superseded_by"},
    }


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
                "id": each.id,
                "uid": each.uid,
                "title": each.title,
                "content": each.content,
                "similarity": each.similarity,
            }
            for each in outcome.similar
        ],
        "warnings": list(outcome.warnings),
    }


def event_json(event: Event) -> dict[str, Any]:
    """A change: what it was, and each field it moved, before and after."""
    return {
        "id": event.id,
        "at": iso(event.at),
        "event": event.event,
        "reason": event.reason,
        "changes": {
            name: {"before": before, "after": after} for name, before, after in changes(event)
        },
        "session": event.session_id,
        "undo_of": event.undo_of,
    }


def changes(event: Event) -> list[tuple[str, Any, Any]]:
    """(field, before, after) of what an event changed, without what merely follows from it."""
    names = [name for name in {**event.before, **event.after} if name not in _DERIVED]
    return [
        (name, _stored(name, event.before.get(name)), _stored(name, event.after.get(name)))
        for name in names
    ]


def _stored(name: str, value: Any) -> Any:
    """A value as its column holds it, made readable."""
    if name in _TIMES:
        return iso(value)
    if name in ("fields", "keywords") and isinstance(value, str):
        from json import loads

        return loads(value) if value else None
    return bool(value) if name in ("pinned", "immutable") else value


def marked_html(snippet: str) -> str:
    """The snippet as HTML: text escaped first, then matched words inside <mark> and </mark>."""
    text = snippet.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    pieces = text.replace('"', "&quot;").split(HIT_ON)
    marked = [pieces[0].replace(HIT_OFF, "")]
    for piece in pieces[1:]:
        word, end, rest = piece.partition(HIT_OFF)
        marked.append(f"<mark>{word}</mark>" if end else word)
        marked.append(rest.replace(HIT_OFF, ""))
    return "".join(marked)


# Text


def memories(count: int) -> str:
    """`1 memory`, `2 memories`."""
    return f"{count:,} memor{'y' if count == 1 else 'ies'}"


def percent(score: float) -> str:
    return f"{round(100 * min(1.0, score))}%"


def headline(memory: Memory, length: int = PREVIEW) -> str:
    """`[category] text` on one line."""
    said = memory.content
    if memory.title and not said.startswith(memory.title):
        said = f"{memory.title}: {said}"
    category = f"[{one_line(memory.category, PREVIEW)}] " if memory.category else ""
    return category + one_line(without_marks(said), length)


def kind_name(memory: Memory) -> str:
    return "anti-pattern" if memory.fields.get("anti_pattern") else memory.kind


def circumstances(memory: Memory, now: int, project: str | None) -> str:
    """`decision, 3 days ago, ...`: what a reader must know before believing the text."""
    parts = [kind_name(memory), age(memory.created_at, now)]
    if memory.tier == "global":
        parts.append("global")
    elif memory.project and memory.project != project:
        parts.append(f"project {one_line(memory.project, PREVIEW)}")
    if memory.superseded_by is not None:
        parts.append(f"superseded by #{memory.superseded_by}")
    if memory.trust == "unverified":
        parts.append("unverified")
    if memory.deleted_at is not None:
        parts.append("forgotten")
    elif memory.expires_at is not None and memory.expires_at <= now:
        parts.append("expired")
    return ", ".join(parts)


def hit_text(hit: Hit, *, now: int, project: str | None, full: bool = False) -> str:
    """`[92%] #42 [database] text`, its circumstances, and the place where it matched."""
    first = f"{styled(f'[{percent(hit.score)}]', 'bold')} {styled(f'#{hit.id}', 'name')} "
    shown = headline(hit.memory)
    snippet = " ".join(hit.snippet.split())
    found = without_marks(snippet).strip("…")
    extra = ""
    if found and found in shown:
        shown = shown.replace(found, snippet.strip("…"), 1)
    elif HIT_ON in snippet:
        extra = f"{_INDENT}{snippet}\n"
    lines = f"{first}{shown}\n"
    lines += f"{_INDENT}{styled(circumstances(hit.memory, now, project), 'dim')}\n"
    if not full:
        return lines + extra
    return lines + indented(without_marks(hit.memory.content), _INDENT) + "\n"


def results_text(result: SearchResult, *, now: int, full: bool = False) -> str:
    """All hits under a line that counts them."""
    count = len(result.hits)
    project = result.meta.project
    hits = [hit_text(hit, now=now, project=project, full=full) for hit in result.hits]
    return f"{count} result{'s' * (count != 1)}:\n\n" + ("\n" if full else "").join(hits)


def listing_text(
    found: Sequence[Memory], *, now: int, project: str | None, full: bool = False
) -> str:
    """One entry for each memory: `#42 [database] text` and its circumstances."""
    entries = []
    for memory in found:
        entry = f"{styled(f'#{memory.id}', 'name')} {headline(memory)}\n"
        entry += f"{_INDENT}{styled(circumstances(memory, now, project), 'dim')}\n"
        if full:
            entry += indented(without_marks(memory.content), _INDENT) + "\n"
        entries.append(entry)
    return ("\n" if full else "").join(entries)


def memory_text(memory: Memory, *, now: int) -> str:
    """A memory whole, a line for everything that is known about it."""
    lines = [styled(f"{kind_name(memory).capitalize()} #{memory.id}", "bold")]
    for label, value in _details(memory, now):
        if isinstance(value, list):
            lines.append(f"  {label}:")
            lines += [
                f"    - {indented(without_marks(str(item)), '      ').lstrip()}" for item in value
            ]
        else:
            shown = indented(without_marks(value), " " * (len(label) + 4)).lstrip()
            lines.append(f"  {label}: {shown}")
    return "\n".join(lines) + "\n"


def _details(memory: Memory, now: int) -> list[tuple[str, Any]]:
    source = memory.source_type + (f" ({memory.source_ref})" if memory.source_ref else "")
    listed: list[tuple[str, Any]] = [
        ("Title", memory.title),
        ("Content", memory.content),
        *((_label(name), _field(value)) for name, value in memory.fields.items()),
        ("Category", memory.category),
        ("Keywords", ", ".join(memory.keywords)),
        ("Project", memory.project),
        ("Tier", memory.tier),
        ("Sector", memory.sector),
        ("Scope", memory.scope),
        ("Source", source),
        ("External ID", memory.external_id),
        ("Session", memory.session_id),
        ("Trust", "unverified" if memory.trust == "unverified" else ""),
        ("Created", iso(memory.created_at)),
        ("Updated", iso(memory.updated_at) if memory.updated_at != memory.created_at else ""),
        ("Usage Count", str(memory.usage_count)),
        ("Outcome Score", "" if memory.outcome_score is None else percent(memory.outcome_score)),
        ("Pinned", "yes" if memory.pinned else ""),
        ("Immutable", "yes" if memory.immutable else ""),
        *_endings(memory, now),
    ]
    return [(label, value) for label, value in listed if value]


def _endings(memory: Memory, now: int) -> list[tuple[str, str]]:
    found = []
    if memory.superseded_by is not None:
        found.append(("Superseded", f"by #{memory.superseded_by}, {iso(memory.valid_until)}"))
    elif memory.valid_until is not None:
        found.append(("Valid Until", f"{iso(memory.valid_until)}"))
    if memory.expires_at is not None:
        label = "Expired" if memory.expires_at <= now else "Expires"
        found.append((label, f"{iso(memory.expires_at)}"))
    if memory.deleted_at is not None:
        way_back = f"(recairn restore {memory.id} brings it back)"
        found.append(("Forgotten", f"{iso(memory.deleted_at)} {way_back}"))
    return found


def _label(name: str) -> str:
    return name.replace("_", " ").title()


def _field(value: Any) -> Any:
    if isinstance(value, list):
        return value
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def indented(text: str, indent: str) -> str:
    """Every line of the text behind the indent."""
    return "\n".join(f"{indent}{line}".rstrip() for line in text.split("\n"))


def term_rows(terms: Mapping[str, Term]) -> list[tuple[str, str, str, str, str]]:
    """(signal, value, weight, effect, contribution) of each term, as text."""
    return [
        (name, f"{term.value:.4f}", f"{term.weight:g}", term.effect, _contribution(term))
        for name, term in terms.items()
    ]


def _contribution(term: Term) -> str:
    if term.effect == "add":
        return f"+{term.weight * term.value:.4f}"
    return f"*{_factor(term):.4f}"


def _factor(term: Term) -> float:
    return total({"one": Term(1.0, 1.0), "factor": term})


def formula(terms: Mapping[str, Term]) -> str:
    """`score 0.2838 = 0.2677 * 1.0500 * 0.9800`; factors of 1 are left out."""
    added = [f"{term.weight * term.value:.4f}" for term in terms.values() if term.effect == "add"]
    parts = [added[0] if len(added) == 1 else f"({' + '.join(added)})"] if added else ["0"]
    factors = [f"{_factor(term):.4f}" for term in terms.values() if term.effect != "add"]
    parts += [factor for factor in factors if factor != "1.0000"]
    return f"score {total(terms):.4f} = {' * '.join(parts)}"


def event_text(event: Event) -> str:
    """One change: when, what, why, and each field before and after."""
    why = f" ({event.reason})" if event.reason else ""
    lines = [f"{iso(event.at)}  {styled(event.event, 'bold')}{why}"]
    for name, before, after in changes(event):
        lines.append(f"    {name}: {_short(before)} -> {_short(after)}")
    return "\n".join(lines) + "\n"


def _short(value: Any) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        value = ", ".join(f"{name}={item}" for name, item in value.items())
    if isinstance(value, list):
        value = ", ".join(str(item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(without_marks(str(value)), _CHANGE_PREVIEW)


def columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Plain aligned columns; those whose cells are all numbers stand to the right."""
    every = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(without_marks(row[i])) for row in every) for i in range(len(head))]
    right = [bool(rows) and all(_is_number(row[i]) for row in rows) for i in range(len(head))]
    lines = []
    for row in every:
        cells = [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def _is_number(cell: str) -> bool:
    return cell.lstrip("+*-").replace(".", "", 1).replace(",", "").isdigit()


# Markdown


def listing_markdown(found: Sequence[Memory]) -> str:
    """A bullet for each memory, as an agent's context file holds them."""
    return "".join(f"- {headline(memory)} (#{memory.id})\n" for memory in found)


def memory_markdown(memory: Memory, *, now: int) -> str:
    """A memory under its own heading."""
    lines = [f"## {kind_name(memory).capitalize()} #{memory.id}", "", memory.content.strip(), ""]
    for label, value in _details(memory, now):
        if label == "Content":
            continue
        shown = "; ".join(map(str, value)) if isinstance(value, list) else " ".join(value.split())
        lines.append(f"- {label}: {shown}")
    return without_marks("\n".join(lines)) + "\n"
