"""Vectors as small integers: int8 codes for scoring, two bits a dimension for scanning.

Cosine does not change when a vector is scaled, so each vector uses the whole int8 range and no
scale needs to be kept.
"""

from __future__ import annotations

from array import array
from sys import byteorder
from zlib import adler32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

LARGEST = 127
# Added to a number, it leaves no bits for a fraction: what was added lies in the lowest byte of the
# sum, rounded to the nearest integer (halves to the even one), three times as fast as by round().
_ROUNDING = 1.5 * 2.0**52
_LOWEST_BYTE = 0 if byteorder == "little" else 7
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


def codes_of(vector: Sequence[float]) -> bytes:
    """The vector as int8 codes; all zero for the zero vector, which is similar to nothing."""
    values = list(vector)  # read three times: an array makes its numbers anew each time
    largest = max(max(values), -min(values))
    if not largest > 0.0:
        return bytes(len(values))
    scale = LARGEST / largest
    rounded = array("d", [value * scale + _ROUNDING for value in values])
    return rounded.tobytes()[_LOWEST_BYTE::8]


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
    first, second = (3, 2) if byteorder == "little" else (0, 1)
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
        if byteorder == "little":
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
