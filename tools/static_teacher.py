"""all-MiniLM-L6-v2, whose vectors the static embedding model learns to imitate."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

TEACHER_WINDOW = 256  # tokens that the teacher was trained to read
TEACHER_DIM = 384
TOKENS_PER_BATCH = 262_144


class Teacher:
    """all-MiniLM-L6-v2 on plain torch operations: mean pooling, unit length."""

    def __init__(self, folder: Path, device: str) -> None:
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(TEACHER_WINDOW)
        self.device = device
        self.type = torch.float16 if device == "cuda" else torch.float32
        self.weights = {
            k: torch.from_numpy(v).to(device, self.type) for k, v in read_weights(folder).items()
        }

    def linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return F.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return F.layer_norm(x, (TEACHER_DIM,), weight, bias, 1e-12)

    @torch.no_grad()
    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        table = "embeddings."
        x = self.weights[table + "word_embeddings.weight"][ids]
        x = x + self.weights[table + "position_embeddings.weight"][: ids.shape[1]]
        x = self.norm(
            x + self.weights[table + "token_type_embeddings.weight"][0], table + "LayerNorm"
        )
        rows, length, _ = x.shape
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            query, key, value = (
                self.linear(x, f"{at}attention.self.{part}")
                .view(rows, length, 12, 32)
                .transpose(1, 2)
                for part in ("query", "key", "value")
            )
            seen = F.scaled_dot_product_attention(
                query, key, value, attn_mask=mask[:, None, None, :]
            )
            seen = self.linear(seen.transpose(1, 2).reshape(x.shape), at + "attention.output.dense")
            x = self.norm(x + seen, at + "attention.output.LayerNorm")
            wide = F.gelu(self.linear(x, at + "intermediate.dense"))
            x = self.norm(x + self.linear(wide, at + "output.dense"), at + "output.LayerNorm")
        return F.normalize((x * mask[:, :, None]).float().sum(1), dim=1)

    def embed(self, texts: list[str], block: int = 400_000) -> torch.Tensor:
        out = torch.empty(len(texts), TEACHER_DIM, dtype=torch.float16, device=self.device)
        for start in range(0, len(texts), block):
            encoded = self.tokenizer.encode_batch_fast(texts[start : start + block])
            out[start : start + len(encoded)] = self.embed_ids([e.ids for e in encoded])
        return out

    def embed_ids(self, ids: list[list[int]]) -> torch.Tensor:
        lengths = np.array([len(row) for row in ids])
        order = np.argsort(-lengths, kind="stable")
        out = torch.empty(len(ids), TEACHER_DIM, dtype=torch.float16, device=self.device)
        at = 0
        while at < len(order):
            width = -(-int(lengths[order[at]]) // 8) * 8
            chosen = order[at : at + max(1, TOKENS_PER_BATCH // width)]
            padded = np.zeros((len(chosen), width), np.int64)
            for row, text in enumerate(chosen):
                padded[row, : lengths[text]] = ids[text]
            mask = torch.from_numpy(np.arange(width) < lengths[chosen][:, None]).to(self.device)
            vectors = self.forward(torch.from_numpy(padded).to(self.device), mask)
            out[torch.from_numpy(chosen).to(self.device)] = vectors.half()
            at += len(chosen)
        return out


def read_weights(folder: Path) -> dict[str, np.ndarray]:
    data = (folder / "model.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    found = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__" and entry["dtype"] in {"F32", "F16"}:
            start, end = (8 + size + offset for offset in entry["data_offsets"])
            kind = "<f4" if entry["dtype"] == "F32" else "<f2"
            found[name] = (
                np.frombuffer(data[start:end], kind).reshape(entry["shape"]).astype(np.float32)
            )
    return found
