"""Arithmetic over int8 codes: cosines, a weighted centre, nearest neighbours within a pool."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

_LARGEST = 127
_NEIGHBOURS = 3
# Codes with 128 added, so that no lane borrows of the next.
_UNSIGNED = bytes((value + 128) % 256 for value in range(256))
# So many bytes add up to what two bytes hold.
_ADDED_AT_ONCE = 256
# Beyond every distance, which is 1 - cosine.
_FARTHEST = 3.0


def cosines(codes: bytes, vectors: Mapping[int, Sequence[bytes]]) -> dict[int, float]:
    """The cosine of each memory's nearest piece to the given codes."""
    if not vectors or not any(codes):
        return {}
    stacked = b"".join([piece for pieces in vectors.values() for piece in pieces])
    away = _distances(codes, 1, stacked, len(stacked) // len(codes)) if stacked else []
    found, at = {}, 0
    for memory, pieces in vectors.items():
        if pieces:
            found[memory] = 1.0 - min(away[at : at + len(pieces)])
            at += len(pieces)
    return found


def cosine_rows(rows: Sequence[bytes], pieces: Sequence[bytes]) -> list[list[float]]:
    """For each row the cosines of the pieces to it."""
    away = _distances(b"".join(rows), len(rows), b"".join(pieces), len(pieces))
    flat = [1.0 - distance for distance in away]
    return [flat[at : at + len(pieces)] for at in range(0, len(flat), len(pieces))]


def middle(vectors: Mapping[int, Sequence[bytes]]) -> bytes:
    """The codes of the sum of the first pieces.

    All dimensions are added at once, as lanes of two integers.
    """
    first = [pieces[0] for pieces in vectors.values() if pieces]
    total = [-128 * len(first)] * len(first[0])
    for start in range(0, len(first), _ADDED_AT_ONCE):
        added = _sums(first[start : start + _ADDED_AT_ONCE])
        total = [before + value for before, value in zip(total, added, strict=True)]
    largest = max(max(total), -min(total)) or 1
    return array("b", [round(value * _LARGEST / largest) for value in total]).tobytes()


def _sums(some: Sequence[bytes]) -> list[int]:
    """The sum of each dimension, every code counted as 128 more.

    Every other byte of a vector is cut out, so that its neighbour's room takes the carries.
    """
    size = len(some[0])
    lanes = int.from_bytes((b"\xff\0" * size)[: size + 1], "little")
    even = odd = 0
    for codes in some:
        packed = int.from_bytes(codes.translate(_UNSIGNED), "little")
        even += packed & lanes
        odd += packed >> 8 & lanes
    sums = [0] * size
    for start, added in enumerate((even, odd)):
        raw = added.to_bytes(size + 2, "little")
        lows, highs = raw[: size - start : 2], raw[1 : size - start + 1 : 2]
        sums[start::2] = [low + 256 * high for low, high in zip(lows, highs, strict=True)]
    return sums


def centre(weighed: Sequence[tuple[bytes, float]]) -> bytes:
    """The codes of the weighted sum of some vectors."""
    total = [0.0] * len(weighed[0][0])
    for codes, weight in weighed:
        values = memoryview(codes).cast("b").tolist()
        share = weight / (sum(map(mul, values, values)) ** 0.5 or 1.0)
        total = [before + share * value for before, value in zip(total, values, strict=True)]
    largest = max(max(total), -min(total))
    if not largest > 0.0:
        return bytes(len(total))
    return array("b", [round(value * _LARGEST / largest) for value in total]).tobytes()


def nearest_neighbours(
    vectors: Mapping[int, Sequence[bytes]], asked: Collection[int] | None = None
) -> dict[int, list[tuple[int, float]]]:
    """The nearest other memories of the pool with their cosines, where these are positive.

    Of all of the pool, or only of those asked about; more than three where some are as near as the
    third.
    """
    ids = [memory for memory, pieces in vectors.items() if pieces]
    if len(ids) <= _NEIGHBOURS:
        return {}
    stacked = b"".join([vectors[memory][0] for memory in ids])
    wanted = [
        (place, memory) for place, memory in enumerate(ids) if asked is None or memory in asked
    ]
    if not wanted:
        return {}
    rows = b"".join([vectors[memory][0] for _, memory in wanted])
    flat = _distances(rows, len(wanted), stacked, len(ids))
    found = {}
    for row, (own, memory) in enumerate(wanted):
        away = flat[row * len(ids) : (row + 1) * len(ids)]
        away[own] = _FARTHEST
        found[memory] = [
            (ids[at], 1.0 - away[at]) for at in _smallest(away, _NEIGHBOURS) if away[at] < 1.0
        ]
    return found


def _smallest(values: list[float], wanted: int) -> list[int]:
    """The places of the smallest values, in order of place; all that are equal to the last."""
    ordered = sorted(values)
    places: list[int] = []
    for value in ordered[: bisect_right(ordered, ordered[wanted - 1])]:
        repeated = places and values[places[-1]] == value
        places.append(values.index(value, places[-1] + 1 if repeated else 0))
    return sorted(places)


def _distances(one: bytes, rows: int, other: bytes, columns: int) -> list[float]:
    """1 - cosine of all pairs of two stacks of codes, row after row."""
    import simsimd

    made: Any = simsimd.cdist(_stack(one, rows), _stack(other, columns), "cosine", dtype="int8")
    numbers: Any = memoryview(made).cast("B").cast("d")
    found: list[float] = numbers.tolist()
    return found


def _stack(codes: bytes, count: int) -> memoryview:
    return memoryview(codes).cast("b", [count, len(codes) // count])
