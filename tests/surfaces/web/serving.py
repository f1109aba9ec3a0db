"""`recairn serve` as a process of its own, and requests to it exactly as somebody wants them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

PATIENCE_S = 20


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return self.json["error"]["kind"]


class Served:
    """A running page: its address, its token, and questions to it."""

    def __init__(
        self,
        folder: Path,
        database: str,
        *words: str,
        env: dict[str, str],
        confined: Callable[[], None] | None = None,
    ) -> None:
        """`confined` runs in the new process before the program begins."""
        command = [sys.executable, "-m", "recairn", "serve", "--port", "0", "--db", database]
        self.process = subprocess.Popen(
            [*command, *words],
            cwd=folder,
            env=env,
            preexec_fn=confined,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#key=(\S+)", self.process.stdout.readline())
        assert found, self.process.communicate(timeout=PATIENCE_S)
        self.url, self.port, self.key = found[0], int(found[1]), found[2]
        self.host = f"127.0.0.1:{self.port}"
        self._token = ""

    @property
    def token(self) -> str:
        if not self._token:
            self._token = self.ask("POST", "/api/key", {"key": self.key}, token="").json["token"]
        return self._token

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        headers: list[tuple[str, str]] | None = None,
    ) -> Answer:
        """As our own page asks; `headers` are sent besides."""
        own = [("Host", self.host)]
        token = self.token if token is None else token
        own += [("Authorization", f"Bearer {token}")] if token else []
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            own += [("Content-Type", "application/json"), ("Content-Length", str(len(data)))]
        return self.send(method, path, [*own, *(headers or [])], data)

    def send(
        self, method: str, path: str, headers: list[tuple[str, str]], body: bytes | None = None
    ) -> Answer:
        """Exactly these headers, in this order."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers:
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, told, response.read())
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status == 200, answer
        return answer.json

    def post(self, path: str, body: Any = None) -> Any:
        answer = self.ask("POST", path, body or {})
        assert answer.status == 200, answer
        return answer.json

    def stop(self, how: int = signal.SIGINT) -> int:
        """Ends it as a person would; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return self.process.returncode


def bound_by_permissions() -> None:
    """Takes from root, for this process and the programs it becomes, the right to pass over the
    permissions of files; others have never had it."""
    import ctypes

    drop_for_good, pass_over_permissions = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE
    if os.geteuid() == 0 and ctypes.CDLL(None).prctl(drop_for_good, pass_over_permissions):
        os._exit(77)


def surroundings(home: Path) -> dict[str, str]:
    """What a person's shell gives the process; no agent's, and no other database."""
    from recairn.host.project import VARIABLES

    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in VARIABLES and not name.startswith(("RECAIRN_", "XDG_", "GIT_"))
    }
    return {**kept, "HOME": str(home), "XDG_DATA_HOME": str(home / "share"), "NO_COLOR": "1"}
