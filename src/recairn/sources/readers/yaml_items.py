"""The lists of a YAML file item by item, so that one bad item costs only itself."""

from __future__ import annotations

import re

from recairn.core.errors import BadInput
from recairn.sources.readers.yaml_subset import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_SECTION = re.compile(r"([A-Za-z_][\w-]*):[ \t]*(.*)$")
_ITEM = re.compile(r"( *)-(?: |$)")


def items(text: str) -> Iterator[tuple[str, int, Any]]:
    """(section, line, value) of every item of the lists below the keys of a file.

    The value is the BadInput that says why an item cannot be read. A list between brackets, or
    anything else than a list, is read as a whole.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    starts = [at for at, line in enumerate(lines) if _SECTION.match(line)]
    stray = _first_word(lines[: starts[0] if starts else None])
    if stray is not None:
        yield "", stray + 1, BadInput("this belongs to no section")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        match = _SECTION.match(lines[start])
        assert match is not None
        rest = match[2].split(" #")[0].strip()
        if rest and not rest.startswith("#"):
            yield from _whole(match[1], start, "\n".join(lines[start:end]))
        else:
            yield from _items(match[1], start + 1, lines[start + 1 : end])


def _whole(section: str, start: int, text: str) -> Iterator[tuple[str, int, Any]]:
    try:
        value = load(text, start + 1)
        # `key:value`, without a space, is a text.
        if not isinstance(value, dict) or section not in value:
            raise BadInput("this belongs to no section")
    except BadInput as error:
        yield section, getattr(error, "line", start + 1), error
        return
    items = value[section]
    for item in items if isinstance(items, list) else []:
        yield section, start + 1, item


def _items(section: str, start: int, lines: list[str]) -> Iterator[tuple[str, int, Any]]:
    dashes = [(at, match[1]) for at, line in enumerate(lines) if (match := _ITEM.match(line))]
    begins = [at for at, indent in dashes if indent == dashes[0][1]]
    stray = _first_word(lines[: begins[0] if begins else None])
    if stray is not None:
        yield section, start + stray + 1, BadInput("this belongs to no item of a list")
    for at, end in zip(begins, [*begins[1:], len(lines)], strict=False):
        line = start + at + 1
        try:
            (value,) = load("\n".join(lines[at:end]), line)
        except BadInput as error:
            yield section, getattr(error, "line", line), error
        else:
            yield section, line, value


def _first_word(lines: list[str]) -> int | None:
    """Which of the lines is the first that says something; None when none does."""
    for at, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith("#") and line.rstrip() != "---":
            return at
    return None
