"""One small corpus for all tests: what the makers of puffin, a harbour tide station, wrote down."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import recairn
from recairn.core.derived import keys_of_row
from recairn.core.kinds import fields_text, reach_tokens
from recairn.core.record import as_dict
from recairn.core.times import DAY

# 2026-11-15T12:00:00Z, when the tests take place.
NOW = 1_794_744_000_000

PROJECT = "puffin"


class Clock:
    """The time as a test wants it, in milliseconds."""

    def __init__(self, now: int = NOW) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def advance(self, milliseconds: int) -> int:
        self.now += milliseconds
        return self.now


# Where `run.py test` is told to keep what a test would keep in a file (TEST_STORE=postgresql): from
# a path to the address of a team that the test has for itself.
ELSEWHERE: list[Callable[[str], str]] = []


def place(path: Any) -> Any:
    """Where a test keeps the database that it names by a path."""
    return ELSEWHERE[0](str(path)) if ELSEWHERE else path


def kept_at(path: Any) -> bytes:
    """All that is kept of the database that a test names by a path, beside it too."""
    if not ELSEWHERE:
        path = Path(path)
        beside = sorted(path.parent.glob(f"{path.name}*"))
        # What ends in -shm is the memory that open connections share; it keeps nothing.
        return b"".join(file.read_bytes() for file in beside if not file.name.endswith("-shm"))
    from tests.postgres_server import rows_of

    return rows_of(place(path))


def opened(path: Any, **options: Any) -> Any:
    """A memory of puffin that knows words only, unless the options say otherwise."""
    return recairn.open(place(path), **{"project": PROJECT, "model": "none", **options})


def keys_of(memory: Any) -> list[int]:
    """The look-alike keys a stored memory must have."""
    reach = reach_tokens(memory.tier, memory.project, memory.session_id)
    details = fields_text(memory.fields)
    return keys_of_row({**as_dict(memory), "details": details, "reach": reach})


def logged_search(query: str, **columns: Any) -> dict[str, Any]:
    """An entry of the query log; the columns differ from the usual ones."""
    return {
        "at": NOW,
        "query": query,
        "tool": "test",
        "mode": "hybrid",
        "profile": "default",
        "project": PROJECT,
        "session_id": None,
        "results": 0,
        "result_ids": "[]",
        "duration_ms": 1.0,
        **columns,
    }


MEMORIES: list[dict[str, Any]] = [
    {
        "content": "The authentication module handles user login and JWT tokens",
        "kind": "learning",
        "category": "security",
    },
    {
        "content": "Database migrations are run with the migrate command",
        "kind": "learning",
        "category": "database",
    },
    {
        "content": "Gulls peck the ultrasonic sensor: readings under 4 cm are beaks, not water",
        "kind": "learning",
        "keywords": ["sensor", "noise"],
        "importance": 0.9,
    },
    {
        "content": "Tide tables live in PostgreSQL, one row for every six minutes",
        "kind": "decision",
        "title": "PostgreSQL holds the tide tables",
        "fields": {
            "rationale": "the harbour office already runs a server",
            "alternatives": ["SQLite on the buoy", "flat CSV files"],
            "outcome": "queries answer within a second",
            "lesson": "ask the office before buying hardware",
        },
    },
    {
        "content": "Batch uplink packets and send them when the satellite is overhead",
        "kind": "pattern",
        "fields": {
            "context": "radio budget of 340 bytes a pass",
            "problem": "single readings waste the header",
            "solution": "collect twelve readings, then call flushUplinkBatch",
            "validations": 3,
        },
    },
    {
        "content": "Polling the barometer in a busy loop drains the battery overnight",
        "kind": "pattern",
        "fields": {
            "anti_pattern": True,
            "symptom": "dead buoy at dawn",
            "fix": "use the alarm pin",
        },
    },
    {
        "content": "The November gale crashed the ingest worker with a full queue",
        "kind": "failure",
        "fields": {
            "error_type": "QueueFull",
            "error_message": "ingest queue holds 10000 packets",
            "cause": "no backpressure towards the modem",
            "fix": "drop duplicate packets first",
        },
    },
    {
        "content": "Stopped halfway through the dashboard: charts draw, the legend does not",
        "kind": "handoff",
        "fields": {
            "next_steps": ["draw the legend", "measure the first paint"],
            "blockers": ["no licence for the harbour map"],
            "questions": ["metres or feet on the axis?"],
        },
    },
    {
        "content": "The harbour webcam is foggy until ten every morning",
        "kind": "observation",
        "fields": {"source": "webcam", "status": "open"},
    },
    {"content": "Ines likes small commits and charts without gridlines", "kind": "preference"},
    {
        "content": "Always run schema changes inside a transaction",
        "kind": "rule",
        "scope": "server/**/*.sql",
    },
    {"content": "Mean high water at the pier is 3.1 metres", "kind": "fact"},
    {"content": "The buoy radio listens on port 7331", "kind": "fact"},
    {
        "content": "Meeting with the harbour master about sirens, flood levels and who is called",
        "kind": "note",
        "title": "Siren meeting",
        "fields": {"summary": "sirens at 4.2 metres", "key_points": ["two sirens", "one list"]},
    },
    {
        "content": "TideModel predicts the water level from the moon and the air pressure",
        "kind": "entity",
        "fields": {"entity_type": "module", "aliases": ["tide model"], "mentions": 4},
    },
    {
        "content": "A primer on harmonic tide prediction",
        "kind": "resource",
        "fields": {"url": "https://tides.example/primer", "takeaways": ["37 constituents"]},
    },
    {
        "content": "Chapter two: mooring a buoy so that its chain does not chafe",
        "kind": "chunk",
        "fields": {"document": 1, "position": 2, "heading": "Mooring"},
    },
    {
        "content": "parseHTTPHeader lower-cases names before it compares them",
        "kind": "learning",
        "category": "server",
    },
    {
        "content": "Call `sync_clock` from server/clock.py before the first reading",
        "kind": "learning",
        "source_ref": "run-17",
    },
    {
        "content": "Tar on the antenna made the buoy silent for two days",
        "kind": "failure",
        "created_at": NOW - 400 * DAY,
        "importance": 0.2,
    },
]
