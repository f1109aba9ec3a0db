"""HTML as blocks: what a reader of the page sees, with the lines of the source. Pure."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from recairn.documents.chunking import Block
from recairn.documents.prose import Headings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.documents.chunking import Line

_UNSEEN = ("script", "style", "template", "noscript", "svg", "head", "nav", "iframe", "object")
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data dfn em font i img kbd label mark q s samp small span strong"
    " sub sup td th time tt u var wbr".split()
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SPACE = re.compile(r"\s+")


def html_blocks(text: str) -> tuple[str, list[Block]]:
    """The title of a page, and its headings, paragraphs and preformatted texts."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.end_block()
    return reader.title.strip(), reader.blocks


class _Reader(HTMLParser):
    """Keeps no tree: however deep a page nests, a few counters follow it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self.title = ""
        self._above = Headings()
        self._unseen = ""
        self._depth = 0
        self._heading = ""
        self._pre = False
        self._in_title = False
        self._lines: list[Line] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title" and not self.title
        if self._unseen:
            self._depth += tag == self._unseen
        elif tag in _UNSEEN:
            self.end_block()
            self._unseen, self._depth = tag, 1
        elif tag == "br":
            self._add("\n")
        elif tag not in _INLINE:
            self.end_block()
            self._pre = self._pre or tag == "pre"
            self._heading = tag if tag in _HEADINGS else self._heading
            if tag == "li":
                self._add("- ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._add("\n")

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        if self._unseen:
            self._depth -= tag == self._unseen
            self._unseen = self._unseen if self._depth else ""
        elif tag in ("td", "th"):
            self._add(" | ")
        elif tag not in _INLINE:
            self.end_block()
            self._pre = self._pre and tag != "pre"
            self._heading = "" if tag == self._heading else self._heading

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._unseen:
            self._add(data)

    def _add(self, text: str) -> None:
        """Text where the parser stands; pieces of one line of the source become one line."""
        number = self.getpos()[0]
        for offset, piece in enumerate(text.split("\n")):
            shown = piece if self._pre else _SPACE.sub(" ", piece)
            if offset == 0 and self._lines and self._lines[-1][0] >= number:
                at, before = self._lines[-1]
                self._lines[-1] = (at, before + shown)
            elif shown.strip() or self._pre:
                self._lines.append((number + offset, shown))

    def end_block(self) -> None:
        lines, self._lines = self._lines, []
        if not self._pre:
            lines = [(number, text.strip().removesuffix(" |")) for number, text in lines]
        lines = [(number, text) for number, text in lines if text.strip() not in ("", "-")]
        if not lines:
            return
        if self._heading:
            said = " ".join(text for _, text in lines)
            path = self._above.enter(int(self._heading[1]), said)
            self.blocks.append(Block(lines, path, opens=True, title=True))
        else:
            self.blocks.append(Block(lines, self._above.path, whole=self._pre))
