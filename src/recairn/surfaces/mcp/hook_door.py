"""Where hooks ask a running server: a socket in a private folder of the user.

One thread listens and reads; the thread that owns the memory answers, between two calls. While a
call runs, and until what answers need is loaded, hooks are sent away at once and do their own work.
"""

from __future__ import annotations

import os
from _thread import start_new_thread
from time import sleep

from recairn.core.lazy import load
from recairn.host import hook_socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Mapping

# Seconds after the start: until then a client is waiting for this server's first words.
_LATER_S = 0.1
# Seconds a hook may take to send its event, and to agree that it is answered here.
_READING_S, _AGREEING_S = 0.2, 0.05
# Times that it is tried to load what answers need: a database may be locked once.
_TRIES = 3
# Hooks that may wait to be heard at once, and bytes of the three parts that one sends.
_WAITING = 16
_LARGEST = (65_536, 65_536, 16_000_001)
# Hooks are a surface of their own: they are named as the command line names its programs.
_HOOKS = {
    "served": "recairn.surfaces.hooks.served:served",
    "prepare": "recairn.surfaces.hooks.served:prepare",
}


class HookCall:
    """An event that a hook has sent, to be run in the thread that owns the memory.

    `own` are the variables that the options of this server stand for.
    """

    def __init__(
        self, connection: socket, words: list[str], event: bytes, own: Mapping[str, str]
    ) -> None:
        self._connection = connection
        self._words = words
        self._event = event
        self._own = own

    def run(self) -> None:
        """Answers, where the hook still waits; one that went away does the work itself."""
        connection = self._connection
        try:
            connection.settimeout(_AGREEING_S)
            connection.sendall(hook_socket.BEGINS)
            if connection.recv(1) != hook_socket.AGREED:
                return
            said = load(_HOOKS["served"])(self._words, self._event, self._own)
            if said is None:
                connection.sendall(hook_socket.DECLINED)
            else:
                connection.sendall(hook_socket.ANSWERED + b"%08x" % len(said) + said)
        except Exception:
            return  # the hook hears nothing, and does its own work
        finally:
            connection.close()


class Preparation:
    """The first event: it is not answered, but what the next ones need is loaded."""

    def __init__(self, door: HookDoor, words: list[str], event: bytes) -> None:
        self._door, self._words, self._event = door, words, event

    def run(self) -> None:
        try:
            load(_HOOKS["prepare"])(self._words, self._event, self._door.own)
            self._door.prepared(well=True)
        except Exception:
            self._door.prepared(well=False)


class HookDoor:
    """Listens for hooks, and hands what they ask to `begin`, unless `busy` says otherwise."""

    def __init__(self, db: str | None, project: str | None) -> None:
        typed = {"RECAIRN_DB": db, "RECAIRN_PROJECT": project}
        self.own = {name: value for name, value in typed.items() if value}
        self._is_ready = False
        # How often it may yet be tried to get ready, and whether that is under way.
        self._tries, self._is_preparing = _TRIES, False
        self._header = hook_socket.header(db, project)
        self._path = ""
        self._closed = False

    def open_later(
        self, begin: Callable[[HookCall | Preparation], None], busy: Callable[[], bool]
    ) -> None:
        self._begin, self._busy = begin, busy
        start_new_thread(self._listen, ())

    def close(self) -> None:
        self._closed = True
        if self._path:
            try:
                os.unlink(self._path)
            except OSError:
                return

    def prepared(self, *, well: bool) -> None:
        """Says that a preparation is over."""
        self._is_ready, self._is_preparing = well, False

    def _listen(self) -> None:
        sleep(_LATER_S)
        try:
            listener = self._listener()
        except OSError:
            return  # hooks work as before
        if listener is None:
            return
        import _socket

        while not self._closed:
            try:
                descriptor, _ = listener._accept()  # type: ignore[attr-defined]
            except OSError:
                return
            connection = _socket.socket(fileno=descriptor)
            if not self._heard(connection):
                connection.close()

    def _listener(self) -> socket | None:
        """The socket, which has its name only when it listens; None where there may be none."""
        folder = hook_socket.socket_folder()
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)  # in a folder that is there: who has no memory has no hooks
        path = os.path.join(folder, f"{hook_socket.name_of(self._header)}{os.getpid()}")
        first = os.path.join(folder, f"~{os.getpid()}")
        if self._closed or not hook_socket.is_private(folder) or not hook_socket.fits(path):
            return None
        import _socket

        listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        if os.path.lexists(first):
            os.unlink(first)
        listener.bind(first)
        os.chmod(first, 0o600)
        listener.listen(_WAITING)
        os.rename(first, path)
        self._path = path
        if self._closed:
            self.close()
        return listener

    def _heard(self, connection: socket) -> bool:
        """Whether what a hook sent is taken; else it is sent away."""
        try:
            connection.settimeout(_READING_S)
            if not hook_socket.is_own(connection):
                return False
            sizes = hook_socket.received(connection, 3 * hook_socket.LENGTH)
            lengths = [int(sizes[at : at + 8], 16) for at in (0, 8, 16)]
            if any(size > most for size, most in zip(lengths, _LARGEST, strict=True)):
                return False
            header, typed, event = [hook_socket.received(connection, length) for length in lengths]
        except (OSError, ValueError):
            return False
        if header != self._header or len(event) != lengths[2] or self._busy():
            return False
        words = os.fsdecode(typed).split("\0")
        if self._is_ready:
            self._begin(HookCall(connection, words, event, self.own))
            return True
        if self._tries and not self._is_preparing:
            self._tries -= 1
            self._is_preparing = True
            self._begin(Preparation(self, words, event))
        return False
