"""What each kind of record that Lore keeps becomes here. Real data is looser than its contract."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.model import Draft
from recairn.sources.format import Extra, Record
from recairn.sources.readers.values import (
    all_required,
    amount,
    mapping,
    moment,
    required,
    share,
    text,
    texts,
    when,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from recairn.sources.lore.projects import Projects

    Row = Mapping[str, Any]
    Item = Record | Extra

_PUT_AWAY = ("retracted", "discarded", "archived")
# Lore gives decisions with a lesson one step more of five.
_WITH_LESSON = 0.8
_EVIDENCE = {"preliminary": 0.3, "confirmed": 0.9, "contested": 0.3, "superseded": 0.2}
_SEVERITY = {"low": 0.4, "medium": 0.6, "high": 0.8, "critical": 0.9}
_DEPRECATED = "[DEPRECATED]"
# More is more urgent.
_PRIORITY = {"critical": 400, "high": 300, "medium": 200, "low": 100}
_GOAL_DONE = ("completed", "cancelled")


def decision(projects: Projects, place: str, row: Row) -> Iterator[Item]:
    content, name = required(row, "decision", "title"), required(row, "id")
    tags, lesson = texts(row, "tags"), text(row, "lesson_learned")
    title = text(row, "title")
    fields = {
        "rationale": text(row, "rationale"),
        "alternatives": texts(row, "alternatives"),
        "outcome": text(row, "outcome"),
        "lesson": lesson,
        "type": text(row, "type"),
        "git_commit": text(row, "git_commit"),
    }
    draft = Draft(
        content,
        kind="decision",
        title=title if title != content else "",
        fields=fields,
        category=tags[0] if tags else "",
        keywords=list(dict.fromkeys([*tags, *texts(row, "entities")]))[:50],
        project=text(row, "project") or projects.of(tags),
        importance=_WITH_LESSON if lesson else None,
        confidence=share(row, "spec_quality"),
        source_type="import",
        session=text(row, "session_id") or None,
        external_id=name,
        created_at=moment(row, "timestamp"),
        valid_from=moment(row, "valid_at"),
    )
    links = [("relates_to", other) for other in texts(row, "related_decisions")]
    replaced = text(row, "superseded_by")
    if replaced:
        links.append(("superseded_by", replaced))
    status = text(row, "status")
    gone = status in _PUT_AWAY or (status == "superseded" and not replaced)
    yield Record(name, draft, place, links, retired=f"{status} in Lore" if gone else "")
    yield from _use_in_session(draft.session, name, place, row)


def _use_in_session(session: str | None, key: str, place: str, row: Row) -> Iterator[Item]:
    """That a session made a record; the session itself may be told elsewhere or nowhere."""
    at = when(row, "timestamp", "created_at")
    if session is None or at is None:
        return
    yield Extra(session, "session", {"id": session, "project": "", "started_at": at}, place)
    values = {"session_id": session, "memory": key, "usage_type": "created", "at": at}
    yield Extra(f"{session} {key}", "use", values, place)


def pattern(place: str, row: Row) -> Iterator[Item]:
    name, title = required(row, "id"), text(row, "name")
    fields: dict[str, Any] = {
        field: text(row, field) for field in ("context", "problem", "solution")
    }
    fields |= _examples(row)
    fields["validations"] = amount(row, "validations") or None
    deprecated = title.startswith(_DEPRECATED)
    confidence = share(row, "confidence")
    yield Record(
        name,
        Draft(
            title or required(row, "solution"),
            kind="pattern",
            fields=fields,
            category=text(row, "category"),
            project=text(row, "project") or None,
            # Lore has one number for both, and ranks patterns by it.
            importance=confidence,
            confidence=confidence,
            source_type="import",
            source_ref=text(row, "origin"),
            external_id=name,
            created_at=moment(row, "created_at"),
        ),
        place,
        retired="deprecated in Lore" if deprecated and not confidence else "",
    )


def _examples(row: Row) -> dict[str, str]:
    """The good and the bad examples, each in one text."""
    listed = row.get("examples") or []
    if not isinstance(listed, list):
        raise BadInput("examples must be a list")
    examples: dict[str, list[str]] = {"good": [], "bad": []}
    for example in listed:
        pairs = example if isinstance(example, dict) else {"good": example}
        for name, words in pairs.items():
            if words:
                examples["bad" if name == "bad" else "good"].append(str(words))
    return {f"{name}_example": "\n\n".join(words) for name, words in examples.items() if words}


def anti_pattern(place: str, row: Row) -> Iterator[Item]:
    name, severity = required(row, "id"), text(row, "severity")
    fields: dict[str, Any] = {
        field: text(row, field) for field in ("symptom", "risk", "fix", "severity")
    }
    yield Record(
        name,
        Draft(
            text(row, "name") or required(row, "symptom"),
            kind="pattern",
            fields={**fields, "anti_pattern": True},
            category=text(row, "category"),
            importance=_SEVERITY.get(severity),
            source_type="import",
            external_id=name,
            created_at=moment(row, "created_at"),
        ),
        place,
    )


def concept(place: str, row: Row) -> Iterator[Item]:
    name, title = all_required(row, "id", "name")
    draft = Draft(
        text(row, "definition") or title,
        kind="entity",
        title=title,
        fields={"entity_type": "concept"},
        source_type="import",
        source_ref=text(row, "source"),
        external_id=name,
        created_at=moment(row, "created_at"),
    )
    links = [("derived_from", other) for other in texts(row, "grounded_by")]
    yield Record(name, draft, place, links)


def failure(place: str, row: Row) -> Iterator[Item]:
    name, kind = required(row, "id"), text(row, "error_type")
    message = required(row, "error_message")
    draft = Draft(
        message,
        kind="failure",
        title=kind,
        fields={"error_type": kind, "tool": text(row, "tool"), "step": text(row, "step")},
        category=kind,
        source_type="import",
        session=text(row, "session_id") or None,
        external_id=name,
        created_at=moment(row, "timestamp"),
    )
    yield Record(name, draft, place)
    yield from _use_in_session(draft.session, name, place, row)


def miss(place: str, row: Row) -> Iterator[Item]:
    """A search that found nothing that was meant."""
    at, query = when(row, "timestamp"), required(row, "query")
    if at is None:
        raise BadInput("it has no timestamp")
    values = {
        "at": at,
        "failure_type": text(row, "failure_type") or "semantic_miss",
        "query": query,
        "note": text(row, "note", "error_message"),
    }
    yield Extra(text(row, "id") or f"{at} {query}", "miss", values, place)


def observation(place: str, row: Row) -> Iterator[Item]:
    name, status = required(row, "id"), text(row, "status")
    draft = Draft(
        required(row, "content"),
        kind="observation",
        fields={"source": text(row, "source"), "status": status},
        keywords=texts(row, "tags")[:50],
        source_type="import",
        external_id=name,
        created_at=moment(row, "timestamp"),
        trust="unverified" if status == "raw" else None,
    )
    yield Record(name, draft, place, retired=f"{status} in Lore" if status in _PUT_AWAY else "")


def evidence(place: str, row: Row) -> Iterator[Item]:
    """An observation with a degree of certainty, and who cites it."""
    name, certainty = required(row, "id"), text(row, "confidence")
    draft = Draft(
        required(row, "content"),
        kind="observation",
        fields={"source": text(row, "source", "provenance"), "status": certainty},
        keywords=texts(row, "tags")[:50],
        confidence=_EVIDENCE.get(certainty),
        source_type="import",
        source_ref=text(row, "provenance"),
        external_id=name,
        created_at=moment(row, "timestamp"),
    )
    links = [("confirms", other) for other in texts(row, "cited_by")]
    yield Record(name, draft, place, links)


def session(place: str, row: Row) -> Iterator[Item]:
    """A session, and the handoff it left for the next one."""
    name, summary = required(row, "id"), text(row, "summary")
    state = mapping(row, "git_state")
    folder = text(mapping(mapping(row, "context"), "environment"), "pwd")
    started = when(row, "started_at") or when(row, "ended_at")
    if started is None:
        raise BadInput("it has no started_at")
    values = {
        "id": name,
        "project": text(row, "project") or folder_name(row),
        "directory": folder,
        "branch": text(state, "branch"),
        "summary": summary,
        "context": {key: value for key, value in row.items() if key not in ("id", "summary")},
        "started_at": started,
        "ended_at": when(row, "ended_at") or started,
    }
    yield Extra(name, "session", values, place)
    yield from _related(name, place, row, started)
    handoff = mapping(row, "handoff")
    message = text(handoff, "message") or summary
    if message:
        yield _handoff(name, message, place, row)


def folder_name(row: Row) -> str:
    """The name of the folder in which a session worked: that is its project in Lore."""
    folder = text(mapping(mapping(row, "context"), "environment"), "pwd")
    return folder.rstrip("/").rpartition("/")[2]


def _related(name: str, place: str, row: Row, at: str) -> Iterator[Item]:
    related = mapping(row, "related")
    for key in dict.fromkeys([*texts(related, "journal_entries"), *texts(related, "patterns")]):
        values = {"session_id": name, "memory": key, "usage_type": "recalled", "at": at}
        yield Extra(f"{name} {key} recalled", "use", values, place)


def _handoff(name: str, message: str, place: str, row: Row) -> Record:
    handoff, state = mapping(row, "handoff"), mapping(row, "git_state")
    fields: dict[str, Any] = {
        field: texts(handoff, field) for field in ("next_steps", "blockers", "questions")
    }
    fields["goals"] = texts(row, "goals_addressed")
    fields["branch"] = text(state, "branch")
    fields["commits"] = texts(state, "commits")
    fields["files"] = texts(mapping(row, "context"), "active_files")
    fields["next_steps"] += texts(row, "open_threads")
    draft = Draft(
        message,
        kind="handoff",
        fields=fields,
        project=text(row, "project") or folder_name(row) or None,
        source_type="import",
        session=name,
        external_id=name,
        created_at=moment(handoff, "created_at") or moment(row, "ended_at", "started_at"),
    )
    return Record(name, draft, place)


def goal(place: str, row: Row) -> Iterator[Item]:
    """A goal is a task; how it is known to be reached stands below what it is about."""
    name, status = required(row, "id"), text(row, "status") or "draft"
    listed = row.get("success_criteria") or []
    if not isinstance(listed, list):
        raise BadInput("success_criteria must be a list")
    parts = [text(row, "description").strip()]
    if listed:
        parts.append(
            "Done when:\n" + "\n".join(f"- {_criterion(criterion)}" for criterion in listed)
        )
    if text(row, "notes").strip():
        parts.append(f"Notes:\n{text(row, 'notes').strip()}")
    projects = texts(row, "projects")
    metadata: dict[str, Any] = {field: texts(row, field) for field in ("projects", "tags")}
    metadata |= {field: text(row, field) for field in ("priority", "deadline", "created_by")}
    done = status in _GOAL_DONE
    values = {
        "id": name,
        "title": required(row, "name"),
        "description": "\n\n".join(filter(None, parts)),
        "category": "goal",
        "status": "done" if done else "blocked" if status == "blocked" else "open",
        "score": _PRIORITY.get(text(row, "priority"), 0),
        "metadata": {key: value for key, value in metadata.items() if value}
        | {"original_status": status},
        "created_at": moment(row, "created_at"),
        "completed_at": moment(row, "completed_at") if done else None,
    }
    if projects:
        values["project"] = projects[0]
    yield Extra(name, "task", values, place)
    for other in texts(row, "depends_on"):
        waits = {"task_id": name, "depends_on": other}
        yield Extra(f"{name} {other}", "dependency", waits, place)


def _criterion(criterion: Any) -> str:
    if not isinstance(criterion, dict):
        return str(criterion)
    words = text(criterion, "description", "criterion")
    return f"{words} (met)" if criterion.get("met") is True else words


def flag(place: str, row: Row) -> Iterator[Item]:
    """What somebody held against a pattern: a bad rating."""
    at, name = when(row, "timestamp"), required(row, "pattern_id")
    if at is None:
        raise BadInput("it has no timestamp")
    values = {
        "memory": name,
        "at": at,
        "score": 0.0,
        "weight": 1.0,
        "source": text(row, "type") or "lore",
        "query": "",
        "note": text(row, "reason"),
    }
    yield Extra(f"{name} {at} {values['note']}", "feedback", values, place)


def access(place: str, row: Row) -> Iterator[Item]:
    """One use of a record, as the log kept it beside the index."""
    at, name = when(row, "accessed_at", "timestamp"), required(row, "record_id", "id")
    if at is None:
        raise BadInput("it has no accessed_at")
    values = {"memory": name, "at": at, "source": "lore"}
    yield Extra(f"{name} {at}", "access", values, place)


LINES: dict[str, Callable[[str, Row], Iterator[Item]]] = {
    "failures.jsonl": failure,
    "search-failures.jsonl": miss,
    "observations.jsonl": observation,
    "signals.jsonl": observation,
    "evidence.jsonl": evidence,
}
SECTIONS: dict[str, Callable[[str, Row], Iterator[Item]]] = {
    "patterns": pattern,
    "anti_patterns": anti_pattern,
    "concepts": concept,
}
DOCUMENTS = session
