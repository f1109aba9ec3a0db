"""Reading a document of any known format into blocks."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.record import record
from recairn.core.words import decoded
from recairn.sources.documents.chunking import Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.sources.documents.chunking import Line

_ENDINGS = {
    "md": "md markdown mdx",
    "rst": "rst",
    "txt": "txt text adoc org",
    "html": "html htm xhtml",
    "ipynb": "ipynb",
    "pdf": "pdf",
    "code": "py pyi js mjs cjs ts mts tsx jsx go rs java kt kts c h cc cpp cxx hpp cs rb php swift"
    " scala sh bash zsh fish sql lua r pl pm ex exs erl hs ml mli clj dart vue svelte proto tf"
    " gradle groovy jl nim zig toml yaml yml ini cfg",
}
FORMATS = tuple(_ENDINGS)
_FORMAT_OF = {ending: name for name, listed in _ENDINGS.items() for ending in listed.split()}
_NAMES = {
    "makefile": "code",
    "dockerfile": "code",
    "justfile": "code",
    "readme": "txt",
    "license": "txt",
    "changelog": "txt",
    "contributing": "txt",
}
# Pages of one PDF; what has more is a book to be split.
MAX_PAGES = 3000
# Lines of a notebook that may be spelled in an unknown way before no more are looked for.
_MISSED = 100
# Characters of a title.
_TITLE = 200


class NeedsExtra(BadInput):
    """A format that an optional package reads, which is not installed."""


@record
class Reading:
    """What is in a document."""

    title: str
    blocks: Sequence[Block]


def format_of(name: str) -> str:
    """The format a file's name tells; empty for an unknown one."""
    base = os.path.basename(name).lower()
    return _FORMAT_OF.get(base.rpartition(".")[2], "") if "." in base else _NAMES.get(base, "")


def is_binary(raw: bytes) -> bool:
    """Whether bytes are no text: a NUL is in none."""
    return b"\0" in raw


def read(raw: bytes, format: str, name: str) -> Reading:
    """The blocks of a document; BadInput when it is not what its format says."""
    if format == "pdf":
        return _pdf(raw, name)
    if is_binary(raw):
        raise BadInput(f"{name} is a binary file", "give a text")
    text = decoded(raw)[0].replace("\r\n", "\n").replace("\r", "\n")
    if format == "html":
        from recairn.sources.documents.webpage import html_blocks

        title, blocks = html_blocks(text)
        return Reading(_titled(title, blocks, name), blocks)
    blocks = _notebook(text, name) if format == "ipynb" else _text_blocks(text, format)
    # A definition is no title; a file of code is known by its name.
    return Reading(_titled("", () if format == "code" else blocks, name), blocks)


def _text_blocks(text: str, format: str) -> list[Block]:
    from recairn.sources.documents import code, prose

    lines = numbered(text)
    if format == "md":
        return prose.markdown_blocks(lines)
    if format == "rst":
        return prose.rst_blocks(lines)
    return code.code_blocks(lines) if format == "code" else prose.plain_blocks(lines)


def numbered(text: str) -> list[Line]:
    """The lines of a text, counted from 1."""
    return list(enumerate(text.split("\n"), start=1))


def _titled(title: str, blocks: Sequence[Block], name: str) -> str:
    """The title itself, else the first heading, else the name of the file."""
    heading = next((block.heading[0] for block in blocks if block.heading), "")
    said = " ".join((title or heading).split())
    return said[:_TITLE] or os.path.basename(name.rstrip("/"))


def _notebook(text: str, name: str) -> list[Block]:
    """The cells of a notebook: prose as Markdown, code whole, at their lines in the file."""
    from json import loads

    try:
        notebook = loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{name} is not a notebook: it is no JSON", "check the file") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise BadInput(f"{name} is not a notebook: it has no cells", "check the file")
    from recairn.sources.documents.prose import Headings, markdown_blocks

    blocks: list[Block] = []
    above, places = Headings(), _Places(text)
    for cell in cells:
        lines = places.of(_source(cell))
        if isinstance(cell, dict) and cell.get("cell_type") == "markdown":
            blocks += markdown_blocks(lines, above)
        elif any(said.strip() for _, said in lines):
            blocks.append(Block(lines, above.path, whole=True))
    return blocks


def _source(cell: Any) -> list[str]:
    source = cell.get("source", "") if isinstance(cell, dict) else ""
    joined = "".join(map(str, source)) if isinstance(source, list) else str(source)
    return joined.split("\n")


class _Places:
    """Finds the lines of cells in the file, one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._missed = 0

    def of(self, lines: Sequence[str]) -> list[Line]:
        return [(self._number(line), line) for line in lines]

    def _number(self, line: str) -> int:
        from json import dumps

        if not line.strip() or self._missed >= _MISSED:
            return self._line
        for spelled in {dumps(line)[1:-1], dumps(line, ensure_ascii=False)[1:-1]}:
            at = self._text.find(spelled, self._at)
            if at >= 0:
                self._line += self._text.count("\n", self._at, at)
                self._at = at
                return self._line
        self._missed += 1
        return self._line


def _pdf(raw: bytes, name: str) -> Reading:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise NeedsExtra(
            f"{name}: reading PDF needs the package pypdf", "pip install 'recairn[pdf]'"
        ) from None
    import logging
    from io import BytesIO

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every flaw it got around
    try:
        pdf = PdfReader(BytesIO(raw))
        if len(pdf.pages) > MAX_PAGES:
            raise BadInput(f"{name} has more than {MAX_PAGES:,} pages", "split it")
        pages = [page.extract_text() or "" for page in pdf.pages]
        about = pdf.metadata
        title = str(about.title or "") if about is not None else ""
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadInput(f"{name} cannot be read as PDF: {str(error)[:100]}", "check it") from None
    blocks = []
    for number, text in enumerate(pages, start=1):
        from recairn.sources.documents.prose import plain_blocks

        blocks += [Block(block.lines, (), number) for block in plain_blocks(numbered(text))]
    if not blocks:
        raise BadInput(f"{name} holds no text", "it may be scanned: recognise its text first")
    return Reading(_titled(title, blocks, name), blocks)
