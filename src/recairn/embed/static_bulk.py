"""The codes of many texts at once by the shipped model, added up by SIMD instructions.

The vectors of a text's words are laid end to end as floats, and one half is added to the other
until a single one is left. All of these numbers are whole and small enough for a float, so that the
sum is as exact as that of `static`.
"""

from __future__ import annotations

from array import array
from itertools import islice
from math import sqrt

import simsimd

from recairn.ranking.codes import LARGEST, codes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.embed.static import StaticEmbedder

# Their types know arrays of numpy alone.
dot: Any = simsimd.dot
wsum: Any = simsimd.wsum

# Words remembered with their vectors, about 1.1 kB each, which a word of one row shares with that:
# text repeats itself. With two thirds of them, to embed 5,183 abstracts of 44,534 different words
# takes a fifth longer.
_MAX_REMEMBERED_WORDS = 49_152
# Added to a number below 2**22, it is a 32-bit float whose lowest bits are that number.
_FLOATING = 1.5 * 2.0**23
# A byte times its scale, less what stands for zero, is at most so many times the scale: sums below
# 2**22 can be rounded as floats, those below 2**24 are whole.
_MOST_ROUNDED, _MOST_WHOLE = (1 << 22) // 128, (1 << 24) // 128

# The size of a code, whichever sign it has; and those below two sixteenths of a vector's length,
# which few vectors of some hundred dimensions have nothing above.
_SIZES = bytes(min(byte, 256 - byte) for byte in range(256))
_SMALL = bytes(range(LARGEST // 8))


class WordVectors(dict[bytes, bytes]):
    """The vector of each word as floats, and behind them the sum of its scales."""

    def __init__(self, embedder: StaticEmbedder) -> None:
        self._embedder = embedder
        # Those of the rows: words share them.
        self._rows: dict[int, bytes] = {}
        self._end = 4 * embedder.dim
        # A byte in the lowest place of each but the last makes floats of which 128 and these are
        # taken off; then the last one is 1.
        raised = array("f", [_FLOATING] * embedder.dim + [_FLOATING + 129.0])
        self._raised = raised.tobytes()
        self._zero = memoryview(array("f", [_FLOATING + 128.0]) * (embedder.dim + 1))
        self._nothing = bytes(self._end + 4)

    def __missing__(self, word: bytes) -> bytes:
        self._embedder.expect(len(self))
        if len(self) > _MAX_REMEMBERED_WORDS:
            for known in list(islice(self, len(self) // 2)):  # what is said often comes back soon
                self.pop(known, None)
        vectors = list(map(self._of_row, self._embedder.rows_of(word)))
        if len(vectors) > 1:
            total: Any = memoryview(vectors[0]).cast("f")
            for vector in vectors[1:]:
                total = wsum(total, memoryview(vector).cast("f"), "f32", alpha=1.0, beta=1.0)
            vectors[0] = memoryview(total).tobytes()
        made = self[word] = vectors[0] if vectors else self._nothing
        return made

    def _of_row(self, row: int) -> bytes:
        """The same of a row."""
        known = self._rows.get(row)
        if known is not None:
            return known
        codes, scale = self._embedder.row_codes(row)
        raised = bytearray(self._raised)
        raised[: self._end : 4] = codes
        plain = wsum(memoryview(raised).cast("f"), self._zero, "f32", alpha=1.0, beta=-1.0)
        scaled: Any = wsum(plain, self._zero, "f32", alpha=float(scale), beta=0.0)
        made = self._rows[row] = memoryview(scaled).tobytes()
        return made


class BulkCodes:
    """Makes the codes of texts from the vectors of their words."""

    def __init__(self, embedder: StaticEmbedder) -> None:
        self._vectors = WordVectors(embedder)
        self._dim = embedder.dim
        self._wide = embedder.dim + 1
        self._zero = memoryview(array("f", [_FLOATING]) * embedder.dim)

    def codes(self, words: Sequence[bytes]) -> bytes | None:
        """The codes of a text of these words, which weigh the same; None where it is too long."""
        count = len(words)
        if not count:
            return bytes(self._dim)
        sums = self._sum(b"".join(map(self._vectors.__getitem__, words)), count)
        scales = sums[self._dim]
        if scales >= _MOST_WHOLE:
            return None
        sums = sums[: self._dim]
        if scales >= _MOST_ROUNDED:
            return codes_of(sums.tolist())
        largest = self._largest(sums)
        if not largest > 0.0:
            return bytes(self._dim)
        rounded = wsum(sums, self._zero, "f32", alpha=LARGEST / largest, beta=1.0)
        return memoryview(rounded).cast("B").tobytes()[::4]

    def _sum(self, joined: bytes, count: int) -> Any:
        """The sum of so many vectors laid end to end."""
        wide = self._wide
        sums: Any = memoryview(joined).cast("f")
        left = []
        while count > 1:
            end, odd = wide * (count & ~1), count & 1
            if odd:
                left.append(sums[end:])
            half = end >> 1
            sums = memoryview(wsum(sums[:half], sums[half:end], "f32", alpha=1.0, beta=1.0))
            count >>= 1
        for one in left:
            sums = memoryview(wsum(sums, one, "f32", alpha=1.0, beta=1.0))
        return sums

    def _largest(self, sums: Any) -> float:
        """The largest of some numbers, whichever sign it has.

        No number is larger than the vector is long. By that they are made bytes, and only where the
        largest byte stands are the numbers themselves looked at.
        """
        length = sqrt(dot(sums, sums))
        if not length > 0.0:
            return 0.0
        scaled = wsum(sums, self._zero, "f32", alpha=LARGEST / length, beta=1.0)
        sizes = memoryview(scaled).cast("B").tobytes()[::4].translate(_SIZES)
        top = max(sizes.translate(None, _SMALL) or sizes)
        largest, at = 0.0, sizes.find(top)
        while at >= 0:
            largest = max(largest, abs(sums[at]))
            at = sizes.find(top, at + 1)
        return largest
