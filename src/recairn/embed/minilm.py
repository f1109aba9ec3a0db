"""all-MiniLM-L6-v2 as a plain numpy forward pass over memory-mapped weights.

Nothing is copied, and only the pages that a text needs are read. A cold process with one short text
does not even import numpy, which would cost it more than all else (`short_minilm.py`).

Text beyond the window is dropped as the reference does; `recairn.embed.pieces` splits it first.
"""

from __future__ import annotations

import os
import sys
from array import array

from recairn.core.errors import ModelFailed, ModelMissing
from recairn.embed.encoder import Encoder, Shape, Tensors, import_numpy, useful_threads
from recairn.embed.wordpiece import VocabularyFile, WordPiece
from recairn.embed.wordpiece import words as words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Any

    from recairn.embed.encoder import Blas
    from recairn.embed.protocol import Share
    from recairn.embed.short_minilm import ShortEncoder

WEIGHTS_FILE = "model.safetensors"
VOCABULARY_FILE = "vocab.txt"
PULL_HINT = "recairn model pull minilm"

DIM = 384
SHAPE = Shape(layers=6, dim=DIM, heads=12, wide=4 * DIM)
WINDOW_TOKENS = 256  # what the model was trained and published with, [CLS] and [SEP] included
CLS, SEP = 101, 102

# The dense layers reach their full speed near 500 columns; a larger batch only takes memory.
BATCH_TOKENS = 512

# A window's worth of tokens is nearly always found in this many characters, so that embedding a
# megabyte does not tokenise a megabyte.
PREFIX_CHARACTERS = 8192
# A text of so many tokens is done without numpy sooner than with it: 19 took 27 ms of processor
# time, where numpy's import alone took 60; at some 42 both are alike. A process that asks so often
# stays, and has more of numpy.
SHORT_TOKENS = 40
SHORT_TEXTS = 2
# The longest word has 100 pieces, and the cut may have changed the last one.
PREFIX_SLACK_TOKENS = 128


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
        self._path = weights_path
        self._threads = threads or useful_threads()
        self._short: ShortEncoder | None = None
        self._short_texts = 0
        if "numpy" in sys.modules or not _has_numpy():
            self._load()
        else:
            from recairn.embed.short_minilm import ShortEncoder

            self._short = ShortEncoder(_mapped_floats(weights_path), PULL_HINT)
        try:
            self._tokens = WordPiece(VocabularyFile(vocabulary_path))
        except KeyError as error:
            raise ModelFailed(f"{vocabulary_path} has no token {error}", PULL_HINT) from None

    def _load(self) -> None:
        """Loads numpy, and the network over it."""
        self._np: Any
        self._blas: Blas | None
        self._np, self._blas = import_numpy("minilm", "minilm")
        tensors = read_safetensors(self._np, self._path)
        self._encoder = Encoder(self._np, Tensors(tensors, "minilm", PULL_HINT), SHAPE)
        self._short = None

    def _short_for(self, *texts: list[int]) -> ShortEncoder | None:
        """The network without numpy, where it is the quicker one; else numpy's is loaded."""
        self._short_texts += 1
        much = len(texts) > 1 or len(texts[0]) > SHORT_TOKENS or self._short_texts > SHORT_TEXTS
        if self._short is not None and (much or "numpy" in sys.modules):
            self._load()
        return self._short

    def embed_query(self, text: str) -> array[float]:
        return self.embed_documents([text])[0]

    def embed_question(self, text: str, words: Collection[str]) -> tuple[array[float], list[Share]]:
        """The same vector, and what each of the words adds to it: the sum of its tokens' states.

        The two tokens around the text belong to no word and are left out of the shares.
        """
        tokens = self._window(text)
        if not tokens:
            return array("f", bytes(4 * DIM)), []
        owners = [
            word if word in words else ""
            for word in words_of(text[:PREFIX_CHARACTERS])
            for _ in self._tokens.ids(word)
        ]
        known = len(owners) >= len(tokens) - 2
        encoder = self._short_for(tokens)
        if encoder is not None:
            rows = encoder.states(tokens)
            return encoder.pooled(rows), encoder.shares(rows, owners) if known else []
        before = self._blas.limit(1) if self._blas else 0
        try:
            states, spans = self._encoder.states([tokens])
        finally:
            if self._blas:
                self._blas.limit(before)
        vector = array("f", _pooled(self._np, states, spans)[0].tobytes())
        return vector, _shares(self._np, states[:, 1:-1], owners) if known else []

    def embed_documents(self, texts: Sequence[str]) -> list[array[float]]:
        """One vector for each text; all cores share the work when there is enough of it."""
        tokens = [self._window(text) for text in texts]
        vectors = [array("f", bytes(4 * DIM)) for _ in texts]
        if not any(tokens):
            return vectors
        encoder = self._short_for(*tokens)
        if encoder is not None:
            return [encoder.pooled(encoder.states(tokens[0]))]
        batches = list(_batches(tokens))

        def embed(batch: list[int]) -> None:
            rows = _pooled(self._np, *self._encoder.states([tokens[index] for index in batch]))
            for index, row in zip(batch, rows, strict=True):
                vectors[index] = array("f", row.tobytes())

        before = self._blas.limit(1) if self._blas else 0
        try:
            _run_all(batches, embed, self._threads)
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
        numbers = self._tokens.ids(text[:PREFIX_CHARACTERS])
        if len(text) > PREFIX_CHARACTERS and len(numbers) < most + PREFIX_SLACK_TOKENS:
            numbers = self._tokens.ids(text)
        return [CLS, *numbers[:most], SEP] if numbers else []


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


def read_safetensors(np: Any, path: str) -> dict[str, Any]:
    """The float32 tensors of the file by name, as views of the mapped file."""
    with _usable(path):
        return {
            name: np.frombuffer(floats, "<f4").reshape(shape)
            for name, (floats, shape) in _mapped(path).items()
        }


def _mapped_floats(path: str) -> dict[str, Any]:
    """The same as plain views of floats, one after another."""
    with _usable(path):
        return {name: floats.cast("f") for name, (floats, _) in _mapped(path).items()}


class _usable:
    """Whatever goes wrong with a file in a `with` means that it is not usable."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, (OSError, ValueError, KeyError, TypeError, AttributeError)):
            what = f"{self._path} is not a usable safetensors file: {error}"
            raise ModelFailed(what, PULL_HINT) from None


def _mapped(path: str) -> dict[str, tuple[memoryview, list[int]]]:
    """Where the float32 tensors of a file lie in it as it is mapped, and their shapes."""
    import mmap

    from recairn.core.fastjson import loads

    with open(path, "rb") as file:
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    begin = 8 + int.from_bytes(mapped[:8], "little")
    header = loads(bytes(mapped[8:begin]).decode())
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            tensors[name] = mapped[begin + first : begin + last], entry["shape"]
    return tensors


def _has_numpy() -> bool:
    """Whether numpy is there to be imported; that is not done."""
    from _frozen_importlib_external import PathFinder

    return PathFinder.find_spec("numpy") is not None


def _run_all(batches: list[list[int]], work: Callable[[list[int]], None], threads: int) -> None:
    if len(batches) < 2 or threads < 2:
        for batch in batches:
            work(batch)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(threads, len(batches))) as pool:
        for _ in pool.map(work, batches):
            pass
