"""Numbered migrations. Each is one transaction; a released one is never edited, only followed."""

from __future__ import annotations

LATEST = 4


def statements(version: int) -> str:
    """The SQLite statements that lead to that version from the one before."""
    from recairn.store.sqlite.schema import m001_initial, m002_authors, m003_projects, m004_turns

    return {
        1: m001_initial.SQLITE,
        2: m002_authors.SQLITE,
        3: m003_projects.SQLITE,
        4: m004_turns.SQLITE,
    }[version]
