"""Files of the person: written whole or not at all, never through a link."""

from __future__ import annotations

import os

from recairn.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def write_lines(path: str, lines: Iterable[str | bytes], *, private: bool = True) -> int:
    """Replaces a file by these lines, durably; how many bytes there are.

    Whoever reads the path sees the old file or the new one. A symbolic link is refused: what it
    points at was not named.
    """
    if os.path.islink(path):
        raise Refused(f"{path} is a symbolic link", "name the file itself")
    folder = os.path.dirname(os.path.abspath(path))
    beside = os.path.join(folder, f".{os.path.basename(path)}.{os.urandom(4).hex()}.new")
    mode = 0o600 if private else 0o666
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    except OSError as error:
        raise _about(path, error) from None
    try:
        count = 0
        with open(handle, "wb") as file:
            for line in lines:
                raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
                count += file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException as error:
        os.unlink(beside)
        if isinstance(error, OSError) and error.filename in (None, beside):
            raise _about(path, error) from None
        raise
    sync_folder(folder)
    return count


def _about(path: str, error: OSError) -> OSError:
    """The same error about the file that was named, not the one made beside it."""
    return OSError(error.errno, error.strerror, path)


def sync_folder(folder: str) -> None:
    """Makes a renaming in the folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
