"""The characters that mark styles inside text until a surface colours or drops them."""

from __future__ import annotations

from recairn.core.words import MARK_OFF, MARK_ON

# Snippets arrive with the first and the last of these around the words that matched.
STYLE_MARKS = {"hit": MARK_ON, "bold": "\ue010", "dim": "\ue011", "name": "\ue012", "end": MARK_OFF}
_NO_MARKS = {ord(mark): None for mark in STYLE_MARKS.values()}


def styled(text: str, style: str) -> str:
    return f"{STYLE_MARKS[style]}{text}{MARK_OFF}"


def without_marks(text: str) -> str:
    """The text without style marks."""
    return text.translate(_NO_MARKS)
