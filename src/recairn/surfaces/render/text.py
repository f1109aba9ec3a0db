"""Memories and hits as text for people, with marks for styles that a surface colours or drops."""

from __future__ import annotations

from recairn.core.memory_text import kind_name
from recairn.core.times import age, iso
from recairn.core.words import FIELD_MARK, MARK_OFF, MARK_ON, counted, one_line, with_article

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Hit, Memory, Remembered, SearchResult


# Snippets arrive with the first and the last of these around the words that matched.
STYLE_MARKS = {"hit": MARK_ON, "bold": "\ue010", "dim": "\ue011", "name": "\ue012", "end": MARK_OFF}
_NO_MARKS = {ord(mark): None for mark in STYLE_MARKS.values()}


def styled(text: str, style: str) -> str:
    return f"{STYLE_MARKS[style]}{text}{MARK_OFF}"


def without_marks(text: str) -> str:
    """The text without style marks."""
    return text.translate(_NO_MARKS)


# Characters of a memory that a list shows; `show` has the rest.
PREVIEW = 200
# Authors that need no word: the person, whom nobody noted, and files that are named anyway.
_UNREMARKABLE = ("", "person", "document")
_INDENT = "      "


def memories(count: int) -> str:
    """`1 memory`, `2 memories`."""
    return counted(count, "memory")


def percent(score: float) -> str:
    return f"{round(100 * min(1.0, score))}%"


def whereabouts(record: Memory | Remembered) -> str:
    """Where something went, and so who sees it."""
    if record.tier == "global":
        return "for all projects"
    if record.tier == "session":
        return "for its session"
    return f"to project {record.project}"


def headline(memory: Memory, length: int = PREVIEW) -> str:
    """`[category] text` on one line."""
    text = memory.content
    if memory.title and not text.startswith(memory.title):
        text = f"{memory.title}: {text}"
    category = f"[{one_line(memory.category, PREVIEW)}] " if memory.category else ""
    return category + one_line(without_marks(text), length)


def place_of(memory: Memory) -> str:
    """`docs/mirror.md:12`: where a piece of a document stands; empty for other memories."""
    fields = memory.fields
    path = fields.get("path") if memory.kind == "chunk" else None
    if not path:
        return ""
    place = one_line(without_marks(str(path)), PREVIEW)
    if fields.get("page"):
        return f"{place} page {fields['page']}"
    return f"{place}:{fields['line']}" if fields.get("line") else place


def circumstances(memory: Memory, now: int, project: str | None) -> str:
    """`decision, 3 days ago, ...`: what a reader must know before believing the text."""
    place = place_of(memory)
    parts = [place] if place else [kind_name(memory), age(memory.created_at, now)]
    if memory.tier == "global":
        parts.append("global")
    elif memory.project and memory.project != project:
        parts.append(f"project {one_line(memory.project, PREVIEW)}")
    if memory.author not in _UNREMARKABLE:
        parts.append(written_by(memory.author))
    return ", ".join([*parts, *doubts(memory, now)])


def written_by(author: str) -> str:
    """Whose word it is, where it is not the person's own: `by codex`, `from a repository`."""
    from recairn.core.author import AGENT, MEMBER, POLICY, role_of, short_name

    name = one_line(without_marks(short_name(author)), PREVIEW)
    if role_of(author) == AGENT:
        return f"by {name}" if name != AGENT else "by an agent"
    if role_of(author) == POLICY:
        return name
    if role_of(author) == MEMBER:
        return f"from {name}"
    return f"from {with_article(name)}"


def doubts(memory: Memory, now: int) -> list[str]:
    """Why a memory may not be believed, or no longer."""
    notes = []
    if memory.superseded_by is not None:
        notes.append(f"superseded by #{memory.superseded_by}")
    if memory.trust == "unverified":
        notes.append("unverified")
    if memory.deleted_at is not None:
        notes.append("forgotten")
    elif memory.expires_at is not None and memory.expires_at <= now:
        notes.append("expired")
    if memory.stale:
        notes.append(f"may be stale: {one_line(without_marks(memory.stale), PREVIEW)}")
    return notes


def hit_text(hit: Hit, *, now: int, project: str | None, full: bool = False) -> str:
    """`[92%] #42 [database] text`, its circumstances, the way to it, and where it matched."""
    # What was listed for its time or kind was compared with nothing: no percentage.
    sure = "" if hit.match == "listed" else f"{styled(f'[{percent(hit.shown)}]', 'bold')} "
    first = f"{sure}{styled(f'#{hit.id}', 'name')} "
    of_document = hit.memory.kind == "chunk"
    shown = headline(hit.memory)
    if of_document:
        title = hit.memory.title or f"said by the {hit.memory.fields.get('heading', '')}"
        shown = one_line(without_marks(title), PREVIEW)
    # The lines of a document stay lines: code on one line is no code.
    extra = indented(hit.snippet, _INDENT) + "\n" if of_document and hit.snippet else ""
    for piece in () if of_document else _pieces(hit):
        words = without_marks(piece).strip("…")
        if MARK_ON in piece and words in shown:
            shown = shown.replace(words, piece.strip("…"), 1)
        elif MARK_ON in piece:
            extra += f"{_INDENT}{piece}\n"
    lines = f"{first}{shown}\n"
    situation = circumstances(hit.memory, now, project)
    about = ", ".join([situation, *(flag for flag in hit.flags if flag not in situation)])
    lines += f"{_INDENT}{styled(about, 'dim')}\n"
    lines += f"{_INDENT}{without_marks(hit.path)}\n" if hit.path else ""
    if not full:
        return lines + extra
    return lines + indented(without_marks(hit.memory.content), _INDENT) + "\n"


def _pieces(hit: Hit) -> tuple[str, ...]:
    """The snippet; in two where it begins with the whole content and goes on into the fields."""
    snippet = " ".join(hit.snippet.split())
    content = " ".join(without_marks(hit.memory.content).split())
    if not without_marks(snippet).startswith(content):
        return (snippet,)
    end = len(content)
    for position, letter in enumerate(snippet):
        if letter in (MARK_ON, MARK_OFF):
            end += 1
        elif position >= end:
            return snippet[:position].rstrip(), snippet[position:].removeprefix(FIELD_MARK)
    return (snippet,)


def hits_text(result: SearchResult, *, now: int, full: bool = False) -> str:
    """All hits under a line that counts them."""
    project = result.meta.project
    hits = [hit_text(hit, now=now, project=project, full=full) for hit in result.hits]
    return f"{counted(len(hits), 'hit')}:\n\n" + ("\n" if full else "").join(hits)


def listing_text(
    page: Sequence[Memory], *, now: int, project: str | None, full: bool = False
) -> str:
    """One entry for each memory: `#42 [database] text` and its circumstances."""
    entries = []
    for memory in page:
        entry = f"{styled(f'#{memory.id}', 'name')} {headline(memory)}\n"
        entry += f"{_INDENT}{styled(circumstances(memory, now, project), 'dim')}\n"
        if full:
            entry += indented(without_marks(memory.content), _INDENT) + "\n"
        entries.append(entry)
    return ("\n" if full else "").join(entries)


def memory_text(memory: Memory, *, now: int) -> str:
    """A memory whole, a line for everything that is known about it."""
    lines = [styled(f"{kind_name(memory).capitalize()} #{memory.id}", "bold")]
    for label, value in details(memory, now):
        if isinstance(value, list):
            lines.append(f"  {label}:")
            lines += [
                f"    - {indented(without_marks(str(item)), '      ').lstrip()}" for item in value
            ]
        else:
            shown = indented(without_marks(value), " " * (len(label) + 4)).lstrip()
            lines.append(f"  {label}: {shown}")
    return "\n".join(lines) + "\n"


def details(memory: Memory, now: int) -> list[tuple[str, Any]]:
    """(label, value) of everything known about a memory that is worth a line."""
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
        ("Branch", memory.branch),
        ("Source", source),
        ("Author", memory.author),
        ("External ID", memory.external_id),
        ("Session", memory.session_id),
        ("Trust", "unverified" if memory.trust == "unverified" else ""),
        ("May Be Stale", memory.stale),
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
    endings = []
    if memory.superseded_by is not None:
        endings.append(("Superseded", f"by #{memory.superseded_by}, {iso(memory.valid_until)}"))
    elif memory.valid_until is not None:
        endings.append(("Valid Until", f"{iso(memory.valid_until)}"))
    if memory.expires_at is not None:
        label = "Expired" if memory.expires_at <= now else "Expires"
        endings.append((label, f"{iso(memory.expires_at)}"))
    if memory.deleted_at is not None:
        way_back = f"(recairn restore {memory.id} brings it back)"
        endings.append(("Forgotten", f"{iso(memory.deleted_at)} {way_back}"))
    return endings


def _label(name: str) -> str:
    return name.replace("_", " ").title()


def _field(value: Any) -> Any:
    if isinstance(value, list):
        return value
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def indented(text: str, indent: str) -> str:
    """Every line of the text behind the indent."""
    return "\n".join(f"{indent}{line}".rstrip() for line in text.split("\n"))
