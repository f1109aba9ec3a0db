"""When and by which database each part of a memory was said; what is to go to others, and went."""

from __future__ import annotations

from recairn.store.postgres.schema.m001_initial import secured
from recairn.store.postgres.schema.m005_checksums import with_checksums
from recairn.store.sqlite.schema.m011_stamps import CARRIED_OVER, TABLES

# What this adds to the tables that add up.
SUMMED = (
    *("erased", "shares", "kept_records", "outbox", "outbox_refused", "feed_heads", "feed"),
    "erasure_acks",
)
_ERASED = """
insert into erased(team, uid, memory, at)
select team, before::json ->> 'uid', min(memory), max(at) from history
where event = 'erased' and before::json ->> 'uid' is not null group by 1, 2;
"""


def _statements() -> str:
    tables = TABLES.replace("{rowid}", "").replace("({team}", "(team, ")
    tables = tables.replace("primary key (", "primary key (team, ")
    lines = [
        f"{line}\n    team integer not null default {{team}},"
        if line.startswith("create table")
        else line
        for line in tables.splitlines()
    ]
    text = "alter table memories add column stamps text not null default '';"
    text += secured("\n".join(lines) + "\n", ())
    # The owner of the tables sees the rows of every team while this runs, and then as all do.
    for forced in ("no force", "force"):
        for table in ("memories", "history", "erased"):
            text += f"alter table {table} {forced} row level security;\n"
        text += CARRIED_OVER + _ERASED if forced == "no force" else ""
    return text + with_checksums(("memories", *SUMMED))


POSTGRES = _statements()
