"""One run of one command: what was typed, where answers go, and the memory it acts on.

The screen is the one place that colours, makes safe, and survives any terminal. Texts may come from
the command line, from standard input, or from an editor.
"""

from __future__ import annotations

import os
import sys
import time

from recairn.core.errors import Refused
from recairn.core.guard import safe_for_terminal
from recairn.surfaces.cli.parse import Usage
from recairn.surfaces.render.text import STYLE_MARKS, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType
    from typing import Any, TextIO

    from recairn.core.model import Memory
    from recairn.engine import Recairn
    from recairn.store.contract.maintenance import Maintenance
    from recairn.surfaces.cli.command import Command


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

    def warn(self, warnings: Iterable[str]) -> None:
        """Tells what a person should look at, each in a line of its own."""
        for warning in warnings:
            self.note(f"warning: {warning}")

    def _fitting(self, text: str, stream: TextIO) -> str:
        """The text as it fits a terminal; elsewhere, and to programs, lines stay whole."""
        if not stream.isatty():
            return text
        from shutil import get_terminal_size

        from recairn.surfaces.cli.wrapping import wrapped

        return wrapped(text, get_terminal_size().columns)

    def documents(self, values: Sequence[Any]) -> None:
        """Prints one as it is, and several as an array."""
        self.document(values[0] if len(values) == 1 else values)

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
        # The marks of style are no ASCII.
        plain = text if text.isascii() else without_marks(text)
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


def text_from(words: list[str], what: str, call: Call) -> str:
    """The words joined; standard input for `-`, and for no words when something is piped in."""
    if words and words != ["-"]:
        return " ".join(words)
    if not words and (sys.stdin is None or sys.stdin.isatty()):
        raise Usage(f"{call.command.name} needs {what}", f"for example: {call.command.examples[0]}")
    return piped_text()


def piped_text() -> str:
    """All of standard input, whatever the locale's encoding; a note where it is not UTF-8."""
    raw = getattr(sys.stdin, "buffer", None)
    return sys.stdin.read() if raw is None else _decoded(raw.read(), "standard input")


def _decoded(raw: bytes, whence: str) -> str:
    """The text of some bytes; where it is not UTF-8, a word on what it is taken for."""
    from recairn.core.words import counted, decoded

    text, odd = decoded(raw)
    if odd:
        what = f"{counted(odd, 'line')} of {whence}"
        sys.stderr.write(f"note: {what} not UTF-8, read as Windows-1252\n")
    return text


def edited_text(before: str) -> str:
    """The text after the person changed it in $VISUAL or $EDITOR."""
    import os
    import shlex
    import subprocess
    import tempfile

    from recairn.core.errors import BadInput

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Usage("--editor needs a terminal", "give the text, or - and standard input")
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    another = "set VISUAL or EDITOR to another one, or give the text"
    # Suffix for syntax colouring; the folder is private, since a memory may be.
    with tempfile.TemporaryDirectory(prefix="recairn-") as folder:
        path = os.path.join(folder, "memory.md")
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(before)
        try:
            run = subprocess.run([*shlex.split(editor), path], check=False)
        except OSError as error:
            raise BadInput(f"cannot start the editor {editor}: {error.strerror}", another) from None
        except ValueError as error:
            raise BadInput(f"cannot read the editor {editor}: {error}", another) from None
        if run.returncode != 0:
            raise BadInput(f"{editor} ended with status {run.returncode}", "nothing was changed")
        with open(path, "rb") as file:
            return _decoded(file.read(), "what the editor wrote")


class Call:
    """What a handler gets. `arguments` holds only what was typed."""

    def __init__(self, command: Command, arguments: dict[str, Any], screen: Screen) -> None:
        self.command = command
        self.arguments = arguments
        self.screen = screen
        self.json = bool(arguments.get("json"))
        self._memory: Recairn | None = None

    def open(self) -> Recairn:
        """The memory this call acts on, in the session that was started here, if there is one."""
        from recairn.engine import open_as_allowed
        from recairn.host.project import session_here

        memory = self._memory = open_as_allowed(
            self.arguments.get("db"),
            project=self.arguments.get("act_in"),
            session=self.arguments.get("session"),
            create=self.command.creates and "dry_run" not in self.arguments,
        )
        if memory.passed_over and self.screen.err.isatty():
            self._tell_of_one_passed_over(memory.passed_over)
        if (self.arguments.get("db") or self.screen.err.isatty()) and memory.absent:
            # Whoever looks for something in a database that is not there may mean another one.
            self.screen.note(f"note: there is no database at {memory.database}")
        if memory.home_notice:
            self.screen.note(f"note: {memory.home_notice}")
        memory.join_session(session_here())
        memory.everywhere = bool(self.arguments.get("all_projects"))
        self.screen.crossed, self.screen.damaged = memory.crossed, memory.damaged
        return memory

    def _tell_of_one_passed_over(self, path: str) -> None:
        from recairn.engine.trust import doubt_of, trust_file

        trust = trust_file().remembered(path)
        why = "" if trust is None else f": {doubt_of(trust)}"
        self.screen.note(
            "note: .recairn/memory.db of this checkout is not used"
            f"{why}; recairn trust says what it holds and uses it"
        )

    def tell_beside(self) -> None:
        """Says what is to be known beside the answer, and what kept mirrors from following it."""
        self.screen.tell_beside()
        if self._memory is not None and self._memory.mirror_notice:
            self.screen.note(f"note: {self._memory.mirror_notice}")

    def follow_pins(self, memory: Recairn, *changed: Memory) -> None:
        """Brings the blocks of standing memories in files up to date, where one of these is one.

        With --project the files are somewhere else: they follow with the next change there.
        """
        if "act_in" in self.arguments:
            return
        if not any(record.pinned or record.kind == "rule" for record in changed):
            return
        from recairn.core.errors import RecairnError

        try:
            blocks = memory.refresh_pins()
        except (RecairnError, OSError) as error:
            self.screen.note(f"note: the pinned memories in files stay as they were: {error}")
            return
        for block in blocks:
            if block.state == "written":
                self.screen.note(f"note: {block.path} is brought up to date")

    def database(self) -> str:
        """The path of that memory's database, for commands that do not open it."""
        import os

        from recairn.host.project import database_path

        return database_path(self.arguments.get("db"), os.getcwd())

    def maintenance(self) -> Maintenance:
        """What looks after that database, also where it will not open."""
        from recairn.store import maintenance

        return maintenance(self.database())

    def chosen(self, *names: str) -> dict[str, Any]:
        """Those of the named options that were typed."""
        return {name: self.arguments[name] for name in names if name in self.arguments}

    def say(self, text: str) -> None:
        """Prints one line of result."""
        self.screen.write(text + "\n")

    def confirm(self, what: str) -> bool:
        """Whether the person agrees; Refused where nobody can be asked and --yes is missing."""
        if self.arguments.get("yes"):
            return True
        answer = self.screen.confirmed(f"{what}. Go on?")
        if answer is None:
            raise Refused(what, "add --yes to go on")
        if not answer:
            self.screen.note("left as it was")
        return answer


# Seconds between two counter lines: often enough to be seen moving.
_EVERY_S = 0.1


class Bar:
    """Call it with (done, total); it draws on standard error, and only on a terminal."""

    def __init__(self, screen: Screen, what: str, *, unit: float = 1) -> None:
        """`unit` is what one shown step counts, for example 1,000,000 to show bytes as MB."""
        self._screen = screen
        self._what = what
        self._unit = unit
        self._shown_at = 0.0
        self._progress: Any = None
        self._task: Any = None

    def __enter__(self) -> Bar:
        return self

    def __call__(self, done: int, total: int) -> None:
        if not self._screen.err.isatty():
            return
        if self._progress is None and not self._shown_at:
            self._progress = self._started(total)
        if self._progress is not None:
            self._progress.update(self._task, completed=done / self._unit, total=total / self._unit)
        elif done >= total or time.monotonic() - self._shown_at >= _EVERY_S:
            counted = f"{done / self._unit:,.0f} of {total / self._unit:,.0f}"
            self._screen.err.write(f"\r{self._what}: {counted}")
            self._screen.err.flush()
        if not self._shown_at or time.monotonic() - self._shown_at >= _EVERY_S:
            self._shown_at = time.monotonic()

    def _started(self, total: int) -> Any:
        try:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
        except ImportError:
            return None
        coloured = self._screen.coloured(self._screen.err)
        console = Console(file=self._screen.err, no_color=not coloured, highlight=False)
        columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        progress = Progress(*columns, console=console)
        progress.start()
        self._task = progress.add_task(self._what, total=total / self._unit)
        return progress

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
        elif self._shown_at:
            self._screen.err.write("\n")
