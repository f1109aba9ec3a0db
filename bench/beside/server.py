"""A running MCP server as an agent's program drives it, with what it costs (Linux: /proc)."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
# Seconds for one answer; a server that takes longer counts as one that does not answer.
PATIENCE = 120.0
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Failed(Exception):
    """The server refused, broke or did not answer; the text says which."""


class Server:
    """One process; `call` gives what a tool said."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        self._log = log.open("ab")
        self.child = subprocess.Popen(
            command,
            env=environment,
            cwd=environment["HOME"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,
        )
        assert self.child.stdout is not None
        os.set_blocking(self.child.stdout.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.child.stdout, selectors.EVENT_READ)
        self._buffer = b""
        self._number = 0

    def hello(self) -> None:
        self.ask("initialize", **HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tools(self) -> list[dict[str, Any]]:
        return self.ask("tools/list")["tools"]

    def call(self, name: str, **arguments: Any) -> Any:
        """What the tool says: its structured answer, else its text, read as JSON where it is."""
        result = self.ask("tools/call", name=name, arguments=arguments)
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise Failed(text[:300])
        if result.get("structuredContent"):
            return result["structuredContent"]
        with contextlib.suppress(ValueError):
            return json.loads(text)
        return text

    def ask(self, method: str, **params: Any) -> Any:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._send(message)
        end = time.monotonic() + PATIENCE
        while True:
            for line in self._lines(end):
                with contextlib.suppress(ValueError):
                    answer = json.loads(line)
                    if isinstance(answer, dict) and answer.get("id") == self._number:
                        if "error" in answer:
                            raise Failed(str(answer["error"])[:300])
                        return answer["result"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self.child.stdin is not None
        try:
            self.child.stdin.write(json.dumps(message).encode() + b"\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            raise Failed("the server has ended") from None

    def _lines(self, end: float) -> list[bytes]:
        """The whole lines that have come; waits for at least some bytes."""
        assert self.child.stdout is not None
        if not self._selector.select(max(0.0, end - time.monotonic())):
            raise Failed(f"no answer within {PATIENCE:.0f} s")
        read = self.child.stdout.read()
        if not read:
            raise Failed("the server has ended")
        *lines, self._buffer = (self._buffer + read).split(b"\n")
        return lines

    def processes(self) -> list[int]:
        """The server and all that it has started."""
        family, waiting = [], [self.child.pid]
        while waiting:
            process = waiting.pop()
            family.append(process)
            with contextlib.suppress(OSError):
                path = Path(f"/proc/{process}/task/{process}/children")
                waiting += [int(word) for word in path.read_text().split()]
        return family

    def cpu(self) -> float:
        """Milliseconds of processor time so far, of children that ended too."""
        seconds = 0.0
        for process in self.processes():
            with contextlib.suppress(OSError):
                # The clock of another process (clock_getcpuclockid(3)): /proc counts in hundredths.
                seconds += time.clock_gettime(~process << 3 | 2)
                fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                seconds += sum(int(field) for field in fields[13:15]) / _TICKS
        return 1000 * seconds

    def resident(self) -> float:
        """MB in memory now."""
        pages = 0
        for process in self.processes():
            with contextlib.suppress(OSError):
                pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
        return pages * _PAGE / 1e6

    def kill(self) -> None:
        """Ends it as a power cut would: no word to it or to what it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self._close()

    def end(self) -> None:
        """Ends it as an agent does: its input ends."""
        assert self.child.stdin is not None
        with contextlib.suppress(OSError):
            self.child.stdin.close()
        try:
            self.child.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
            return
        self._close()

    def _close(self) -> None:
        self.child.wait()
        self._selector.close()
        for stream in (self.child.stdin, self.child.stdout, self._log):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
