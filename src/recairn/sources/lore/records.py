"""What each kind of record that Lore keeps becomes here. Real data is looser than its contract."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.model import Draft
from recairn.sources.format import Extra, Record
from recairn.sources.readers.values import amount, mapping, moment, needed, share, text, texts, when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Told = Mapping[str, Any]
    Given = Record | Extra

_PUT_AWAY = ("retracted", "discarded", "archived")
# Lore gives decisions with a lesson one step more of five.
_WITH_LESSON = 0.8
_EVIDENCE = {"preliminary": 0.3, "confirmed": 0.9, "contested": 0.3, "superseded": 0.2}
_SEVERITY = {"low": 0.4, "medium": 0.6, "high": 0.8, "critical": 0.9}
_DEPRECATED = "[DEPRECATED]"


def decision(place: str, told: Told) -> Iterator[Given]:
    said, name = needed(told, "decision", "title"), needed(told, "id")
    tags, lesson = texts(told, "tags"), text(told, "lesson_learned")
    title = text(told, "title")
    fields = {
        "rationale": text(told, "rationale"),
        "alternatives": texts(told, "alternatives"),
        "outcome": text(told, "outcome"),
        "lesson": lesson,
        "type": text(told, "type"),
        "git_commit": text(told, "git_commit"),
    }
    draft = Draft(
        said,
        kind="decision",
        title=title if title != said else "",
        fields=fields,
        category=tags[0] if tags else "",
        keywords=list(dict.fromkeys([*tags, *texts(told, "entities")]))[:50],
        project=text(told, "project") or None,
        importance=_WITH_LESSON if lesson else None,
        confidence=share(told, "spec_quality"),
        source_type="import",
        session=text(told, "session_id") or None,
        external_id=name,
        created_at=moment(told, "timestamp"),
        valid_from=moment(told, "valid_at"),
    )
    links = [("relates_to", other) for other in texts(told, "related_decisions")]
    replaced = text(told, "superseded_by")
    if replaced:
        links.append(("superseded_by", replaced))
    status = text(told, "status")
    gone = status in _PUT_AWAY or (status == "superseded" and not replaced)
    yield Record(name, draft, place, links, retired=f"{status} in Lore" if gone else "")
    yield from _made_in(draft.session, name, place, told)


def _made_in(session: str | None, key: str, place: str, told: Told) -> Iterator[Given]:
    """That a session made a record; the session itself may be told elsewhere or nowhere."""
    at = when(told, "timestamp", "created_at")
    if session is None or at is None:
        return
    yield Extra(session, "session", {"id": session, "project": "", "started_at": at}, place)
    values = {"session_id": session, "memory": key, "usage_type": "created", "at": at}
    yield Extra(f"{session} {key}", "use", values, place)


def pattern(place: str, told: Told) -> Iterator[Given]:
    name, title = needed(told, "id"), text(told, "name")
    fields: dict[str, Any] = {each: text(told, each) for each in ("context", "problem", "solution")}
    fields |= _examples(told)
    fields["validations"] = amount(told, "validations") or None
    inverted = title.startswith(_DEPRECATED)
    sure = share(told, "confidence")
    yield Record(
        name,
        Draft(
            title or needed(told, "solution"),
            kind="pattern",
            fields=fields,
            category=text(told, "category"),
            project=text(told, "project") or None,
            # Lore has one number for both, and ranks patterns by it.
            importance=sure,
            confidence=sure,
            source_type="import",
            source_ref=text(told, "origin"),
            external_id=name,
            created_at=moment(told, "created_at"),
        ),
        place,
        retired="deprecated in Lore" if inverted and not sure else "",
    )


def _examples(told: Told) -> dict[str, str]:
    """The good and the bad examples, each in one text."""
    listed = told.get("examples") or []
    if not isinstance(listed, list):
        raise BadInput("examples must be a list")
    found: dict[str, list[str]] = {"good": [], "bad": []}
    for each in listed:
        pairs = each if isinstance(each, dict) else {"good": each}
        for name, said in pairs.items():
            if said:
                found["bad" if name == "bad" else "good"].append(str(said))
    return {f"{name}_example": "\n\n".join(said) for name, said in found.items() if said}


def anti_pattern(place: str, told: Told) -> Iterator[Given]:
    name, severity = needed(told, "id"), text(told, "severity")
    fields: dict[str, Any] = {
        each: text(told, each) for each in ("symptom", "risk", "fix", "severity")
    }
    yield Record(
        name,
        Draft(
            text(told, "name") or needed(told, "symptom"),
            kind="pattern",
            fields={**fields, "anti_pattern": True},
            category=text(told, "category"),
            importance=_SEVERITY.get(severity),
            source_type="import",
            external_id=name,
            created_at=moment(told, "created_at"),
        ),
        place,
    )


def concept(place: str, told: Told) -> Iterator[Given]:
    name, title = needed(told, "id"), needed(told, "name")
    draft = Draft(
        text(told, "definition") or title,
        kind="entity",
        title=title,
        fields={"entity_type": "concept"},
        source_type="import",
        source_ref=text(told, "source"),
        external_id=name,
        created_at=moment(told, "created_at"),
    )
    links = [("derived_from", other) for other in texts(told, "grounded_by")]
    yield Record(name, draft, place, links)


def failure(place: str, told: Told) -> Iterator[Given]:
    name, kind = needed(told, "id"), text(told, "error_type")
    message = needed(told, "error_message")
    draft = Draft(
        message,
        kind="failure",
        title=kind,
        fields={"error_type": kind, "tool": text(told, "tool"), "step": text(told, "step")},
        category=kind,
        source_type="import",
        session=text(told, "session_id") or None,
        external_id=name,
        created_at=moment(told, "timestamp"),
    )
    yield Record(name, draft, place)
    yield from _made_in(draft.session, name, place, told)


def miss(place: str, told: Told) -> Iterator[Given]:
    """A search that found nothing that was meant."""
    at, query = when(told, "timestamp"), needed(told, "query")
    if at is None:
        raise BadInput("it has no timestamp")
    values = {
        "at": at,
        "failure_type": text(told, "failure_type") or "semantic_miss",
        "query": query,
        "note": text(told, "note", "error_message"),
    }
    yield Extra(text(told, "id") or f"{at} {query}", "miss", values, place)


def observation(place: str, told: Told) -> Iterator[Given]:
    name, status = needed(told, "id"), text(told, "status")
    draft = Draft(
        needed(told, "content"),
        kind="observation",
        fields={"source": text(told, "source"), "status": status},
        keywords=texts(told, "tags")[:50],
        source_type="import",
        external_id=name,
        created_at=moment(told, "timestamp"),
        trust="unverified" if status == "raw" else None,
    )
    yield Record(name, draft, place, retired=f"{status} in Lore" if status in _PUT_AWAY else "")


def evidence(place: str, told: Told) -> Iterator[Given]:
    """An observation with a degree of certainty, and who cites it."""
    name, sure = needed(told, "id"), text(told, "confidence")
    draft = Draft(
        needed(told, "content"),
        kind="observation",
        fields={"source": text(told, "source", "provenance"), "status": sure},
        keywords=texts(told, "tags")[:50],
        confidence=_EVIDENCE.get(sure),
        source_type="import",
        source_ref=text(told, "provenance"),
        external_id=name,
        created_at=moment(told, "timestamp"),
    )
    links = [("confirms", other) for other in texts(told, "cited_by")]
    yield Record(name, draft, place, links)


def session(place: str, told: Told) -> Iterator[Given]:
    """A session, and the handoff it left for the next one."""
    name, summary = needed(told, "id"), text(told, "summary")
    state, context = mapping(told, "git_state"), mapping(told, "context")
    folder = text(mapping(context, "environment"), "pwd")
    started = when(told, "started_at") or when(told, "ended_at")
    if started is None:
        raise BadInput("it has no started_at")
    values = {
        "id": name,
        "project": text(told, "project") or folder.rstrip("/").rpartition("/")[2],
        "directory": folder,
        "branch": text(state, "branch"),
        "summary": summary,
        "context": {key: value for key, value in told.items() if key not in ("id", "summary")},
        "started_at": started,
        "ended_at": when(told, "ended_at") or started,
    }
    yield Extra(name, "session", values, place)
    yield from _related(name, place, told, started)
    handoff = mapping(told, "handoff")
    message = text(handoff, "message") or summary
    if message:
        yield _handoff(name, message, place, told)


def _related(name: str, place: str, told: Told, at: str) -> Iterator[Given]:
    related = mapping(told, "related")
    for key in dict.fromkeys([*texts(related, "journal_entries"), *texts(related, "patterns")]):
        values = {"session_id": name, "memory": key, "usage_type": "recalled", "at": at}
        yield Extra(f"{name} {key} recalled", "use", values, place)


def _handoff(name: str, message: str, place: str, told: Told) -> Record:
    handoff, state = mapping(told, "handoff"), mapping(told, "git_state")
    fields: dict[str, Any] = {
        each: texts(handoff, each) for each in ("next_steps", "blockers", "questions")
    }
    fields["goals"] = texts(told, "goals_addressed")
    fields["branch"] = text(state, "branch")
    fields["commits"] = texts(state, "commits")
    fields["files"] = texts(mapping(told, "context"), "active_files")
    fields["next_steps"] += texts(told, "open_threads")
    draft = Draft(
        message,
        kind="handoff",
        fields=fields,
        project=text(told, "project") or None,
        source_type="import",
        session=name,
        external_id=name,
        created_at=moment(handoff, "created_at") or moment(told, "ended_at", "started_at"),
    )
    return Record(name, draft, place)


def access(place: str, told: Told) -> Iterator[Given]:
    """One use of a record, as the log kept it beside the index."""
    at, name = when(told, "accessed_at", "timestamp"), needed(told, "record_id", "id")
    if at is None:
        raise BadInput("it has no accessed_at")
    values = {"memory": name, "at": at, "source": "lore"}
    yield Extra(f"{name} {at}", "access", values, place)


LINES: dict[str, Callable[[str, Told], Iterator[Given]]] = {
    "decisions.jsonl": decision,
    "failures.jsonl": failure,
    "search-failures.jsonl": miss,
    "observations.jsonl": observation,
    "signals.jsonl": observation,
    "evidence.jsonl": evidence,
}
SECTIONS: dict[str, Callable[[str, Told], Iterator[Given]]] = {
    "patterns": pattern,
    "anti_patterns": anti_pattern,
    "concepts": concept,
}
DOCUMENTS = session
