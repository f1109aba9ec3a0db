"""Texts that may come from the command line, from standard input, or from an editor."""

from __future__ import annotations

import sys

from recairn.surfaces.cli.types import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.call import Call


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
    from recairn.core.words import decoded

    text, odd = decoded(raw)
    if odd:
        what = "1 line" if odd == 1 else f"{odd:,} lines"
        sys.stderr.write(f"note: {what} of {whence} not UTF-8, read as Windows-1252\n")
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
