"""Writes a trained reranker as the file that recairn.embed.reranker reads.

`pack_reranker(arrays, vocabulary, about)` takes float arrays named as BERT names its tensors
(`embeddings.word_embeddings.weight`, `encoder.layer.0.attention.self.query.weight`, ...), beside
them `head.weight` [1, dim] and `head.bias` [1], and perhaps `embeddings.projection.weight`.
Matrices become one byte, or a half, for each number with a scale for each row; the rest stays
float.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from recairn.embed.reranker import ALIGNMENT, HEAD_BYTES, MAGIC, VERSION

WORDS = "embeddings.word_embeddings.weight"
LEVELS = {"i8": 127, "i4": 7}
ABOUT = {
    "name": "cross-mini",
    "licence": "Apache-2.0",
    "heads": 12,
    "window": 128,
    "question": 48,
    "segments": False,
    "pooling": "mean",
    "weight": {"*": 0.5},
}


def pack_reranker(
    arrays: dict[str, np.ndarray],
    vocabulary: list[str],
    about: dict[str, Any] | None = None,
    *,
    matrices: str = "i8",
    words: str = "i8",
) -> bytes:
    """The file. `matrices` and `words` say how dense layers and word vectors are kept:
    f4, f2, i8 or i4."""
    data = bytearray()

    def place(content: bytes) -> int:
        data.extend(bytes(-len(data) % ALIGNMENT))
        at = len(data)
        data.extend(content)
        return at

    tensors: dict[str, Any] = {}
    for name, array in arrays.items():
        kind = words if name == WORDS else matrices if _is_matrix(name, array) else "f4"
        entry: dict[str, Any] = {"type": kind, "shape": [*array.shape]}
        if kind in LEVELS:
            codes, scales = quantised(array, LEVELS[kind])
            entry["at"] = place(_packed(codes) if kind == "i4" else codes.tobytes())
            entry["scales"] = place(scales.astype("<f4").tobytes())
        else:
            entry["at"] = place(np.ascontiguousarray(array, f"<{kind}").tobytes())
        tensors[name] = entry
    spelling = "\n".join(vocabulary).encode()
    shape = {
        "layers": len({name.split(".")[2] for name in arrays if name.startswith("encoder.layer.")}),
        "dim": arrays["head.weight"].shape[1],
        "wide": len(arrays.get("encoder.layer.0.intermediate.dense.weight", ())),
    }
    header = {
        **ABOUT,
        **shape,
        **(about or {}),
        "vocabulary": {"at": place(spelling), "size": len(spelling)},
        "tensors": tensors,
        "revision": hashlib.sha256(data).hexdigest()[:12],
    }
    spelled = json.dumps(header, separators=(",", ":")).encode()
    head = MAGIC + VERSION.to_bytes(4, "little") + len(spelled).to_bytes(4, "little") + spelled
    assert len(head) == HEAD_BYTES + len(spelled)
    return head + bytes(-len(head) % ALIGNMENT) + bytes(data)


def _is_matrix(name: str, array: np.ndarray) -> bool:
    """Whether a tensor is large enough to be worth rounding: not the positions, types and head."""
    return array.ndim == 2 and (name.startswith("encoder.") or "projection" in name)


def quantised(array: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes and a scale for each row."""
    scales = np.maximum(np.abs(array).max(axis=1), 1e-12) / levels
    codes = np.rint(array / scales[:, None]).clip(-levels, levels)
    return codes.astype(np.int8), scales.astype("f4")


def _packed(codes: np.ndarray) -> bytes:
    """Two numbers to a byte, the first in the lower half."""
    raised = (codes.astype(np.int16) + 8).astype(np.uint8)
    if raised.shape[1] % 2:
        raised = np.pad(raised, ((0, 0), (0, 1)))
    return bytes((raised[:, ::2] | raised[:, 1::2] << 4).tobytes())
