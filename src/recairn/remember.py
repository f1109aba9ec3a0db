"""The write door. Everything that is remembered comes through here, and leaves it clean.

Normalise, limit, redact and classify (pure), then one transaction: duplicate and contradiction
check, row, indexes, edges, session link, history.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import islice
from zlib import crc32

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
)
from recairn.text import identifier_words, mixed_case, normalised, one_line, words
from recairn.times import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from recairn.model import Draft, Memory
    from recairn.store.base import Store

# Characters. A memory is a thought, not a file: documents have their own way in.
MAX_CONTENT = 100_000
MAX_TITLE = 500
MAX_NAME = 200
MAX_REFERENCE = 1000
MAX_KEYWORDS = 50

# How many look-alikes are compared word by word; they come most-shared first.
_CANDIDATES = 12
_SHOWN_SIMILAR = 3
# Drafts whose look-alike keys are asked for at once in bulk work.
_BATCH = 1000
_MANY_NAMES = 1000
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
    content = _cleaned("content", draft.content, MAX_CONTENT, door.allow, secrets)
    if not content:
        raise BadInput("there is nothing to remember: the content is empty", "give some text")
    title = " ".join(_name("title", draft.title, door, secrets, MAX_TITLE).split())
    fields, details = _fields(draft, kind, door.allow, secrets) if draft.fields else ({}, "")
    text = content if not (title or details) else f"{title}\n{content}\n{details}"
    found, mixed = words(text), mixed_case(text)
    row = {
        "kind": kind,
        "title": title,
        "content": content,
        "fields": fields,
        "details": details,
        "category": _name("category", draft.category, door, secrets),
        "keywords": _keywords(draft.keywords, door, secrets) if draft.keywords else (),
        "concepts": concepts(text, mixed),
        "idents": identifier_words(mixed),
        "scope": _name("scope", draft.scope, door, secrets),
        "source_ref": _name("source ref", draft.source_ref, door, secrets, MAX_REFERENCE),
        "content_hash": content_hash(text),
        **_standing(draft, kind, found),
        **_times(draft, now),
        **_belonging(draft, door, secrets),
    }
    keys = keys_for(found, row["project"])
    return Prepared(row, text, keys, _redaction_warnings(secrets) if secrets else ())


def _standing(draft: Draft, kind: str, found: Sequence[str]) -> dict[str, Any]:
    """How much a memory counts, by what the draft says or what is usual for its kind."""
    usual = KINDS[kind]
    sector = one_of("sector", draft.sector, SECTORS) if draft.sector else usual.sector
    return {
        "sector": sector or guess_sector(found),
        "importance": unit("importance", draft.importance, usual.importance),
        "confidence": unit("confidence", draft.confidence, 0.5),
        "pinned": int(draft.pinned),
        "immutable": int(draft.immutable),
        "source_type": one_of("source type", draft.source_type, SOURCE_TYPES),
        "trust": _trust(draft),
        "external_id": draft.external_id,
    }


def _times(draft: Draft, now: int) -> dict[str, Any]:
    created = now if draft.created_at is None else check(draft.created_at)
    begins = created if draft.valid_from is None else check(draft.valid_from)
    if draft.valid_until is not None and draft.valid_until < begins:
        raise BadInput("the memory would end before it begins", "check valid_from and valid_until")
    return {
        "uid": new_uid(created),
        "created_at": created,
        "updated_at": now,
        "valid_from": begins,
        "valid_until": draft.valid_until,
        "superseded_by": None,
        "expires_at": draft.expires_at,
        "deleted_at": None,
    }


def _belonging(draft: Draft, door: Door, secrets: list[str]) -> dict[str, Any]:
    """Whose memory it is, and who sees it. Outside any project it belongs to all of them."""
    project = door.project
    if draft.project is not None:
        project = _name("project", draft.project, door, secrets)
    session = draft.session or door.session
    tier = "project" if project else "global"
    if draft.tier:
        tier = one_of("tier", draft.tier, TIERS)
    return {
        "project": project,
        "tier": tier,
        "reach": reach_tokens(tier, project, session),
        "session_id": session,
    }


def remember(store: Store, prepared: Prepared, door: Door, now: int) -> Remembered:
    """Stores a prepared draft, or says why not; joins the caller's transaction if there is one."""
    with store.transaction():
        row = prepared.row
        alike = [] if door.merge is not None else store.look_alikes(prepared.keys, _CANDIDATES)
        if alike and door.supersede is None:
            known = _same(row, alike)
            if known is not None:
                return reinforce_known(store, known, row, prepared.warnings)
        similar = _similar(prepared.text, alike) if alike and door.on_similar != "add" else ()
        if similar and door.supersede is None:
            if door.on_similar == "reinforce":
                return reinforce_known(store, similar[0].id, row, prepared.warnings)
            return Remembered(None, None, "needs_decision", similar, prepared.warnings)
        if door.merge is not None:
            return _merge(store, door.merge, prepared)
        warnings = prepared.warnings
        if alike:
            warnings += _contradictions(prepared.text, alike, door.supersede)
        memory = store.put([(row, prepared.keys)])[0]
        if door.supersede is not None:
            replace_with(store, door.supersede, memory, now)
        status = "added" if door.supersede is None else "superseded"
        return Remembered(memory, row["uid"], status, (), warnings)


def remember_all(
    store: Store, drafts: Iterable[Prepared], door: Door, now: int
) -> list[Remembered]:
    """The same for many drafts in one transaction, each judged against all before it.

    Unremarkable drafts are put together; the others go through `remember` one by one.
    """
    results: list[Remembered] = []
    with store.transaction():
        upcoming = iter(drafts)
        while batch := list(islice(upcoming, _BATCH)):
            taken = store.taken_keys([key for each in batch for key in each.keys])
            waiting: dict[int, Prepared] = {}
            ready: list[Prepared] = []
            for each in batch:
                if _remarkable(store, each, taken, waiting):
                    _put_all(store, ready, results)
                    taken.update(waiting)
                    waiting.clear()
                    results.append(remember(store, each, door, now))
                    taken.update(each.keys)
                else:
                    ready.append(each)
                    waiting.update(dict.fromkeys(each.keys, each))
            _put_all(store, ready, results)
    return results


def _remarkable(
    store: Store, draft: Prepared, taken: set[int], waiting: dict[int, Prepared]
) -> bool:
    """Whether a draft repeats, resembles or opposes something stored, or waiting to be."""
    alike: list[tuple[Any, ...]] = []
    if not taken.isdisjoint(draft.keys):
        alike = store.look_alikes(draft.keys, _CANDIDATES)
    for key in draft.keys:
        other = waiting.get(key)
        if other is not None:
            row = other.row
            alike.append((0, "", row["title"], row["content"], row["details"], row["content_hash"]))
    if not alike:
        return False
    return bool(
        _same(draft.row, alike) is not None
        or _similar(draft.text, alike)
        or _contradictions(draft.text, alike, None)
    )


def _put_all(store: Store, ready: list[Prepared], results: list[Remembered]) -> None:
    ids = store.put([(each.row, each.keys) for each in ready])
    for memory, each in zip(ids, ready, strict=True):
        results.append(Remembered(memory, each.row["uid"], "added", (), each.warnings))
    ready.clear()


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
    store.rekey(memory, keys_of(known), keys_of(known_memory(store, memory)))
    return Remembered(memory, known.uid, "merged", (), prepared.warnings)


def derived(title: str, content: str, fields: Any) -> dict[str, Any]:
    """The columns that follow from a memory's text; written whenever the text is."""
    details = fields_text(fields)
    text = "\n".join(part for part in (title, content, details) if part)
    mixed = mixed_case(text)
    return {
        "title": title,
        "content": content,
        "fields": fields,
        "details": details,
        "concepts": concepts(text, mixed),
        "idents": identifier_words(mixed),
        "content_hash": content_hash(text),
    }


def keys_of(memory: Memory) -> list[int]:
    """The look-alike keys of a stored memory."""
    text = f"{memory.title}\n{memory.content}\n{fields_text(memory.fields)}"
    return keys_for(words(text), memory.project)


def keys_for(found_words: Sequence[str], project: str) -> list[int]:
    """Look-alike keys; the project is part of them, so that projects never collide."""
    return look_alike_keys(found_words, crc32(project.encode()))


def content_hash(text: str) -> str:
    """Equal for texts that differ only in case and white space."""
    return blake2b(normalised(text).encode(), digest_size=16).hexdigest()


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


def _name(
    what: str, text: str, door: Door, secrets: list[str], longest: int = MAX_NAME
) -> str:
    """A short text, cleaned; names come again and again, so clean ones are known by heart."""
    if not text or text in _clean_names:
        return text
    clean = _cleaned(what, text, longest, door.allow, secrets)
    if clean == text and len(_clean_names) < _MANY_NAMES:
        _clean_names.add(text)
    return clean


_clean_names: set[str] = set()


def _fields(
    draft: Draft, kind: str, allow: Sequence[str], secrets: list[str]
) -> tuple[dict[str, Any], str]:
    fields: dict[str, Any] = {}
    for name, value in checked_fields(kind, draft.fields or {}).items():
        if isinstance(value, str):
            fields[name] = _cleaned(name, value, MAX_CONTENT, allow, secrets)
        elif isinstance(value, list):
            fields[name] = [_cleaned(name, each, MAX_CONTENT, allow, secrets) for each in value]
        else:
            fields[name] = value
    details = fields_text(fields)
    if len(details) > MAX_CONTENT:
        raise BadInput(f"the fields hold {len(details):,} characters, {MAX_CONTENT:,} at most")
    return fields, details


def _keywords(given: Sequence[str], door: Door, secrets: list[str]) -> tuple[str, ...]:
    listed = [given] if isinstance(given, str) else list(given)
    if len(listed) > MAX_KEYWORDS:
        raise BadInput(f"{len(listed)} keywords, {MAX_KEYWORDS} at most")
    clean = [_name("keyword", word, door, secrets) for word in listed]
    return tuple(dict.fromkeys(filter(None, clean)))


def _trust(draft: Draft) -> str:
    if draft.trust:
        return one_of("trust", draft.trust, TRUSTS)
    return "unverified" if draft.source_type in _UNVERIFIED_SOURCES else "verified"


def _redaction_warnings(secrets: Sequence[str]) -> tuple[str, ...]:
    kinds = ", ".join(dict.fromkeys(secrets))
    return (f"redacted {len(secrets)} secret{'s' * (len(secrets) > 1)} ({kinds})",)


def _same(row: dict[str, Any], alike: Sequence[tuple[Any, ...]]) -> int | None:
    """The memory that says exactly this already; its look-alike keys are the same, so it is here."""
    return next((each[0] for each in alike if each[5] == row["content_hash"]), None)


def _similar(text: str, alike: Sequence[tuple[Any, ...]]) -> tuple[Similar, ...]:
    found = []
    for memory, uid, title, content, details, _ in alike:
        share = near_duplicate(text, f"{title}\n{content}\n{details}")
        if share >= NEAR_DUPLICATE:
            found.append(Similar(memory, uid, title, content, round(share, 3)))
    found.sort(key=lambda each: (-each.similarity, each.id))
    return tuple(found[:_SHOWN_SIMILAR])


def _contradictions(
    text: str, alike: Sequence[tuple[Any, ...]], replaced: int | None
) -> tuple[str, ...]:
    warnings = []
    for memory, _, title, content, details, _ in alike:
        other = f"{title}\n{content}\n{details}"
        why = "" if memory == replaced else contradiction(text, other)
        if why:
            said = one_line(title or content, 60)
            warnings.append(f"may contradict #{memory} ({why}): {said}")
    return tuple(warnings[:_SHOWN_SIMILAR])
