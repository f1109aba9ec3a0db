"""The marked block in which memories are injected, and how to recognise it again.

    <recairn-context>
    ... quoted memories ...
    </recairn-context>

Text inside can neither end the block nor pass for one of its own lines: each line of a memory
stands behind `> `, and a tag of ours in it is broken. What recairn injected is never remembered
again: `without_blocks` drops it from any text on its way in.
"""

from __future__ import annotations

OPEN = "<recairn-context>"
CLOSE = "</recairn-context>"
QUOTE = "> "

_NAME = "recairn-"
_BROKEN = "&lt;"
# The lines of a block: quoted ones, headers (`#42 ...`), what introduces them, and section titles.
_OWN_LINE = r"(?:(?:>|#\d+ |Background|\[\.\.\. )[^\n]*|[^\n:]{1,40}:(?=\n#\d+ |\n?\Z))(?:\n|\Z)"
# The signs that a name in a header line may hold, beside letters and digits.
_HARMLESS = " _.:/#@+-"


def unfenced(text: str) -> str:
    """The text with every tag of ours broken, so that it cannot open or end a block."""
    if _NAME not in text.lower():
        return text
    import re

    return re.sub(rf"<(?=\s*/?\s*{_NAME})", _BROKEN, text, flags=re.IGNORECASE)


def quoted(text: str) -> list[str]:
    """The lines of a text as quoted lines of a block."""
    return [f"{QUOTE}{line}".rstrip() for line in unfenced(text).splitlines()]


def plain(text: str, longest: int) -> str:
    """A name without any sign that structures a header line."""
    if not text.isalnum():
        letters = [sign if sign.isalnum() or sign in _HARMLESS else " " for sign in text]
        text = " ".join("".join(letters).split())
    return text[:longest].strip()


def without_blocks(text: str) -> tuple[str, int]:
    """The text without what recairn injected, and how many blocks that were.

    A block that a host cut off before its end goes as far as its lines are a block's: what somebody
    wrote below it stays. Inside a block no tag of ours stands, so one that follows begins another.
    """
    if f"{OPEN}\n" not in text:
        return text, 0
    import re

    whole = rf"{OPEN}\n(?:(?!{OPEN}\n).)*?{CLOSE}\n?"
    return re.subn(rf"{whole}|{OPEN}\n(?:{_OWN_LINE})+", "", text, flags=re.DOTALL)
