"""HTML as blocks: what a reader of the page sees, with the lines of the source. Pure.

The standard library's parser looks at the rest of a broken page again and again: 600 kB of `<a `
keep it busy for longer than 15 seconds. Only the names of tags matter here, and the few rules that
takes go forward with every step.
"""

from __future__ import annotations

import re
from html import unescape

from recairn.sources.documents.chunking import Block
from recairn.sources.documents.prose import Headings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recairn.sources.documents.chunking import Line

# Not read at all: everything up to the end tag is skipped, whatever it is.
_RAW = ("script", "style", "template", "noscript", "svg", "iframe", "object", "textarea")
_UNSEEN = ("head", "nav")
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data dfn em font i img kbd label mark q s samp small span strong"
    " sub sup td th time tt u var wbr".split()
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SPACE = re.compile(r"\s+")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]{0,30})")
# A `>` inside a quoted attribute does not end a tag; so many are looked past.
_QUOTED_ENDS = 8


def html_blocks(text: str) -> tuple[str, list[Block]]:
    """The title of a page, and its headings, paragraphs and preformatted texts."""
    reader = _Reader()
    for line, name, said in _pieces(text):
        if not name:
            reader.text(line, unescape(said))
        elif name.startswith("/"):
            reader.end(line, name[1:])
        else:
            reader.start(line, name)
    reader.end_block()
    return reader.title.strip(), reader.blocks


def _pieces(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, tag, text) of each tag, its name with a slash for an end tag, and of each text."""
    low = text.lower() if len(text.lower()) == len(text) else text
    at, line = 0, 1
    while at < len(text):
        opened = text.find("<", at)
        opened = len(text) if opened < 0 else opened
        if opened > at:
            yield line, "", text[at:opened]
        tag, after = _tag(text, low, opened)
        line += text.count("\n", at, opened)
        if tag:
            yield line, tag, ""
        elif after == opened + 1:
            yield line, "", text[opened:after]
        line += text.count("\n", opened, after)
        at = after


def _tag(text: str, low: str, at: int) -> tuple[str, int]:
    """The tag that begins here, empty for none, and where to go on."""
    if text.startswith("<!--", at):
        return "", _past(text, "-->", at + 4)
    if text.startswith(("<!", "<?"), at):
        return "", _past(text, ">", at)
    match = _TAG.match(text, at)
    if not match:
        return "", at + 1
    after = _past(text, ">", match.end())
    for _ in range(_QUOTED_ENDS):
        if text.count('"', at, after) % 2 == 0 or after >= len(text):
            break
        after = _past(text, ">", after)
    name = match[2].lower()
    if name in _RAW and not match[1] and not text.endswith("/>", at, after):
        end = low.find(f"</{name}", after)
        return "", len(text) if end < 0 else _past(text, ">", end)
    return match[1] + name, after


def _past(text: str, mark: str, at: int) -> int:
    end = text.find(mark, at)
    return len(text) if end < 0 else end + len(mark)


class _Reader:
    """Keeps no tree: however deep a page nests, a few counters follow it."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.title = ""
        self._above = Headings()
        self._unseen = ""
        self._depth = 0
        self._heading = ""
        self._pre = False
        self._in_title = False
        self._lines: list[tuple[int, list[str]]] = []

    def start(self, line: int, tag: str) -> None:
        self._in_title = tag == "title" and not self.title
        if self._unseen:
            self._depth += tag == self._unseen
        elif tag in _UNSEEN:
            self.end_block()
            self._unseen, self._depth = tag, 1
        elif tag == "br":
            self._add(line, "\n")
        elif tag not in _INLINE:
            self.end_block()
            self._pre = self._pre or tag == "pre"
            self._heading = tag if tag in _HEADINGS else self._heading
            if tag == "li":
                self._add(line, "- ")

    def end(self, line: int, tag: str) -> None:
        self._in_title = False
        if self._unseen:
            self._depth -= tag == self._unseen
            self._unseen = self._unseen if self._depth else ""
        elif tag in ("td", "th"):
            self._add(line, " | ")
        elif tag not in _INLINE:
            self.end_block()
            self._pre = self._pre and tag != "pre"
            self._heading = "" if tag == self._heading else self._heading

    def text(self, line: int, said: str) -> None:
        if self._in_title:
            self.title += said
        elif not self._unseen:
            self._add(line, said)

    def _add(self, number: int, text: str) -> None:
        """Text at a line of the source; what stands on one line there becomes one line."""
        for offset, piece in enumerate(text.split("\n")):
            shown = piece if self._pre else _SPACE.sub(" ", piece)
            if offset == 0 and self._lines and self._lines[-1][0] >= number:
                self._lines[-1][1].append(shown)
            elif shown.strip() or self._pre:
                self._lines.append((number + offset, [shown]))

    def end_block(self) -> None:
        lines: list[Line] = [(number, "".join(pieces)) for number, pieces in self._lines]
        self._lines = []
        if not self._pre:
            squeezed = [(number, _SPACE.sub(" ", text).strip()) for number, text in lines]
            lines = [(number, text.removesuffix(" |")) for number, text in squeezed]
        lines = [(number, text) for number, text in lines if text.strip() not in ("", "-")]
        if not lines:
            return
        if self._heading:
            said = " ".join(text for _, text in lines)
            path = self._above.enter(int(self._heading[1]), said)
            self.blocks.append(Block(lines, path, opens=True, title=True))
        else:
            self.blocks.append(Block(lines, self._above.path, whole=self._pre))
