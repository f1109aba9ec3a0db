"""Arithmetic over int8 codes: cosines, a weighted centre, nearest neighbours within a pool."""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

_LARGEST = 127
_NEIGHBOURS = 3
# Codes with 128 added, so that no lane borrows of the next.
_UNSIGNED = bytes((value + 128) % 256 for value in range(256))


def cosines(codes: bytes, vectors: Mapping[int, Sequence[bytes]]) -> dict[int, float]:
    """The cosine of each memory's nearest piece to the given codes."""
    owners = [memory for memory, pieces in vectors.items() for _ in pieces]
    if not owners or not any(codes):
        return {}
    stacked = b"".join([piece for pieces in vectors.values() for piece in pieces])
    best: dict[int, float] = {}
    for memory, cosine in zip(owners, _against(codes, 1, stacked, len(owners)), strict=True):
        if cosine > best.get(memory, -2.0):
            best[memory] = cosine
    return best


def cosine_rows(rows: Sequence[bytes], pieces: Sequence[bytes]) -> list[list[float]]:
    """For each row the cosines of the pieces to it."""
    flat = _against(b"".join(rows), len(rows), b"".join(pieces), len(pieces))
    return [flat[at : at + len(pieces)] for at in range(0, len(flat), len(pieces))]


def middle(vectors: Mapping[int, Sequence[bytes]]) -> bytes:
    """The codes of the sum of the first pieces.

    All dimensions are added at once, as 32-bit lanes of one integer.
    """
    first = [pieces[0] for pieces in vectors.values() if pieces]
    lanes = bytearray(4 * len(first[0]))
    packed = 0
    for codes in first:
        lanes[::4] = codes.translate(_UNSIGNED)
        packed += int.from_bytes(lanes, "little")
    raw = packed.to_bytes(len(lanes), "little")
    total = [
        low + 256 * middling + 65_536 * high - 128 * len(first)
        for low, middling, high in zip(raw[::4], raw[1::4], raw[2::4], strict=True)
    ]
    largest = max(max(total), -min(total)) or 1
    return array("b", [round(value * _LARGEST / largest) for value in total]).tobytes()


def centre(weighed: Sequence[tuple[bytes, float]]) -> bytes:
    """The codes of the weighted sum of some vectors."""
    total = [0.0] * len(weighed[0][0])
    for codes, weight in weighed:
        length = sum(code * code for code in memoryview(codes).cast("b")) ** 0.5 or 1.0
        share = weight / length
        total = [
            value + share * code
            for value, code in zip(total, memoryview(codes).cast("b"), strict=True)
        ]
    largest = max(max(total), -min(total))
    if not largest > 0.0:
        return bytes(len(total))
    return array("b", [round(value * _LARGEST / largest) for value in total]).tobytes()


def nearest_neighbours(
    vectors: Mapping[int, Sequence[bytes]], asked: Collection[int] | None = None
) -> dict[int, list[tuple[int, float]]]:
    """The nearest other memories of the pool with their cosines, where these are positive.

    Of all of the pool, or only of those asked about.
    """
    ids = [memory for memory, pieces in vectors.items() if pieces]
    if len(ids) <= _NEIGHBOURS:
        return {}
    stacked = b"".join([vectors[memory][0] for memory in ids])
    wanted = [memory for memory in ids if asked is None or memory in asked]
    if not wanted:
        return {}
    rows = b"".join([vectors[memory][0] for memory in wanted])
    flat = _against(rows, len(wanted), stacked, len(ids))
    own = {memory: place for place, memory in enumerate(ids)}
    found = {}
    for row, memory in enumerate(wanted):
        near = flat[row * len(ids) : (row + 1) * len(ids)]
        near[own[memory]] = -2.0
        bar = sorted(near)[-_NEIGHBOURS]
        closest = [(ids[at], cosine) for at, cosine in enumerate(near) if cosine >= bar]
        found[memory] = [(other, cosine) for other, cosine in closest if cosine > 0.0]
    return found


def _against(one: bytes, rows: int, other: bytes, columns: int) -> list[float]:
    """All cosines between two stacks of codes, row after row."""
    import simsimd

    found: Any = simsimd.cdist(_stack(one, rows), _stack(other, columns), "cosine", dtype="int8")
    return [1.0 - distance for distance in memoryview(found).cast("B").cast("d")]


def _stack(codes: bytes, count: int) -> memoryview:
    return memoryview(codes).cast("b", [count, len(codes) // count])
