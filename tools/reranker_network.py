"""The encoders that the reranker is trained as: MiniLM's, a smaller one cut out of it, and MPNet's,
which teaches it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from safetensors.numpy import load_file
from torch import nn
from torch.nn import functional

Weights = dict[str, torch.Tensor]

DIM, HEADS, EPSILON = 384, 12, 1e-12
WORDS = "embeddings.word_embeddings.weight"
PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mixed": "attention.output.dense",
    "mixed_norm": "attention.output.LayerNorm",
    "widened": "intermediate.dense",
    "narrowed": "output.dense",
    "norm": "output.LayerNorm",
}


class Network(Protocol):
    """What reads pairs, and texts alone."""

    dim: int

    def __call__(self, tokens: torch.Tensor, types: torch.Tensor) -> torch.Tensor: ...

    def states(
        self, tokens: torch.Tensor, types: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]: ...

    def eval(self) -> Network: ...


def weights_in(folder: Path) -> Weights:
    found = load_file(folder / "model.safetensors")
    return {name: torch.from_numpy(np.asarray(array, "f4")) for name, array in found.items()}


class Layer(nn.Module):  # type: ignore[misc]
    def __init__(self, weights: Weights, place: str, wide: int) -> None:
        super().__init__()
        self.query, self.key, self.value, self.mixed = (nn.Linear(DIM, DIM) for _ in range(4))
        self.widened, self.narrowed = nn.Linear(DIM, wide), nn.Linear(wide, DIM)
        self.mixed_norm, self.norm = nn.LayerNorm(DIM, EPSILON), nn.LayerNorm(DIM, EPSILON)
        self.dropped = nn.Dropout(0.0)
        widening = weights[f"{place}.intermediate.dense.weight"]
        narrowing = weights[f"{place}.output.dense.weight"]
        # Of the wide layer those that move most stay.
        moved = widening.norm(dim=1) * narrowing.norm(dim=0)
        kept = moved.topk(wide).indices.sort().values
        for name, part in PARTS.items():
            own = getattr(self, name)
            weight, bias = weights[f"{place}.{part}.weight"], weights[f"{place}.{part}.bias"]
            if name == "widened":
                weight, bias = weight[kept], bias[kept]
            elif name == "narrowed":
                weight = weight[:, kept]
            own.weight.data, own.bias.data = weight.clone(), bias.clone()

    def forward(self, states: torch.Tensor, seen: torch.Tensor, *, first: bool) -> torch.Tensor:
        """The states that come out, or the first token's alone."""
        own = states[:, :1] if first else states
        count, size = len(states), DIM // HEADS

        def split(part: torch.Tensor) -> torch.Tensor:
            return part.view(count, -1, HEADS, size).transpose(1, 2)

        looked = functional.scaled_dot_product_attention(
            split(self.query(own)), split(self.key(states)), split(self.value(states)), seen
        )
        joined = looked.transpose(1, 2).reshape(count, -1, DIM)
        own = self.mixed_norm(own + self.dropped(self.mixed(joined)))
        wide = functional.gelu(self.widened(own))
        out: torch.Tensor = self.norm(own + self.dropped(self.narrowed(wide)))
        return out


class Encoder(nn.Module):  # type: ignore[misc]
    """Reads `[CLS] question [SEP] text [SEP]`, and says with one number how well it answers."""

    dim = DIM

    def __init__(
        self,
        weights: Weights,
        *,
        layers: tuple[int, ...] = (0, 1, 2, 3, 4, 5),
        wide: int = 1536,
        rank: int = 0,
        first: bool = False,
        usage: torch.Tensor | None = None,
    ) -> None:
        """`rank` makes word vectors shorter, best for the tokens that `usage` says come often."""
        super().__init__()
        table, self.whole = weights[WORDS], nn.Identity()
        if rank and usage is not None:
            _, _, turned = torch.linalg.svd(table * usage.sqrt()[:, None], full_matrices=False)
            self.whole = nn.Linear(rank, DIM, bias=False)
            self.whole.weight.data = turned[:rank].T.contiguous()
            table = table @ turned[:rank].T
        self.words = nn.Embedding.from_pretrained(table.clone(), freeze=False)
        self.places = self._embedding(weights, "position")
        self.types = self._embedding(weights, "token_type")
        self.norm = nn.LayerNorm(DIM, EPSILON)
        self.norm.weight.data = weights["embeddings.LayerNorm.weight"].clone()
        self.norm.bias.data = weights["embeddings.LayerNorm.bias"].clone()
        self.layers = nn.ModuleList(
            Layer(weights, f"encoder.layer.{number}", wide) for number in layers
        )
        self.first = first
        self.head = nn.Linear(DIM, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)
        # A small one begins with what its teacher has learnt to make of the states.
        if "head.weight" in weights:
            self.head.weight.data = weights["head.weight"].clone()
            self.head.bias.data = weights["head.bias"].clone()

    def dropping(self, share: float) -> Encoder:
        """The same, leaving out so much of every layer while it is trained."""
        for layer in self.layers:
            layer.dropped.p = share
        return self

    @staticmethod
    def _embedding(weights: Weights, name: str) -> nn.Embedding:
        table = weights[f"embeddings.{name}_embeddings.weight"]
        return nn.Embedding.from_pretrained(table.clone(), freeze=False)

    def states(
        self, tokens: torch.Tensor, types: torch.Tensor, *, first: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The states of all tokens, or of the first, and which tokens are no padding."""
        real = tokens > 0
        places = torch.arange(tokens.shape[1], device=tokens.device)
        states = self.whole(self.words(tokens)) + self.places(places)[None] + self.types(types)
        states = self.norm(states)
        last = len(self.layers) - 1
        for number, layer in enumerate(self.layers):
            states = layer(states, real[:, None, None, :], first=first and number == last)
        return states, real

    def forward(self, tokens: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        states, real = self.states(tokens, types, first=self.first)
        pooled = states[:, 0] if self.first else mean_of(states, real)
        out: torch.Tensor = self.head(pooled).squeeze(-1)
        return out


def mean_of(states: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    return (states * real[..., None]).sum(1) / real.sum(1, keepdim=True)


def bert_names(model: Encoder) -> Weights:
    """The weights of a model under the names that BERT gives them."""
    found = {
        WORDS: model.words.weight,
        "embeddings.position_embeddings.weight": model.places.weight,
        "embeddings.token_type_embeddings.weight": model.types.weight,
        "head.weight": model.head.weight,
        "head.bias": model.head.bias,
    }
    if isinstance(model.whole, nn.Linear):
        found["embeddings.projection.weight"] = model.whole.weight
    for kind in ("weight", "bias"):
        found[f"embeddings.LayerNorm.{kind}"] = getattr(model.norm, kind)
        for number, layer in enumerate(model.layers):
            for name, part in PARTS.items():
                own = getattr(getattr(layer, name), kind)
                found[f"encoder.layer.{number}.{part}.{kind}"] = own
    return {name: tensor.detach().float().cpu() for name, tensor in found.items()}


# MPNet


WIDE_PARTS = {
    "mixed": "attention.attn.o",
    "mixed_norm": "attention.LayerNorm",
    "widened": "intermediate.dense",
    "narrowed": "output.dense",
    "norm": "output.LayerNorm",
}


class WideLayer(nn.Module):  # type: ignore[misc]
    """A layer of MPNet, 768 numbers wide."""

    def __init__(self, weights: Weights, place: str) -> None:
        super().__init__()
        dim, wide = WideEncoder.dim, 4 * WideEncoder.dim
        self.looked, self.mixed = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.widened, self.narrowed = nn.Linear(dim, wide), nn.Linear(wide, dim)
        self.mixed_norm, self.norm = nn.LayerNorm(dim, 1e-5), nn.LayerNorm(dim, 1e-5)
        self.dropped = nn.Dropout(0.1)
        for kind in ("weight", "bias"):
            parts = [weights[f"{place}.attention.attn.{part}.{kind}"] for part in "qkv"]
            getattr(self.looked, kind).data = torch.cat(parts)
            for name, part in WIDE_PARTS.items():
                getattr(getattr(self, name), kind).data = weights[f"{place}.{part}.{kind}"].clone()

    def forward(self, states: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        count, length, dim = states.shape
        parts = self.looked(states).view(count, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        looked = functional.scaled_dot_product_attention(*parts, bias.to(parts.dtype))
        joined = looked.transpose(1, 2).reshape(count, length, dim)
        own = self.mixed_norm(states + self.dropped(self.mixed(joined)))
        wide = functional.gelu(self.widened(own))
        out: torch.Tensor = self.norm(own + self.dropped(self.narrowed(wide)))
        return out


class WideEncoder(nn.Module):  # type: ignore[misc]
    """MPNet as a reader of pairs. Its vocabulary is BERT's, four further but for the marks; how far
    tokens stand apart is a bias of the attention."""

    dim = 768

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.words = self._embedding(weights["embeddings.word_embeddings.weight"])
        self.places = self._embedding(weights["embeddings.position_embeddings.weight"])
        self.apart = self._embedding(weights["encoder.relative_attention_bias.weight"])
        self.types = self._embedding(torch.zeros(2, self.dim))
        self.norm = nn.LayerNorm(self.dim, 1e-5)
        self.norm.weight.data = weights["embeddings.LayerNorm.weight"].clone()
        self.norm.bias.data = weights["embeddings.LayerNorm.bias"].clone()
        self.layers = nn.ModuleList(
            WideLayer(weights, f"encoder.layer.{number}") for number in range(12)
        )
        self.head = nn.Linear(self.dim, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    @staticmethod
    def _embedding(table: torch.Tensor) -> nn.Embedding:
        return nn.Embedding.from_pretrained(table.clone(), freeze=False)

    def states(
        self, tokens: torch.Tensor, types: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        real = tokens > 0
        own = torch.where(real, tokens + 4, 1)
        own = torch.where(tokens == 101, 0, torch.where(tokens == 102, 2, own))
        places = torch.arange(tokens.shape[1], device=tokens.device)
        states = self.norm(self.words(own) + self.places(places + 2)[None] + self.types(types))
        bias = self.apart(distances(places)).permute(2, 0, 1)[None]
        bias = (
            bias + torch.zeros_like(real, dtype=bias.dtype).masked_fill(~real, -1e4)[:, None, None]
        )
        for layer in self.layers:
            states = layer(states, bias)
        return states, real

    def forward(self, tokens: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        states, real = self.states(tokens, types)
        out: torch.Tensor = self.head(mean_of(states, real)).squeeze(-1)
        return out


def distances(places: torch.Tensor, buckets: int = 16, furthest: int = 128) -> torch.Tensor:
    """How far tokens stand apart, in MPNet's buckets: exact when near, then by logarithm."""
    ahead = places[None] - places[:, None]
    apart, exact = ahead.abs(), buckets // 2
    share = torch.log(apart.clamp(min=1) / exact) / math.log(furthest / exact)
    far = (exact + share * (buckets - exact)).long().clamp(max=buckets - 1)
    return (ahead > 0).long() * buckets + torch.where(apart < exact, apart, far)
