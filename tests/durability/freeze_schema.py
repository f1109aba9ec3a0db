"""Keeps a database of the present schema for ever, as the test of migrations to come.

    python tests/durability/freeze_schema.py

Run once for a release that changes the schema, and commit tests/data/schema-N.db.
"""

from __future__ import annotations

import sys
from pathlib import Path

import recairn
from recairn.store.sqlite import schema
from recairn.store.sqlite.copies import to_one_file

# (content, options of remember)
SAMPLES: tuple[tuple[str, dict], ...] = (
    ("A frozen penguin remembers how the first schema felt", {"kind": "learning"}),
    ("Ship migrations in one transaction", {"kind": "rule", "category": "database"}),
    (
        "We chose SQLite over a server",
        {"kind": "decision", "fields": {"rationale": "nothing to run", "outcome": "good"}},
    ),
    ("Retry loops need a limit", {"kind": "pattern", "keywords": ["retry", "backoff"]}),
    ("parseHTTPHeader dropped the last colon", {"kind": "failure", "session": "s-1"}),
    ("Tabs are for Makefiles alone", {"kind": "preference", "tier": "global"}),
)
# Milliseconds; a frozen file is the same whenever it is made.
AT = 1_790_000_000_000


def freeze(folder: Path) -> Path:
    """Writes schema-N.db into the folder; refuses to replace one, since it may be released."""
    target = folder / f"schema-{schema.LATEST}.db"
    if target.exists():
        raise SystemExit(f"{target} exists; a released schema is never frozen twice")
    with recairn.open(target, project="frozen", clock=lambda: AT) as memory:
        for content, options in SAMPLES:
            memory.remember(content, force=True, **options)
        memory.supersede(4, 2)
        memory.feedback(1, 1.0)
        memory.remember("Nobody needs this one")
        memory.forget(len(SAMPLES) + 1)
        memory.search("penguin")
    to_one_file(str(target))
    return target


if __name__ == "__main__":
    sys.stdout.write(f"{freeze(Path(__file__).resolve().parent.parent / 'data')}\n")
