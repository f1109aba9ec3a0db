"""Numbered migrations. Each is one transaction; a released one is never edited, only followed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from recairn.store.sqlite.connection import Connection

LATEST = 16
# Since then look-alike keys are made of ten words, which begin with the seven of before.
TEN_WORDS = 13
# Tables whose rows are added up; the others are made from these, or have checksums of their own.
SUMMED = frozenset(
    (
        "access_log compactions config current_sessions current_tasks documents edges feedback"
        " history imports injection_memories injections memories meta project_aliases"
        " project_changes project_marks projects query_log read_cursors search_failures"
        " session_memories sessions staleness task_deps task_events tasks turns members"
        " private_memories devices erased shares kept_records outbox outbox_refused feed_heads"
        " feed erasure_acks"
    ).split()
)
# Sums stay below it, so that adding two of them is still a whole number to the engine.
MODULUS = 1 << 62


def migrate(c: Connection, db: apsw.Connection) -> None:
    """Brings the tables to the latest version, in the caller's transaction."""
    # Another process may have migrated while this one waited for the lock.
    present = db.pragma("user_version")
    for version in range(present + 1, LATEST + 1):
        db.execute(statements(version))
        db.execute(f"pragma user_version={version}")
    if 0 < present < TEN_WORDS:
        from recairn.store.statements.memories import remake_keys

        remake_keys(c)
    c.remake_sums()


def statements(version: int) -> str:
    """The SQLite statements that lead to that version from the one before."""
    from recairn.store.sqlite.schema import (
        m001_initial,
        m002_authors,
        m003_projects,
        m004_turns,
        m005_checksums,
        m006_members,
        m007_counts,
        m008_branches,
        m009_devices,
        m010_tallies,
        m011_stamps,
        m012_filters,
        m013_keys,
        m014_places,
        m015_categories,
        m016_recent_keys,
    )

    return {
        1: m001_initial.SQLITE,
        2: m002_authors.SQLITE,
        3: m003_projects.SQLITE,
        4: m004_turns.SQLITE,
        5: m005_checksums.SQLITE,
        6: m006_members.SQLITE,
        7: m007_counts.SQLITE,
        8: m008_branches.SQLITE,
        9: m009_devices.SQLITE,
        10: m010_tallies.SQLITE,
        11: m011_stamps.SQLITE,
        12: m012_filters.SQLITE,
        13: m013_keys.SQLITE,
        14: m014_places.SQLITE,
        15: m015_categories.SQLITE,
        16: m016_recent_keys.SQLITE,
    }[version]
