"""How much one may ask: buckets that fill again, for each machine and for each wrong guesser."""

from __future__ import annotations

from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Callers whose buckets are kept; full ones are dropped first, they say nothing.
_MOST = 10_000


class Buckets:
    """A bucket for each name: `burst` at once, and `rate` more each second."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: dict[object, tuple[float, float]] = {}

    def wait_s(self, name: object) -> float:
        """0 where something was left, which is taken; else the seconds until there is."""
        left = self.left(name)
        if left < 1.0:
            return (1.0 - left) / self._rate
        self.take(name)
        return 0.0

    def left(self, name: object) -> float:
        """How much is in a bucket now."""
        held, at = self._left.get(name, (self._burst, self._clock()))
        return min(self._burst, held + (self._clock() - at) * self._rate)

    def take(self, name: object) -> None:
        """Takes one out, down to nothing."""
        if len(self._left) >= _MOST:
            self._left = {n: v for n, v in self._left.items() if self.left(n) < self._burst}
        self._left[name] = max(0.0, self.left(name) - 1.0), self._clock()
