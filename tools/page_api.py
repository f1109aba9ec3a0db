"""docs/openapi.json: what `recairn serve` answers, written from the tables below.

A type is `string`, `integer`, `number`, `boolean`, `object` (any) or the name of a row of `SHAPES`;
`?` behind it lets it be null, `[...]` is a list of it, a mapping an object of exactly these fields.
tests/surfaces/web/test_api.py compares every answer with this file.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent.parent / "docs" / "openapi.json"

Shape = dict[str, Any]

_BRIEF: Shape = {
    "id": "integer",
    "uid": "string",
    "kind": "string",
    "title": "string",
    "content": "string",
    "project": "string",
    "tier": "string",
    "category": "string",
    "scope": "string",
    "importance": "number",
    "usage_count": "integer",
    "last_used_at": "string?",
    "created_at": "string",
    "updated_at": "string",
    "superseded_by": "integer?",
    "expires_at": "string?",
    "deleted_at": "string?",
    "pinned": "boolean",
    "source_type": "string",
    "author": "string",
    "session": "string?",
    "trust": "string",
    "stale": "string",
}
# What a list tells of a memory in place of its fields and the end of its text.
_LISTED: Shape = {"shortened": "boolean", "anti_pattern": "boolean"}
_MEMORY: Shape = {
    **_BRIEF,
    "fields": "object",
    "sector": "string",
    "keywords": ["string"],
    "concepts": ["string"],
    "confidence": "number",
    "salience": "number",
    "helpful": "number",
    "harmful": "number",
    "outcome_score": "number?",
    "valid_from": "string",
    "valid_until": "string?",
    "immutable": "boolean",
    "source_ref": "string",
    "external_id": "string?",
    "branch": "string",
}
_TASK: Shape = {
    "id": "string",
    "title": "string",
    "description": "string",
    "category": "string",
    "project": "string",
    "status": "string",
    "score": "number",
    "parent": "string?",
    "depends_on": ["string"],
    "waits_for": ["string"],
    "outcome": "string?",
    "outcome_note": "string",
    "source_type": "string",
    "source_ref": "string",
    "session": "string?",
    "metadata": "object",
    "created_at": "string",
    "updated_at": "string",
    "started_at": "string?",
    "completed_at": "string?",
    "ready": "boolean",
}
_DOCUMENT: Shape = {
    "uid": "string",
    "path": "string",
    "url": "string?",
    "title": "string",
    "project": "string",
    "format": "string",
    "size": "integer",
    "chunks": "integer",
    "modified_at": "string?",
    "missing_since": "string?",
    "created_at": "string",
    "updated_at": "string",
}
_ENTRY: Shape = {
    "id": "integer",
    "kind": "string",
    "label": "string",
    "score": "number?",
    "chance": "number?",
    "tokens": "integer",
    "shortened": "boolean",
}

SHAPES: dict[str, Shape] = {
    "Error": {"error": {"kind": "string", "message": "string", "hint": "string"}},
    "Brief": {**_BRIEF, **_LISTED},
    "Memory": _MEMORY,
    "Span": {"text": "string", "mark": "boolean"},
    "Term": {"value": "number", "weight": "number", "effect": "string", "neutral": "number"},
    "Hit": {
        **{name: kind for name, kind in _MEMORY.items() if name != "superseded_by"},
        "score": "number",
        "match": "string",
        "terms": "Terms",
        "spans": ["Span"],
        "superseded_by": "object?",
        "source_session": "object?",
        "related_count": "integer",
        "path": "string",
        "flags": ["string"],
        "shortened": "boolean",
        "why": "string",
        "chance": "number?",
        "sum": "string",
        "sure": "string",
        "since*": "Since",
    },
    "Since": {"replaced_by": "integer?", "replaced_at": "string?", "forgotten_at": "string?"},
    "LastSeen": {"agent": "string", "at": "string"},
    "Event": {
        "id": "integer",
        "at": "string",
        "event": "string",
        "reason": "string",
        "changes": "object",
        "session": "string?",
        "author": "string",
        "undo_of": "integer?",
    },
    "Evidence": {
        "at": "string",
        "score": "number",
        "weight": "number",
        "source": "string",
        "task": "string?",
        "query": "string",
        "note": "string",
        "session": "string?",
        "undone": "boolean",
    },
    "HandOut": {
        "injection": "integer",
        "at": "string",
        "surface": "string",
        "session": "string?",
        "agent": "string",
        "project": "string?",
        "task": "string?",
        "query": "string",
        "position": "integer",
        "tokens": "integer",
        "score": "number?",
        "used": "string?",
        "used_at": "string?",
        "outcome": "string?",
    },
    "Session": {
        "id": "string",
        "project": "string",
        "agent": "string",
        "directory": "string",
        "branch": "string",
        "summary": "string",
        "started_at": "string",
        "last_seen_at": "string",
        "ended_at": "string?",
        "state": "string",
        "memories": "integer",
        "uses": "object",
    },
    "Turn": {
        "id": "integer",
        "at": "string",
        "event": "string",
        "agent": "string",
        "prompt": "string",
        "silence": "string?",
        "injection": "integer?",
        "tokens": "integer",
        "budget": "integer?",
        "task": "string?",
        "outcome": "string?",
        "handed_out": [
            {
                "memory": {"id": "integer", "kind": "string", "label": "string"},
                "position": "integer",
                "tokens": "integer",
                "score": "number?",
                "used": "string?",
                "used_at": "string?",
            }
        ],
        "left_out": [{"id": "integer", "kind": "string", "label": "string", "why": "string"}],
    },
    "Task": _TASK,
    "Document": _DOCUMENT,
    "Project": {
        "name": "string",
        "memories": "integer",
        "sessions": "integer",
        "tasks": "integer",
        "documents": "integer",
        "aliases": ["string"],
        "parent": "string?",
        "folder": "string?",
        "parts": ["string"],
        "checkouts": ["string"],
        "folders": ["string"],
        "first_commits": ["string"],
        "remotes": ["string"],
        "last_used_at": "string?",
    },
    "Entry": _ENTRY,
}

_SEARCHED = ("project", "kind", "trust", "category", "author", "source", "since", "before", "as_of")
_FILTERS = (
    *_SEARCHED,
    "sector",
    "tier",
    "source_ref",
    "in_session",
    "replaced",
    "forgotten",
    "docs",
)
_LEDGER_ROW: Shape = {
    "times": "integer",
    "memories": "integer",
    "tokens": "integer",
    "cited": "integer",
    "expanded": "integer",
    "helpful": "integer",
    "success": "integer",
    "partial": "integer",
    "failure": "integer",
    "last_at": "string?",
}
_OVERVIEW: Shape = {
    "version": "string",
    "project": "string?",
    "everywhere": "boolean",
    "projects": [{"name": "string", "memories": "integer"}],
    "counts": {
        "memories": "integer",
        "review": "integer",
        "rules": "integer",
        "sessions": "integer",
        "tasks": "integer",
    },
    "database": "string",
    "absent": "boolean",
    "read_only": "boolean",
    "author": "string",
    "last_seen": "LastSeen?",
    "kinds": ["string"],
    "profiles": ["string"],
    "sectors": ["string"],
    "tiers": ["string"],
    "notices": ["string"],
}
_HISTOGRAM: Shape = {
    "by": "string",
    "total": "integer",
    "bins": [{"start": "string", "count": "integer"}],
}
_LISTING: Shape = {
    "memories": ["Brief"],
    "meta": {"returned": "integer", "total": "integer?", "next": "string?"},
}
_ACTED: Shape = {"memory": "Memory", "version": "string", "events": ["integer"]}
_MOVED: Shape = {
    "change": "integer",
    "event": "string",
    "project": "string",
    "to": "string",
    "memories": "integer",
    "tasks": "integer",
}

# (method, address): what it is for, its parameters, the fields of its body, what it answers.
# A field of a body or an answer that ends with `*` may be missing.
ROUTES: dict[tuple[str, str], tuple[str, tuple[str, ...], Shape, Any]] = {
    ("POST", "/api/key"): (
        "A token for the key of the address, once",
        (),
        {"key": "string"},
        {"token": "string"},
    ),
    ("GET", "/api/first"): (
        "What the page shows first, in one answer: the frame, the newest memories, the histogram",
        ("project",),
        {},
        {"overview": _OVERVIEW, "histogram": _HISTOGRAM, "memories": _LISTING},
    ),
    ("GET", "/api/overview"): (
        "What the frame shows: projects and counts",
        ("project",),
        {},
        _OVERVIEW,
    ),
    ("GET", "/api/search"): (
        "Hits, best first, each with its terms and a line of why; nothing is counted as use",
        ("q", *_FILTERS, "limit", "profile", "all", "deep"),
        {},
        {
            "query": "string",
            "profile": "string",
            "mode": "string",
            "hits": ["Hit"],
            "meta": {
                "candidates": "integer",
                "returned": "integer",
                "duration_ms": "number",
                "model": "string?",
                "weights": "object",
                "project": "string?",
                "searched": "integer?",
                "notices": ["string"],
            },
        },
    ),
    ("GET", "/api/histogram"): (
        "How many memories were made when",
        _FILTERS,
        {},
        _HISTOGRAM,
    ),
    ("POST", "/api/misses"): (
        "Notes that a search missed something",
        ("project",),
        {"query": "string", "wanted*": "integer", "note*": "string"},
        {
            "misses": "integer",
            "advice": ["string"],
            "warnings": ["string"],
            "back": {"miss": "integer"},
        },
    ),
    ("GET", "/api/memories"): (
        "One page of memories by filter; `after` is `next` of the page before",
        (*_FILTERS, "after", "order", "hidden", "limit"),
        {},
        _LISTING,
    ),
    ("POST", "/api/memories/bulk"): (
        "One act on the memories named, or on all that the filter lets through;"
        " with `preview` only counts",
        (*_FILTERS, "hidden"),
        {
            "act": "string",
            "ids*": ["integer"],
            "preview*": "boolean",
            "count*": "integer",
            "pinned*": "boolean",
            "project*": "string",
        },
        {"count": "integer", "first": ["Brief"], "events": ["integer"]},
    ),
    ("GET", "/api/memories/{id}"): (
        "A memory whole: text, life, links, and who was given it",
        ("project", "as_of"),
        {},
        {
            **_MEMORY,
            "version": "string",
            "session_context": "object?",
            "evidence": ["Evidence"],
            "chain": [[{"id": "integer", "content": "string"}]],
            "history": ["Event"],
            "history_left_out": "integer",
            "handed_out": ["HandOut"],
            "times_handed_out": "integer",
            "times_used": "integer",
            "links": [
                {
                    "id": "integer",
                    "kind": "string",
                    "label": "string",
                    "relation": "string",
                    "forward": "boolean",
                }
            ],
        },
    ),
    ("GET", "/api/memories/{id}/similar"): (
        "What says nearly the same",
        ("project",),
        {},
        {"memories": [{**_BRIEF, **_LISTED, "score": "number"}]},
    ),
    ("POST", "/api/memories/{id}/{act}"): (
        "edit, replace, correct, rate, pin, move, expire, forget, restore, accept, drop or promote;"
        " `expect` is the version seen (409 when it is another by now)",
        ("project",),
        {
            "changes*": "object",
            "content*": "string",
            "expect*": "string",
            "accept*": "boolean",
            "score*": "number",
            "query*": "string",
            "pinned*": "boolean",
            "project*": "string",
            "at*": "string",
            "reason*": "string",
        },
        {
            **{f"{name}*": kind for name, kind in _ACTED.items() if name != "events"},
            "events": ["integer"],
            "successor*": "integer?",
            "remembered*": "object",
        },
    ),
    ("POST", "/api/undo"): (
        "Takes back events, a change of projects, or what `back` of another answer names",
        ("project",),
        {
            "events*": ["integer"],
            "change*": "integer",
            "preview*": "boolean",
            "task*": "string",
            "seen*": "integer",
            "miss*": "integer",
        },
        {
            "undone": [{"event": "integer", "memory": "integer?", "what": "string"}],
            "events": ["integer"],
        },
    ),
    ("GET", "/api/review"): (
        "What waits for a person's word, oldest first",
        ("project",),
        {},
        {
            "candidates": [
                {**_MEMORY, "shortened": "boolean", "version": "string", "prompt": "string"}
            ],
            "total": "integer",
        },
    ),
    ("GET", "/api/sessions"): (
        "The newest sessions",
        ("project", "limit"),
        {},
        {"sessions": ["Session"]},
    ),
    ("GET", "/api/sessions/{id}"): (
        "Every turn of a session, silent ones with the reason",
        ("project", "from"),
        {},
        {
            "session": "Session",
            "turns": ["Turn"],
            "from": "integer",
            "more": "boolean",
            "kept": [{"at": "string", "event": "string", "memory": "Brief"}],
            "notes": {"files": "object", "tests": "object"},
        },
    ),
    ("POST", "/api/sessions/{id}/undo"): (
        "Takes back what a session wrote; with `preview` only counts",
        ("project",),
        {"preview*": "boolean"},
        {"count": "integer", "memories": "integer", "events": ["integer"]},
    ),
    ("GET", "/api/rules"): (
        "The rules that are always said, and what does not fit",
        ("project", "agent"),
        {},
        {
            "project": "string?",
            "agent": "string?",
            "characters": "integer",
            "tokens": "integer",
            "rules": [
                {
                    "memory": "Brief",
                    "tokens": "integer",
                    "fits": "boolean",
                    "why": "string",
                    "times": "integer",
                    "last_at": "string?",
                }
            ],
            "left_out": "integer",
        },
    ),
    ("GET", "/api/ledger"): (
        "What was handed out and what became of it",
        ("project", "by", "since", "unused"),
        {},
        {
            "totals": {
                "contexts": "integer",
                "tokens": "integer",
                "cited": "integer",
                "expanded": "integer",
                "helpful": "integer",
            },
            "grouped_by": "string",
            "data": [
                {
                    "day*": "string",
                    "agent*": "string?",
                    "session*": "string?",
                    "memory*": "integer?",
                    "task*": "string?",
                    "label*": "string",
                    **_LEDGER_ROW,
                }
            ],
            "left_out": "integer",
        },
    ),
    ("POST", "/api/try"): (
        "What an agent would get for a prompt; nothing is noted",
        ("project",),
        {"prompt": "string", "max_tokens*": "integer", "files*": ["string"]},
        {
            "task": "Task?",
            "query": "string",
            "rules": ["Entry"],
            "hits": ["Entry"],
            "handoff": "Entry?",
            "text": "string",
            "tokens": "integer",
            "budget": "integer",
            "injection": "integer?",
            "left_out": [{"id": "integer", "why": "string", "label": "string"}],
            "notices": ["string"],
            "recent": ["Entry"],
            "suggestions": ["Entry"],
            "duration_ms": "number",
        },
    ),
    ("GET", "/api/graph/{id}"): (
        "What hangs together with a memory, at most 150 of them",
        ("project", "hops", "relation"),
        {},
        {
            "center": "integer",
            "nodes": [
                {
                    "id": "integer",
                    "kind": "string",
                    "label": "string",
                    "project": "string",
                    "hops": "integer",
                    "superseded": "boolean",
                }
            ],
            "edges": [
                {"source": "integer", "target": "integer", "relation": "string", "weight": "number"}
            ],
            "left_out": "integer",
        },
    ),
    ("GET", "/api/documents"): (
        "The documents of the project",
        ("project", "q"),
        {},
        {"documents": ["Document"], "total": "integer"},
    ),
    ("GET", "/api/documents/{id}"): (
        "A document with its pieces",
        ("project", "from"),
        {},
        {
            **_DOCUMENT,
            "pieces": [
                {
                    "id": "integer",
                    "uid": "string",
                    "document": "string",
                    "path": "string",
                    "line": "integer?",
                    "end_line": "integer?",
                    "page": "integer?",
                    "heading": "string",
                    "title": "string",
                    "content": "string",
                }
            ],
            "from": "integer",
        },
    ),
    ("GET", "/api/tasks"): (
        "The tasks of the project",
        ("project", "all", "ready"),
        {},
        {"tasks": ["Task"]},
    ),
    ("GET", "/api/tasks/{id}"): (
        "A task, its life, and what was handed out for it",
        ("project",),
        {},
        {
            **_TASK,
            "events": [
                {
                    "at": "string",
                    "event": "string",
                    "reason": "string?",
                    "before": "object",
                    "session": "string?",
                    "author*": "string?",
                }
            ],
            "dependents": ["string"],
            "contexts": ["object"],
        },
    ),
    ("POST", "/api/tasks/{id}/{act}"): (
        "start, block, done or open",
        ("project",),
        {"reason*": "string", "outcome*": "string", "note*": "string"},
        {"task": "Task", "back": "object?"},
    ),
    ("GET", "/api/projects"): (
        "All projects, and what was done to them",
        ("project",),
        {},
        {
            "current": "string?",
            "projects": ["Project"],
            "total": "integer",
            "changes": [
                {
                    "change": "integer",
                    "at": "string",
                    "event": "string",
                    "project": "string",
                    "to": "string?",
                    "undone_at": "string?",
                }
            ],
        },
    ),
    ("POST", "/api/projects/rename"): (
        "Gives a project another name",
        ("project",),
        {"name": "string", "new": "string"},
        _MOVED,
    ),
    ("POST", "/api/projects/merge"): (
        "Makes one project out of two",
        ("project",),
        {"source": "string", "into": "string"},
        _MOVED,
    ),
    ("GET", "/api/health"): (
        "Does it work? `thorough` looks as doctor does",
        ("project", "thorough"),
        {},
        {
            "database": "string",
            "bytes": "integer",
            "memories": "integer",
            "waiting": "integer",
            "misses": "integer",
            "hooks": [{"agent": "string", "event": "string", "at": "string", "times": "integer"}],
            "model": "string?",
            "to_embed": "integer",
            "backup_folder": "string?",
            "backups": [
                {
                    "path": "string",
                    "created_at": "string",
                    "bytes": "integer",
                    "memories": "integer?",
                    "schema": "integer?",
                    "problem": "string?",
                }
            ],
            "mirrors": [{"folder": "string", "project": "string"}],
            "troubles": [{"what": "string", "remedy": "string"}],
            "findings": [{"level": "string", "what": "string", "remedy": "string"}],
            "agents": [
                {"agent": "string", "scope": "string", "state": "string", "plugin": "string"}
            ],
        },
    ),
    ("GET", "/api/changes"): (
        "Server-sent events: `changed` whenever somebody wrote something",
        (),
        {},
        None,
    ),
}


def schema(kind: Any) -> dict[str, Any]:
    """JSON Schema of a type in the notation above."""
    if isinstance(kind, list):
        return {"type": "array", "items": schema(kind[0])}
    if isinstance(kind, dict):
        return {
            "type": "object",
            "properties": {name.removesuffix("*"): schema(value) for name, value in kind.items()},
            "required": [name for name in kind if not name.endswith("*")],
            "additionalProperties": False,
        }
    if kind == "Terms":
        return {"type": "object", "additionalProperties": schema("Term")}
    bare = kind.removesuffix("?")
    if bare in SHAPES:
        named = {"$ref": f"#/components/schemas/{bare}"}
        return {"anyOf": [named, {"type": "null"}]} if kind.endswith("?") else named
    if bare == "object":
        return {}
    return {"type": [bare, "null"]} if kind.endswith("?") else {"type": bare}


def document() -> str:
    """The file as it should be."""
    from recairn import __version__

    paths: dict[str, Any] = {}
    for (method, address), (about, parameters, body, answer) in ROUTES.items():
        paths.setdefault(address, {})[method.lower()] = _operation(
            about, (*re.findall(r"{(\w+)}", address), *parameters), body, answer
        )
        if address == "/api/key":
            paths[address]["post"]["security"] = []
    whole = {
        "openapi": "3.1.0",
        "info": {"title": "recairn serve", "version": __version__},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {name: schema(shape) for name, shape in SHAPES.items()},
        },
    }
    return json.dumps(whole, indent=1) + "\n"


def _operation(about: str, parameters: tuple[str, ...], body: Shape, answer: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"summary": about}
    if parameters:
        found["parameters"] = [
            {
                "name": name,
                "in": "path" if name in ("id", "act") else "query",
                "required": name in ("id", "act"),
                "schema": {"type": "string"},
            }
            for name in parameters
        ]
    if body:
        found["requestBody"] = {"content": {"application/json": {"schema": schema(body)}}}
    kind = {"text/event-stream": {}} if answer is None else _json(schema(answer))
    found["responses"] = {
        "200": {"description": "the answer", "content": kind},
        "default": {"description": "what went wrong", "content": _json(schema("Error"))},
    }
    return found


def _json(content: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": content}}
