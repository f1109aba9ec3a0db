"""Vectors as small integers: int8 codes for scoring, two bits a dimension for scanning.

Cosine does not change when a vector is scaled, so each vector uses the whole int8 range and no
scale needs to be kept.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from sys import byteorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST = 127
# Added to a number, it leaves no bits for a fraction: what was added lies in the lowest byte of the
# sum, rounded to the nearest integer (halves to the even one), three times as fast as by round().
_ROUNDING = 1.5 * 2.0**52
_LOWEST_BYTE = 0 if byteorder == "little" else 7
# Distances looked at to guess how far the nearest reach; counting then finds the exact place.
_SAMPLE = 2048
_BYTES = bytes(range(256))
# A code byte of 128 and above is a negative number.
_VALUES = [byte - 256 if byte >= 128 else byte for byte in range(256)]
_SIZES = bytes(min(abs(value), 127) for value in _VALUES)
# What counts as near zero, as a share of a vector's mean size. With two bits a dimension the
# nearest 200 hold .98 of the best ten among 32,000 real texts; signs alone, .94.
_NEAR_ZERO = 0.6


def codes_of(vector: Sequence[float]) -> bytes:
    """The vector as int8 codes; all zero for the zero vector, which is similar to nothing."""
    largest = max(max(vector), -min(vector))
    if not largest > 0.0:
        return bytes(len(vector))
    scale = _LARGEST / largest
    rounded = array("d", [value * scale + _ROUNDING for value in vector])
    return rounded.tobytes()[_LOWEST_BYTE::8]


def sketch(codes: bytes) -> bytes:
    """Two bits per dimension: is it above a little less than zero, and above a little more?

    The number of differing bits then grows with the distance: 2 between plus and minus, 1 to zero.
    """
    size = sum(codes.translate(_SIZES)) / len(codes)
    low, high = _above(round(_NEAR_ZERO * size))
    digits = codes.translate(low) + codes.translate(high)
    return int(digits, 2).to_bytes((len(digits) + 7) // 8, "big")


_TABLES: dict[int, tuple[bytes, bytes]] = {}


def _above(threshold: int) -> tuple[bytes, bytes]:
    """Tables from a code to the digit 1 where it is above -threshold, and above threshold."""
    if threshold not in _TABLES:
        low, high = (
            bytes(ord("1") if value > edge else ord("0") for value in _VALUES)
            for edge in (-threshold - 1, threshold)
        )
        _TABLES[threshold] = (low, high)
    return _TABLES[threshold]


def matrix(rows: bytes, count: int, kind: str) -> memoryview:
    """The bytes as `count` rows of equal length, of C type `kind` (b or B)."""
    shape = [count, len(rows) // count]
    return memoryview(rows).cast("b", shape) if kind == "b" else memoryview(rows).cast("B", shape)


def one_byte_each(distances: bytes, most: int) -> bytes:
    """Distances of two bytes, none above `most`, halved until those that matter fit one byte.

    What is further off than two thirds of `most` is nobody's neighbour and may count as 255.
    """
    shift = 0
    while (most >> shift) * 2 // 3 > 256:
        shift += 1
    low, high = (0, 1) if byteorder == "little" else (1, 0)
    lows = distances[low::2].translate(bytes(value >> shift for value in range(256)))
    highs = distances[high::2].translate(
        bytes(min(value << (8 - shift), 255) for value in range(256))
        if shift
        else b"\0" + b"\xff" * 255
    )
    joined = int.from_bytes(lows, "little") | int.from_bytes(highs, "little")
    return joined.to_bytes(len(lows), "little")


def within(distances: bytes, wanted: int, beyond: int = -1) -> tuple[list[int], int]:
    """Positions of the nearest: at least `wanted` of them if there are, all that share a distance.

    Only distances above `beyond` count; the second value is the largest distance included.
    """
    reach = _exact_reach(distances, wanted, beyond, _guessed_reach(distances, wanted, beyond))
    inside = bytes(beyond + 1) + b"\1" * (reach - beyond) + bytes(255 - reach)
    return _marked(distances.translate(inside)), reach


def _exact_reach(distances: bytes, wanted: int, beyond: int, guess: int) -> int:
    """The smallest reach that holds `wanted`, looked for around the guess; 255 where none does."""

    def held(reach: int) -> int:
        return len(distances.translate(None, _BYTES[: beyond + 1] + _BYTES[reach + 1 :]))

    low, high, step = guess, guess, 1
    while low > beyond and held(low) >= wanted:
        low, high, step = max(beyond, low - step), low, 2 * step
    while high < 255 and held(high) < wanted:
        low, high, step = high, min(255, high + step), 2 * step
    return bisect_left(range(256), wanted, min(low + 1, high), high, key=held)


def _guessed_reach(distances: bytes, wanted: int, beyond: int) -> int:
    """About how far away the `wanted`th of those beyond lies, from a sample of all."""
    step = len(distances) // _SAMPLE + 1
    sample = sorted([value for value in distances[::step] if value > beyond])
    at = wanted // step
    return sample[at] if at < len(sample) else 255


def _marked(marks: bytes) -> list[int]:
    """The positions of the ones."""
    positions = []
    at = marks.find(1)
    while at >= 0:
        positions.append(at)
        at = marks.find(1, at + 1)
    return positions
