"""The fields between two lines of dashes at the beginning of a markdown file."""

from __future__ import annotations

from recairn.sources.readers.yaml_subset import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_RULE = "---"


def parted(text: str) -> tuple[dict[str, Any], str, int]:
    """(fields, the rest, the line it begins at); without fields all of it is the rest."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _RULE:
        return {}, text, 1
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() in (_RULE, "..."):
            row = load("\n".join(lines[1:at]), 2)
            rest = "\n".join(lines[at + 1 :])
            return row if isinstance(row, dict) else {}, rest, at + 2
    return {}, text, 1
