"""Numbered migrations. Each is one transaction; a released one is never edited, only followed."""

from __future__ import annotations

LATEST = 2


def statements(version: int) -> str:
    """The SQLite statements that lead to that version from the one before."""
    from recairn.store.sqlite.schema import m001_initial, m002_authors

    return {1: m001_initial.SQLITE, 2: m002_authors.SQLITE}[version]
