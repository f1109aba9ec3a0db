"""Files of the person, written whole or not at all: every file that takes an old one's place."""

from __future__ import annotations

import os

from recairn.core.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_OWNER_ALONE = 0o600
# Bits of a file's mode: its rights, its kind, and the kind of a plain file.
_RIGHTS, _KIND, _REGULAR = 0o7777, 0o170000, 0o100000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
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
        # About the path that was given, not the file made beside it.
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        os.close(folder)


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
