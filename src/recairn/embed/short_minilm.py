"""all-MiniLM-L6-v2 for one short text without numpy, whose import costs a hook six empty Pythons.

The products of matrices are simsimd's; what is between them is, of so few tokens, few enough
numbers for Python itself. `minilm.py` decides which of the two a text is for.
"""

from __future__ import annotations

from array import array
from math import erf, exp, sqrt

from recairn.core.errors import ModelFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.embed.protocol import Share

_LAYERS, _DIM, _HEADS, _WIDE = 6, 384, 12, 4 * 384
_SIZE = _DIM // _HEADS
_EPSILON = 1e-12
_ROOT_OF_HALF = sqrt(0.5)
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")
_DENSE = {
    "attention.self.query": (_DIM, _DIM),
    "attention.self.key": (_DIM, _DIM),
    "attention.self.value": (_DIM, _DIM),
    "attention.output.dense": (_DIM, _DIM),
    "intermediate.dense": (_DIM, _WIDE),
    "output.dense": (_WIDE, _DIM),
}


class ShortEncoder:
    """The network over flat floats by the names of BERT: token numbers to token states.

    States are the rows of one buffer of floats, a row for each token. simsimd is never given a
    buffer for results: version 6.5 takes a reference from None each time then, until Python dies.
    """

    def __init__(self, weights: Mapping[str, Any], hint: str) -> None:
        import simsimd

        self._simd: Any = simsimd
        self._weights = weights
        self._ones = array("f", [1.0]) * _DIM
        for name, size in _needed():
            if len(weights.get(name, ())) < size:
                raise ModelFailed(f"the minilm weights have no usable tensor {name}", hint)

    def states(self, tokens: Sequence[int]) -> Any:
        rows = self._embedded(tokens)
        for number in range(_LAYERS):
            rows = self._layer(f"encoder.layer.{number}", rows, len(tokens))
        return rows

    def _embedded(self, tokens: Sequence[int]) -> Any:
        words, places, types = (
            self._weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        rows = array("f")
        for place, number in enumerate(tokens):
            both = self._sum(_row(words, number), _row(places, place))
            rows.frombytes(self._sum(both, types[:_DIM]).cast("B"))
        return self._normalised(rows, "embeddings.LayerNorm")

    def _layer(self, name: str, rows: Any, count: int) -> Any:
        attended = self._attended(f"{name}.attention.self", rows, count)
        mixed = self._dense(attended, f"{name}.attention.output.dense", (count, _DIM, _DIM))
        states = self._normalised(self._sum(mixed, rows), f"{name}.attention.output.LayerNorm")
        wide = self._dense(states, f"{name}.intermediate.dense", (count, _DIM, _WIDE))
        # x Phi(x) is x/2 (1 + erf(x / sqrt 2)).
        bent = array("f", map(erf, self._scaled(wide, _ROOT_OF_HALF)))
        wide = memoryview(self._simd.fma(wide, bent, wide, alpha=0.5, beta=0.5))
        narrow = self._dense(wide, f"{name}.output.dense", (count, _WIDE, _DIM))
        return self._normalised(self._sum(narrow, states), f"{name}.output.LayerNorm")

    def _attended(self, name: str, rows: Any, count: int) -> Any:
        """What each token takes from the others; the values' bias once, as shares add up to 1."""
        context = array("f", bytes(4 * _DIM * count))
        into = memoryview(context)
        for head in range(_HEADS):
            taken = _flat(self._head(name, head, _grid(rows, count, _DIM), count))
            for place in range(count):
                at = place * _DIM + head * _SIZE
                into[at : at + _SIZE] = taken[place * _SIZE : (place + 1) * _SIZE]
        return self._sum(into, _tiled(self._weights[f"{name}.value.bias"], count))

    def _head(self, name: str, head: int, states: Any, count: int) -> Any:
        """What a head takes. The keys' bias adds the same to all scores of a token, and falls out;
        the queries' adds as much for each key."""
        begin, end = head * _SIZE * _DIM, (head + 1) * _SIZE * _DIM
        query, key, value = (
            _grid(self._weights[f"{name}.{part}.weight"][begin:end], _SIZE, _DIM)
            for part in ("query", "key", "value")
        )
        bias = self._weights[f"{name}.query.bias"][head * _SIZE : (head + 1) * _SIZE]
        keys = self._products(states, key)
        scores: Any = memoryview(self._products(self._products(states, query), keys))
        beside: Any = memoryview(self._products(_grid(bias, 1, _SIZE), keys))
        (others,) = beside.tolist()
        scale = _SIZE**-0.5
        shares = array("f")
        for line in scores.tolist():
            sums = [scale * (score + more) for score, more in zip(line, others, strict=True)]
            highest = max(sums)
            powers = [exp(score - highest) for score in sums]
            total = sum(powers)
            shares.extend([power / total for power in powers])
        return self._products(_grid(shares, count, count), self._products(value, states))

    def _dense(self, rows: Any, name: str, shape: tuple[int, int, int]) -> Any:
        count, inputs, outputs = shape
        weight = _grid(self._weights[f"{name}.weight"], outputs, inputs)
        made = _flat(self._products(_grid(rows, count, inputs), weight))
        return self._sum(made, _tiled(self._weights[f"{name}.bias"], count))

    def _normalised(self, rows: Any, name: str) -> Any:
        """Each row with mean 0 and spread 1, then with gain and bias."""
        gain, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        dot, ones = self._simd.dot, self._ones
        made = array("f")
        for row in _rows(rows):
            mean = dot(row, ones) / _DIM
            even = self._simd.wsum(row, ones, alpha=1.0, beta=-mean)
            scale = 1.0 / sqrt(dot(even, even) / _DIM + _EPSILON)
            shown = memoryview(self._simd.fma(even, gain, bias, alpha=scale, beta=1.0))
            made.frombytes(shown.cast("B"))
        return memoryview(made)

    def _products(self, one: Any, other: Any) -> Any:
        """The product of each row of one with each row of the other."""
        return self._simd.cdist(one, other, "dot", out_dtype="float32")

    def _sum(self, one: Any, other: Any) -> Any:
        return memoryview(self._simd.wsum(one, other, alpha=1.0, beta=1.0))

    def _scaled(self, rows: Any, factor: float) -> Any:
        return memoryview(self._simd.wsum(rows, rows, alpha=factor, beta=0.0))

    def pooled(self, states: Any) -> array[float]:
        """The mean of the states, of length one."""
        total = self._total(_rows(states))
        return self._divided(total, sqrt(self._simd.dot(total, total)))

    def shares(self, states: Any, owners: Sequence[str]) -> list[Share]:
        """The states between the two tokens around a text, added up by the word they belong to."""
        rows = [*_rows(states)][1:-1]
        whole = self._total(rows)
        length = sqrt(self._simd.dot(whole, whole)) or 1.0
        own: dict[str, list[Any]] = {}
        for owner, row in zip(owners, rows, strict=False):
            own.setdefault(owner, []).append(row)
        return [
            (word, self._divided(self._total(part), length), len(part) / len(rows))
            for word, part in own.items()
        ]

    def _total(self, rows: Iterable[Any]) -> Any:
        total: Any = memoryview(array("f", bytes(4 * _DIM)))
        for row in rows:
            total = self._sum(total, row)
        return total

    def _divided(self, row: Any, length: float) -> array[float]:
        return array("f", self._scaled(row, 1.0 / length).tobytes())


def _needed() -> Iterator[tuple[str, int]]:
    """The tensors of the network, and how many floats each must have at least."""
    for name in ("word", "position", "token_type"):
        yield f"embeddings.{name}_embeddings.weight", _DIM
    norms = ["embeddings.LayerNorm"]
    for layer in [f"encoder.layer.{number}" for number in range(_LAYERS)]:
        norms += [f"{layer}.{norm}" for norm in _NORMS]
        for name, (inputs, outputs) in _DENSE.items():
            yield f"{layer}.{name}.weight", inputs * outputs
            yield f"{layer}.{name}.bias", outputs
    for norm in norms:
        yield f"{norm}.weight", _DIM
        yield f"{norm}.bias", _DIM


def _grid(floats: Any, rows: int, columns: int) -> Any:
    return memoryview(floats).cast("B").cast("f", (rows, columns))


def _flat(grid: Any) -> Any:
    return memoryview(grid).cast("B").cast("f")


def _rows(floats: Any) -> Iterator[Any]:
    view = memoryview(floats)
    return (view[start : start + _DIM] for start in range(0, len(view), _DIM))


def _row(table: Any, number: int) -> Any:
    return table[number * _DIM : (number + 1) * _DIM]


def _tiled(row: Any, count: int) -> array[float]:
    return array("f", bytes(row) * count)
