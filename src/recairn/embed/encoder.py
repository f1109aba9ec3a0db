"""A BERT-shaped encoder as a plain numpy forward pass: token numbers to token states.

Activations lie feature by token (dimension x tokens): the weights are then used as stored, on the
left, which is a fifth faster for short texts, and splitting into heads is a reshape. Texts of a
batch are laid side by side without padding, so there is no mask to apply.
"""

from __future__ import annotations

import os
import sys

from recairn.core.errors import ModelFailed, ModelMissing
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Span = tuple[int, int]

LAYER_NORM_EPSILON = 1e-12

# GELU is x / (1 + exp(-x R(x²))) with R(x²) = log(Phi(x) / Phi(-x)) / x. These are the coefficients
# of -R from x⁰ to x¹⁰, fitted for |x| <= 5.5: the largest error is 7e-7 of max(1, |x|), which is
# float32's own, without scipy's erf. Past the edge R stays what it is there.
GELU_COEFFICIENTS = (
    -1.595745862,
    -0.0727298346,
    0.0001147113912,
    9.47961725e-05,
    -5.624956105e-06,
    1.1421811e-07,
)
GELU_EDGE_SQUARED = 5.5 * 5.5
# Floats worked on at a time: two such blocks fit the second-level cache.
GELU_BLOCK = 16_384
# Of threads that share the work.
_MOST_THREADS = 8


@record
class Shape:
    """How large an encoder is."""

    layers: int
    dim: int
    heads: int
    wide: int  # between the two dense layers behind the attention


class Tensors:
    """Hands out tensors by name and refuses those of another shape."""

    def __init__(self, tensors: Mapping[str, Any], whose: str, hint: str) -> None:
        self._tensors = tensors
        self._whose, self._hint = whose, hint

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def __call__(self, name: str, *shape: int | None) -> Any:
        tensor = self._tensors.get(name)
        got = () if tensor is None else tensor.shape
        if len(got) != len(shape) or any(
            wanted not in (None, size) for wanted, size in zip(shape, got, strict=True)
        ):
            raise ModelFailed(f"the {self._whose} weights have no usable tensor {name}", self._hint)
        return tensor

    def dense(self, name: str, inputs: int, outputs: int) -> tuple[Any, Any]:
        bias = self(f"{name}.bias", outputs)
        return self(f"{name}.weight", outputs, inputs), bias[:, None]

    def norm(self, name: str, dim: int) -> tuple[Any, Any]:
        return self(f"{name}.weight", dim)[:, None], self(f"{name}.bias", dim)[:, None]


class Encoder:
    """The network: its tensors by their place, and the pass through them."""

    def __init__(self, np: Any, take: Tensors, shape: Shape) -> None:
        """Tensors are named as BERT's are, from `embeddings.word_embeddings.weight` on."""
        self._np = np
        dim = shape.dim
        self._words = take("embeddings.word_embeddings.weight", None, dim)
        self._positions = take("embeddings.position_embeddings.weight", None, dim)
        self._types = take("embeddings.token_type_embeddings.weight", 2, dim)
        self._norm = take.norm("embeddings.LayerNorm", dim)
        self._layers = [
            _Layer(take, f"encoder.layer.{number}", shape) for number in range(shape.layers)
        ]

    def states(
        self, batch: Sequence[Sequence[int]], seconds: Sequence[int] | None = None
    ) -> tuple[Any, list[Span]]:
        """One column for each token, and which columns are each text's.

        `seconds` says for each text where its second part begins, which has a type of its own.
        """
        np = self._np
        spans = _spans(batch)
        # exp may overflow to infinity inside gelu; x / infinity is the zero that is wanted.
        with np.errstate(over="ignore"):
            states = self.embedded(batch, seconds)
            for layer in self._layers:
                states = layer.forward(np, states, spans, spans)
        return states, spans

    def first_states(
        self, batch: Sequence[Sequence[int]], seconds: Sequence[int] | None = None
    ) -> Any:
        """One column for each text: its first token's, for which alone the last layer works."""
        np = self._np
        spans = _spans(batch)
        firsts = [(start, start + 1) for start, _ in spans]
        with np.errstate(over="ignore"):
            states = self.embedded(batch, seconds)
            for layer in self._layers[:-1]:
                states = layer.forward(np, states, spans, spans)
            for layer in self._layers[-1:]:
                return layer.forward(np, states, spans, firsts)
        return states[:, [start for start, _ in spans]]

    def embedded(self, batch: Sequence[Sequence[int]], seconds: Sequence[int] | None = None) -> Any:
        """What goes into the first layer: the vectors of words, places and types, normalised."""
        np = self._np
        numbers = [number for tokens in batch for number in tokens]
        places = [place for tokens in batch for place in range(len(tokens))]
        rows = self._words[numbers]
        rows += self._positions[places]
        if seconds is None:
            rows += self._types[0]
        else:
            rows += self._types[
                [
                    int(place >= second)
                    for tokens, second in zip(batch, seconds, strict=True)
                    for place in range(len(tokens))
                ]
            ]
        return _layer_norm(np, np.ascontiguousarray(rows.T), *self._norm)


class _Layer:
    """One transformer layer."""

    def __init__(self, take: Tensors, name: str, shape: Shape) -> None:
        dim = shape.dim
        self._heads = shape.heads
        self._query = take.dense(f"{name}.attention.self.query", dim, dim)
        self._key = take.dense(f"{name}.attention.self.key", dim, dim)
        self._value = take.dense(f"{name}.attention.self.value", dim, dim)
        self._mixed = take.dense(f"{name}.attention.output.dense", dim, dim)
        self._mixed_norm = take.norm(f"{name}.attention.output.LayerNorm", dim)
        self._wide = take.dense(f"{name}.intermediate.dense", dim, shape.wide)
        self._narrow = take.dense(f"{name}.output.dense", shape.wide, dim)
        self._norm = take.norm(f"{name}.output.LayerNorm", dim)

    def forward(self, np: Any, states: Any, spans: list[Span], wanted: list[Span]) -> Any:
        """The states that come out, of the wanted part of each text alone."""
        own = states
        if wanted is not spans:
            own = np.ascontiguousarray(
                np.concatenate([states[:, start:end] for start, end in wanted], axis=1)
            )
        attended = _dense(self._attend(np, states, own, spans), self._mixed)
        attended += own
        states = _layer_norm(np, attended, *self._mixed_norm)
        widened = _dense(states, self._wide)
        _gelu(np, widened)
        narrowed = _dense(widened, self._narrow)
        narrowed += states
        return _layer_norm(np, narrowed, *self._norm)

    def _attend(self, np: Any, states: Any, own: Any, spans: list[Span]) -> Any:
        """Every text looks at itself alone; `own` are the states that look."""
        size = len(states) // self._heads
        queries = _dense(own, self._query)
        queries *= size**-0.5
        keys, values = _dense(states, self._key), _dense(states, self._value)
        context = np.empty_like(own)
        at = 0
        for start, end in spans:
            key, value = (
                part[:, start:end].reshape(self._heads, size, end - start)
                for part in (keys, values)
            )
            width = end - start if own is states else 1
            query, into = (
                part[:, at : at + width].reshape(self._heads, size, width)
                for part in (queries, context)
            )
            scores = np.matmul(query.transpose(0, 2, 1), key)
            scores -= scores.max(axis=2, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=2, keepdims=True)
            into[...] = np.matmul(value, scores.transpose(0, 2, 1))
            at += width
        return context


def _dense(states: Any, parameters: tuple[Any, Any]) -> Any:
    weight, bias = parameters
    result = weight @ states
    result += bias
    return result


def _layer_norm(np: Any, states: Any, gain: Any, bias: Any) -> Any:
    """Normalises each column in place."""
    states -= states.mean(axis=0)
    spread = np.square(states).mean(axis=0)
    spread += LAYER_NORM_EPSILON
    states /= np.sqrt(spread, out=spread)
    states *= gain
    states += bias
    return states


def _gelu(np: Any, states: Any) -> None:
    """Replaces x by x Phi(x) in place, block by block so that every pass stays in the cache."""
    flat = states.reshape(-1)
    squares = np.empty(min(GELU_BLOCK, len(flat)), "f4")
    exponents = np.empty_like(squares)
    highest, *rest = reversed(GELU_COEFFICIENTS)
    for start in range(0, len(flat), GELU_BLOCK):
        x = flat[start : start + GELU_BLOCK]
        square, exponent = squares[: len(x)], exponents[: len(x)]
        np.multiply(x, x, out=square)
        np.minimum(square, GELU_EDGE_SQUARED, out=square)
        exponent[...] = highest
        for coefficient in rest:
            exponent *= square
            exponent += coefficient
        exponent *= x
        np.exp(exponent, out=exponent)
        exponent += 1.0
        x /= exponent


def _spans(batch: Sequence[Sequence[int]]) -> list[Span]:
    spans, start = [], 0
    for tokens in batch:
        spans.append((start, start + len(tokens)))
        start += len(tokens)
    return spans


def import_numpy(whose: str, extra: str) -> tuple[Any, Blas | None]:
    """numpy, with a BLAS of one thread; the switch for it when somebody else imported numpy first.

    With a BLAS thread for every core, one short question took 0.5-1 s on a busy machine: the
    threads wait for each other at every one of the small products. Bulk work uses threads of our
    own, one for each batch, which was also faster there (10 against 4 texts/s). BLAS reads the
    variable once, while it is loaded, so it is taken back and child processes never see it.
    """
    variable = "OPENBLAS_NUM_THREADS"
    loaded = "numpy" in sys.modules
    ours = not loaded and variable not in os.environ
    if ours:
        os.environ[variable] = "1"
    try:
        import numpy
    except ImportError:
        raise ModelMissing(f"{whose} needs numpy", f"pip install 'recairn[{extra}]'") from None
    finally:
        if ours:
            del os.environ[variable]
    return numpy, None if ours else Blas.of(numpy)


def useful_threads() -> int:
    """As many as this process may use cores; beyond some the memory bus is the limit."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _MOST_THREADS)
    return min(os.cpu_count() or 1, _MOST_THREADS)


class Blas:
    """The number of threads of a BLAS that is already loaded, so that it can be put back."""

    def __init__(self, get: Callable[[], int], put: Callable[[int], object]) -> None:
        self._get = get
        self._put = put

    def limit(self, threads: int) -> int:
        """Set the number and return the one before."""
        before = self._get()
        self._put(threads)
        return before

    @classmethod
    def of(cls, numpy: Any) -> Blas | None:
        """The OpenBLAS inside numpy's wheel; None for a numpy that was built another way."""
        import ctypes
        import glob

        package = os.path.dirname(numpy.__file__)
        for pattern in (f"{package}.libs/*openblas*", f"{package}/.dylibs/*openblas*"):
            for path in glob.glob(pattern):
                library = ctypes.CDLL(path)
                for name in ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_"):
                    get = getattr(library, name.format("get"), None)
                    put = getattr(library, name.format("set"), None)
                    if get and put:
                        return cls(get, put)
        return None
