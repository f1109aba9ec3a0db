"""Lines that are too long for a terminal, broken between words instead of inside them."""

from __future__ import annotations

from recairn.surfaces.render.text import without_marks

# Columns that the rest of a line stands to the right, by how the line begins: below the text of a
# hit, which has such an indent itself, or a little.
_HIT, _LITTLE = 6, 2
# Narrower than this nothing is gained by breaking.
_NARROWEST = 20


def wrapped(text: str, width: int) -> str:
    """The text with every line broken at spaces so that it fits; words are never broken."""
    if width < _NARROWEST:
        return text
    return "\n".join(
        line if _columns(line) <= width else _broken(line, width) for line in text.split("\n")
    )


def _broken(line: str, width: int) -> str:
    bare = line.lstrip(" ")
    lead = len(line) - len(bare)
    first = without_marks(bare)[:1]
    rest = " " * (_HIT if first in ("[", "#") and not lead else lead + _LITTLE * (lead < _HIT))
    lines: list[str] = []
    current, used = " " * lead, lead
    for word in bare.split(" "):
        columns = _columns(word)
        empty = not current.strip()
        if not empty and used + 1 + columns > width:
            lines.append(current)
            current, used, empty = rest, len(rest), True
        current += word if empty else f" {word}"
        used += columns + (not empty)
    return "\n".join([*lines, current])


def _columns(text: str) -> int:
    """Columns that a text takes; Chinese, Japanese and Korean characters take two."""
    plain = without_marks(text)
    if plain.isascii():
        return len(plain)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in plain
    )
