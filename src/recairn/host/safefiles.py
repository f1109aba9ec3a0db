"""Files written into a project: whole or not at all, and never through a symbolic link.

A checkout is not trusted: a folder in it may be a link to elsewhere. Every step is taken from an
open folder, so that nothing can be swapped in between the look and the write.
"""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, Refused
from recairn.host.files import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def write_inside(root: str, parts: Sequence[str], text: str) -> str:
    """Writes a file below a root, making its folders; its path. Refused at a symbolic link."""
    if not parts or any(each in ("", ".", "..") or "/" in each for each in parts):
        raise BadInput(f"{'/'.join(parts)!r} does not name a file inside {root}")
    *folders, name = parts
    here = os.open(os.path.realpath(root), _FOLDER)
    try:
        for depth, folder in enumerate(folders, start=1):
            below = _entered(here, folder, root, parts[:depth])
            os.close(here)
            here = below
        _replace(here, name, text, root, parts)
    finally:
        os.close(here)
    return os.path.join(root, *parts)


def exists_inside(root: str, parts: Sequence[str]) -> bool:
    """Whether something other than a link is there."""
    path = root
    for part in parts:
        path = os.path.join(path, part)
        if os.path.islink(path) or not os.path.exists(path):
            return False
    return True


def _entered(here: int, folder: str, root: str, parts: Sequence[str]) -> int:
    if folder not in os.listdir(here):
        os.mkdir(folder, 0o755, dir_fd=here)
    try:
        return os.open(folder, _FOLDER, dir_fd=here)
    except OSError:
        raise _refused(root, parts) from None


def _replace(here: int, name: str, text: str, root: str, parts: Sequence[str]) -> None:
    try:
        there = os.readlink(name, dir_fd=here)
    except OSError:
        there = ""
    if there:
        raise _refused(root, parts)
    replace_file(here, name, [text.encode("utf-8", "replace")])


def _refused(root: str, parts: Sequence[str]) -> Refused:
    path = os.path.join(root, *parts)
    return Refused(
        f"{path} is a symbolic link, or no folder: nothing was written",
        "remove it, or write elsewhere",
    )


def file_name(text: str) -> str:
    """A name that is safe in any folder, and different for different texts."""
    safe = "".join(
        letter
        if letter.isascii() and (letter.isalnum() or letter in "-_.")
        else f"%{ord(letter):x}"
        for letter in text
    )
    return f"%2e{safe[1:]}" if safe.startswith(".") else safe
