"""The table of kinds: what each remembers besides its text, and what follows from the kind.

And of tiers: who sees a memory, as index tokens (a letter and digits, which stemming leaves alone).
"""

from __future__ import annotations

from zlib import crc32

from recairn.core.errors import BadInput
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


TEXT, LIST, NUMBER, FLAG = "text", "list", "number", "flag"


@record
class Kind:
    """`fields` name what this kind holds beside title and content; `sector` is its usual one.

    `named`: its title, or its text without one, is what it goes by; two of a name look alike.
    """

    fields: Mapping[str, str]
    sector: str | None = None
    importance: float = 0.5
    about: str = ""
    named: bool = False


KINDS: dict[str, Kind] = {
    "learning": Kind({}, None, 0.5, "something worth knowing next time"),
    "decision": Kind(
        {
            "rationale": TEXT,
            "alternatives": LIST,
            "outcome": TEXT,
            "lesson": TEXT,
            "type": TEXT,
            "git_commit": TEXT,
        },
        "reflective",
        0.6,
        "what was decided and why",
        named=True,
    ),
    "pattern": Kind(
        {
            "context": TEXT,
            "problem": TEXT,
            "solution": TEXT,
            "anti_pattern": FLAG,
            "symptom": TEXT,
            "risk": TEXT,
            "fix": TEXT,
            "severity": TEXT,
            "good_example": TEXT,
            "bad_example": TEXT,
            "validations": NUMBER,
        },
        "procedural",
        0.6,
        "a way of doing that works, or (anti_pattern) one that does not",
        named=True,
    ),
    "failure": Kind(
        {
            "error_type": TEXT,
            "error_message": TEXT,
            "tool": TEXT,
            "step": TEXT,
            "cause": TEXT,
            "fix": TEXT,
        },
        "episodic",
        0.5,
        "what went wrong",
    ),
    "handoff": Kind(
        {
            "next_steps": LIST,
            "blockers": LIST,
            "questions": LIST,
            "goals": LIST,
            "branch": TEXT,
            "commits": LIST,
            "files": LIST,
        },
        "episodic",
        0.6,
        "where a session stopped, for the next one",
    ),
    "observation": Kind({"source": TEXT, "status": TEXT}, "episodic", 0.4, "something noticed"),
    "preference": Kind({}, "emotional", 0.6, "how someone likes things done"),
    "rule": Kind({}, "procedural", 0.8, "a standing instruction, given wherever its scope fits"),
    "fact": Kind({}, "semantic", 0.5, "something that is the case"),
    "note": Kind(
        {"note_type": TEXT, "summary": TEXT, "key_points": LIST}, "semantic", 0.5, "a longer text"
    ),
    "entity": Kind(
        {"entity_type": TEXT, "aliases": LIST, "description": TEXT, "mentions": NUMBER},
        "semantic",
        0.5,
        "a person, system, module or concept",
    ),
    "resource": Kind(
        {
            "url": TEXT,
            "resource_type": TEXT,
            "takeaways": LIST,
            "notes": TEXT,
            "rating": NUMBER,
            "status": TEXT,
        },
        "semantic",
        0.5,
        "an article, repository, tool or page",
    ),
    "chunk": Kind(
        {
            "document": TEXT,
            "position": NUMBER,
            "heading": TEXT,
            "path": TEXT,
            "line": NUMBER,
            "end_line": NUMBER,
            "page": NUMBER,
        },
        "semantic",
        0.5,
        "a piece of a document",
    ),
}

# The words by which a question asks for all there is of a kind: "which decisions did we take".
_WORDS_OF_KINDS = {
    "learning": "learning learnings learn learned learnt lesson lessons",
    "decision": "decision decisions decide decided",
    "pattern": "pattern patterns gotcha gotchas pitfall pitfalls antipattern antipatterns"
    " practices",
    "failure": "failure failures fail failed error errors bug bugs incident incidents outage"
    " outages crash crashes crashed broke broken wrong",
    "handoff": "handoff handoffs",
    "observation": "observation observations",
    "preference": "preference preferences prefer",
    "rule": "rule rules convention conventions guideline guidelines",
    "fact": "fact facts",
    "note": "note notes",
    "entity": "entity entities",
    "resource": "resource resources",
}
KIND_WORDS = {word: kind for kind, words in _WORDS_OF_KINDS.items() for word in words.split()}

SECTORS = ("episodic", "semantic", "procedural", "emotional", "reflective")
TIERS = ("session", "project", "global")
# Confirmed by a person or an outcome; somebody else's word, which is given with their name; waiting
# for a person's review.
TRUSTS = ("verified", "attributed", "unverified")
SOURCE_TYPES = (
    "manual",
    "agent",
    "hook",
    "run",
    "compaction",
    "claude_md",
    "import",
    "document",
    "transcript",
)
RELATIONS = (
    "relates_to",
    "depends_on",
    "implements",
    "learned_from",
    "affects",
    "produces",
    "contradicts",
    "supersedes",
    "derived_from",
    "part_of",
    "summarized_by",
    "builds_on",
    "confirms",
    "applies_to",
    "alternative_to",
    "corrects",
)

# Spellings of the seed systems that mean one of ours.
_KIND_ALIASES = {
    "anti-pattern": "pattern",
    "anti_pattern": "pattern",
    "transfer": "handoff",
    "gotcha": "pattern",
    "codebase": "fact",
    "turn_summary": "observation",
    "task_completion": "observation",
    "constraint": "rule",
    "hard_constraint": "rule",
    "value": "rule",
    "personality": "preference",
    "correction": "learning",
    "blocker": "observation",
    "action": "observation",
    "document": "chunk",
}

_RELATION_ALIASES = {
    "related_to": "relates_to",
    "related": "relates_to",
    "references": "relates_to",
    "links_to": "relates_to",
    "similar_to": "relates_to",
    "consumes": "depends_on",
    "informs": "affects",
    "yields": "produces",
}


def kind_named(name: str) -> str:
    """The kind of that name or alias; BadInput listing the known ones otherwise."""
    if name in KINDS:
        return name
    word = name.strip().lower()
    word = _KIND_ALIASES.get(word, word)
    return one_of("kind", word, tuple(KINDS))


def relation_named(name: str) -> str:
    """The relation of that name in any case or seed spelling; BadInput listing the known ones."""
    word = "_".join(name.strip().lower().replace("-", " ").replace("_", " ").split())
    return one_of("relation", _RELATION_ALIASES.get(word, word), RELATIONS)


def one_of(what: str, value: str, names: tuple[str, ...]) -> str:
    """The value itself when it is known; BadInput with the nearest spelling otherwise."""
    if value in names:
        return value
    raise BadInput(f"unknown {what} {value!r}", f"{nearest(value, names)}known: {', '.join(names)}")


def nearest(word: str, names: tuple[str, ...]) -> str:
    """`did you mean X? ` for the closest known word, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}? " if close else ""


def checked_fields(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as this kind stores them; BadInput for unknown names and wrong types."""
    own = KINDS[kind].fields
    if not hasattr(fields, "items"):
        raise BadInput(f"fields must be a mapping of names to values, got {type(fields).__name__}")
    kept: dict[str, Any] = {}
    for name, value in fields.items():
        wanted = own.get(name)
        if wanted is None:
            from recairn.core.words import with_article

            listing = f"its fields: {', '.join(own)}" if own else "it has no fields of its own"
            raise BadInput(
                f"{with_article(kind)} has no field {name!r}",
                f"{nearest(name, tuple(own))}{listing}",
            )
        if value is None or value == "" or value == []:
            continue
        kept[name] = _coerced(kind, name, wanted, value)
    return kept


def _coerced(kind: str, name: str, wanted: str, value: Any) -> Any:
    if wanted == TEXT and isinstance(value, str | int | float):
        return str(value)
    if wanted == LIST and isinstance(value, str):
        return [value]
    if wanted == LIST and isinstance(value, list | tuple):
        return [item if isinstance(item, str) else str(item) for item in value]
    if wanted == FLAG and isinstance(value, bool):
        return value
    if wanted == NUMBER and isinstance(value, int | float) and not isinstance(value, bool):
        if value != value or value in (float("inf"), float("-inf")):
            raise BadInput(f"{kind}.{name} must be a finite number")
        return value
    raise BadInput(f"{kind}.{name} must be {_WORDS[wanted]}, got {type(value).__name__}")


_WORDS = {TEXT: "text", LIST: "a list of texts", FLAG: "true or false", NUMBER: "a number"}


# Fields of a chunk that add no words: a uid, and headings that are its title already.
_UNSAID = ("document", "heading")


def fields_text(fields: Mapping[str, Any]) -> str:
    """The words inside a kind's fields, for the full-text index and the embedder."""
    lines = []
    for name, value in fields.items():
        if name in _UNSAID:
            continue
        if isinstance(value, str):
            lines.append(value)
        elif isinstance(value, list):
            lines.extend(value)
    return "\n".join(lines)


EVERYONE = "everyone0"


def project_token(project: str) -> str:
    return f"p{crc32(project.encode())}"


def session_token(session: str) -> str:
    return f"s{crc32(session.encode())}"


def reach_tokens(tier: str, project: str, session: str | None) -> str:
    """The token of those who see a memory of this tier."""
    if tier == "global":
        return EVERYONE
    if tier == "session" and session:
        return session_token(session)
    return project_token(project)


def visible_tokens(project: str, session: str | None, parent: str | None = None) -> list[str]:
    """The tokens a search in this project, a part of that parent, (and session) may see."""
    seen = [project_token(project), EVERYONE]
    if parent is not None:
        seen.append(project_token(parent))
    if session:
        seen.append(session_token(session))
    return seen
