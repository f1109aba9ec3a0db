"""Who may ask: a key that works once, and the tokens it is exchanged for."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# How long the printed key waits to be used (seconds): time to find the window, not to forget it.
KEY_LASTS_S = 600.0
# Wrong keys within a minute before all are refused; 256 bits need no more than politeness.
WRONG_KEYS = 10
_MINUTE_S = 60.0
_BYTES = 32


class TooManyWrongKeys(Exception):
    """Somebody guesses; the right key is refused too until a minute has passed."""


class Keys:
    """One key, used once, and the tokens of this process: they end with it."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._key: str | None = secrets.token_urlsafe(_BYTES)
        self._made_at = clock()
        self._tokens: set[bytes] = set()
        self._wrong_at: list[float] = []

    @property
    def key(self) -> str:
        """What `serve` prints; empty once it was used."""
        return self._key or ""

    def exchange(self, key: str) -> str | None:
        """A token for the key, once and in time; None for any other."""
        now = self._clock()
        self._wrong_at = [at for at in self._wrong_at if now - at < _MINUTE_S]
        if len(self._wrong_at) >= WRONG_KEYS:
            raise TooManyWrongKeys
        known, late = self._key, now - self._made_at > KEY_LASTS_S
        if known is None or late or not hmac.compare_digest(_digest(key), _digest(known)):
            self._wrong_at.append(now)
            return None
        self._key = None
        token = secrets.token_urlsafe(_BYTES)
        self._tokens.add(_digest(token))
        return token

    def knows(self, token: str) -> bool:
        """Whether a token was given out here; looked up by digest, so time tells nothing."""
        return _digest(token) in self._tokens


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
