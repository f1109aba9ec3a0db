"""Numbered migrations of the server's tables. A released one is never edited, only followed."""

from __future__ import annotations

LATEST = 2


def statements(version: int) -> str:
    """The statements that lead to that version from the one before."""
    from recairn.store.postgres.schema import m001_initial, m002_authors

    return {1: m001_initial.POSTGRES, 2: m002_authors.POSTGRES}[version]
