"""A laptop's side of /sync/1: requests to a team's server, each answered whole or not at all."""

from __future__ import annotations

import json
import random
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import quote, urlencode, urlsplit

from recairn.core.errors import BadInput, NotFound, RecairnError, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
# Seconds for an answer; one that waits for news takes up to 25 of them by itself.
_PATIENCE_S = 40.0
# How often a server that is busy, or a line that was cut, is asked again, and for how long one is
# ready to wait for it each time (seconds).
_TRIES, _MOST_WAIT_S = 6, 30.0
# Bytes of an answer, packed and unpacked; pages have a megabyte.
_MOST_BYTES = 8_000_000
# How hard a push is packed: 6 would spare a twentieth of the bytes, and take twice as long.
_PACKED = 4
_RETRIED = (429, 502, 503, 504)


class Unreachable(RecairnError):
    """The server does not answer now; everything waits here until it does."""


def address_of(url: str) -> str:
    """The address of a server as it is kept; BadInput for one that tokens must not travel to."""
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise BadInput(f"{url!r} is no address of a team's server", "https://memory.example")
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise BadInput(
            f"a token does not travel unencrypted to {parts.hostname}", "its address is https://…"
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"


class Wire:
    """One server, and the token that is shown to it. The line stays open between requests."""

    def __init__(self, server: str, token: str) -> None:
        self.server = server
        self._token = token
        self._line: HTTPConnection | None = None

    def hello(self) -> dict[str, Any]:
        """Who one is there, and what is known; also where versions are compared."""
        said = self._json("GET", "/sync/1/hello")
        if 1 not in said.get("versions", ()):
            raise Refused(
                f"{self.server} speaks another version of the exchange", "pip install -U recairn"
            )
        return said

    def share(self, project: str) -> None:
        """Lets the team read and write a project there."""
        self._json("POST", "/sync/1/share", {"project": project})

    def push(self, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Sends records; `time` of the server and `answers`, one for each."""
        import gzip

        text = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
        body = gzip.compress(text.encode("utf-8", "surrogatepass"), _PACKED, mtime=0)
        headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
        first, *answers = self._lines("POST", "/sync/1/push", body, headers)
        if len(answers) != len(records):
            raise Unreachable(f"{self.server} answered in part", "recairn sync tries again")
        return {"time": first.get("time"), "answers": answers}

    def pull(self, project: str, after: str, limit: int = 500) -> dict[str, Any]:
        """A page of a project's feed, as the server's engine gave it."""
        query = urlencode({"project": project, "after": after, "limit": limit})
        first, *records = self._lines("GET", f"/sync/1/pull?{query}")
        if first.pop("count", None) != len(records):
            raise Unreachable(f"{self.server} answered in part", "recairn sync tries again")
        return {**first, "records": records}

    def wait(self, places: Sequence[tuple[str, str]]) -> bool:
        """Whether there is news after these (project, cursor)s; the server answers within 25 s."""
        query = "&".join(
            f"project={quote(project, safe='')}&after={quote(after, safe='')}"
            for project, after in places
        )
        return bool(self._json("GET", f"/sync/1/wait?{query}").get("news"))

    def acknowledge(self, replica: str, uids: Sequence[str]) -> None:
        """Says that memories were destroyed here, too."""
        self._json("POST", "/sync/1/erased", {"replica": replica, "uids": [*uids]})

    def erased(self, project: str) -> dict[str, Any]:
        """What was destroyed in a project, and on how many machines."""
        return self._json("GET", f"/sync/1/erased?project={quote(project, safe='')}")

    def policies(self, project: str) -> Any:
        """What the server says is team policy in a project; one that is older knows of none."""
        try:
            said = self._json("GET", f"/sync/1/policy?project={quote(project, safe='')}")
        except NotFound:
            return []
        return said.get("policies")

    def set_policy(self, project: str, uid: str, version: str | None) -> None:
        """As an admin: makes a rule team policy in the words of a version, or ends that."""
        said = {"project": project, "uid": uid, "version": version}
        self._json("POST", "/sync/1/policy", said)

    def search(self, query: str, project: str, limit: int) -> dict[str, Any]:
        """What the server finds in a project, or with "*" in all of them."""
        asked = urlencode({"q": query, "project": project, "limit": limit})
        return self._json("GET", f"/api/search?{asked}")

    def leave(self) -> None:
        """Lets the token that is shown count no longer."""
        self._json("POST", "/sync/1/leave", {})

    def close(self) -> None:
        """Lets the line go."""
        line, self._line = self._line, None
        if line is not None:
            line.close()

    def _json(self, method: str, path: str, document: Any = None) -> dict[str, Any]:
        body = None if document is None else json.dumps(document).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        said = self._parsed(self._answered(method, path, body, headers))
        if not isinstance(said, dict):
            raise Unreachable(f"{self.server} answered something else", "is it a recairn server?")
        return said

    def _lines(
        self, method: str, path: str, body: bytes | None = None, headers: Any = None
    ) -> list[dict[str, Any]]:
        text = self._answered(method, path, body, headers or {})
        lines = [self._parsed(line) for line in text.split(b"\n") if line]
        if not lines or not all(isinstance(line, dict) for line in lines):
            raise Unreachable(f"{self.server} answered something else", "is it a recairn server?")
        return lines

    def _parsed(self, text: bytes) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise Unreachable(
                f"{self.server} answered what is no JSON", "is it a recairn server?"
            ) from None

    def _answered(self, method: str, path: str, body: bytes | None, headers: Any) -> bytes:
        """The body of the answer. A busy server and a cut line are asked again: a request that is
        repeated does no harm."""
        trouble = ""
        for attempt in range(_TRIES):
            was_open = self._line is not None
            try:
                status, reply, text = self._exchange(method, path, body, headers)
            except (OSError, HTTPException) as error:
                self.close()
                trouble = str(error) or type(error).__name__
                # A line that lay idle was let go by the server: a new one may do at once.
                wait_s = 0.0 if was_open else 0.2 * 2**attempt
                if attempt and isinstance(error, ConnectionRefusedError):
                    break  # nobody listens: whoever comes back does so in minutes
            else:
                if status == 200:
                    return text
                if status not in _RETRIED:
                    raise _refusal(self.server, status, text)
                trouble = f"it is busy ({status})"
                wait_s = _seconds(reply.get("retry-after"), 0.5 * 2**attempt)
            if attempt + 1 == _TRIES or wait_s > _MOST_WAIT_S:
                break
            # A thousand laptops that were told the same second come one after the other.
            time.sleep(wait_s * (1 + random.random()))
        raise Unreachable(
            f"{self.server} cannot be reached: {trouble}",
            "everything waits here; recairn sync tries again",
        )

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        line = self._line or self._connected()
        self._line = line
        own = {
            "Authorization": f"Bearer {self._token}",
            "Accept-Encoding": "gzip",
            "User-Agent": "recairn",
        }
        line.request(method, path, body, {**own, **headers})
        answer = line.getresponse()
        text = answer.read(_MOST_BYTES + 1)
        named = {name.lower(): value for name, value in answer.getheaders()}
        if len(text) > _MOST_BYTES or answer.length:
            raise HTTPException("the answer came in part, or is too long")
        if named.get("content-encoding") == "gzip":
            import zlib

            unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
            try:
                text = unpacking.decompress(text, _MOST_BYTES)
            except zlib.error:
                raise HTTPException("the answer cannot be unpacked") from None
            if not unpacking.eof:
                raise HTTPException("the answer came in part, or is too long")
        return answer.status, named, text

    def _connected(self) -> HTTPConnection:
        parts = urlsplit(self.server)
        host = parts.hostname or ""
        if parts.scheme == "http":
            return HTTPConnection(host, parts.port, timeout=_PATIENCE_S)
        return HTTPSConnection(host, parts.port, timeout=_PATIENCE_S)


def _seconds(text: str | None, usual: float) -> float:
    return float(text) if text and text.isascii() and text.isdigit() else usual


def _refusal(server: str, status: int, text: bytes) -> RecairnError:
    """What the server said, in its own words."""
    try:
        error = json.loads(text)["error"]
        message, hint = str(error["message"])[:300], str(error["hint"])[:300]
    except (ValueError, RecursionError, KeyError, TypeError):
        message, hint = f"status {status}", "is it a recairn server?"
    if status == 401:
        return Refused(
            f"{server} does not know this machine any more: {message}",
            f"ask an admin for a token, then recairn team join {server}",
        )
    kind = NotFound if status == 404 else Refused
    return kind(f"{server} refused: {message}", hint)
