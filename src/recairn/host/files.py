"""Files outside the database, written whole or not at all; a link in their place is refused.

`write_lines` writes where a person named a file. `write_inside` writes into a checkout, which is
not trusted: a folder in it may be a link to elsewhere, so every step is taken from an open folder,
and nothing can be swapped in between the look and the write. Both end in `replace_file`.
"""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_OWNER_ALONE = 0o600
# Bits of a file's mode: its rights, its kind, and the kind of a plain file.
_RIGHTS, _KIND, _REGULAR = 0o7777, 0o170000, 0o100000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDER_ITSELF = _FOLDER | os.O_NOFOLLOW
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_lines(
    path: str, lines: Iterable[str | bytes], *, private: bool = True, like: str | None = None
) -> int:
    """Replaces a file by these lines, durably; how many bytes there are.

    A symbolic link is refused: what it points at was not named. `private` is for the owner alone;
    else the file has the rights of the one it replaces, or of the one it is to be `like`.
    """
    if os.path.islink(path):
        raise Refused(f"{path} is a symbolic link", "name the file itself")
    if os.path.exists(path) and not os.path.isfile(path):
        raise Refused(f"{path} is not a file", "name a file")
    place, name = os.path.split(os.path.abspath(path))
    folder = os.open(place, _FOLDER)
    try:
        model = None if like is None else _rights(os.path.realpath(like), None)
        rights = _OWNER_ALONE if private else model
        return replace_file(folder, name, lines, rights=rights) or 0
    except OSError as error:
        # About the path the caller named, not the file made beside it.
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        os.close(folder)


def write_inside(root: str, parts: Sequence[str], text: str) -> str:
    """Writes a file below a root, making its folders; its path. Refused at a symbolic link."""
    if not parts or any(part in ("", ".", "..") or "/" in part for part in parts):
        raise BadInput(f"{'/'.join(parts)!r} does not name a file inside {root}")
    *folders, name = parts
    here = os.open(os.path.realpath(root), _FOLDER_ITSELF)
    try:
        for depth, folder in enumerate(folders, start=1):
            below = _open_folder(here, folder, root, parts[:depth])
            os.close(here)
            here = below
        if _is_link(name, here):
            raise _link_refusal(root, parts)
        replace_file(here, name, [text.encode("utf-8", "replace")])
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


def file_name(text: str) -> str:
    """A name that is safe in any folder, and different for different texts."""
    safe = "".join(
        letter
        if letter.isascii() and (letter.isalnum() or letter in "-_.")
        else f"%{ord(letter):x}"
        for letter in text
    )
    return f"%2e{safe[1:]}" if safe.startswith(".") else safe


def replace_file(
    folder: int,
    name: str,
    lines: Iterable[str | bytes],
    *,
    rights: int | None = None,
    unless: Callable[[], bool] | None = None,
) -> int | None:
    """Puts a new file in the place of a name in an open folder, durably; how many bytes it has.

    Whoever reads sees the old file or the new one, also after a power loss. It has the rights
    given, else those of the file it replaces, else what the umask leaves. None, and nothing is
    done, when `unless` says so at the last moment.
    """
    if rights is None:
        rights = _rights(name, folder)
    beside = f".recairn-{os.urandom(8).hex()}.new"
    # Until it has its rights, nobody else reads what may have been private.
    mode = 0o666 if rights is None else _OWNER_ALONE
    try:
        handle = os.open(beside, _NEW, mode, dir_fd=folder)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None
    try:
        with open(handle, "wb") as file:
            count = sum(file.write(_raw(line)) for line in lines)
            if rights is not None:
                os.fchmod(file.fileno(), rights)
            file.flush()
            os.fsync(file.fileno())
        stays = unless is not None and unless()
        if not stays:
            os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(beside, dir_fd=folder)
        raise
    if stays:
        os.unlink(beside, dir_fd=folder)
        return None
    os.fsync(folder)
    return count


def _rights(name: str, folder: int | None) -> int | None:
    """Who may do what with a file; None where there is none."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    return mode & _RIGHTS if mode & _KIND == _REGULAR else None


def _raw(line: str | bytes) -> bytes:
    return line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line


def _open_folder(here: int, folder: str, root: str, parts: Sequence[str]) -> int:
    if folder not in os.listdir(here):
        os.mkdir(folder, 0o755, dir_fd=here)
    try:
        return os.open(folder, _FOLDER_ITSELF, dir_fd=here)
    except OSError:
        raise _link_refusal(root, parts) from None


def _is_link(name: str, folder: int) -> bool:
    try:
        os.readlink(name, dir_fd=folder)
    except OSError:
        return False
    return True


def _link_refusal(root: str, parts: Sequence[str]) -> Refused:
    path = os.path.join(root, *parts)
    return Refused(
        f"{path} is a symbolic link, or no folder: nothing was written",
        "remove it, or write elsewhere",
    )
