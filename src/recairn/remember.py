"""The write door. Everything that is remembered comes through here, and leaves it clean.

Normalise, limit, redact and classify (pure), then one transaction: duplicate and contradiction
check, row, indexes, edges, session link, history.
"""

from __future__ import annotations

from recairn.classify import concepts, guess_sector
from recairn.errors import BadInput, NotFound
from recairn.guard import clean_text, redact
from recairn.ids import new_uid
from recairn.kinds import (
    KINDS,
    SECTORS,
    SOURCE_TYPES,
    TIERS,
    TRUSTS,
    checked_fields,
    fields_text,
    kind_named,
    one_of,
)
from recairn.model import Event, Remembered, Similar
from recairn.reach import reach_tokens
from recairn.record import record
from recairn.similarity import (
    NEAR_DUPLICATE,
    contradiction,
    look_alike_keys,
    near_duplicate,
    subject_words,
)
from recairn.text import identifier_words, normalised, one_line, words
from recairn.times import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.model import Draft, Memory
    from recairn.store.base import Store

# Characters. A memory is a thought, not a file: documents have their own way in.
MAX_CONTENT = 100_000
MAX_TITLE = 500
MAX_NAME = 200
MAX_KEYWORDS = 50

# How many look-alikes are compared word by word; they come most-shared first.
_CANDIDATES = 12
_SHOWN_SIMILAR = 3
# ccmemory: remembering something again moves its salience this share of the way to 1.
REINFORCEMENT = 0.1
# What nobody wrote down on purpose stays unverified until a person or an outcome confirms it.
_UNVERIFIED_SOURCES = ("hook", "run")


@record
class Door:
    """How to treat a draft: what it inherits, and what happens to look-alikes.

    `on_similar` is ask (write nothing, report), reinforce (strengthen the known one) or add.
    """

    project: str
    session: str | None = None
    allow: Sequence[str] = ()
    on_similar: str = "ask"
    supersede: int | None = None
    merge: int | None = None


@record
class Prepared:
    """A clean row, ready for the store."""

    row: dict[str, Any]
    text: str
    keys: list[int]
    warnings: tuple[str, ...]


def prepare(draft: Draft, door: Door, now: int) -> Prepared:
    """The row a draft becomes: cleaned, limited, redacted, classified. Raises BadInput."""
    kind = kind_named(draft.kind)
    secrets: list[str] = []

    def clean(what: str, text: str, longest: int) -> str:
        return _cleaned(what, text, longest, door.allow, secrets)

    content = clean("content", draft.content, MAX_CONTENT)
    if not content:
        raise BadInput("there is nothing to remember: the content is empty", "give some text")
    title = " ".join(clean("title", draft.title, MAX_TITLE).split()) if draft.title else ""
    fields, details = _fields(draft, kind, clean)
    text = "\n".join(part for part in (title, content, details) if part)
    found = words(text)
    project = clean("project", draft.project, MAX_NAME) if draft.project else door.project
    session = draft.session or door.session
    tier = one_of("tier", draft.tier, TIERS) if draft.tier else _default_tier(project)
    usual = KINDS[kind]
    sector = one_of("sector", draft.sector, SECTORS) if draft.sector else usual.sector
    created = now if draft.created_at is None else check(draft.created_at)
    row = {
        "uid": new_uid(created),
        "kind": kind,
        "title": title,
        "content": content,
        "fields": fields,
        "details": details,
        "project": project,
        "tier": tier,
        "sector": sector or guess_sector(found),
        "category": clean("category", draft.category, MAX_NAME) if draft.category else "",
        "keywords": _keywords(draft.keywords, clean) if draft.keywords else (),
        "concepts": concepts(text),
        "idents": identifier_words(text),
        "reach": reach_tokens(tier, project, session),
        "scope": clean("scope", draft.scope, MAX_NAME) if draft.scope else "",
        "importance": unit("importance", draft.importance, usual.importance),
        "confidence": unit("confidence", draft.confidence, 0.5),
        "created_at": created,
        "valid_from": created if draft.valid_from is None else check(draft.valid_from),
        "valid_until": draft.valid_until,
        "superseded_by": None,
        "expires_at": draft.expires_at,
        "deleted_at": None,
        "pinned": int(draft.pinned),
        "immutable": int(draft.immutable),
        "source_type": one_of("source type", draft.source_type, SOURCE_TYPES),
        "source_ref": clean("source ref", draft.source_ref, MAX_NAME * 5) if draft.source_ref else "",
        "session_id": session,
        "trust": _trust(draft),
        "external_id": draft.external_id,
        "content_hash": content_hash(title, content, details),
        "updated_at": now,
    }
    return Prepared(row, text, keys_for(found, project), _redaction_warnings(secrets))


def remember(store: Store, prepared: Prepared, door: Door, now: int) -> Remembered:
    """Stores a prepared draft, or says why not; runs inside the caller's transaction if any."""
    with store.transaction():
        row = prepared.row
        if door.supersede is None and door.merge is None:
            known = store.same_content(row["content_hash"], row["project"])
            if known is not None:
                return reinforce_known(store, known, row, prepared.warnings)
        alike = [] if door.merge is not None else store.look_alikes(prepared.keys, _CANDIDATES)
        similar = _similar(prepared.text, alike) if door.on_similar != "add" else ()
        if similar and door.supersede is None:
            if door.on_similar == "reinforce":
                return reinforce_known(store, similar[0].id, row, prepared.warnings)
            return Remembered(None, None, "needs_decision", similar, prepared.warnings)
        if door.merge is not None:
            return _merge(store, door.merge, prepared)
        warnings = (*prepared.warnings, *_contradictions(prepared.text, alike, door.supersede))
        memory = store.put(row, prepared.keys)
        if door.supersede is not None:
            replace_with(store, door.supersede, memory, now)
        status = "added" if door.supersede is None else "superseded"
        return Remembered(memory, row["uid"], status, (), warnings)


def replace_with(store: Store, old: int, new: int, now: int) -> None:
    """Ends the old memory's validity, names its successor, and links the two."""
    known, successor = known_memory(store, old), known_memory(store, new)
    ended = Event(0, old, now, "superseded", f"by #{new}", {}, {}, successor.session_id, None)
    until = max(known.valid_from, min(now, known.valid_until or now))
    store.change(old, {"superseded_by": new, "valid_until": until, "updated_at": now}, ended)
    store.add_edge((new, old, "supersedes", 1.0, 1.0, "system", now, now, None))


def known_memory(store: Store, memory: int) -> Memory:
    """The memory of that id; NotFound otherwise."""
    found = store.get(memory)
    if found is None:
        raise NotFound(f"there is no memory #{memory}", "recairn recent")
    return found


def reinforce_known(
    store: Store, memory: int, row: dict[str, Any], warnings: tuple[str, ...]
) -> Remembered:
    """Strengthens what was known already instead of storing it twice."""
    known = known_memory(store, memory)
    now, session = row["updated_at"], row["session_id"]
    salience = known.salience + REINFORCEMENT * (1.0 - known.salience)
    event = Event(0, memory, now, "reinforced", "remembered again", {}, {}, session, None)
    store.change(memory, {"salience": salience, "decayed_at": now}, event)
    if session is not None:
        store.link_session(session, memory, "reinforced", now)
    return Remembered(memory, known.uid, "reinforced", (), warnings)


def _merge(store: Store, memory: int, prepared: Prepared) -> Remembered:
    known = known_memory(store, memory)
    row = prepared.row
    now = row["updated_at"]
    content = f"{known.content}\n\n{row['content']}"
    if len(content) > MAX_CONTENT:
        raise BadInput(f"#{memory} would grow over {MAX_CONTENT:,} characters", "use --supersede")
    event = Event(0, memory, now, "merged", "new text added", {}, {}, row["session_id"], None)
    store.change(memory, {**derived(known.title, content, known.fields), "updated_at": now}, event)
    store.rekey(memory, keys_of(known_memory(store, memory)))
    return Remembered(memory, known.uid, "merged", (), prepared.warnings)


def derived(title: str, content: str, fields: Any) -> dict[str, Any]:
    """The columns that follow from a memory's text; written whenever the text is."""
    details = fields_text(fields)
    text = "\n".join(part for part in (title, content, details) if part)
    return {
        "title": title,
        "content": content,
        "fields": fields,
        "details": details,
        "concepts": concepts(text),
        "idents": identifier_words(text),
        "content_hash": content_hash(title, content, details),
    }


def keys_of(memory: Memory) -> list[int]:
    """The look-alike keys of a stored memory."""
    text = f"{memory.title}\n{memory.content}\n{fields_text(memory.fields)}"
    return keys_for(words(text), memory.project)


def keys_for(found_words: Sequence[str], project: str) -> list[int]:
    """Look-alike keys; the project is part of them, so that projects never collide."""
    from zlib import crc32

    return look_alike_keys(subject_words(found_words), crc32(project.encode()))


def content_hash(*parts: str) -> str:
    from hashlib import blake2b

    return blake2b(normalised(parts).encode(), digest_size=16).hexdigest()


def unit(what: str, value: float | None, usual: float) -> float:
    """A number in 0..1, the usual one when none was given."""
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise BadInput(f"{what} must lie between 0 and 1, got {value!r}")
    return float(value)


def _cleaned(what: str, text: Any, longest: int, allow: Sequence[str], secrets: list[str]) -> str:
    if not isinstance(text, str):
        raise BadInput(f"{what} must be text, got {type(text).__name__}")
    if len(text) > longest:
        raise BadInput(
            f"{what} has {len(text):,} characters, {longest:,} at most",
            "shorten it, or split it into several memories" if what == "content" else "shorten it",
        )
    safe, found = redact(clean_text(text), allow)
    secrets.extend(found)
    return safe.strip()


def _fields(draft: Draft, kind: str, clean: Any) -> tuple[dict[str, Any], str]:
    if not draft.fields:
        return {}, ""
    fields: dict[str, Any] = {}
    for name, value in checked_fields(kind, draft.fields).items():
        if isinstance(value, str):
            fields[name] = clean(name, value, MAX_CONTENT)
        elif isinstance(value, list):
            fields[name] = [clean(name, item, MAX_CONTENT) for item in value]
        else:
            fields[name] = value
    details = fields_text(fields)
    if len(details) > MAX_CONTENT:
        raise BadInput(f"the fields hold {len(details):,} characters, {MAX_CONTENT:,} at most")
    return fields, details


def _keywords(given: Sequence[str], clean: Any) -> tuple[str, ...]:
    listed = [given] if isinstance(given, str) else list(given)
    if len(listed) > MAX_KEYWORDS:
        raise BadInput(f"{len(listed)} keywords, {MAX_KEYWORDS} at most")
    return tuple(dict.fromkeys(filter(None, (clean("keyword", word, MAX_NAME) for word in listed))))


def _default_tier(project: str) -> str:
    """Outside any project a memory belongs to all of them."""
    return "project" if project else "global"


def _trust(draft: Draft) -> str:
    if draft.trust:
        return one_of("trust", draft.trust, TRUSTS)
    return "unverified" if draft.source_type in _UNVERIFIED_SOURCES else "verified"


def _redaction_warnings(secrets: Sequence[str]) -> tuple[str, ...]:
    if not secrets:
        return ()
    kinds = ", ".join(dict.fromkeys(secrets))
    return (f"redacted {len(secrets)} secret{'s' * (len(secrets) > 1)} ({kinds})",)


def _similar(text: str, alike: Sequence[tuple[Any, ...]]) -> tuple[Similar, ...]:
    found = []
    for memory, uid, title, content, details in alike:
        share = near_duplicate(text, f"{title}\n{content}\n{details}")
        if share >= NEAR_DUPLICATE:
            found.append(Similar(memory, uid, title, content, round(share, 3)))
    found.sort(key=lambda each: (-each.similarity, each.id))
    return tuple(found[:_SHOWN_SIMILAR])


def _contradictions(
    text: str, alike: Sequence[tuple[Any, ...]], replaced: int | None
) -> list[str]:
    warnings = []
    for memory, _, title, content, details in alike:
        other = f"{title}\n{content}\n{details}"
        why = "" if memory == replaced else contradiction(text, other)
        if why:
            said = one_line(title or content, 60)
            warnings.append(f"may contradict #{memory} ({why}): {said}")
    return warnings[:_SHOWN_SIMILAR]
