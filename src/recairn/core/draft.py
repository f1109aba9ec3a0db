"""From a draft to a clean row: normalise, limit, redact, classify. Pure; the store comes later."""

from __future__ import annotations

from recairn.core.author import UNKNOWN
from recairn.core.derived import ALONE, derived, guess_sector, text_keys
from recairn.core.errors import BadInput
from recairn.core.guard import clean_text
from recairn.core.guard.redaction import redact_secrets
from recairn.core.ids import new_uid
from recairn.core.kinds import (
    KINDS,
    SECTORS,
    SOURCE_TYPES,
    TIERS,
    TRUSTS,
    checked_fields,
    fields_text,
    kind_named,
    one_of,
    reach_tokens,
)
from recairn.core.memory_text import joined_text, without_blocks
from recairn.core.record import Row
from recairn.core.times import check, date_words
from recairn.core.words import counted, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.author import Writer
    from recairn.core.model import Draft

# Characters. A memory is a thought, not a file: documents have their own way in.
MAX_CONTENT = 100_000
MAX_TITLE = 500
MAX_NAME = 200
MAX_REFERENCE = 1000
MAX_KEYWORDS = 50

# Clean names known by heart: categories and projects come again and again.
_MANY_NAMES = 1000
_known_names: set[str] = set()

# What nobody wrote down on purpose stays unverified until a person or an outcome confirms it.
_UNVERIFIED_SOURCES = ("hook", "run")
# Roles of authors at work here and now.
_SUGGESTING = ("agent", "hook")


class Prepared(Row):
    """A clean row, the text it stands for, its look-alike keys, and what to tell the writer."""

    row: dict[str, Any]
    text: str
    keys: list[int]
    warnings: tuple[str, ...]


class Cleaner:
    """Cleans and redacts every text on its way in, and remembers which secrets it met."""

    __slots__ = ("_allow", "blocks", "secrets")

    def __init__(self, allow: Sequence[str] = ()) -> None:
        self._allow = allow
        self.blocks = 0
        self.secrets: list[str] = []

    def text(self, what: str, value: Any, longest: int = MAX_CONTENT) -> str:
        if not isinstance(value, str):
            raise BadInput(f"{what} must be text, got {type(value).__name__}")
        if len(value) > longest:
            raise BadInput(
                f"{what} has {len(value):,} characters, {longest:,} at most",
                "shorten it, or split it into several memories"
                if what == "content"
                else "shorten it",
            )
        # One line of printable ASCII is clean as it is.
        text = value if value.isascii() and value.isprintable() else clean_text(value)
        if "<" in text:
            text, blocks = without_blocks(text)
            self.blocks += blocks
        text, secrets = redact_secrets(text, self._allow)
        self.secrets += secrets
        return text.strip()

    def name(self, what: str, value: Any, longest: int = MAX_NAME) -> str:
        """A short text on one line."""
        if not value:
            return ""
        if isinstance(value, str) and value in _known_names and len(value) <= longest:
            return value
        clean = " ".join(self.text(what, value, longest).split())
        plain = clean == value and len(clean) <= MAX_NAME and not self._allow
        if plain and len(_known_names) < _MANY_NAMES:
            _known_names.add(clean)
        return clean

    def names(self, what: str, values: Any) -> tuple[str, ...]:
        listed = [values] if isinstance(values, str) else list(values or ())
        if len(listed) > MAX_KEYWORDS:
            raise BadInput(f"{len(listed)} {what}s, {MAX_KEYWORDS} at most")
        return tuple(dict.fromkeys(filter(None, [self.name(what, name) for name in listed])))

    def fields(self, kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The kind's own fields, each checked and cleaned."""
        fields: dict[str, Any] = {}
        for name, value in checked_fields(kind, values).items():
            if isinstance(value, str):
                fields[name] = self.text(name, value)
            elif isinstance(value, list):
                fields[name] = [self.text(name, text) for text in value]
            else:
                fields[name] = value
        details = len(fields_text(fields))
        if details > MAX_CONTENT:
            raise BadInput(f"the fields hold {details:,} characters, {MAX_CONTENT:,} at most")
        return fields

    def warnings(self) -> tuple[str, ...]:
        said: list[str] = []
        if self.secrets:
            kinds = ", ".join(dict.fromkeys(self.secrets))
            said.append(f"redacted {counted(len(self.secrets), 'secret')} ({kinds})")
        if self.blocks:
            said.append(f"left out {counted(self.blocks, 'block')} of recairn's own")
        return tuple(said)


def prepare(
    draft: Draft,
    *,
    writer: Writer = UNKNOWN,
    project: str,
    session: str | None,
    allow: Sequence[str],
    now: int,
) -> Prepared:
    """The row a draft becomes; `project` and `session` are what it inherits. Raises BadInput."""
    clean = Cleaner(allow)
    kind = draft.kind if draft.kind in KINDS else kind_named(draft.kind)
    content = clean.text("content", draft.content)
    if not content and clean.blocks:
        raise BadInput(
            "there is nothing new to remember: recairn itself handed this out",
            "give what was learned from it",
        )
    if not content:
        raise BadInput("there is nothing to remember: the content is empty", "give some text")
    title = clean.name("title", draft.title, MAX_TITLE)
    fields = clean.fields(kind, draft.fields) if draft.fields else {}
    details = fields_text(fields) if fields else ""
    text = joined_text(title, content, details) if title or details else content
    text_words = words(text)
    row = {
        "kind": kind,
        "title": title,
        "content": content,
        "fields": fields,
        "details": details,
        **derived(text, text_words),
        "category": clean.name("category", draft.category),
        "keywords": clean.names("keyword", draft.keywords) if draft.keywords else (),
        "scope": clean.name("scope", draft.scope),
        "branch": clean.name("branch", draft.branch),
        "source_ref": clean.name("source ref", draft.source_ref, MAX_REFERENCE),
        "author": writer.author,
        "external_id": clean.name("external id", draft.external_id) or None,
        **_standing(draft, kind, text_words, writer),
        **_times(draft, now),
        **_belonging(draft, clean, project, session),
    }
    if draft.private is not None:
        row["private"] = draft.private
    warnings = clean.warnings() if clean.secrets or clean.blocks else ()
    if kind == "rule" and not writer.is_own and writer.author.startswith(_SUGGESTING):
        row, warnings = _as_suggestion(row), (*warnings, *_suggesting(row))
    keys = text_keys(text_words, row) if kind != ALONE else []
    return Prepared._make((row, text, keys, warnings))


def unit(what: str, value: float | None, usual: float) -> float:
    """A number in 0..1, the usual one when none was given."""
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise BadInput(f"{what} must lie between 0 and 1, got {value!r}")
    return float(value)


def check_span(begins: int, ends: int | None) -> None:
    """BadInput for a validity that ends before it begins."""
    if ends is not None and ends < begins:
        raise BadInput("the memory would end before it begins", "check valid_from and valid_until")


def _as_suggestion(row: dict[str, Any]) -> dict[str, Any]:
    """A rule that an agent made: it does not stand out, nor hold everywhere.

    What a file says of a rule it brings a person sees when they review it.
    """
    rises = row["tier"] == "global" and row["project"]
    tier = "project" if rises else row["tier"]
    reach = reach_tokens(tier, row["project"], row["session_id"])
    return {**row, "tier": tier, "reach": reach, "pinned": 0, "immutable": 0}


def _suggesting(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What an agent is told of a rule it makes."""
    if not row["author"].startswith("agent"):
        return ()
    return (
        "an agent's rule is a suggestion, and marked so, until a person accepts it: recairn review",
    )


def _standing(draft: Draft, kind: str, text_words: Sequence[str], writer: Writer) -> dict[str, Any]:
    """How much a memory counts, by what the draft says or what is usual for its kind."""
    usual = KINDS[kind]
    sector = one_of("sector", draft.sector, SECTORS) if draft.sector else usual.sector
    source = draft.source_type
    if source not in SOURCE_TYPES:
        source = one_of("source type", source, SOURCE_TYPES)
    trust = "unverified" if source in _UNVERIFIED_SOURCES else "verified"
    trust = one_of("trust", draft.trust, TRUSTS) if draft.trust else trust
    if trust != "unverified" and not writer.is_own:
        trust = "unverified" if kind == "rule" else "attributed"
    return {
        "sector": sector or guess_sector(text_words),
        "importance": unit("importance", draft.importance, usual.importance),
        "confidence": unit("confidence", draft.confidence, 0.5),
        "pinned": int(draft.pinned),
        "immutable": int(draft.immutable),
        "source_type": source,
        "trust": trust,
    }


def _times(draft: Draft, now: int) -> dict[str, Any]:
    created = now if draft.created_at is None else check(draft.created_at)
    begins = created if draft.valid_from is None else check(draft.valid_from)
    ends = None if draft.valid_until is None else check(draft.valid_until)
    check_span(begins, ends)
    return {
        "uid": new_uid(created),
        "created_at": created,
        "dates": date_words(created),
        "updated_at": now,
        "valid_from": begins,
        "valid_until": ends,
        "superseded_by": None,
        "expires_at": None if draft.expires_at is None else check(draft.expires_at),
        "deleted_at": None,
    }


def _belonging(draft: Draft, clean: Cleaner, project: str, session: str | None) -> dict[str, Any]:
    """Whose memory it is, and who sees it. Outside any project it belongs to all of them."""
    if draft.project is not None:
        project = clean.name("project", draft.project)
    session = clean.name("session", draft.session or session) or None
    tier = one_of("tier", draft.tier, TIERS) if draft.tier else "project" if project else "global"
    if tier == "session" and session is None:
        raise BadInput("a memory of the session tier needs a session", "name it with --session ID")
    return {
        "project": project,
        "tier": tier,
        "reach": reach_tokens(tier, project, session),
        "session_id": session,
    }
