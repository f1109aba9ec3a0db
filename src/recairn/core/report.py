"""What a check of the database has to say."""

from __future__ import annotations

from recairn.core.record import record
from recairn.core.words import counted


@record
class Problem:
    """Something `verify` found, and the command that mends it."""

    check: str
    detail: str
    remedy: str


@record
class Report:
    """What `verify` looked at and what it found; healthy when `problems` is empty."""

    checks: tuple[str, ...]
    problems: tuple[Problem, ...]
    memories: int

    def passed(self) -> str:
        """What is said where nothing was found."""
        return f"{counted(self.memories, 'memory')}, {len(self.checks)} checks passed"
