"""Markdown, reStructuredText and plain text as blocks under headings. Pure."""

from __future__ import annotations

import re

from recairn.sources.documents.chunking import Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.sources.documents.chunking import Line

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`]*)$")
_RST_LINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")


class Headings:
    """The headings above a place, from the outermost."""

    def __init__(self) -> None:
        self._stack: list[tuple[int, str]] = []

    def enter(self, level: int, text: str) -> tuple[str, ...]:
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, text))
        return self.path

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._stack if text)


def plain_blocks(lines: Sequence[Line], heading: tuple[str, ...] = ()) -> list[Block]:
    """Paragraphs: lines between empty ones."""
    blocks: list[Block] = []
    held: list[Line] = []
    for number, text in [*lines, (0, "")]:
        if text.strip():
            held.append((number, text))
        elif held:
            blocks.append(Block(held, heading))
            held = []
    return blocks


def markdown_blocks(lines: Sequence[Line], above: Headings | None = None) -> list[Block]:
    """Headings, fences and paragraphs of Markdown."""
    above = above or Headings()
    blocks: list[Block] = []
    held: list[Line] = []
    at = _after_front_matter(lines, blocks)

    def flush() -> None:
        blocks.extend(plain_blocks(held, above.path))
        held.clear()

    while at < len(lines):
        number, text = lines[at]
        heading = _HEADING.match(text)
        if _FENCE.match(text):
            flush()
            end = _fence_end(lines, at)
            blocks.append(Block(lines[at:end], above.path, whole=True))
            at = end
            continue
        below = _UNDERLINE.match(lines[at + 1][1]) if at + 1 < len(lines) else None
        if heading:
            flush()
            path = above.enter(len(heading[1]), (heading[2] or "").strip())
            blocks.append(Block([lines[at]], path, opens=True, title=True))
        elif below and not held and text.strip() and not text.lstrip().startswith(("-", ">", "|")):
            path = above.enter(1 if below[1][0] == "=" else 2, text.strip())
            blocks.append(Block(lines[at : at + 2], path, opens=True, title=True))
            at += 1
        elif text.strip():
            held.append((number, text))
        else:
            flush()
        at += 1
    flush()
    return blocks


def _after_front_matter(lines: Sequence[Line], blocks: list[Block]) -> int:
    if not lines or lines[0][1].rstrip() != "---":
        return 0
    for index in range(1, len(lines)):
        if lines[index][1].rstrip() in ("---", "..."):
            blocks.append(Block(lines[: index + 1], whole=True))
            return index + 1
    return 0


def _fence_end(lines: Sequence[Line], at: int) -> int:
    """The line after the fence that begins here; the end where it is never closed."""
    opened = _FENCE.match(lines[at][1])
    mark = opened[1] if opened else ""
    for index in range(at + 1, len(lines)):
        fence = _FENCE.match(lines[index][1])
        if fence and fence[1].startswith(mark) and not fence[2].strip():
            return index + 1
    return len(lines)


def rst_blocks(lines: Sequence[Line]) -> list[Block]:
    """Headings (underlined, maybe overlined) and paragraphs of reStructuredText."""
    above, levels = Headings(), [""]
    blocks: list[Block] = []
    held: list[Line] = []
    at = 0
    while at < len(lines):
        over = bool(_RST_LINE.match(lines[at][1]))
        titled = _rst_title(lines, at + over)
        if titled is None or (held and held[-1][1].strip()):
            held.append(lines[at])
            at += 1
            continue
        blocks += plain_blocks(held, above.path)
        held = []
        style = titled + ("^" if over else "")
        if style not in levels:
            levels.append(style)
        path = above.enter(levels.index(style), lines[at + over][1].strip())
        blocks.append(Block(lines[at : at + over + 2], path, opens=True, title=True))
        at += over + 2
    return blocks + plain_blocks(held, above.path)


def _rst_title(lines: Sequence[Line], at: int) -> str | None:
    """The mark that underlines the line, when it is a title."""
    if at + 1 >= len(lines) or not lines[at][1].strip():
        return None
    below = _RST_LINE.match(lines[at + 1][1])
    if not below or _RST_LINE.match(lines[at][1]):
        return None
    long_enough = len(lines[at + 1][1].strip()) >= len(lines[at][1].strip())
    return below[1] if long_enough else None
