"""Reading small files of a folder that is not trusted: a pipe or device there is never opened."""

from __future__ import annotations

import os

# The kind of a file among the bits of its mode; `stat` is not imported for two numbers.
_KIND, _REGULAR = 0o170000, 0o100000
# A pipe put there between the look and the opening is not waited for, nor made our terminal.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
# Bytes of a line; longer than any path.
LONGEST_LINE = 8192


def is_regular(mode: int) -> bool:
    """Whether a mode is that of a plain file."""
    return mode & _KIND == _REGULAR


def content_of(path: str, most: int) -> bytes | None:
    """The first so many bytes; None when there is no plain file that may be read."""
    try:
        # Opening a device can do something, so it is looked at first.
        if not is_regular(os.stat(path).st_mode):
            return None
        descriptor = os.open(path, _READ)
    except (OSError, ValueError):
        return None
    try:
        if not is_regular(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(most)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def text_of(path: str, most: int) -> str:
    """The first so many bytes as text, whatever is no UTF-8 replaced; "" where there are none."""
    return (content_of(path, most) or b"").decode("utf-8", "replace")


def first_line(path: str) -> str:
    """The first line of a plain file without the spaces around it; "" where there is none."""
    raw = content_of(path, LONGEST_LINE) or b""
    return os.fsdecode(raw.partition(b"\n")[0]).strip()
