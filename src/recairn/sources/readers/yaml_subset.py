"""The part of YAML that people and small programs write by hand, and nothing that can do harm.

Block and flow mappings and lists, plain, quoted and block scalars, comments. Anchors, aliases,
tags, merge keys, several documents and keys told twice are refused with the line: what they mean
differs between readers, and aliases can make a small file a huge one.
"""

from __future__ import annotations

import re
from itertools import pairwise

from recairn.core.errors import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Levels of lists and mappings in one another.
_DEEPEST = 30
# Characters and lines of what stands between brackets: it is looked at again with each line.
_FLOW_LENGTH = 100_000
_FLOW_LINES = 200

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
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
_KEY_COLON = re.compile(r":(?=[ \t]|\Z)|(?<= )#")
_COMMENT = re.compile(r"\s#")

# What follows the opening sign of a quote, up to its end.
_QUOTE_REST = {
    '"': re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL),
    "'": re.compile(r"(?:[^']|'')*'(?!')"),
}
_ESCAPE = re.compile(r"\\(x.{0,2}|u.{0,4}|U.{0,8}|.?)", re.DOTALL)
_ESCAPES = dict(zip('ntr0"\\/ bef_N', '\n\t\r\0"\\/ \b\x1b\f\xa0\x85', strict=True))
_CODE_LENGTHS = {"x": 2, "u": 4, "U": 8}

# Quotes, also one that is not closed, and brackets outside of them.
_BRACKET = re.compile(r"""(?<=[\[{,: ])(?:"(?:[^"\\]|\\.)*"|'[^']*'|["'].*)|[\[\]{}]""", re.DOTALL)
_FLOW_SPACE = re.compile(r"[ \t\n]*")
_FLOW_VALUE = re.compile(r"[^,\]}]*")
_FLOW_KEY = re.compile(r"(?:[^:,}]|:(?![ ,}]|\Z))*")


class BadYaml(BadInput):
    """What cannot be read, with the line it stands in (counted from 1)."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def load(text: str, first_line: int = 1) -> Any:
    """The value that a text spells; BadYaml otherwise."""
    reader = _Reader(text, first_line)
    value = reader.node(0, 0)
    if reader.peek() is not None:
        raise reader.bad("this does not belong to what stands above it")
    return value


class _Reader:
    """The lines of a document, read from the top."""

    def __init__(self, text: str, first_line: int) -> None:
        self._lines = text.replace("\r\n", "\n").split("\n")
        self._first = first_line
        self._at = 0
        self._last = 0  # the line that was looked at last, which an error is about
        if self._lines[0].rstrip() == "---":
            self._lines[0] = ""

    def bad(self, reason: str) -> BadYaml:
        return BadYaml(self._first + min(self._last, len(self._lines) - 1), reason)

    def peek(self) -> tuple[int, str] | None:
        """(indent, text) of the next line that says something."""
        while self._at < len(self._lines):
            text = self._lines[self._at].strip(" ")
            self._last = self._at
            if text.strip() and not text.startswith("#"):
                if text.startswith("\t"):
                    raise self.bad("a tab cannot indent")
                indent = _indent(self._lines[self._at])
                if indent == 0 and text.rstrip() in ("---", "..."):
                    raise self.bad("only one document is read")
                return indent, text.rstrip()
            self._at += 1
        return None

    def node(self, least: int, depth: int) -> Any:
        """The value that begins at the next line, if that is indented enough; None otherwise."""
        self.check_depth(depth)
        line = self.peek()
        if line is None or line[0] < least:
            return None
        indent, text = line
        if _is_item(text):
            return self._list(indent, depth)
        if _key_end(text) is not None:
            return self._mapping(indent, depth)
        self._at += 1
        return self._value(text, indent - 1, depth)

    def check_depth(self, depth: int) -> None:
        if depth > _DEEPEST:
            raise self.bad(f"nested more than {_DEEPEST} deep")

    def _list(self, indent: int, depth: int) -> list[Any]:
        items: list[Any] = []
        while (line := self.peek()) is not None and line[0] == indent and _is_item(line[1]):
            rest = line[1][1:].lstrip(" ")
            if not rest or rest.startswith("#"):
                self._at += 1
                items.append(self.node(indent + 1, depth + 1))
            elif _is_item(rest) or _key_end(rest) is not None:
                # `- name: x` begins a mapping as deep as its first key stands.
                self._lines[self._at] = " " * (indent + len(line[1]) - len(rest)) + rest
                items.append(self.node(indent + 1, depth + 1))
            else:
                self._at += 1
                items.append(self._value(rest, indent, depth + 1))
        return items

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        while (line := self.peek()) is not None and line[0] == indent:
            end = _key_end(line[1])
            if end is None:
                break
            key = self._key(line[1][:end].strip())
            self.check_key(key, pairs)
            rest = line[1][end + 1 :].strip(" \t")
            self._at += 1
            if rest and not rest.startswith("#"):
                pairs[key] = self._value(rest, indent, depth + 1)
                continue
            below = self.peek()
            # The items of a list may stand as far left as its key.
            listed = below is not None and below[0] == indent and _is_item(below[1])
            pairs[key] = self.node(indent if listed else indent + 1, depth + 1)
        return pairs

    def _key(self, text: str) -> str:
        if text[:1] in ('"', "'"):
            key, end = self.quoted(text, 0)
            if text[end:].strip():
                raise self.bad("a key is not closed")
            return key
        self.refuse(text)
        return text

    def check_key(self, key: str, pairs: dict[str, Any]) -> None:
        if key == "<<":
            raise self.bad("a merge key is not read")
        if key in pairs:
            raise self.bad(f"the key {key[:40]!r} is told twice")

    def refuse(self, text: str) -> None:
        if text[:1] in _REFUSED:
            raise self.bad(f"{_REFUSED[text[0]]} is not read")

    def _value(self, text: str, indent: int, depth: int) -> Any:
        """A value that begins in a line; what goes on is indented deeper than `indent`."""
        if block := _BLOCK.match(text):
            return self._block(block[1], block[2], indent)
        if text[0] in ('"', "'"):
            text = _folded(self._whole_quote(text, indent))
            value, end = self.quoted(text, 0)
            self._check_end(text[end:])
            return value
        if text[0] in "[{":
            text, rest = self._whole_flow(text, indent)
            self._check_end(rest)
            return _Flow(self, text).value(depth)
        self.refuse(text)
        return self._plain(text, indent)

    def _plain(self, text: str, indent: int) -> Any:
        start = self._last
        parts = [_uncommented(text)]
        while (line := self.peek()) is not None and line[0] > indent:
            if _key_end(line[1]) is not None:
                raise self.bad("a mapping cannot begin inside a text")
            parts.append(_uncommented(line[1]))
            self._at += 1
        text = " ".join(parts)
        self._last = start
        if ": " in text or text.endswith(":"):
            raise self.bad("a colon inside a text needs quotes")
        return _plain_value(text)

    def _whole_quote(self, text: str, indent: int) -> str:
        """A quoted text with the lines it goes on over."""
        parts, rest = [text], _QUOTE_REST[text[0]]
        ends = rest.match(text, 1)
        while not ends:
            parts.append(self._next_line(indent, "a quote is not closed"))
            ends = rest.match(parts[-1])
        return "\n".join(parts)

    def _whole_flow(self, text: str, indent: int) -> tuple[str, str]:
        """What stands between brackets, over a few lines if need be; and what follows it."""
        lines = 1
        while (end := _flow_end(text)) is None and lines <= _FLOW_LINES:
            if len(text) > _FLOW_LENGTH:
                break
            text += " " + self._next_line(indent, f"{text[0]} is not closed")
            lines += 1
        if end is None or end > _FLOW_LENGTH:
            raise self.bad("a list between brackets is too long")
        return text[:end], text[end:]

    def _next_line(self, indent: int, reason: str) -> str:
        """The next line of a value over several lines, as it stands; empty ones too."""
        line = self._lines[self._at] if self._at < len(self._lines) else None
        if line is None or (line.strip() and _indent(line) <= indent):
            raise self.bad(reason)
        self._last = self._at
        self._at += 1
        return line.strip()

    def _check_end(self, rest: str) -> None:
        if rest.strip() and not rest.lstrip().startswith("#"):
            raise self.bad(f"{rest.strip()[:20]!r} after the end of a value")

    def quoted(self, text: str, at: int) -> tuple[str, int]:
        """The text of a quoted value that begins at a place, and where it ends."""
        mark = text[at]
        match = _QUOTE_REST[mark].match(text, at + 1)
        if match is None:
            raise self.bad("a quote is not closed")
        inside = match[0][:-1]
        if mark == "'":
            return inside.replace("''", "'"), match.end()
        return _ESCAPE.sub(self._character, inside) if "\\" in inside else inside, match.end()

    def _character(self, escape: re.Match[str]) -> str:
        sign, code = escape[1][:1], escape[1][1:]
        if sign in _CODE_LENGTHS and sign:
            try:
                character = chr(int(code, 16))
                character.encode()  # half a character is none
                return character
            except (ValueError, OverflowError):
                raise self.bad(f"{code!r} is no character's number") from None
        if sign not in _ESCAPES:
            raise self.bad(f"the escape \\{sign} is not known")
        return _ESCAPES[sign]

    def _block(self, style: str, marks: str, indent: int) -> str:
        """The lines below that are indented deeper: as they are (|), or folded (>)."""
        digits = "".join(filter(str.isdigit, marks))
        width = max(indent, 0) + int(digits) if digits else 0
        lines: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip():
                here = _indent(line)
                if here <= indent or (width and here < width):
                    break
                width = width or here
            lines.append(line[width:] if width else "")
            self._at += 1
        count = len(lines)
        while lines and not lines[-1].strip():
            lines.pop()
        text = "\n".join(lines) if style == "|" else _folded_block(lines)
        if "-" in marks or not lines:
            return text
        return text + "\n" * (1 + count - len(lines) if "+" in marks else 1)


class _Flow:
    """A list or mapping between brackets."""

    def __init__(self, reader: _Reader, text: str) -> None:
        self._reader = reader
        self._text = text
        self._at = 0

    def value(self, depth: int) -> Any:
        self._reader.check_depth(depth)
        sign = self._sign()
        if sign == "[":
            return self._items(depth)
        if sign == "{":
            return self._pairs(depth)
        return self._scalar(_FLOW_VALUE)

    def _sign(self) -> str:
        """The next sign that is no space."""
        space = _FLOW_SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at
        return self._text[self._at : self._at + 1]

    def _items(self, depth: int) -> list[Any]:
        self._at += 1
        items: list[Any] = []
        while self._sign() != "]":
            items.append(self.value(depth + 1))
            self._comma("]")
        self._at += 1
        return items

    def _pairs(self, depth: int) -> dict[str, Any]:
        self._at += 1
        pairs: dict[str, Any] = {}
        while self._sign() != "}":
            key = str(self._scalar(_FLOW_KEY))
            self._reader.check_key(key, pairs)
            pairs[key] = None
            if self._sign() == ":":
                self._at += 1
                pairs[key] = None if self._sign() in ",}" else self.value(depth + 1)
            self._comma("}")
        self._at += 1
        return pairs

    def _comma(self, end: str) -> None:
        sign = self._sign()
        if sign == ",":
            self._at += 1
        elif sign != end:
            raise self._reader.bad(f"a comma or {end} is missing")

    def _scalar(self, pattern: re.Pattern[str]) -> Any:
        sign = self._sign()
        if sign in ('"', "'"):
            value, self._at = self._reader.quoted(self._text, self._at)
            return value
        self._reader.refuse(sign)
        match = pattern.match(self._text, self._at)
        text = match[0] if match else ""
        self._at += len(text)
        return _plain_value(text.strip())


def _plain_value(text: str) -> Any:
    """A text without quotes: nothing, yes or no, a number, or itself."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= 300 and _NUMBER.fullmatch(text):
        return float(text) if any(sign in text for sign in ".eE") else int(text)
    return text


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _key_end(text: str) -> int | None:
    """Where the colon after a key stands; None where a line begins with no key."""
    if text[:1] in ('"', "'"):
        match = _QUOTE_REST[text[0]].match(text, 1)
        rest = text[match.end() :].lstrip() if match else ""
        return len(text) - len(rest) if rest[:1] == ":" and rest[1:2] in ("", " ") else None
    if text[:1] in ("[", "{"):
        return None
    sign = _KEY_COLON.search(text)
    return sign.start() if sign and sign[0] == ":" else None


def _flow_end(text: str) -> int | None:
    """Where the bracket that a text begins with is closed; None while it is not."""
    depth = 0
    for match in _BRACKET.finditer(text):
        depth += (match[0] in ("[", "{")) - (match[0] in ("]", "}"))
        if depth == 0:
            return match.end()
    return None


def _uncommented(text: str) -> str:
    return _COMMENT.split(text, maxsplit=1)[0].rstrip()


def _folded(text: str) -> str:
    """Lines of a quoted value as one; an empty line is a line break."""
    return re.sub(r"\n+", lambda breaks: "\n" * (len(breaks[0]) - 1) or " ", text)


def _folded_block(lines: list[str]) -> str:
    """Lines of a folded block; those indented deeper, and empty ones, keep their breaks."""
    text = "".join(lines[:1])
    for before, line in pairwise(lines):
        if not line.strip():
            text += "\n"
        elif not before.strip():
            text += line if text.endswith("\n") else f"\n{line}"
        elif line.startswith(" ") or before.startswith(" "):
            text += f"\n{line}"
        else:
            text += f" {line}"
    return text
