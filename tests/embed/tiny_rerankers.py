"""Rerankers small enough to be made by a test: one that loves a word, and one of random weights."""

from __future__ import annotations

import os

import numpy as np

from tools.reranker_file import pack_reranker

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def install_loving(word: str, models_dir, **about) -> None:
    """Our own reranker, as one that says how large a part of what it reads a word is."""
    vocabulary = [*SPECIAL, word, *"abcdefghijklmnopqrstuvwxyz"]
    words = np.tile(np.array([[-1.0, 1.0]], "f4"), (len(vocabulary), 1))
    words[len(SPECIAL)] = (1.0, -1.0)
    arrays = {
        "embeddings.word_embeddings.weight": words,
        "embeddings.position_embeddings.weight": np.zeros((128, 2), "f4"),
        "embeddings.token_type_embeddings.weight": np.zeros((2, 2), "f4"),
        "embeddings.LayerNorm.weight": np.ones(2, "f4"),
        "embeddings.LayerNorm.bias": np.zeros(2, "f4"),
        "head.weight": np.array([[1.0, 0.0]], "f4"),
        "head.bias": np.zeros(1, "f4"),
    }
    folder = os.path.join(models_dir, "cross-mini")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "reranker.bin"), "wb") as file:
        file.write(pack_reranker(arrays, vocabulary, {"heads": 1, **about}))


def random_arrays(vocabulary: list[str], *, layers=2, dim=8, seed=7) -> dict[str, np.ndarray]:
    """The tensors of an encoder and a head, drawn at random."""
    random = np.random.default_rng(seed)

    def drawn(*shape):
        return random.normal(0.0, 0.4, shape).astype("f4")

    arrays = {
        "embeddings.word_embeddings.weight": drawn(len(vocabulary), dim),
        "embeddings.position_embeddings.weight": drawn(64, dim),
        "embeddings.token_type_embeddings.weight": drawn(2, dim),
        "embeddings.LayerNorm.weight": 1 + drawn(dim),
        "embeddings.LayerNorm.bias": drawn(dim),
        "head.weight": drawn(1, dim),
        "head.bias": drawn(1),
    }
    for layer in range(layers):
        name = f"encoder.layer.{layer}."
        for part, outputs, inputs in (
            ("attention.self.query", dim, dim),
            ("attention.self.key", dim, dim),
            ("attention.self.value", dim, dim),
            ("attention.output.dense", dim, dim),
            ("intermediate.dense", 4 * dim, dim),
            ("output.dense", dim, 4 * dim),
        ):
            arrays[f"{name}{part}.weight"] = drawn(outputs, inputs)
            arrays[f"{name}{part}.bias"] = drawn(outputs)
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            arrays[f"{name}{part}.weight"] = 1 + drawn(dim)
            arrays[f"{name}{part}.bias"] = drawn(dim)
    return arrays


def by_the_book(arrays, tokens, second, *, heads, first=False) -> float:
    """What a cross-encoder says, computed as the paper writes it, one text, double precision."""
    w = {name: array.astype("f8") for name, array in arrays.items()}
    types = [int(at >= second) for at in range(len(tokens))]
    x = w["embeddings.word_embeddings.weight"][tokens]
    x = x + w["embeddings.position_embeddings.weight"][: len(tokens)]
    x = _norm(x + w["embeddings.token_type_embeddings.weight"][types], w, "embeddings.LayerNorm")
    dim = x.shape[1]
    for layer in range(sum(name.endswith("query.weight") for name in w)):
        name = f"encoder.layer.{layer}."
        parts = [_dense(x, w, f"{name}attention.self.{part}") for part in ("query", "key", "value")]
        mixed = []
        for head in range(heads):
            own = slice(head * dim // heads, (head + 1) * dim // heads)
            q, k, v = (part[:, own] for part in parts)
            scores = np.exp(q @ k.T / np.sqrt(dim / heads))
            mixed.append(scores / scores.sum(1, keepdims=True) @ v)
        attended = _dense(np.hstack(mixed), w, f"{name}attention.output.dense")
        x = _norm(x + attended, w, f"{name}attention.output.LayerNorm")
        wide = _dense(x, w, f"{name}intermediate.dense")
        wide = wide * 0.5 * (1 + np.vectorize(_erf)(wide / np.sqrt(2)))
        x = _norm(x + _dense(wide, w, f"{name}output.dense"), w, f"{name}output.LayerNorm")
    pooled = x[0] if first else x.mean(0)
    return float(pooled @ w["head.weight"][0] + w["head.bias"][0])


def _dense(x, w, name):
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def _norm(x, w, name):
    centred = x - x.mean(1, keepdims=True)
    spread = np.sqrt((centred**2).mean(1, keepdims=True) + 1e-12)
    return centred / spread * w[f"{name}.weight"] + w[f"{name}.bias"]


def _erf(value):
    import math

    return math.erf(value)
