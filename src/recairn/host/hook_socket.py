"""How a hook asks an MCP server of the same user for its answer instead of working it out itself.

A hook is a process of its own, and loads modules and model each time; a server has them loaded. So
each server listens on a socket in a folder of the user, named by what must be the same on both
sides, and a hook that finds one sends its event there. The server says that it begins, waits for
the hook's word, and answers. Whatever goes wrong before, and a server that is busy, costs the hook
a moment: then it does its own work. docs/decisions/0028-a-hook-asks-a-server.md has the reasons.

This is read by every hook: it imports nothing but what a socket needs.
"""

from __future__ import annotations

import os
import sys

from recairn import __version__
from recairn.host.data_folder import data_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Sequence

# What both sides must have alike: everything by which a hook chooses a database, a project, a
# model, or a file of the user. A server never takes these from who asks.
_VARIABLES = (
    *("RECAIRN_DB", "RECAIRN_PROJECT", "RECAIRN_MODEL", "RECAIRN_MODELS"),
    *("HOME", "USER", "SUDO_UID", "XDG_DATA_HOME", "XDG_CONFIG_HOME"),
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME"),
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
)
# The events that are asked about, as agents spell them: those of every prompt and tool.
_EVENTS = frozenset(
    "userpromptsubmit userpromptsubmitted beforesubmitprompt beforeagent posttooluse aftertool"
    " afterfileedit aftershellexecution posttoolusefailure".split()
)
# Seconds until a server must have said that it begins, and from then on until its answer.
_BEGIN_S, _ANSWER_S = 0.15, 0.6
# Sockets that are tried: one whose server was killed stays behind until somebody meets it.
_TRIED = 4
# Bytes of a socket's path: 104 with the last zero on macOS, 108 on Linux.
_LONGEST_PATH = 103
# Permissions of others, kind of a file, and a folder's.
_OTHERS, _KIND, _FOLDER = 0o077, 0o170000, 0o040000
# A prime; the remainder tells headers apart well enough to name a socket by.
_PRIME = 2**61 - 1
_BLOCK = 65_536
# What is said: the server begins, the hook agrees, an answer follows, or the hook is to do it.
BEGINS, AGREED, ANSWERED, DECLINED = b"B", b"G", b"A", b"D"
LENGTH = 8  # hexadecimal digits of a length


def header(db: str | None = None, project: str | None = None) -> bytes:
    """What must be alike on both sides: program, files and choices; the options typed count."""
    typed = {"RECAIRN_DB": db, "RECAIRN_PROJECT": project}
    chosen = [typed.get(name) or os.environ.get(name) for name in _VARIABLES]
    said = ["-" if value is None else f"={value}" for value in chosen]
    root = os.stat("/")  # another one where the file system is another
    program = (__version__, sys.version, __file__, f"{root.st_dev}.{root.st_ino}")
    return os.fsencode("\0".join((*program, *said)))


def name_of(header: bytes) -> str:
    """What the names of all sockets begin with that may answer."""
    return f"{int.from_bytes(header, 'little') % _PRIME:x}."


def socket_folder() -> str:
    return os.path.join(data_folder(), "run")


def is_private(folder: str) -> bool:
    """Whether it is a folder, no link to one, that belongs to us and is open to nobody else."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    own = status.st_uid == os.geteuid() and not status.st_mode & _OTHERS
    return own and status.st_mode & _KIND == _FOLDER


def fits(path: str) -> bool:
    """Whether a socket can have that path at all."""
    return len(os.fsencode(path)) <= _LONGEST_PATH


def is_own(connection: socket) -> bool:
    """Whether the process at the other end is of this user, where the system says so."""
    import _socket

    if not hasattr(_socket, "SO_PEERCRED"):
        return True  # the folder is enough: nobody else gets into it
    credentials = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.geteuid()


def answered(words: Sequence[str], event: bytes) -> bytes | None:
    """What a server says to an event; None where a hook has to work it out itself."""
    if not any(word.replace("-", "").lower() in _EVENTS for word in words):
        return None
    try:
        wanted = header(_option(words, "--db"), _option(words, "--project"))
        folder, start = socket_folder(), name_of(wanted)
        names = [name for name in os.listdir(folder) if name.startswith(start)]
        if not names or not is_private(folder):
            return None
        typed = os.fsencode("\0".join(words))
        request = b"".join((_length(wanted), _length(typed), _length(event), wanted, typed, event))
        for name in sorted(names, reverse=True)[:_TRIED]:
            answer = _ask_server(os.path.join(folder, name), request)
            if answer is not None:
                return answer
    except (OSError, ValueError):  # of a variable that is no text, too
        return None
    return None


def _option(words: Sequence[str], name: str) -> str | None:
    """The value of an option that is typed as two words; one typed otherwise is not compared."""
    return words[words.index(name) + 1] if name in words[:-1] else None


def _length(part: bytes) -> bytes:
    return b"%08x" % len(part)


def _ask_server(path: str, request: bytes) -> bytes | None:
    import _socket
    from time import monotonic

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        until = monotonic() + _BEGIN_S
        connection.settimeout(_BEGIN_S)
        try:
            connection.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)  # its server is gone: sockets get their name when they listen
            return None
        if not is_own(connection):
            return None
        connection.sendall(request)
        connection.settimeout(max(0.001, until - monotonic()))
        if connection.recv(1) != BEGINS:
            return None
        connection.settimeout(_ANSWER_S)
        connection.sendall(AGREED)
        return _answer(connection)
    except (OSError, ValueError):
        return None
    finally:
        connection.close()


def _answer(connection: socket) -> bytes | None:
    """The whole answer; None for one that was declined, or cut off."""
    if connection.recv(1) != ANSWERED:
        return None
    size = int(received(connection, LENGTH), 16)
    answer = received(connection, size)
    return answer if len(answer) == size else None


def received(connection: socket, size: int) -> bytes:
    """So many bytes, or fewer where there are no more."""
    parts = []
    while size:
        part = connection.recv(min(size, _BLOCK))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
