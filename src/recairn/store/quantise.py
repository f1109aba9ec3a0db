"""Vectors as small integers: int8 codes for scoring, sign bits for scanning. Standard library only.

Cosine does not change when a vector is scaled, so each vector uses the whole int8 range and no
scale needs to be kept.
"""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST = 127
# A code byte of 128 and above is a negative number.
_SIGNS = bytes(ord("0") if byte >= 128 else ord("1") for byte in range(256))


def codes_of(vector: Sequence[float]) -> bytes:
    """The vector as int8 codes; all zero for the zero vector, which is similar to nothing."""
    largest = max(max(vector), -min(vector))
    if not largest > 0.0:
        return bytes(len(vector))
    scale = _LARGEST / largest
    return array("b", [round(value * scale) for value in vector]).tobytes()


def sign_bits(codes: bytes) -> bytes:
    """One bit per dimension: is it positive?"""
    return int(codes.translate(_SIGNS), 2).to_bytes((len(codes) + 7) // 8, "big")


def matrix(rows: bytes, count: int, kind: str) -> memoryview:
    """The bytes as `count` rows of equal length, of C type `kind` (b or B)."""
    shape = [count, len(rows) // count]
    return memoryview(rows).cast("b", shape) if kind == "b" else memoryview(rows).cast("B", shape)


def within(distances: bytes, wanted: int, beyond: int = -1) -> tuple[list[int], int]:
    """Positions of the nearest: at least `wanted` of them if there are, all that share a distance.

    Only distances above `beyond` count; the second value is the largest distance included.
    """
    found, reach = 0, beyond
    while found < wanted and reach < 255:
        reach += 1
        found += distances.count(reach)
    near = bytes(1 if beyond < value <= reach else 0 for value in range(256))
    marked = distances.translate(near)
    positions = []
    at = marked.find(1)
    while at >= 0:
        positions.append(at)
        at = marked.find(1, at + 1)
    return positions, reach
