"""Embeddings from a server that speaks OpenAI's /v1/embeddings, on this machine unless allowed.

Memories must not leave the machine by accident: the address has to be a loopback one, the
connection is checked to have ended there, proxies are not used and redirects are not followed.
`allow_remote` lifts the first two.
"""

from __future__ import annotations

import os
from array import array

from recairn.core.errors import BadInput, ModelFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from http.client import HTTPConnection, HTTPResponse
    from typing import Any

DEFAULTS: dict[str, object] = {
    "url": "",
    "model": "",
    "dim": 0,  # 0: ask the server
    "window_tokens": 512,  # what the common local models see
    "allow_remote": False,
    "api_key_env": "",  # the name of the variable, never the key
    "timeout_s": 30.0,  # for one batch; a local server may load its model first
    "batch_size": 32,
    # Put before every question, and before every stored text, as the model's makers say.
    "query_prefix": "",
    "document_prefix": "",
}

# Smaller pieces of a text say nothing.
_SMALLEST_WINDOW = 16
# A thousand vectors of 4,096 numbers as JSON text are about 80 MB; more is not an answer to us.
MAX_RESPONSE_BYTES = 128 * 1024 * 1024
READ_BYTES = 64 * 1024
# How much of a server's error text is repeated to the user.
MAX_QUOTED_CHARACTERS = 200

EXAMPLE = "for example url=http://127.0.0.1:11434/v1 model=nomic-embed-text"


class External:
    """The embedder; it connects when first used and keeps the connection."""

    name = "external"

    def __init__(self, options: Mapping[str, object]) -> None:
        """Raises BadInput for an unknown or unusable option; see DEFAULTS for what there is."""
        settings = _checked(options)
        self._target = _Target(str(settings["url"]), allow_remote=bool(settings["allow_remote"]))
        self._query_prefix = str(settings["query_prefix"])
        self._document_prefix = str(settings["document_prefix"])
        # Other words before a text give it another vector; those before a question do not.
        prefixed = f" after {self._document_prefix!r}" if self._document_prefix else ""
        self._model = str(settings["model"])
        self.revision = f"{self._model}{prefixed}"
        self.window_tokens: int | None = _left_of_window(settings)
        self._dim = int(settings["dim"])
        self._timeout_s = float(settings["timeout_s"])
        self._batch_size = int(settings["batch_size"])
        self._key_variable = str(settings["api_key_env"])
        self._connection: HTTPConnection | None = None

    @property
    def dim(self) -> int:
        """As given, otherwise as the server's first vector has it."""
        if not self._dim:
            self._request(["dimension"])
        return self._dim

    def embed_query(self, text: str) -> array[float]:
        return self._embed(self._query_prefix, [text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[array[float]]:
        """One vector for each text; blank texts are not sent."""
        return self._embed(self._document_prefix, texts)

    def _embed(self, prefix: str, texts: Sequence[str]) -> list[array[float]]:
        sent = [index for index, text in enumerate(texts) if text.strip()]
        embedded: dict[int, array[float]] = {}
        for start in range(0, len(sent), self._batch_size):
            batch = sent[start : start + self._batch_size]
            vectors = self._request([f"{prefix}{texts[index]}" for index in batch])
            embedded.update(zip(batch, vectors, strict=True))
        if len(embedded) == len(texts):
            return [embedded[index] for index in range(len(texts))]
        zero = bytes(4 * self.dim)
        return [embedded[i] if i in embedded else array("f", zero) for i in range(len(texts))]

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _request(self, texts: list[str]) -> list[array[float]]:
        import json

        body = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"})
        answer = self._post(body.encode("utf-8"))
        try:
            rows = _rows(json.loads(answer), len(texts))
        except (ValueError, RecursionError) as error:
            raise ModelFailed(
                f"{self._target} did not answer like /v1/embeddings: {error}",
                f"check url; {EXAMPLE}",
            ) from None
        vectors = [_unit(row) for row in rows]
        for vector in vectors:
            self._check_dimension(len(vector))
        return vectors

    def _check_dimension(self, got: int) -> None:
        if not self._dim:
            self._dim = got
        if got != self._dim:
            raise ModelFailed(
                f"{self._target} answered with {got} dimensions instead of {self._dim}",
                "was another model loaded? recairn model use external takes the new one",
            )

    def _post(self, body: bytes) -> bytes:
        """The answer's body; one new try when a kept connection turns out to be closed."""
        from http.client import HTTPException, RemoteDisconnected

        headers = {"Content-Type": "application/json", **self._authorization()}
        kept = self._connection is not None
        try:
            try:
                return self._exchange(body, headers)
            except (RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self.close()
                if not kept:
                    raise
                return self._exchange(body, headers)
        except ModelFailed:
            self.close()
            raise
        except TimeoutError:
            self.close()
            raise ModelFailed(
                f"{self._target} did not answer within {self._timeout_s:g} s",
                "raise timeout_s, or look whether the server is still loading its model",
            ) from None
        except (OSError, HTTPException) as error:
            self.close()
            reason = str(error) or type(error).__name__
            raise ModelFailed(
                f"cannot reach {self._target}: {reason}", "start the embedding server, or check url"
            ) from None

    def _exchange(self, body: bytes, headers: dict[str, str]) -> bytes:
        import time

        deadline = time.monotonic() + self._timeout_s
        if self._connection is None:
            self._connection = self._target.connect(self._timeout_s)
        connection = self._connection
        connection.request("POST", self._target.path, body, headers)
        response = connection.getresponse()
        parts, size = [], 0
        while part := response.read1(READ_BYTES):
            parts.append(part)
            size += len(part)
            if size > MAX_RESPONSE_BYTES:
                raise ModelFailed(
                    f"{self._target} answered with more than {MAX_RESPONSE_BYTES} bytes"
                )
            if time.monotonic() > deadline:
                raise TimeoutError
        response.close()  # only then may the connection carry the next request
        answer = b"".join(parts)
        self._check_status(response, answer)
        return answer

    def _check_status(self, response: HTTPResponse, answer: bytes) -> None:
        status = response.status
        if status == 200:
            return
        if 300 <= status < 400:
            elsewhere = response.getheader("Location", "elsewhere")
            raise ModelFailed(
                f"{self._target} redirects to {elsewhere}, which is not followed",
                "set url to the address that answers",
            )
        hint = {
            401: "name the variable that holds the key with api_key_env",
            403: "name the variable that holds the key with api_key_env",
            404: f"check url and model; {EXAMPLE}",
            503: "the server may still be loading its model; try again",
        }.get(status, "see the server's log")
        said = " ".join(answer.decode("utf-8", "replace").split())[:MAX_QUOTED_CHARACTERS]
        key = self._key()
        said = said.replace(key, "...") if key else said
        raise ModelFailed(f"{self._target} answered {status}: {said}", hint)

    def _key(self) -> str:
        return os.environ.get(self._key_variable, "") if self._key_variable else ""

    def _authorization(self) -> dict[str, str]:
        if not self._key_variable:
            return {}
        key = self._key()
        if not key or not key.isascii() or not key.isprintable():
            raise ModelFailed(
                f"the variable {self._key_variable} holds no usable API key",
                f"export {self._key_variable}=...",
            )
        return {"Authorization": f"Bearer {key}"}


class _Target:
    """Where the requests go; as text, the address without anything secret."""

    def __init__(self, url: str, *, allow_remote: bool) -> None:
        from urllib.parse import urlsplit

        try:
            parts = urlsplit(url)
            self._port = parts.port
        except ValueError as error:
            raise BadInput(f"the embedding url cannot be used: {error}", EXAMPLE) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(f"the embedding url must be http or https, not {url!r}", EXAMPLE)
        if parts.username or parts.password or parts.query or parts.fragment:
            raise BadInput(
                "the embedding url holds more than an address",
                "leave out user, password, ? and #; a key goes into the variable api_key_env names",
            )
        self._host = parts.hostname
        self._secure = parts.scheme == "https"
        self._allow_remote = allow_remote
        if not allow_remote and self._host != "localhost" and not _is_loopback(self._host):
            raise BadInput(
                f"the embedding server {self._host} is not on this machine",
                "memories would leave it; set allow_remote=true if that is wanted",
            )
        path = parts.path.rstrip("/")
        self.path = path if path.endswith("/embeddings") else f"{path}/embeddings"

    def __str__(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        port = f":{self._port}" if self._port else ""
        return f"{'https' if self._secure else 'http'}://{host}{port}{self.path}"

    def connect(self, timeout_s: float) -> HTTPConnection:
        """An open connection; http.client knows neither proxies nor redirects."""
        from http.client import HTTPConnection, HTTPSConnection

        kind = HTTPSConnection if self._secure else HTTPConnection
        connection = kind(self._host, self._port, timeout=timeout_s)
        connection.connect()
        # "localhost" is only a name, and a resolver can be told anything.
        if not self._allow_remote and not _is_loopback(connection.sock.getpeername()[0]):
            connection.close()
            raise ModelFailed(f"{self._host} leads away from this machine", "use http://127.0.0.1")
        return connection


def _is_loopback(address: str) -> bool:
    import ipaddress

    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _checked(options: Mapping[str, object]) -> dict[str, Any]:
    """All options, those not given from DEFAULTS."""
    for name, value in options.items():
        if name not in DEFAULTS:
            names = ", ".join(sorted(DEFAULTS))
            raise BadInput(f"the external model has no option {name!r}", f"there are: {names}")
        wanted = type(DEFAULTS[name])
        is_number = wanted in (int, float) and type(value) in (int, float)
        if type(value) is not wanted and not is_number:
            raise BadInput(f"{name} must be {wanted.__name__}, not {value!r}", EXAMPLE)
    settings: dict[str, Any] = {**DEFAULTS, **options}
    if not settings["model"]:
        raise BadInput("the external model needs the name of a model", EXAMPLE)
    for name, least in (("dim", 0), ("window_tokens", 0), ("batch_size", 1), ("timeout_s", 0.001)):
        if not settings[name] >= least:
            raise BadInput(f"{name} must be at least {least}, not {settings[name]}", EXAMPLE)
    if 0 < settings["window_tokens"] < _SMALLEST_WINDOW:
        raise BadInput(
            f"window_tokens must be at least {_SMALLEST_WINDOW}, or 0 for no limit,"
            f" not {settings['window_tokens']}",
            EXAMPLE,
        )
    return settings


def _left_of_window(settings: Mapping[str, Any]) -> int | None:
    """What a text may take of the model's window, beside the words put before it."""
    from recairn.core.token_estimate import estimate

    if not settings["window_tokens"]:
        return None
    left = int(settings["window_tokens"]) - estimate(settings["document_prefix"])
    if left < _SMALLEST_WINDOW:
        raise BadInput(
            f"document_prefix leaves {max(0, left)} of {settings['window_tokens']} tokens for a"
            " text",
            "shorten it, or raise window_tokens",
        )
    return left


def _rows(answer: Any, wanted: int) -> list[list[float]]:
    """The embeddings in the order of the texts; ValueError says what is wrong with the answer."""
    entries = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(entries, list) or len(entries) != wanted:
        raise ValueError(f"there are not {wanted} entries under 'data'")
    rows: dict[int, list[float]] = {}
    for position, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise ValueError(f"entry {position} is not an object")
        index, row = entry.get("index", position), entry.get("embedding")
        if type(index) is not int:
            raise ValueError(f"entry {position} has the index {index!r}")
        if not isinstance(row, list) or not row:
            raise ValueError(f"entry {position} has no 'embedding' list")
        if not all(type(value) in (int, float) for value in row):
            raise ValueError(f"entry {position} holds something that is not a number")
        rows[index] = row
    if sorted(rows) != list(range(wanted)):
        raise ValueError("the entries' indexes do not fit the texts")
    return [rows[index] for index in range(wanted)]


def _unit(row: list[float]) -> array[float]:
    """The row scaled to length one; a row of zeros stays as it is."""
    from math import hypot, inf, isfinite

    try:
        length = hypot(*row)
    except OverflowError:  # JSON allows integers that no float can hold
        length = inf
    if not isfinite(length):
        raise ModelFailed("the embedding server answered with numbers that are not finite")
    return array("f", [value / length for value in row] if length else row)
