"""all-MiniLM-L6-v2 as a plain numpy forward pass over memory-mapped weights.

A cold process pays for numpy's import, then little more: nothing is copied, and only the pages that
a text needs are read. Activations lie feature by token (384 x tokens): the weights are then used as
stored, on the left, which is a fifth faster for short texts, and splitting into heads is a reshape.
Texts of a batch are laid side by side without padding, so there is no mask to apply.

Text beyond the window is dropped as the reference does; `recairn.embed.pieces` splits it first.
"""

from __future__ import annotations

import os
import sys
from array import array

from recairn.core.errors import ModelFailed, ModelMissing
from recairn.embed.wordpiece import VocabularyFile, WordPiece
from recairn.embed.wordpiece import words as words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Any

    from recairn.embed.protocol import Share

WEIGHTS_FILE = "model.safetensors"
VOCABULARY_FILE = "vocab.txt"
PULL_HINT = "recairn model pull minilm"

DIM = 384
HEADS = 12
LAYERS = 6
WINDOW_TOKENS = 256  # what the model was trained and published with, [CLS] and [SEP] included
CLS, SEP = 101, 102
LAYER_NORM_EPSILON = 1e-12

# The dense layers reach their full speed near 500 columns; a larger batch only takes memory.
BATCH_TOKENS = 512

# Beyond this many threads the memory bus is the limit.
MOST_THREADS = 8

# A window's worth of tokens is nearly always found in this many characters, so that embedding a
# megabyte does not tokenise a megabyte.
PREFIX_CHARACTERS = 8192
# The longest word has 100 pieces, and the cut may have changed the last one.
PREFIX_SLACK_TOKENS = 128

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


class MiniLM:
    """The embedder; it is ready when constructed and may be shared by threads."""

    name = "minilm"
    revision = "53aa51172d14"  # the beginning of the SHA-256 of the weights
    dim = DIM
    window_tokens = WINDOW_TOKENS

    def __init__(self, folder: str, *, threads: int | None = None) -> None:
        """Raises ModelMissing when the weights or numpy are not there, ModelFailed when damaged."""
        weights_path = os.path.join(folder, WEIGHTS_FILE)
        vocabulary_path = os.path.join(folder, VOCABULARY_FILE)
        for path in (weights_path, vocabulary_path):
            if not os.path.exists(path):
                raise ModelMissing(f"minilm is not installed: there is no {path}", PULL_HINT)
        self._np, self._blas = _import_numpy()
        self._threads = threads or min(_usable_cores(), MOST_THREADS)
        self._weights = _Weights(self._np, _read_safetensors(self._np, weights_path))
        try:
            self._tokens = WordPiece(VocabularyFile(vocabulary_path))
        except KeyError as error:
            raise ModelFailed(f"{vocabulary_path} has no token {error}", PULL_HINT) from None

    def embed_query(self, text: str) -> array[float]:
        return self.embed_documents([text])[0]

    def embed_question(self, text: str, words: Collection[str]) -> tuple[array[float], list[Share]]:
        """The same vector, and what each of the words adds to it: the sum of its tokens' states.

        The two tokens around the text belong to no word and are left out of the shares.
        """
        tokens = self._window(text)
        if not tokens:
            return array("f", bytes(4 * DIM)), []
        before = self._blas.limit(1) if self._blas else 0
        try:
            states, spans = self._states([tokens])
        finally:
            if self._blas:
                self._blas.limit(before)
        vector = array("f", _pooled(self._np, states, spans)[0].tobytes())
        owners = [
            word if word in words else ""
            for word in words_of(text[:PREFIX_CHARACTERS])
            for _ in self._tokens.ids(word)
        ]
        if len(owners) < len(tokens) - 2:
            return vector, []
        return vector, _shares(self._np, states[:, 1:-1], owners)

    def embed_documents(self, texts: Sequence[str]) -> list[array[float]]:
        """One vector for each text; all cores share the work when there is enough of it."""
        tokens = [self._window(text) for text in texts]
        vectors = [array("f", bytes(4 * DIM)) for _ in texts]
        batches = list(_batches(tokens))

        def embed(batch: list[int]) -> None:
            rows = _pooled(self._np, *self._states([tokens[index] for index in batch]))
            for index, row in zip(batch, rows, strict=True):
                vectors[index] = array("f", row.tobytes())

        before = self._blas.limit(1) if self._blas else 0
        try:
            _for_each(batches, embed, self._threads)
        finally:
            if self._blas:
                self._blas.limit(before)
        return vectors

    def count_tokens(self, text: str) -> int:
        """How many tokens the whole text has, without the two that mark its ends."""
        return len(self._tokens.ids(text))

    def _window(self, text: str) -> list[int]:
        """The token numbers that the model sees; none for a text without tokens."""
        most = WINDOW_TOKENS - 2
        found = self._tokens.ids(text[:PREFIX_CHARACTERS])
        if len(text) > PREFIX_CHARACTERS and len(found) < most + PREFIX_SLACK_TOKENS:
            found = self._tokens.ids(text)
        return [CLS, *found[:most], SEP] if found else []

    def _states(self, batch: list[list[int]]) -> tuple[Any, list[tuple[int, int]]]:
        """One column for each token, and which columns are each text's."""
        np, weights = self._np, self._weights
        spans = _spans(batch)
        # exp may overflow to infinity inside gelu; x / infinity is the zero that is wanted.
        with np.errstate(over="ignore"):
            states = weights.embed(batch)
            for layer in weights.layers:
                states = layer.forward(np, states, spans)
        return states, spans


class _Weights:
    """The tensors by their place in the network."""

    def __init__(self, np: Any, tensors: dict[str, Any]) -> None:
        self._np = np
        take = _Tensors(tensors)
        self._words = take("embeddings.word_embeddings.weight", None, DIM)
        self._positions = take("embeddings.position_embeddings.weight", None, DIM)
        self._type = take("embeddings.token_type_embeddings.weight", 2, DIM)[0]
        self._norm = take.norm("embeddings.LayerNorm")
        self.layers = [_Layer(take, f"encoder.layer.{number}") for number in range(LAYERS)]

    def embed(self, batch: list[list[int]]) -> Any:
        np = self._np
        numbers = [number for tokens in batch for number in tokens]
        places = [place for tokens in batch for place in range(len(tokens))]
        rows = self._words[numbers]
        rows += self._positions[places]
        rows += self._type
        return _layer_norm(np, np.ascontiguousarray(rows.T), *self._norm)


class _Tensors:
    """Hands out tensors by name and refuses those of another shape."""

    def __init__(self, tensors: dict[str, Any]) -> None:
        self._tensors = tensors

    def __call__(self, name: str, *shape: int | None) -> Any:
        tensor = self._tensors.get(name)
        got = () if tensor is None else tensor.shape
        if len(got) != len(shape) or any(
            wanted not in (None, size) for wanted, size in zip(shape, got, strict=True)
        ):
            raise ModelFailed(f"the minilm weights have no usable tensor {name}", PULL_HINT)
        return tensor

    def dense(self, name: str, inputs: int, outputs: int) -> tuple[Any, Any]:
        bias = self(f"{name}.bias", outputs)
        return self(f"{name}.weight", outputs, inputs), bias[:, None]

    def norm(self, name: str) -> tuple[Any, Any]:
        return self(f"{name}.weight", DIM)[:, None], self(f"{name}.bias", DIM)[:, None]


class _Layer:
    """One transformer layer."""

    def __init__(self, take: _Tensors, name: str) -> None:
        self._query = take.dense(f"{name}.attention.self.query", DIM, DIM)
        self._key = take.dense(f"{name}.attention.self.key", DIM, DIM)
        self._value = take.dense(f"{name}.attention.self.value", DIM, DIM)
        self._mixed = take.dense(f"{name}.attention.output.dense", DIM, DIM)
        self._mixed_norm = take.norm(f"{name}.attention.output.LayerNorm")
        self._wide = take.dense(f"{name}.intermediate.dense", DIM, 4 * DIM)
        self._narrow = take.dense(f"{name}.output.dense", 4 * DIM, DIM)
        self._norm = take.norm(f"{name}.output.LayerNorm")

    def forward(self, np: Any, states: Any, spans: list[tuple[int, int]]) -> Any:
        attended = _dense(self._attend(np, states, spans), self._mixed)
        attended += states
        states = _layer_norm(np, attended, *self._mixed_norm)
        widened = _dense(states, self._wide)
        _gelu(np, widened)
        narrowed = _dense(widened, self._narrow)
        narrowed += states
        return _layer_norm(np, narrowed, *self._norm)

    def _attend(self, np: Any, states: Any, spans: list[tuple[int, int]]) -> Any:
        """Every text looks at itself alone."""
        queries = _dense(states, self._query)
        queries *= (DIM // HEADS) ** -0.5
        keys, values = _dense(states, self._key), _dense(states, self._value)
        context = np.empty_like(states)
        for start, end in spans:
            heads = (HEADS, DIM // HEADS, end - start)
            query, key, value, into = (
                part[:, start:end].reshape(heads) for part in (queries, keys, values, context)
            )
            scores = np.matmul(query.transpose(0, 2, 1), key)
            scores -= scores.max(axis=2, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=2, keepdims=True)
            into[...] = np.matmul(value, scores.transpose(0, 2, 1))
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


def _pooled(np: Any, states: Any, spans: list[tuple[int, int]]) -> Any:
    """One row for each text: the mean over its tokens, of length one."""
    pooled = np.stack([states[:, start:end].mean(axis=1) for start, end in spans])
    pooled /= np.sqrt(np.einsum("ij,ij->i", pooled, pooled))[:, None]
    return pooled.astype("f4", copy=False)


def _shares(np: Any, states: Any, owners: list[str]) -> list[Share]:
    """The tokens' states added up by word; every token is as large a part as any other."""
    count = states.shape[1]
    length = float(np.linalg.norm(states.sum(axis=1))) or 1.0
    columns: dict[str, list[int]] = {}
    for column, word in enumerate(owners[:count]):
        columns.setdefault(word, []).append(column)
    return [
        (word, array("f", (states[:, own].sum(axis=1) / length).tobytes()), len(own) / count)
        for word, own in columns.items()
    ]


def _spans(batch: list[list[int]]) -> list[tuple[int, int]]:
    spans, start = [], 0
    for tokens in batch:
        spans.append((start, start + len(tokens)))
        start += len(tokens)
    return spans


def _batches(tokens: list[list[int]]) -> Iterator[list[int]]:
    """Indexes of the texts that have tokens; the longest first, so no core ends on a big one."""
    order = sorted((i for i, ids in enumerate(tokens) if ids), key=lambda i: -len(tokens[i]))
    batch: list[int] = []
    held = 0
    for index in order:
        if batch and held + len(tokens[index]) > BATCH_TOKENS:
            yield batch
            batch, held = [], 0
        batch.append(index)
        held += len(tokens[index])
    if batch:
        yield batch


def _read_safetensors(np: Any, path: str) -> dict[str, Any]:
    """The float32 tensors of the file by name, as views of the mapped file."""
    import mmap

    from recairn.core.fastjson import loads

    try:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        begin = 8 + int.from_bytes(mapped[:8], "little")
        header = loads(mapped[8:begin].decode())
        header.pop("__metadata__", None)
        tensors = {}
        for name, entry in header.items():
            if entry["dtype"] == "F32":
                first, last = entry["data_offsets"]
                count = (last - first) // 4
                flat = np.frombuffer(mapped, "<f4", count=count, offset=begin + first)
                tensors[name] = flat.reshape(entry["shape"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelFailed(f"{path} is not a usable safetensors file: {error}", PULL_HINT) from None
    return tensors


def _for_each(batches: list[list[int]], work: Callable[[list[int]], None], threads: int) -> None:
    if len(batches) < 2 or threads < 2:
        for batch in batches:
            work(batch)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(threads, len(batches))) as pool:
        for _ in pool.map(work, batches):
            pass


def _import_numpy() -> tuple[Any, Blas | None]:
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
        raise ModelMissing("minilm needs numpy", "pip install 'recairn[minilm]'") from None
    finally:
        if ours:
            del os.environ[variable]
    return numpy, None if ours else Blas.of(numpy)


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


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
