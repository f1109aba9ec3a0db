"""Numbered migrations of the server's tables. A released one is never edited, only followed."""

from __future__ import annotations

LATEST = 12


def statements(version: int) -> str:
    """The statements that lead to that version from the one before."""
    import re

    from recairn.store.postgres.schema import (
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
    )

    made = {
        1: m001_initial.POSTGRES,
        2: m002_authors.POSTGRES,
        3: m003_projects.POSTGRES,
        4: m004_turns.POSTGRES,
        5: m005_checksums.POSTGRES,
        6: m006_members.POSTGRES,
        7: m007_counts.POSTGRES,
        8: m008_branches.POSTGRES,
        9: m009_devices.POSTGRES,
        10: m010_tallies.POSTGRES,
        11: m011_stamps.POSTGRES,
        12: m012_filters.POSTGRES,
    }[version]
    # Texts are compared byte by byte, as SQLite does, whatever the database's own order is.
    return re.sub(r"\btext\b(?=[ ,;])", 'text collate "C"', made)
