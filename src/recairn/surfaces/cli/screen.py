"""Where answers and narration go: one place that colours, makes safe, and survives any terminal."""

from __future__ import annotations

import os
import sys

from recairn.core.guard import safe_for_terminal
from recairn.surfaces.render.marks import STYLE_MARKS, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

# Bold, dim and two colours that are readable on dark and light backgrounds.
_ANSI = {
    "bold": "\x1b[1m",
    "dim": "\x1b[2m",
    "name": "\x1b[36m",
    "hit": "\x1b[33m",
    "end": "\x1b[0m",
}
_COLOURED = {ord(mark): _ANSI[style] for style, marks in STYLE_MARKS.items() for mark in marks}


class Screen:
    """Standard output for results, standard error for everything else."""

    def __init__(self, *, colour: bool = True) -> None:
        self.out = sys.stdout
        self.err = sys.stderr
        self._colour = colour
        # Memories of other projects that the answer shows: id → project.
        self.crossed: dict[int | str, str] = {}
        # Those of which a part could not be read.
        self.damaged: set[int] = set()

    def write(self, text: str) -> None:
        """Prints a result. Whatever it contains, no control byte but our own colours comes out."""
        self.out.write(self._shown(self._fitting(text, self.out), self.out))

    def note(self, text: str) -> None:
        """Tells the person something beside the result."""
        self.out.flush()
        text = self._fitting(text.rstrip("\n"), self.err) + "\n"
        self.err.write(self._shown(text, self.err))
        self.err.flush()

    def _fitting(self, text: str, stream: TextIO) -> str:
        """The text as it fits a terminal; elsewhere, and to programs, lines stay whole."""
        if not stream.isatty():
            return text
        from shutil import get_terminal_size

        from recairn.surfaces.cli.wrapping import wrapped

        return wrapped(text, get_terminal_size().columns)

    def document(self, value: Any) -> None:
        """Prints one JSON document: readable where that is safe, escaped to ASCII where not."""
        from recairn.core.fastjson import dumps

        if self.crossed and isinstance(value, dict):
            value = {
                **value,
                "other_projects": {f"{id}": name for id, name in self.crossed.items()},
            }
        written = _indented if self.out.isatty() else dumps
        text = written(value, ascii=False)
        readable = (self.out.encoding or "").lower().replace("-", "") == "utf8"
        if not readable or safe_for_terminal(text) != text:
            text = written(value).replace("\x7f", "\\u007f")
        self.out.write(text + "\n")

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Prints aligned columns; drawn by rich on a terminal that has it."""
        if not (self.out.isatty() and self._draw(head, rows)):
            from recairn.surfaces.render.tables import columns

            self.out.write(self._shown(columns(head, rows), self.out))

    def tell_beside(self) -> None:
        """Says which of the memories and tasks are another project's, or damaged."""
        for memory in sorted(self.damaged):
            self.note(
                f"note: a part of #{memory} cannot be read any more: recairn verify,"
                " recairn doctor --repair"
            )
        for id, project in self.crossed.items():
            mark = "#" if isinstance(id, int) else ""
            self.note(f"note: {mark}{id} belongs to the project {project}")

    def flush(self) -> None:
        self.out.flush()

    def confirmed(self, question: str) -> bool | None:
        """The answer to a yes-or-no question; None when nobody is there to ask."""
        if not (sys.stdin is not None and sys.stdin.isatty() and self.err.isatty()):
            return None
        self.out.flush()
        self.err.write(self._shown(f"{question} [y/N] ", self.err))
        self.err.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    def _shown(self, text: str, stream: TextIO) -> str:
        plain = without_marks(text)
        safe = safe_for_terminal(plain)
        if safe != plain:
            text = safe_for_terminal(text)
            safe = safe_for_terminal(without_marks(text))
        return text.translate(_COLOURED) if self.coloured(stream) else safe

    def coloured(self, stream: TextIO) -> bool:
        """Colour is for terminals, and not for those who said no."""
        if not self._colour or os.environ.get("NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR"):
            return True
        return stream.isatty() and os.environ.get("TERM") != "dumb"

    def _draw(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
        try:
            from rich.console import Console
            from rich.table import Table
            from rich.text import Text
        except ImportError:
            return False
        from recairn.surfaces.render.tables import numeric

        head_style = "bold" if self.coloured(self.out) else ""
        table = Table(box=None, pad_edge=False, header_style=head_style)
        for name, to_right in zip(head, numeric(rows, len(head)), strict=True):
            table.add_column(name, justify="right" if to_right else "left")
        for row in rows:
            table.add_row(*(Text(safe_for_terminal(without_marks(cell))) for cell in row))
        Console(file=self.out, no_color=not self.coloured(self.out), highlight=False).print(table)
        return True


def _indented(value: Any, *, ascii: bool = True) -> str:
    from json import dumps as whole

    return whole(value, ensure_ascii=ascii, indent=2)
