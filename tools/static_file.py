"""Writes a trained table of token vectors as the file that recairn.embed.static reads."""

from __future__ import annotations

import hashlib
import struct
import zlib
from itertools import chain

import numpy as np

MAGIC = b"RCSTATIC"
VERSION = 2
HEADER = "<8sHHIIII16s"
PLACES = "<10H"  # five pairs: the first word that this weight is not for, the weight
MAX_SCALE = 255  # times 127, times a weight below 8, times 8,192 tokens still fits 32 bits


def quantised(table: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes and integer scales of the rows; scales share one step, so that sums are exact."""
    largest = np.abs(table).max(1)
    step = largest.max() / levels / MAX_SCALE
    scales = np.maximum(1, np.ceil(largest / levels / step)).astype(np.int64)
    codes = np.rint(table / (scales[:, None] * step)).clip(-levels, levels)
    return codes.astype(np.int8), scales.astype("<u2")


def pack_model(vocabulary: list[str], table: np.ndarray, places: list[tuple[int, int]]) -> bytes:
    """The model file, as recairn.embed.static describes it; the revision is a hash of it."""
    codes, scales = quantised(table, 127)
    keys = [token.encode() for token in vocabulary]
    slots = np.zeros(1 << (2 * len(keys) - 1).bit_length(), "<u2")
    for row, key in enumerate(keys):
        at = zlib.crc32(key) & (len(slots) - 1)
        while slots[at]:
            at = (at + 1) & (len(slots) - 1)
        slots[at] = row + 1
    starts = np.cumsum([0, *map(len, keys)]).astype("<u4")
    spelling = b"".join(keys)
    stored = (codes.astype(np.int16) + 128).astype(np.uint8)
    parts = (slots.tobytes(), starts.tobytes(), scales.tobytes(), spelling, stored.tobytes())
    body = b"".join(parts)
    weights = struct.pack(PLACES, *chain.from_iterable(places))
    revision = hashlib.sha256(weights + body).hexdigest()[:12].encode()
    sizes = (table.shape[1], len(keys), len(slots), len(spelling), max(map(len, keys)))
    return struct.pack(HEADER, MAGIC, VERSION, *sizes, revision) + weights + body
