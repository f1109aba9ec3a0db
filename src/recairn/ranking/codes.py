"""Vectors as small integers: int8 codes for scoring, two bits a dimension for scanning.

Cosine does not change when a vector is scaled, so each vector uses the whole int8 range and no
scale needs to be kept. Of codes there are cosines, a middle, and who lies near whom within a pool;
of sketches, how many of their bits differ.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from itertools import accumulate
from zlib import adler32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    Compared = Literal["cosine", "inner"]

LARGEST = 127
# Whether this machine writes the lowest byte of a number first.
_LOWEST_FIRST = array("H", [1]).tobytes()[0] == 1
# Added to a number, it leaves no bits for a fraction: what was added lies in the lowest byte of the
# sum, rounded to the nearest integer (halves to the even one), three times as fast as by round().
_ROUNDING = 1.5 * 2.0**52
_LOWEST_BYTE = 0 if _LOWEST_FIRST else 7
_NEIGHBOURS = 3
# To know the smallest of a row, so many values are passed over for each that is looked at first.
_EACH = 8
# Beyond every distance, which is 1 - cosine.
_FARTHEST = 3.0
# A sum of directions shorter than its root points nowhere.
_NO_LENGTH = 1e-9


def codes_of(vector: Sequence[float]) -> bytes:
    """The vector as int8 codes; all zero for the zero vector, which is similar to nothing."""
    values = list(vector)  # read three times: an array makes its numbers anew each time
    largest = max(max(values), -min(values))
    if not largest > 0.0:
        return bytes(len(values))
    scale = LARGEST / largest
    rounded = array("d", [value * scale + _ROUNDING for value in values])
    return rounded.tobytes()[_LOWEST_BYTE::8]


# Cosines


def cosines(codes: bytes, vectors: Mapping[int, Sequence[bytes]]) -> dict[int, float]:
    """The cosine of each memory's nearest piece to the given codes."""
    if not vectors or not any(codes):
        return {}
    stacked = b"".join([piece for pieces in vectors.values() for piece in pieces])
    away = _distances(codes, 1, stacked, len(stacked) // len(codes)) if stacked else []
    if len(away) == len(vectors) and all(vectors.values()):  # one piece each, as most have
        return {memory: 1.0 - distance for memory, distance in zip(vectors, away, strict=True)}
    similarities, at = {}, 0
    for memory, pieces in vectors.items():
        if pieces:
            similarities[memory] = 1.0 - min(away[at : at + len(pieces)])
            at += len(pieces)
    return similarities


def cosines_to(codes: bytes, stacked: bytes, count: int) -> list[float]:
    """The cosines of that many stacked codes to the given ones."""
    return [1.0 - away for away in _distances(codes, 1, stacked, count)]


def cosine_rows(rows: Sequence[bytes], pieces: Sequence[bytes]) -> list[list[float]]:
    """For each row the cosines of the pieces to it."""
    away = _distances(b"".join(rows), len(rows), b"".join(pieces), len(pieces))
    flat = [1.0 - distance for distance in away]
    return [flat[at : at + len(pieces)] for at in range(0, len(flat), len(pieces))]


def middle(vectors: Mapping[int, Sequence[bytes]]) -> bytes:
    """The codes of the sum of the first pieces."""
    first = [pieces[0] for pieces in vectors.values() if pieces]
    total = _sums(first)
    largest = max(max(total), -min(total)) or 1.0
    return array("b", [round(value * LARGEST / largest) for value in total]).tobytes()


def _sums(some: Sequence[bytes]) -> list[float]:
    """The sum of each dimension: the product of its codes, side by side, with as many ones."""
    count, size, joined = len(some), len(some[0]), b"".join(some)
    columns = b"".join([joined[at::size] for at in range(size)])
    return _compared(b"\1" * count, 1, columns, size, "inner")


class Neighbourhood:
    """Who lies near whom in a pool of memories; each is compared with the others once."""

    def __init__(self, vectors: Mapping[int, Sequence[bytes]]) -> None:
        self._counts = {memory: len(pieces) for memory, pieces in vectors.items() if pieces}
        self._ids = list(self._counts)
        pieces = [piece for own in vectors.values() for piece in own]
        self._count, self._stacked = len(pieces), b"".join(pieces)
        # Where the pieces of a memory begin: the first one speaks for it.
        starts = accumulate(self._counts.values(), initial=0)
        self._starts = dict(zip(self._ids, starts, strict=False))
        self._vectors = vectors
        self._known: dict[int, list[float]] = {}

    def to_centre(self, weighed: Mapping[int, float]) -> dict[int, float]:
        """The cosine of each memory's nearest piece to the weighted sum of some directions.

        That is the weighted sum of its cosines to each, over the length of the sum. Empty where
        there are not two to be summed, or where they cancel out.
        """
        weighed = {memory: weight for memory, weight in weighed.items() if memory in self._counts}
        if len(weighed) < 2:
            return {}
        sums = [sum(weighed.values())] * self._count
        rows = self._distances_of(list(weighed))
        for row, weight in zip(rows, weighed.values(), strict=True):
            sums = [cosines - weight * away for cosines, away in zip(sums, row, strict=True)]
        squared = sum(weight * sums[self._starts[memory]] for memory, weight in weighed.items())
        if not squared > _NO_LENGTH:
            return {}
        length = math.sqrt(squared)
        if self._count == len(self._ids):
            return {memory: value / length for memory, value in zip(self._ids, sums, strict=True)}
        return {
            memory: max(sums[self._starts[memory] : self._starts[memory] + count]) / length
            for memory, count in self._counts.items()
        }

    def nearest(self, asked: Sequence[int]) -> dict[int, list[tuple[int, float]]]:
        """The nearest other memories of each that has a vector, with their cosines if positive.

        Three, or more where some are as near as the third; nobody's in a pool of three.
        """
        if len(self._ids) <= _NEIGHBOURS:
            return {}
        asked = [memory for memory in asked if memory in self._counts]
        neighbours = {}
        for memory, row in zip(asked, self._distances_of(asked), strict=True):
            away = row.copy()
            away[self._starts[memory]] = _FARTHEST
            if self._count > len(self._ids):
                away = [away[at] for at in self._starts.values()]
            neighbours[memory] = [
                (self._ids[at], 1.0 - away[at])
                for at in _smallest(away, _NEIGHBOURS)
                if away[at] < 1.0
            ]
        return neighbours

    def _distances_of(self, asked: Sequence[int]) -> list[list[float]]:
        """1 - cosine of the first piece of each to all pieces of the pool."""
        unknown = [memory for memory in asked if memory not in self._known]
        if unknown:
            rows = b"".join([self._vectors[memory][0] for memory in unknown])
            flat = _distances(rows, len(unknown), self._stacked, self._count)
            for at, memory in enumerate(unknown):
                self._known[memory] = flat[at * self._count : (at + 1) * self._count]
        return [self._known[memory] for memory in asked]


def _smallest(values: list[float], wanted: int) -> list[int]:
    """The places of the smallest values, in order of place; all that are equal to the last."""
    # None of the smallest is larger than the last of the smallest of some: few are left to sort.
    some = sorted(values[::_EACH])
    most = some[wanted - 1] if len(some) >= wanted else _FARTHEST
    ordered = sorted([value for value in values if value <= most])
    places: list[int] = []
    for value in ordered[: bisect_right(ordered, ordered[wanted - 1])]:
        repeated = places and values[places[-1]] == value
        places.append(values.index(value, places[-1] + 1 if repeated else 0))
    return sorted(places)


def _distances(one: bytes, rows: int, other: bytes, columns: int) -> list[float]:
    """1 - cosine of all pairs of two stacks of codes, row after row."""
    return _compared(one, rows, other, columns, "cosine")


def _compared(one: bytes, rows: int, other: bytes, columns: int, how: Compared) -> list[float]:
    import simsimd

    made: Any = simsimd.cdist(_stack(one, rows), _stack(other, columns), how, dtype="int8")
    numbers: Any = memoryview(made).cast("B").cast("d")
    distances: list[float] = numbers.tolist()
    return distances


def _stack(codes: bytes, count: int) -> memoryview:
    return memoryview(codes).cast("b", [count, len(codes) // count])


# Sketches

# Distances looked at to guess how far the nearest reach.
_SAMPLE = 1024
# A code byte of 128 and above is a negative number.
_VALUES = [byte - 256 if byte >= 128 else byte for byte in range(256)]
_SIZES = bytes(min(abs(value), 127) for value in _VALUES)
# So many sizes add up to less than the checksum's modulus, 65,521.
_ADDED = 512
# What counts as near zero, as a share of a vector's mean size. With two bits a dimension the
# nearest 200 hold .98 of the best ten among 32,000 real texts; signs alone, .94.
_NEAR_ZERO = 0.6


def sketch(codes: bytes) -> bytes:
    """Two bits per dimension: is it above a little less than zero, and above a little more?

    The number of differing bits then grows with the distance: 2 between plus and minus, 1 to zero.
    """
    size = _sum(codes.translate(_SIZES)) / len(codes)
    low, high = _above(round(_NEAR_ZERO * size))
    digits = codes.translate(low) + codes.translate(high)
    return int(digits, 2).to_bytes((len(digits) + 7) // 8, "big")


def _sum(sizes: bytes) -> int:
    """The bytes added up, none above 127: the lower half of this checksum is their sum."""
    return sum(
        [adler32(sizes[at : at + _ADDED], 0) & 0xFFFF for at in range(0, len(sizes), _ADDED)]
    )


_TABLES: dict[int, tuple[bytes, bytes]] = {}
_SCALES: dict[tuple[int, int], bytes] = {}


def _above(threshold: int) -> tuple[bytes, bytes]:
    """Tables from a code to the digit 1 where it is above -threshold, and above threshold."""
    if threshold not in _TABLES:
        low, high = (
            bytes(ord("1") if value > edge else ord("0") for value in _VALUES)
            for edge in (-threshold - 1, threshold)
        )
        _TABLES[threshold] = (low, high)
    return _TABLES[threshold]


def _matrix(rows: bytes | bytearray, count: int) -> memoryview:
    """The bytes as `count` rows of equal length."""
    return memoryview(rows).cast("B", [count, len(rows) // count])


def halvings(most: int) -> int:
    """How often distances of at most so many bits are halved before they are compared."""
    shift = 0
    while (most >> shift) * 2 // 3 > 256:
        shift += 1
    return shift


def one_byte_each(distances: bytes, most: int) -> bytes:
    """Whole distances as floats of four bytes, none above `most`, halved until a byte holds them.

    What is further off than two thirds of `most` is nobody's neighbour and may count as 255. Most
    distances are about half of `most`, so that their first byte is the same and the second orders
    them: that one alone is looked at, and the few others are put right.
    """
    shift = halvings(most)
    first, second = (3, 2) if _LOWEST_FIRST else (0, 1)
    usual = array("f", [most / 2]).tobytes()[first]
    firsts = distances[first::4]
    found = distances[second::4].translate(_scaled(usual, shift))
    if firsts == bytes([usual]) * len(firsts):
        return found
    corrected = bytearray(found)
    whole = memoryview(distances).cast("f")
    for at in _marked(firsts.translate(bytes(byte != usual for byte in range(256)))):
        corrected[at] = min(255, int(whole[at]) >> shift)
    return bytes(corrected)


def _scaled(first: int, shift: int) -> bytes:
    """A table from the second byte of a float, the first one given, to its value in one byte."""
    if (first, shift) not in _SCALES:
        spelled = [bytes([first, second, 0, 0]) for second in range(256)]
        values = array("f", b"".join(spelled))
        if _LOWEST_FIRST:
            values.byteswap()
        _SCALES[first, shift] = bytes(min(255, int(value) >> shift) for value in values)
    return _SCALES[first, shift]


def within(distances: bytes, wanted: int, beyond: int = -1) -> tuple[list[int], int]:
    """Positions of the nearest: at least `wanted` of them if there are, all that share a distance.

    Only distances above `beyond` count; the second value is the largest distance included.
    """
    step = len(distances) // _SAMPLE + 1
    sample = sorted([value for value in distances[::step] if value > beyond])
    # Rather some too many than too few, which would have to be looked for again.
    share = wanted / step
    inside = int(share + 2.0 * share**0.5) + 1
    while True:
        reach = sample[inside] if inside < len(sample) else 255
        near = distances.translate(None, bytes([*range(beyond + 1), *range(reach + 1, 256)]))
        if reach == 255 or len(near) >= wanted:
            break
        inside *= 2
    if len(near) > wanted:
        reach = sorted(near)[wanted - 1]
    marks = bytes(beyond + 1) + b"\1" * (reach - beyond) + bytes(255 - reach)
    return _marked(distances.translate(marks)), reach


def _marked(marks: bytes) -> list[int]:
    """The positions of the ones."""
    positions = []
    at = marks.find(1)
    while at >= 0:
        positions.append(at)
        at = marks.find(1, at + 1)
    return positions


def hamming(asked: bytes, blocks: Sequence[bytes | bytearray]) -> bytes:
    """How many bits of each row differ from what was asked, scaled to one byte each."""
    import simsimd

    question, width = _matrix(asked, 1), len(asked)
    distances = []
    for bits in blocks:
        rows = _matrix(bits, len(bits) // width)
        counts: Any = simsimd.cdist(question, rows, "hamming", dtype="bin8", out_dtype="f32")
        distances.append(memoryview(counts).cast("B"))
    return one_byte_each(b"".join(distances), 8 * width)
