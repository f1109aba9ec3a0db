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


def plain(told: str) -> Any:
    """A text without quotes: nothing, yes or no, a number, or itself."""
    if told in _WORDS:
        return _WORDS[told]
    if len(told) <= 300 and _NUMBER.fullmatch(told):
        return float(told) if any(each in told for each in ".eE") else int(told)
    return told


def begins_nested(rest: str) -> bool:
    return rest == "-" or rest.startswith("- ") or key_end(rest) is not None


def key_end(told: str) -> int | None:
    """Where the colon after a key stands; None where a line begins with no key."""
    if told[:1] in ('"', "'"):
        at = 1
        while at < len(told) and told[at] != told[0]:
            at += 2 if told[at] == "\\" and told[0] == '"' else 1
        rest = told[at + 1 :].lstrip()
        return len(told) - len(rest) if rest[:1] == ":" and rest[1:2] in ("", " ") else None
    if told[:1] in "[{":
        return None
    for at, sign in enumerate(told):
        if sign == ":" and told[at + 1 : at + 2] in ("", " ", "\t"):
            return at
        if sign == "#" and told[at - 1 : at] == " ":
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


def balanced_end(told: str) -> int | None:
    """Where the bracket that a text begins with is closed; None while it is not."""
    depth, quote, at = 0, "", 0
    while at < len(told):
        sign = told[at]
        if quote:
            if sign == "\\" and quote == '"':
                at += 1
            elif sign == quote:
                quote = ""
        elif sign in "\"'" and told[at - 1] in "[{,: ":
            quote = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return None


def uncommented(told: str) -> str:
    return re.split(r"\s#", told, maxsplit=1)[0].rstrip()


def folded(told: str) -> str:
    """Lines of a quoted value as one; an empty line is a line break."""
    return re.sub(r"\n+", lambda breaks: "\n" * (len(breaks[0]) - 1) or " ", told)


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
