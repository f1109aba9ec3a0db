"""`.gitignore`: which paths a project does not want to be seen. Pure."""

from __future__ import annotations

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_STAR, _ANY, _ALL = "*", "?", "**"


@record
class Rule:
    """One line of an ignore file; `segments` are matched against the end of a path or all of it."""

    segments: tuple[Any, ...]
    negated: bool
    folders_only: bool


def rules_of(text: str) -> list[Rule]:
    """The rules of an ignore file, in its order."""
    return [rule for line in text.splitlines() if (rule := _rule(line)) is not None]


def verdict(rules: Sequence[Rule], path: str, *, folder: bool) -> bool | None:
    """Whether the last rule that fits a path ignores it; None when no rule fits.

    The path is told from the folder of the ignore file on, with slashes.
    """
    parts = path.split("/")
    for rule in reversed(rules):
        if rule.folders_only and not folder:
            continue
        if _wild(rule.segments, parts, _is_all, _segment_fits):
            return not rule.negated
    return None


def glob_fits(pattern: str, path: str) -> bool:
    """Whether a path fits a pattern like `docs/**/*.md`."""
    return _wild(_segments(pattern), path.split("/"), _is_all, _segment_fits)


def _rule(line: str) -> Rule | None:
    line = line.rstrip("\r")
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[1:] if negated else line
    folders_only = line.endswith("/")
    line = line.rstrip("/")
    if not line:
        return None
    anchored = "/" in line
    pattern = line.removeprefix("/") if anchored else f"**/{line}"
    return Rule(_segments(pattern), negated, folders_only)


def _segments(pattern: str) -> tuple[Any, ...]:
    parts = [part for part in pattern.split("/") if part]
    segments: list[Any] = [_ALL if part == "**" else _letters(part) for part in parts]
    if segments and segments[-1] == _ALL:
        segments.insert(-1, (_STAR,))  # `a/**` is what lies inside, not the folder itself
    return tuple(segments)


def _letters(part: str) -> tuple[Any, ...]:
    """A segment as what each of its letters may be: itself, anything, a set."""
    letters: list[Any] = []
    at = 0
    while at < len(part):
        letter = part[at]
        end = part.find("]", at + 2) if letter == "[" else -1
        if letter == "\\" and at + 1 < len(part):
            letters.append(("is", part[at + 1]))
            at += 2
        elif end > 0:
            letters.append(("set", part[at + 1 : end]))
            at = end + 1
        elif letter == _STAR:
            if not letters or letters[-1] != _STAR:
                letters.append(_STAR)
            at += 1
        else:
            letters.append(_ANY if letter == _ANY else ("is", letter))
            at += 1
    return tuple(letters)


def _wild(
    pattern: Sequence[Any],
    items: Sequence[Any],
    is_star: Callable[[Any], bool],
    fits: Callable[[Any, Any], bool],
) -> bool:
    """Whether items fit a pattern with stars, in time proportional to their product."""
    at = star = -1
    here = resume = 0
    at = 0
    while here < len(items):
        if at < len(pattern) and is_star(pattern[at]):
            star, resume = at, here
            at += 1
        elif at < len(pattern) and fits(pattern[at], items[here]):
            at += 1
            here += 1
        elif star >= 0:
            resume += 1
            at, here = star + 1, resume
        else:
            return False
    return all(is_star(letter) for letter in pattern[at:])


def _is_all(segment: Any) -> bool:
    return bool(segment == _ALL)


def _segment_fits(segment: Any, name: str) -> bool:
    return _wild(segment, name, lambda each: bool(each == _STAR), _letter_fits)


def _letter_fits(wanted: Any, letter: str) -> bool:
    if wanted == _ANY:
        return True
    kind, value = wanted
    return bool(value == letter) if kind == "is" else _in_set(value, letter)


def _in_set(listed: str, letter: str) -> bool:
    negated = listed[:1] in ("!", "^")
    listed = listed[1:] if negated else listed
    holds = False
    at = 0
    while at < len(listed):
        if listed[at + 1 : at + 2] == "-" and at + 2 < len(listed):
            holds = holds or listed[at] <= letter <= listed[at + 2]
            at += 3
        else:
            holds = holds or listed[at] == letter
            at += 1
    return holds != negated
