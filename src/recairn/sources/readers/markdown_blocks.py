"""Markdown as the pieces people write rules in: paragraphs, bullets, fences, under headings. Pure.

Only what tells such pieces apart is read; their text stays as it was written.
"""

from __future__ import annotations

import re

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Line = tuple[int, str]

# Bullets within bullets; deeper ones are read as text.
_DEEPEST = 12
# Spaces before a line that make it code.
_CODE_INDENT = 4

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_BULLET = re.compile(r"( *)(?:[-*+]|\d{1,9}[.)])([ \t]+|$)")
_CHECKBOX = re.compile(r"\[[ xX]\][ \t]+")
_FENCE = re.compile(r" *(`{3,}|~{3,})([^`]*)$")
_QUOTE = re.compile(r"^ {0,3}> ?")
_TABLE = re.compile(r" {0,3}\|")
_COMMENT, _COMMENT_END = "<!--", "-->"
# What recairn itself wrote into a file is never read back.
_OURS = re.compile(r"<!--\s*recairn:start\b")
_OURS_END = re.compile(r"<!--\s*recairn:end\b")


@record
class Node:
    """A piece of Markdown: `kind` is heading, text, code, table or item; `line` counts from 1.

    `level` is a heading's depth; `inner` are the pieces within an item.
    """

    kind: str
    line: int
    text: str
    level: int = 0
    inner: Sequence[Node] = ()


def nodes_of(text: str) -> list[Node]:
    """The pieces of a document in order, without front matter, comments and recairn's own part."""
    lines = [line.expandtabs(4).rstrip() for line in text.split("\n")]
    numbered = list(enumerate(lines, start=1))
    return list(_nodes(_without_comments(_without_front_matter(numbered)), 0))


def _without_front_matter(lines: list[Line]) -> list[Line]:
    if not lines or lines[0][1] != "---":
        return lines
    for index, (_, line) in enumerate(lines[1:], start=1):
        if line in ("---", "..."):
            return lines[index + 1 :]
    return lines


def _without_comments(lines: Sequence[Line]) -> list[Line]:
    """The lines that are not inside an HTML comment or a managed block; fences are left alone."""
    rest: list[Line] = []
    fence, until = "", None
    for number, line in lines:
        if until is not None:
            if until.search(line):
                until = None
            continue
        fence = _fence_after(fence, line)
        begins = line.lstrip().startswith(_COMMENT) and not fence
        if not begins:
            rest.append((number, line))
        elif _OURS.search(line):
            until = None if _OURS_END.search(line) else _OURS_END
        elif _COMMENT_END not in line:
            until = re.compile(re.escape(_COMMENT_END))
        else:
            after = line.partition(_COMMENT_END)[2]
            rest += [(number, after)] if after.strip() else []
    return rest


def _fence_after(fence: str, line: str) -> str:
    """The fence that is open after a line, given the one open before it; nothing when none is."""
    match = _FENCE.match(line)
    if not fence:
        return match[1] if match else ""
    closes = match and match[1].startswith(fence) and not match[2].strip()
    return "" if closes else fence


def _nodes(lines: Sequence[Line], depth: int) -> Iterator[Node]:
    at = 0
    while at < len(lines):
        number, line = lines[at]
        heading = _HEADING.match(line)
        if not line.strip() or _RULE.match(line):
            at += 1
        elif heading:
            yield Node("heading", number, (heading[2] or "").strip(), len(heading[1]))
            at += 1
        elif _FENCE.match(line) or _is_indented(line):
            end = _fence_end(lines, at) if _FENCE.match(line) else _indented_end(lines, at)
            yield Node("code", number, _dedented(lines[at:end]))
            at = end
        elif _TABLE.match(line):
            end = _while(lines, at, _TABLE)
            yield Node("table", number, "\n".join(row.strip() for _, row in lines[at:end]))
            at = end
        elif _BULLET.match(line) and depth < _DEEPEST:
            end = _item_end(lines, at)
            yield _item(lines[at:end], depth)
            at = end
        else:
            end, node = _paragraph(lines, at)
            yield node
            at = end


def _while(lines: Sequence[Line], at: int, pattern: re.Pattern[str]) -> int:
    while at < len(lines) and pattern.match(lines[at][1]):
        at += 1
    return at


def _fence_end(lines: Sequence[Line], at: int) -> int:
    """The line after the fence that begins here; the end where it is never closed."""
    fence = _fence_after("", lines[at][1])
    while fence and at + 1 < len(lines):
        at += 1
        fence = _fence_after(fence, lines[at][1])
    return at + 1


def _is_indented(line: str) -> bool:
    """Whether a line is code because it stands four spaces in; bullets are bullets anywhere."""
    return _indent(line) >= _CODE_INDENT and not _BULLET.match(line)


def _indented_end(lines: Sequence[Line], at: int) -> int:
    """The line after the indented code that begins here; blank lines inside belong to it."""
    end = at
    for index in range(at, len(lines)):
        line = lines[index][1]
        if line and _indent(line) < _CODE_INDENT:
            break
        end = index + 1 if line else end
    return end


def _dedented(lines: Sequence[Line]) -> str:
    indent = min((_indent(line) for _, line in lines if line), default=0)
    return "\n".join(line[indent:] for _, line in lines).rstrip("\n")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _item_end(lines: Sequence[Line], at: int) -> int:
    """The line after a bullet and all that belongs to it."""
    outer = _indent(lines[at][1])
    fence, blank = "", False
    for index in range(at + 1, len(lines)):
        line = lines[index][1]
        if fence or not line:
            fence = _fence_after(fence, line) if line else fence
            blank = blank or not line
            continue
        outside = _indent(line) <= outer
        begins = _BULLET.match(line) or _HEADING.match(line) or _RULE.match(line)
        if outside and (blank or begins or _FENCE.match(line)):
            return index
        blank = False
        fence = _fence_after(fence, line)
    return len(lines)


def _item(lines: Sequence[Line], depth: int) -> Node:
    number, first = lines[0]
    bullet = _BULLET.match(first)
    assert bullet is not None
    text = _CHECKBOX.sub("", first[bullet.end() :].strip(), count=1)
    inside = bullet.end()
    body = [(number, text)]
    body += [(number, line[min(inside, _indent(line)) :]) for number, line in lines[1:]]
    inner = [node for node in _nodes(body, depth + 1) if node.kind != "heading"]
    own = inner[0].text if inner and inner[0].kind == "text" else ""
    return Node("item", number, own, inner=tuple(inner[1:] if own else inner))


def _paragraph(lines: Sequence[Line], at: int) -> tuple[int, Node]:
    """The line after a paragraph, and the paragraph; underlined, it is a heading."""
    number = lines[at][0]
    words: list[str] = []
    while at < len(lines):
        line = lines[at][1]
        underline = _UNDERLINE.match(line)
        if words and underline and (len(words) == 1 or underline[1][0] == "="):
            level = 1 if underline[1][0] == "=" else 2
            return at + 1, Node("heading", number, " ".join(words), level)
        if not line.strip() or (words and _interrupts(line)):
            break
        words.append(_QUOTE.sub("", line).strip())
        at += 1
    return at, Node("text", number, " ".join(filter(None, words)))


def _interrupts(line: str) -> bool:
    """Whether a line ends the paragraph before it."""
    return bool(
        _HEADING.match(line)
        or _FENCE.match(line)
        or _TABLE.match(line)
        or _RULE.match(line)
        or _BULLET.match(line)
    )
