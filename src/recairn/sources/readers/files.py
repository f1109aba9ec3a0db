"""Reading what others wrote: every file of an import comes through here, so its limits hold."""

from __future__ import annotations

import os
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE

from recairn.core.errors import BadInput
from recairn.sources.format import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO

# Bytes of a text that is read at once. Instruction files have kilobytes; more is a mistake.
MAX_TEXT = 8_000_000
# Bytes of one line of JSON: the longest memory in four-byte letters with its fields, and room.
MAX_LINE = 2_000_000
# Files of one folder.
MAX_FILES = 20_000
# Folders below the one given.
MAX_DEPTH = 12
_SKIPPED_AT_ONCE = 1 << 16


class Origin:
    """One file or folder to import from. Places in it are told by `name`, not by its path."""

    def __init__(
        self, path: str, name: str, project_of: Callable[[str], str] = os.path.basename
    ) -> None:
        self.path = path
        # Tells which project a folder belongs to, also one that is there no more.
        self.project_of = project_of
        self.name = name.encode("utf-8", "replace").decode()
        self.size = _size(path)
        self.done = 0

    def place(self, line: int) -> str:
        """`CLAUDE.md:12`: what a person can open."""
        return f"{self.name}:{line}"

    def text(self, most: int = MAX_TEXT) -> str:
        """The whole file; bytes that are not UTF-8 become �. BadInput when it is too large, or
        no text."""
        with self._opened() as file:
            raw = file.read(most + 1)
        if len(raw) > most:
            raise BadInput(f"{self.name} is larger than {most // 1_000_000} MB", "split it")
        self.done = self.size
        if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            return raw.decode("utf-16", "replace")
        if b"\0" in raw:
            raise BadInput(f"{self.name} is not text", "give a text file")
        return raw.decode("utf-8-sig", "replace")

    def json_lines(
        self,
        brackets: tuple[bytes, ...] = (),
        wanted: Callable[[bytes], bool] | None = None,
        growing: bool = False,
    ) -> Iterator[tuple[int, Any] | Fault]:
        """(line, value) of every line of JSON that is not empty; the bad ones as Fault.

        With `brackets`, lines that are one of these are passed over, and a comma may end a line.
        `wanted` decides by a line's bytes, or by as many as are read of it, whether to parse it.
        Of a `growing` file a last line without its end is still being written, and left out.
        """
        with self._opened() as file:
            number = 0
            while raw := file.readline(MAX_LINE + 1):
                number += 1
                self.done += len(raw)
                too_long = len(raw) > MAX_LINE and not raw.endswith(b"\n")
                if too_long:
                    self._skip_line(file)
                if wanted is not None and not wanted(raw):
                    continue
                if too_long:
                    yield Fault(self.place(number), f"longer than {MAX_LINE // 1_000_000} MB")
                elif (bare := raw.strip()) and bare not in brackets:
                    value = self._value(number, bare.rstrip(b",") if brackets else bare)
                    if not growing or raw.endswith(b"\n") or not isinstance(value, Fault):
                        yield value

    def _value(self, number: int, raw: bytes) -> tuple[int, Any] | Fault:
        from json import loads

        try:
            return number, whole(
                loads(raw.decode("utf-8-sig"), parse_constant=refuse_constant), raw
            )
        except UnicodeDecodeError:
            return Fault(self.place(number), "not UTF-8")
        except RecursionError:
            return Fault(self.place(number), "nested too deeply")
        except ValueError as error:
            return Fault(self.place(number), f"not JSON: {str(error)[:100]}")

    def _skip_line(self, file: BinaryIO) -> None:
        while piece := file.readline(_SKIPPED_AT_ONCE):
            self.done += len(piece)
            if piece.endswith(b"\n"):
                return

    def files(self, *endings: str) -> list[Origin]:
        """The files below this folder with one of the endings, in order of name.

        Links are not followed out of the folder, nor to folders at all.
        """
        paths: list[str] = []
        root = os.path.realpath(self.path)
        for folder, folders, names in os.walk(self.path):
            folders.sort()
            if os.path.relpath(folder, self.path).count(os.sep) >= MAX_DEPTH:
                folders.clear()
            matches = [os.path.join(folder, name) for name in names if name.endswith(endings)]
            paths += [path for path in matches if is_inside(root, path) and os.path.isfile(path)]
            if len(paths) > MAX_FILES:
                raise BadInput(f"{self.name} holds more than {MAX_FILES:,} files", "import a part")
        return [self.inside(os.path.relpath(path, self.path)) for path in sorted(paths)]

    def inside(self, relative: str) -> Origin:
        """A file of this folder; BadInput when the name leads out of it."""
        path = os.path.join(self.path, relative)
        if not is_inside(os.path.realpath(self.path), path):
            raise BadInput(f"{relative} leads out of {self.name}", "import that place by its name")
        name = f"{self.name}/{relative}" if self.name != "." else relative
        return Origin(path, name, self.project_of)

    def _opened(self) -> BinaryIO:
        """The file, opened without waiting: a pipe or device in its place is refused."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise BadInput(f"{self.name} cannot be read: {error.strerror}") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise BadInput(f"{self.name} is not a file", "give a file")
        return os.fdopen(descriptor, "rb")


def log_lines(origin: Origin) -> Iterator[tuple[int, Any] | Fault]:
    """The lines of JSON of one log of several: where it cannot be opened, that is told."""
    try:
        yield from origin.json_lines()
    except BadInput as error:
        yield Fault(origin.name, error.message)


def whole(value: Any, raw: bytes) -> Any:
    """A JSON value without halves of characters, which only escapes can spell: � instead."""
    if b"\\ud" not in raw and b"\\uD" not in raw:
        return value
    from json import dumps, loads

    text = dumps(value, ensure_ascii=False)
    return loads("".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in text))


def shown(path: str, root: str) -> str:
    """The path from a folder on; from home on, or whole, when it lies elsewhere."""
    whole_path = os.path.abspath(path)
    for folder, begins in ((root, ""), (os.path.expanduser("~"), "~/")):
        if whole_path.startswith(folder.rstrip(os.sep) + os.sep):
            return begins + os.path.relpath(whole_path, folder)
    return whole_path


def head_of(path: str, most: int) -> bytes:
    """The first bytes of a file; none where there is no file, or one may not read it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""


def names_in(folder: str) -> list[str]:
    """What lies directly in a folder, in order; nothing where one may not look."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def is_inside(root: str, path: str) -> bool:
    """Whether a path, links followed, stays in the folder (given without links)."""
    real = os.path.realpath(path)
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def refuse_constant(constant: str) -> Any:
    """For the JSON parser: NaN and the infinities are no numbers."""
    raise ValueError(f"{constant} is not a JSON number")
