"""What a line of YAML says by itself: where its key ends, what is quoted, what a word means."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def plain(row: str) -> Any:
    """A text without quotes: nothing, yes or no, a number, or itself."""
    if row in _WORDS:
        return _WORDS[row]
    if len(row) <= 300 and _NUMBER.fullmatch(row):
        return float(row) if any(each in row for each in ".eE") else int(row)
    return row


def begins_nested(rest: str) -> bool:
    return rest == "-" or rest.startswith("- ") or key_end(rest) is not None


def key_end(row: str) -> int | None:
    """Where the colon after a key stands; None where a line begins with no key."""
    if row[:1] in ('"', "'"):
        at = 1
        while at < len(row) and row[at] != row[0]:
            at += 2 if row[at] == "\\" and row[0] == '"' else 1
        rest = row[at + 1 :].lstrip()
        return len(row) - len(rest) if rest[:1] == ":" and rest[1:2] in ("", " ") else None
    if row[:1] in "[{":
        return None
    for at, sign in enumerate(row):
        if sign == ":" and row[at + 1 : at + 2] in ("", " ", "\t"):
            return at
        if sign == "#" and row[at - 1 : at] == " ":
            return None
    return None


def closes(line: str, mark: str, at: int) -> bool:
    """Whether a quote that is open at a place of a line ends in it."""
    while at < len(line):
        if line[at] == mark:
            if mark == "'" and line[at + 1 : at + 2] == "'":
                at += 2
                continue
            return True
        at += 2 if line[at] == "\\" and mark == '"' else 1
    return False


def balanced_end(row: str) -> int | None:
    """Where the bracket that a text begins with is closed; None while it is not."""
    depth, quote, at = 0, "", 0
    while at < len(row):
        sign = row[at]
        if quote:
            if sign == "\\" and quote == '"':
                at += 1
            elif sign == quote:
                quote = ""
        elif sign in "\"'" and row[at - 1] in "[{,: ":
            quote = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return None


def uncommented(row: str) -> str:
    return re.split(r"\s#", row, maxsplit=1)[0].rstrip()


def folded(row: str) -> str:
    """Lines of a quoted value as one; an empty line is a line break."""
    return re.sub(r"\n+", lambda breaks: "\n" * (len(breaks[0]) - 1) or " ", row)


def folded_block(lines: list[str]) -> str:
    """Lines of a folded block; those indented deeper, and empty ones, keep their breaks."""
    text = ""
    for at, line in enumerate(lines):
        if at == 0:
            text = line
        elif not line.strip():
            text += "\n"
        elif not lines[at - 1].strip():
            text += line if text.endswith("\n") else f"\n{line}"
        elif line.startswith(" ") or lines[at - 1].startswith(" "):
            text += f"\n{line}"
        else:
            text += f" {line}"
    return text
