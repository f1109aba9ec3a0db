"""The part of YAML that people and small programs write by hand, and nothing that can do harm.

Block and flow mappings and lists, plain, quoted and block scalars, comments. Anchors, aliases,
tags, merge keys, several documents and keys told twice are refused with the line: what they mean
differs between readers, and aliases can make a small file a huge one.
"""

from __future__ import annotations

import re

from recairn.core.errors import BadInput
from recairn.sources.readers.yaml_lines import (
    balanced_end,
    begins_nested,
    closes,
    folded,
    folded_block,
    key_end,
    plain,
    uncommented,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Levels of lists and mappings in one another.
_DEEPEST = 30
# Characters and lines of what stands between brackets: it is looked at again with each line.
_FLOW_LENGTH = 100_000
_FLOW_LINES = 200
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "0": "\0",
    '"': '"',
    "\\": "\\",
    "/": "/",
    " ": " ",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "_": "\xa0",
    "N": "\x85",
}
_CODES = {"x": 2, "u": 4, "U": 8}
_REFUSED = {
    "&": "an anchor",
    "*": "an alias",
    "!": "a tag",
    "?": "a key of more than one line",
    "%": "a directive",
    "@": "a reserved sign",
    "`": "a reserved sign",
}
_BLOCK = re.compile(r"([|>])([-+]?[1-9]?[-+]?)(?:\s+#.*)?$")


class BadYaml(BadInput):
    """What cannot be read, with the line it stands in (counted from 1)."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


def load(text: str, first_line: int = 1) -> Any:
    """The value that a text spells; BadYaml otherwise."""
    reader = _Reader(text, first_line)
    value = reader.node(0, 0)
    left = reader.peek()
    if left is not None:
        raise reader.bad("this does not belong to what stands above it")
    return value


class _Reader:
    def __init__(self, text: str, first_line: int) -> None:
        self._lines = text.replace("\r\n", "\n").split("\n")
        self._first = first_line
        self._at = 0
        self._read = 0  # the line that was looked at last, which an error is about
        if self._lines and self._lines[0].rstrip() == "---":
            self._lines[0] = ""

    def bad(self, why: str) -> BadYaml:
        return BadYaml(self._first + min(self._read, len(self._lines) - 1), why)

    def peek(self) -> tuple[int, str] | None:
        """(indent, text) of the next line that says something."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            row = line.strip(" ")
            self._read = self._at
            if row and not row.startswith("#") and row.strip():
                if row.startswith("\t"):
                    raise self.bad("a tab cannot indent")
                indent = len(line) - len(line.lstrip(" "))
                if indent == 0 and row.rstrip() in ("---", "..."):
                    raise self.bad("only one document is read")
                return indent, row.rstrip()
            self._at += 1
        return None

    def node(self, least: int, depth: int) -> Any:
        """The value that begins at the next line, if that is indented enough; None otherwise."""
        if depth > _DEEPEST:
            raise self.bad(f"nested more than {_DEEPEST} deep")
        found = self.peek()
        if found is None or found[0] < least:
            return None
        indent, row = found
        if row == "-" or row.startswith("- "):
            return self._list(indent, depth)
        if key_end(row) is not None:
            return self._mapping(indent, depth)
        self._at += 1
        return self._value(row, indent - 1, depth)

    def _list(self, indent: int, depth: int) -> list[Any]:
        items: list[Any] = []
        while (found := self.peek()) is not None and found[0] == indent:
            row = found[1]
            if row != "-" and not row.startswith("- "):
                break
            rest = row[1:].lstrip(" ")
            if not rest or rest.startswith("#"):
                self._at += 1
                items.append(self.node(indent + 1, depth + 1))
            elif begins_nested(rest):
                # `- name: x` begins a mapping as deep as its first key stands.
                self._lines[self._at] = " " * (indent + len(row) - len(rest)) + rest
                items.append(self.node(indent + 1, depth + 1))
            else:
                self._at += 1
                items.append(self._value(rest, indent, depth + 1))
        return items

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        while (found := self.peek()) is not None and found[0] == indent:
            row = found[1]
            end = key_end(row)
            if end is None:
                break
            key = self._key(row[:end])
            if key in made:
                raise self.bad(f"the key {key[:40]!r} is told twice")
            rest = row[end + 1 :].strip(" \t")
            self._at += 1
            if rest and not rest.startswith("#"):
                made[key] = self._value(rest, indent, depth + 1)
                continue
            below = self.peek()
            same = below is not None and below[0] == indent and below[1].startswith(("- ", "-"))
            listed = same and below is not None and (below[1] == "-" or below[1][1] == " ")
            made[key] = self.node(indent if listed else indent + 1, depth + 1)
        return made

    def _key(self, row: str) -> str:
        row = row.strip()
        if row[:1] in ('"', "'"):
            key, rest = self._quoted(row)
            if rest.strip():
                raise self.bad("a key is not closed")
            return key
        self._refuse(row)
        if row == "<<":
            raise self.bad("a merge key is not read")
        return row

    def _refuse(self, row: str) -> None:
        if row[:1] in _REFUSED:
            raise self.bad(f"{_REFUSED[row[0]]} is not read")

    def _value(self, row: str, indent: int, depth: int) -> Any:
        """A value that begins in a line; what goes on is indented deeper than `indent`."""
        begun = self._read
        block = _BLOCK.match(row)
        if block:
            return self._block(block[1], block[2], indent)
        if row[0] in ('"', "'"):
            value, rest = self._quoted(folded(self._whole_quote(row, indent)))
            self._end(rest)
            return value
        if row[0] in "[{":
            row, rest = self._whole_flow(row, indent)
            self._end(rest)
            return _Flow(self, row).value(depth)
        self._refuse(row)
        parts = [uncommented(row)]
        while (found := self.peek()) is not None and found[0] > indent:
            if key_end(found[1]) is not None:
                raise self.bad("a mapping cannot begin inside a text")
            parts.append(uncommented(found[1]))
            self._at += 1
        row = " ".join(parts)
        self._read = begun
        if ": " in row or row.endswith(":"):
            raise self.bad("a colon inside a text needs quotes")
        return plain(row)

    def _whole_quote(self, row: str, indent: int) -> str:
        """A quoted text with the lines it goes on over."""
        parts, mark = [row], row[0]
        closed = closes(row, mark, 1)
        while not closed:
            parts.append(self._continued(indent, "a quote is not closed"))
            closed = closes(parts[-1], mark, 0)
        return "\n".join(parts)

    def _whole_flow(self, row: str, indent: int) -> tuple[str, str]:
        """What stands between brackets, over a few lines if need be; and what follows it."""
        lines = 1
        while (end := balanced_end(row)) is None:
            row += " " + self._continued(indent, f"{row[0]} is not closed")
            lines += 1
            if lines > _FLOW_LINES or len(row) > _FLOW_LENGTH:
                raise self.bad("a list between brackets is too long")
        if end > _FLOW_LENGTH:
            raise self.bad("a list between brackets is too long")
        return row[:end], row[end:]

    def _continued(self, indent: int, why: str) -> str:
        """The next line of a value over several lines, as it stands; empty ones too."""
        if self._at >= len(self._lines):
            raise self.bad(why)
        line = self._lines[self._at]
        if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
            raise self.bad(why)
        self._read = self._at
        self._at += 1
        return line.strip()

    def _end(self, rest: str) -> None:
        if rest.strip() and not rest.lstrip().startswith("#"):
            raise self.bad(f"{rest.strip()[:20]!r} after the end of a value")

    def _quoted(self, row: str) -> tuple[str, str]:
        """The text of a quoted value, and what follows it."""
        mark, at, parts = row[0], 1, []
        while at < len(row):
            sign = row[at]
            if sign == mark and mark == "'" and row[at + 1 : at + 2] == "'":
                parts.append("'")
                at += 2
            elif sign == mark:
                return "".join(parts), row[at + 1 :]
            elif sign == "\\" and mark == '"':
                spelled, at = self._escape(row, at + 1)
                parts.append(spelled)
            else:
                parts.append(sign)
                at += 1
        raise self.bad("a quote is not closed")

    def _escape(self, row: str, at: int) -> tuple[str, int]:
        sign = row[at : at + 1]
        if sign in _CODES:
            code = row[at + 1 : at + 1 + _CODES[sign]]
            try:
                found = chr(int(code, 16))
                found.encode()  # half a character is none
                return found, at + 1 + _CODES[sign]
            except (ValueError, OverflowError):
                raise self.bad(f"{code!r} is no character's number") from None
        if sign not in _ESCAPES or not sign:
            raise self.bad(f"the escape \\{sign} is not known")
        return _ESCAPES[sign], at + 1

    def _block(self, style: str, marks: str, indent: int) -> str:
        """The lines below that are indented deeper: as they are (|), or folded (>)."""
        given = next((int(each) for each in marks if each.isdigit()), 0)
        width = max(indent, 0) + given if given else 0
        lines: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            here = len(line) - len(line.lstrip(" "))
            if line.strip():
                if here <= indent or (width and here < width):
                    break
                width = width or here
            lines.append(line[width:] if width else "")
            self._at += 1
        kept = list(lines)
        while kept and not kept[-1].strip():
            kept.pop()
        text = "\n".join(kept) if style == "|" else folded_block(kept)
        if "-" in marks or not kept:
            return text
        return text + "\n" * (1 + len(lines) - len(kept) if "+" in marks else 1)


class _Flow:
    """A list or mapping between brackets."""

    def __init__(self, reader: _Reader, row: str) -> None:
        self._reader = reader
        self._told = row
        self._at = 0

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise self._reader.bad(f"nested more than {_DEEPEST} deep")
        sign = self._sign()
        if sign == "[":
            return self._items(depth)
        if sign == "{":
            return self._pairs(depth)
        return self._scalar(",]}")

    def _sign(self) -> str:
        while self._at < len(self._told) and self._told[self._at] in " \t\n":
            self._at += 1
        return self._told[self._at : self._at + 1]

    def _items(self, depth: int) -> list[Any]:
        self._at += 1
        items: list[Any] = []
        while self._sign() != "]":
            items.append(self.value(depth + 1))
            self._next("]")
        self._at += 1
        return items

    def _pairs(self, depth: int) -> dict[str, Any]:
        self._at += 1
        made: dict[str, Any] = {}
        while self._sign() != "}":
            key = str(self._scalar(":,}"))
            if key == "<<":
                raise self._reader.bad("a merge key is not read")
            if key in made:
                raise self._reader.bad(f"the key {key[:40]!r} is told twice")
            made[key] = None
            if self._sign() == ":":
                self._at += 1
                made[key] = None if self._sign() in ",}" else self.value(depth + 1)
            self._next("}")
        self._at += 1
        return made

    def _next(self, end: str) -> None:
        sign = self._sign()
        if sign == ",":
            self._at += 1
        elif sign != end:
            raise self._reader.bad(f"a comma or {end} is missing")

    def _scalar(self, ends: str) -> Any:
        sign = self._sign()
        if sign in ('"', "'") and sign:
            value, rest = self._reader._quoted(self._told[self._at :])
            self._at = len(self._told) - len(rest)
            return value
        self._reader._refuse(sign)
        start = self._at
        while self._at < len(self._told) and not self._ends(ends):
            self._at += 1
        return plain(self._told[start : self._at].strip())

    def _ends(self, ends: str) -> bool:
        sign = self._told[self._at]
        if sign == ":" and ":" in ends:
            return self._told[self._at + 1 : self._at + 2] in (" ", ",", "}", "")
        return sign in ends
