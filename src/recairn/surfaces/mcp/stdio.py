"""`recairn mcp`: the protocol over standard input and output, one message a line.

The main thread reads, and answers whatever needs no memory, so that a ping or a cancellation is
taken while a call runs. One other thread owns the memory and runs the calls one after another, and
between them answers the agent's hooks (`hook_door.py`).
"""

from __future__ import annotations

import os
import sys
from _queue import Empty, SimpleQueue
from _thread import allocate_lock, get_ident, start_new_thread
from select import select

from recairn.core.argv import split
from recairn.core.errors import BadInput, RecairnError
from recairn.core.fastjson import loads
from recairn.surfaces.mcp import protocol
from recairn.surfaces.mcp.dispatch import NOTHING, Desk, sets_named
from recairn.surfaces.mcp.hook_door import HookDoor
from recairn.surfaces.mcp.protocol import ProtocolError
from recairn.surfaces.mcp.server import Batch, Connection, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any

    from recairn.surfaces.mcp.hook_door import HookCall, Preparation

    Runnable = Work | Batch | HookCall | Preparation
else:  # what `signal` wraps in enumerations, whose import takes as long as all the rest
    import _signal as signal

# Bytes of a line. The largest memory is 100,000 characters, 1.2 MB when every one is escaped.
_LONGEST_LINE = 4 * 1024 * 1024
_BLOCK = 65_536
# Seconds a running call gets once the process is told to end; clients kill it after two.
_LAST_CALL_S = 1.5
_POLL_S = 0.1
# Seconds without a call after which nobody waits: an agent thinks for longer between two.
_PAUSE_S = 0.5
_OK, _WRONG_USAGE = 0, 2
_AT_A_TERMINAL = (
    "recairn mcp waits for an agent here, one JSON message a line; Ctrl-D ends it.\n"
    "  claude mcp add recairn -- recairn mcp   registers it (docs/mcp.md)\n"
)
_OPTIONS = {"--tools": "SETS", "--db": "FILE", "--project": "NAME"}
# How the plugin starts it: where `recairn install` has registered a server, this one is silent.
_PLUGIN = "--plugin"


class _Ended(Exception):
    """The client is gone, or a signal says stop."""


def main(words: list[str]) -> int:
    """Serves until the client closes its end; returns the exit status."""
    try:
        options = _options([word for word in words if word != _PLUGIN])
        if _PLUGIN in words and _stands_back():
            options["tools"] = NOTHING
        return serve(**options)
    except RecairnError as error:
        hint = f"\n  hint: {error.hint}" if error.hint else ""
        sys.stderr.write(f"recairn: {error.message}{hint}\n")
        return _WRONG_USAGE


def run(call: Any) -> int:
    """The same for a command line that the parser has read: `recairn --db FILE mcp`."""
    arguments = call.arguments
    return serve(arguments.get("tools", "default"), arguments.get("db"), arguments.get("act_in"))


def serve(tools: str = "default", db: str | None = None, project: str | None = None) -> int:
    """Serves these sets of tools over this process's own streams."""
    sets = sets_named(tools)
    if os.isatty(0):
        sys.stderr.write(_AT_A_TERMINAL)
    wire = Wire(*_private_streams())
    desk = Desk(db, project)
    connection = Connection(desk, sets, wire.send)
    connection.listens = True
    server = Server(wire, connection, desk)
    if tools != NOTHING:
        server.open_door(HookDoor(db, project))
    server.run()
    return _OK


def _stands_back() -> bool:
    """Whether the agent that starts this server has another one of ours. Codex does not say who it
    is when it starts one."""
    from recairn.surfaces.install.plugin import has_server_beside

    return has_server_beside("claude" if os.environ.get("CLAUDE_CODE_SESSION_ID") else "codex")


def _options(words: list[str]) -> dict[str, Any]:
    """The arguments of `serve` that a command line describes."""
    options: dict[str, Any] = {}
    for name, text in split(words, _OPTIONS):
        if name not in _OPTIONS:
            from recairn.core.kinds import nearest

            word = name or (text or "").partition("=")[0]
            close = nearest(word, tuple(_OPTIONS))
            raise BadInput(f"mcp has no option {word!r}", f"{close}recairn mcp -h lists them")
        if text is None:
            raise BadInput(f"{name} needs a value", "recairn mcp -h shows examples")
        options[name.removeprefix("--")] = text
    return options


def _private_streams() -> tuple[int, int]:
    """The protocol's own copies of both streams; stray output goes to standard error.

    A child process or a chatty library could else write into the protocol, or eat from it.
    """
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nothing, 1)
    return source, sink


class Wire:
    """Lines of JSON in both directions."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._writing = allocate_lock()
        self._waiting = False
        self._ended = False
        # A signal that comes between a look at `_ended` and the wait for input must end that, too.
        self._woken, waking = os.pipe()
        os.set_blocking(waking, False)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)

    def end(self) -> None:
        """Stops reading, from a signal handler: at once when it waits for input, else before."""
        self._ended = True
        if self._waiting:
            self._waiting = False  # a second signal must not hit what comes after
            raise _Ended

    def lines(self) -> Iterator[bytes | None]:
        """Every line, and None for one that is too long; ends with the input."""
        held, skipping = bytearray(), False
        while True:
            self._waiting = True
            if self._ended:
                raise _Ended
            select([self._source, self._woken], [], [])
            block = os.read(self._source, _BLOCK)
            self._waiting = False
            if not block:
                if held and not skipping:
                    yield bytes(held)
                return
            *whole, rest = block.split(b"\n")
            for part in whole:
                held += part
                yield None if skipping or len(held) > _LONGEST_LINE else bytes(held)
                held.clear()
                skipping = False
            held += rest
            if len(held) > _LONGEST_LINE:
                held.clear()
                skipping = True

    def send(self, message: Any) -> None:
        """Writes one message; _Ended when nobody reads any more."""
        # Half a surrogate pair becomes the escape JSON has for it.
        left = memoryview(protocol.line(message).encode("utf-8", "backslashreplace") + b"\n")
        with self._writing:
            try:
                while left:
                    left = left[os.write(self._sink, left) :]
            except OSError:
                raise _Ended from None


class Server:
    """A connection served over a wire by two threads."""

    def __init__(self, wire: Wire, connection: Connection, desk: Desk) -> None:
        self._wire = wire
        self._connection = connection
        self._desk = desk
        self._waiting: SimpleQueue[Runnable | None] = SimpleQueue()
        self._running: Runnable | None = None
        self._beginning = allocate_lock()
        # Whether there is a thread that works, and what it holds as long as it does.
        self._has_worker = False
        self._at_work = allocate_lock()
        self._door: HookDoor | None = None
        self._ending = False
        self._reader = get_ident()

    def open_door(self, door: HookDoor) -> None:
        """Lets hooks ask this server, between the calls of its client."""
        self._door = door
        door.open_later(self._begin, self._is_busy)

    def _is_busy(self) -> bool:
        return isinstance(self._running, Work | Batch) or not self._waiting.empty()

    def run(self) -> None:
        """Serves until the input ends or a signal comes, then lets running work finish."""
        before = {
            number: signal.signal(number, self._stop)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        }
        try:
            for line in self._wire.lines():
                self._take(line)
        except (_Ended, OSError):
            self._ending = True
        self._connection.listens = False  # nobody is left to answer a question
        self._finish()
        for number, handler in before.items():
            signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._ending = True
        self._wire.end()

    def _take(self, line: bytes | None) -> None:
        if line is not None and not line.strip():
            return
        try:
            answer = self._connection.receive(parsed(line))
        except ProtocolError as trouble:
            answer = protocol.error(None, trouble)
        if isinstance(answer, Work | Batch):
            self._begin(answer)
        elif answer is not None:
            self._wire.send(answer)

    def _begin(self, work: Runnable) -> None:
        self._waiting.put(work)
        with self._beginning:
            if not self._has_worker:
                self._has_worker = self._at_work.acquire()
                start_new_thread(self._work, ())

    def _work(self) -> None:
        """Runs calls until there are no more; what was waiting when a signal came is dropped."""
        try:
            while (work := self._next()) is not None and not self._ending:
                self._running = work
                answer = work.run()
                self._running = None
                if answer is not None:
                    self._wire.send(answer)
        except _Ended:
            self._ending = True
            # The reading thread may wait for a client that has gone: wake it.
            signal.pthread_kill(self._reader, signal.SIGTERM)
        finally:
            self._desk.close()
            self._at_work.release()

    def _next(self) -> Runnable | None:
        """The next call; while there is none, the book-keeping of those before is done."""
        try:
            return self._waiting.get(timeout=_PAUSE_S)
        except Empty:
            self._desk.settle()
            return self._waiting.get()

    def _finish(self) -> None:
        """Lets the worker end: at once after a signal, else when everything is answered."""
        if self._door is not None:
            self._door.close()
        if not self._has_worker:
            return
        self._waiting.put(None)
        left_s = _LAST_CALL_S
        while not self._at_work.acquire(timeout=_POLL_S):
            left_s -= _POLL_S if self._ending else 0.0
            if left_s <= 0.0:
                os._exit(_OK)  # a transaction cut off here is rolled back by the next process


def parsed(line: bytes | None) -> Any:
    """The message on a line; ProtocolError when there is none."""
    if line is None:
        reason = f"a message has at most {_LONGEST_LINE:,} bytes"
        raise ProtocolError(protocol.INVALID_REQUEST, reason)
    try:
        return loads(line.decode("utf-8"), strict=True)
    except (ValueError, RecursionError) as trouble:
        reason = "too deeply nested" if isinstance(trouble, RecursionError) else str(trouble)
        raise ProtocolError(protocol.PARSE_ERROR, f"this line is no JSON: {reason[:200]}") from None
