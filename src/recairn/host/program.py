"""Programs that recairn runs for their output: within a time, and ended with all they started."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Seconds a program may take, and characters of its complaint that are shown.
PATIENCE_S = 60.0
_COMPLAINT = 200
# Bytes of memory that a program run for its output may fill: git reads a work tree's ignore file
# whole, and the largest checkouts need less.
_MEMORY = 2 << 30
# Bytes of output that are read; the history of a very large repository has a tenth.
_OUTPUT = 256 << 20
# Seconds between two looks at a program that has closed its output but not ended.
_NAP_S = 0.0002


def output_of(
    words: tuple[str, ...], environment: Mapping[str, str], timeout_s: float
) -> bytes | None:
    """What a program prints; None when it fails, takes too long, or says too much.

    `subprocess` would do, and costs a prompt more than the program itself.
    """
    import signal

    deadline = time.monotonic() + timeout_s
    reading, writing = os.pipe()
    try:
        try:
            actions = [
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, writing, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ]
            with _little_memory():
                program = os.posix_spawn(
                    words[0],
                    words,
                    environment,
                    file_actions=actions,
                    setpgroup=0,
                    setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),
                )
        finally:
            os.close(writing)
        try:
            output = _read(reading, deadline)
            status = None if output is None else _status(program, deadline)
        except BaseException:
            _end(program)
            raise
        if status is None:
            _end(program)
        return output if status == 0 else None
    finally:
        os.close(reading)


class _little_memory:
    """A limit for what is started meanwhile. Set on the started one, it would come too late."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        from resource import RLIM_INFINITY, RLIMIT_DATA, getrlimit

        # What is mapped for reading, as git does with its packs, does not count.
        self._before = soft, hard = getrlimit(RLIMIT_DATA)
        most = [limit for limit in (soft, hard, _MEMORY) if limit != RLIM_INFINITY]
        self._set((min(most), hard))

    def __exit__(self, *_: object) -> None:
        self._set(self._before)

    def _set(self, limits: tuple[int, int]) -> None:
        from resource import RLIMIT_DATA, setrlimit

        try:
            setrlimit(RLIMIT_DATA, limits)
        except (OSError, ValueError):
            return  # not everywhere


def _read(reading: int, deadline: float) -> bytes | None:
    """All that comes until the other end is closed; None when that takes too long or too much."""
    import select

    poll = select.poll()
    poll.register(reading, select.POLLIN)
    parts: list[bytes] = []
    size = 0
    while size <= _OUTPUT:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            return None
        part = os.read(reading, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    return None


def _status(program: int, deadline: float) -> int | None:
    """The exit status of a program that has nothing more to say; None when it does not end."""
    while True:
        try:
            ended, status = os.waitpid(program, os.WNOHANG)
        except ChildProcessError:
            return 0  # whoever started us wants no word of children
        if ended:
            return status
        if time.monotonic() > deadline:
            return None
        time.sleep(_NAP_S)


def _end(program: int) -> None:
    """Kills a program and what it has started, and waits for it alone."""
    import signal

    try:
        os.killpg(program, signal.SIGKILL)
        os.waitpid(program, 0)
    except (ProcessLookupError, PermissionError, ChildProcessError):
        return


def answer_of(command: str, text: str, setting: str, patience_s: float = PATIENCE_S) -> str:
    """What the program of that setting prints when it is given a text; Refused when it does not."""
    import shlex
    import subprocess

    from recairn.core.errors import Refused

    hint = f"recairn config get {setting} shows the command; config unset does without"
    pipe = subprocess.PIPE
    try:
        # A session of its own, so that what the program starts can be ended with it.
        process = subprocess.Popen(
            shlex.split(command), stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except (OSError, ValueError) as error:
        raise Refused(f"{command!r} cannot be run: {error}", hint) from None
    try:
        output, said = process.communicate(text.encode("utf-8", "replace"), timeout=patience_s)
    except subprocess.TimeoutExpired:
        raise Refused(f"{command!r} took longer than {patience_s:g} s", hint) from None
    finally:
        if process.returncode is None:
            _end(process.pid)
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    if process.returncode != 0:
        from recairn.core.words import one_line

        complaint = one_line(said.decode("utf-8", "replace"), _COMPLAINT)
        why = f": {complaint}" if complaint else ""
        raise Refused(f"{command!r} ended with status {process.returncode}{why}", hint)
    answer = output.decode("utf-8", "replace").strip()
    if not answer:
        raise Refused(f"{command!r} wrote nothing", hint)
    return answer
