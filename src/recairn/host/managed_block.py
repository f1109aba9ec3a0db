"""A block of text that recairn keeps inside a file which belongs to somebody else.

Everything outside the two markers stays byte for byte, whatever its line ends, encoding or last
line. The file is replaced in one step; a link in its place, or a place outside the project, is
refused.
"""

from __future__ import annotations

import os
import re

from recairn.core.errors import BadInput, Refused
from recairn.host.files import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Bytes: instruction files have kilobytes, and all of one is read.
_LARGEST = 8_000_000
# Somebody may write to the file at the same moment; so often we begin again.
_TRIES = 5
# Begins a file that is not made of single bytes: not one we can put a line into.
_WIDE_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
_UNSAFE = re.compile(r"(?<!\S)@(?=\S)")


def one_safe_line(text: str) -> str:
    """Text on one line that can neither close the block nor pull in a file (`@path`)."""
    flat = " ".join(text.split())
    flat = flat.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    return _UNSAFE.sub(r"\\@", flat)


class ManagedBlock:
    """The block of a name in one file; a name of its own keeps two blocks of a file apart."""

    def __init__(self, path: str, root: str, name: str = "") -> None:
        """Refused for a link and for a path outside `root`."""
        self.path = os.path.abspath(path)
        label = f" {name}" if name else ""
        self._start = f"<!-- recairn:start{label} -->".encode()
        self._end = f"<!-- recairn:end{label} -->".encode()
        inside = os.path.realpath(root).rstrip(os.sep) + os.sep
        folder = os.path.realpath(os.path.dirname(self.path))
        if not (folder + os.sep).startswith(inside):
            raise Refused(f"{path} lies outside the project {root}", "name a file of the project")
        if os.path.islink(self.path):
            raise Refused(f"{path} is a link", f"name the file itself: {os.path.realpath(path)}")
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise Refused(f"{path} is not a file", "name a file")
        if not os.path.isdir(folder):
            raise Refused(f"the folder of {path} does not exist", "make it first")

    def exists(self) -> bool:
        """Whether the file holds the block."""
        return self._start in self._read()

    def lines(self) -> list[str]:
        """The lines inside the block; none when there is no block."""
        content = self._read()
        span = self._span(content)
        if span is None:
            return []
        inside = content[span[0] + len(self._start) : span[1] - len(self._end)]
        return inside.decode("utf-8", "replace").strip("\r\n").splitlines()

    def write(self, lines: Sequence[str]) -> bool:
        """Puts the lines into the block, which is made at the end of the file if need be.

        Whether anything changed.
        """
        return self._rewrite(lambda content: self._with(content, lines))

    def remove(self) -> bool:
        """Takes the block out, and the line end that was put before it; whether it was there."""
        return self._rewrite(self._without)

    def _with(self, content: bytes, lines: Sequence[str]) -> bytes:
        end = b"\r\n" if b"\r\n" in content else b"\n"
        inside = end.join(line.encode("utf-8", "replace") for line in lines)
        block = end.join(filter(None, (self._start, inside, self._end)))
        span = self._span(content)
        if span is not None:
            return content[: span[0]] + block + content[span[1] :]
        # Exactly one line end before the block, so that taking it out leaves the file as it was.
        return content + (end if content else b"") + block + end

    def _without(self, content: bytes) -> bytes:
        span = self._span(content)
        if span is None:
            return content
        before, after = content[: span[0]], content[span[1] :]
        for end in (b"\r\n", b"\n"):
            if before.endswith(end):
                before = before.removesuffix(end)
                break
        for end in (b"\r\n", b"\n"):
            if after.startswith(end):
                after = after.removeprefix(end)
                break
        return before + after

    def _span(self, content: bytes) -> tuple[int, int] | None:
        """Where the block begins and ends; Refused when its markers do not come in one pair."""
        starts, ends = content.count(self._start), content.count(self._end)
        if starts == ends == 0:
            return None
        begin, end = content.find(self._start), content.find(self._end)
        if starts != 1 or ends != 1 or end < begin:
            first, last = self._start.decode(), self._end.decode()
            raise Refused(
                f"{self.path} does not hold {first} and {last} once each, in that order",
                "put the markers right, or take both out",
            )
        return begin, end + len(self._end)

    def _read(self) -> bytes:
        try:
            with open(self.path, "rb") as file:
                content = file.read(_LARGEST + 1)
        except FileNotFoundError:
            return b""
        if len(content) > _LARGEST:
            raise BadInput(f"{self.path} is larger than {_LARGEST // 1_000_000} MB")
        if content.startswith(_WIDE_ENCODINGS):
            raise BadInput(f"{self.path} is UTF-16", "save it as UTF-8")
        return content

    def _rewrite(self, change: Callable[[bytes], bytes]) -> bool:
        for _ in range(_TRIES):
            before = self._read()
            after = change(before)
            if after == before:
                return False
            if self._replace(before, after):
                return True
        raise Refused(f"{self.path} is being written to all the time", "try again")

    def _replace(self, before: bytes, after: bytes) -> bool:
        """Puts a new file in the place of the old one, unless that was changed meanwhile."""
        folder, name = os.path.split(self.path)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            written = replace_file(
                handle,
                name,
                [after],
                unless=lambda: self._read() != before or os.path.islink(self.path),
            )
            return written is not None
        finally:
            os.close(handle)
