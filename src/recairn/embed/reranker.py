"""A reranker of our own: a small encoder that reads a question and a memory together.

It sees `[CLS] question [SEP] memory [SEP]`, and says with one number how well the memory answers.
One file holds the whole model (`tools/reranker_file.py` writes it):

    8 bytes   RCRERANK
    2 + 2     version 1, and 0 (little endian, as all numbers here)
    4         length of the header in bytes
    header    JSON, then zeros up to a multiple of 64: here the data begins
    data      tensors and the vocabulary, each at a multiple of 64

The header has `name`, `revision` (the beginning of the SHA-256 of the data), `licence`, `layers`,
`dim`, `heads`, `wide`, `window` (tokens), `question` (tokens of it that a question takes at most),
`segments` (whether question and memory have token types of their own), `pooling` (mean or first: of
which tokens' states the number is made), `weight` (how much its word counts beside a score made
with the embedding model of that name; "": with words alone, "*": with any other), `vocabulary`
({"at", "size"}: a token in each line) and `tensors`. Of a tensor, named as BERT names them, it says
{"type", "shape", "at"}; the types are

    f4, f2    floats of four or two bytes
    i8        a signed byte for each number, times the scale of its row: {"scales"} is their place
    i4        the same in four bits, the lower half of a byte first, rows filled up to whole bytes

`head.weight` [1, dim] and `head.bias` [1] make the number from the mean of all tokens' states, or
from the first token's. Word vectors may be shorter than dim: `embeddings.projection.weight` [dim,
length] makes them whole.
"""

from __future__ import annotations

import re
import time

from recairn.core.errors import ModelFailed, ModelMissing
from recairn.core.words import STOP_WORDS, words
from recairn.embed.encoder import Encoder, Shape, Tensors, import_numpy
from recairn.embed.onnx_runtime import Quantised, has_onnxruntime, started
from recairn.embed.wordpiece import WordPiece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.embed.encoder import Blas

MAGIC, VERSION = b"RCRERANK", 1
HEAD_BYTES = 16
WORDS, PROJECTION = "embeddings.word_embeddings.weight", "embeddings.projection.weight"
ALIGNMENT = 64
# Tokens worked on at a time: the dense layers reach their full speed near so many columns.
BATCH_TOKENS = 512
# Characters of a question that are looked at, and of a text for each token that fits the window:
# beyond, its tokens would not.
MOST_CHARACTERS, CHARACTERS_PER_TOKEN = 4_000, 12


class Reranker:
    """The model of one file; it is ready when constructed and may be shared by threads."""

    def __init__(
        self,
        path: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        onnxruntime: bool | None = None,
    ) -> None:
        """Raises ModelMissing when the file or numpy is not there, ModelFailed when damaged.

        Where onnxruntime is installed, it runs the layers in bytes, which takes half the time.
        """
        self._clock = clock
        self._np, self._blas = import_numpy("the reranker", "reranker")
        header, data = _read(path)
        try:
            self.name, self.revision = str(header["name"]), str(header["revision"])
            self._weights = {
                str(model): float(header["weight"][model]) for model in header["weight"]
            }
            self._usual_weight = self._weights["*"]
            self._window, self._question = int(header["window"]), int(header["question"])
            self._segments = bool(header["segments"])
            self._first = {"first": True, "mean": False}[header["pooling"]]
            shape = Shape(*(int(header[name]) for name in ("layers", "dim", "heads", "wide")))
            start, size = header["vocabulary"]["at"], header["vocabulary"]["size"]
            vocabulary = bytes(data[start : start + size]).decode().split("\n")
            numbers = {token: number for number, token in enumerate(vocabulary)}
            self._tokens = WordPiece(numbers)
            self._begin, self._end = numbers["[CLS]"], numbers["[SEP]"]
            tensors = {
                name: _tensor(self._np, entry, data) for name, entry in header["tensors"].items()
            }
            rows = tensors[WORDS] = _Rows(tensors[WORDS], tensors.pop(PROJECTION, None))
            self._session = None
            if onnxruntime is not False and _in_bytes(tensors):
                self._session = _session(self._np, tensors, shape, first=self._first)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(path, error) from None
        if self._session is not None:
            shape = Shape(0, shape.dim, shape.heads, shape.wide)
        whole = {
            name: tensor if tensor is rows else _floats(tensor) for name, tensor in tensors.items()
        }
        take = Tensors(whole, "reranker", "install it anew")
        self._encoder = Encoder(self._np, take, shape)
        self._head = take("head.weight", 1, shape.dim)[0]
        self._bias = float(take("head.bias", 1)[0])

    def weight_beside(self, model: str | None) -> float:
        """How much its word counts beside a score that was made with that embedding model."""
        return self._weights.get(model or "", self._usual_weight)

    def scores(
        self, question: str, texts: Sequence[str], until: float | None = None
    ) -> list[float]:
        """How well each text answers, on a scale of its own; of the first texts alone, where the
        clock would pass `until` before all of them are read."""
        asked = self._tokens.ids(question[:MOST_CHARACTERS])[: self._question]
        room = max(0, self._window - len(asked) - 3)
        most = room * CHARACTERS_PER_TOKEN
        parts = [text[:most] for text in passages(question, texts, room)]
        pairs = [self._pair(asked, tokens[:room]) for tokens in self._tokens.ids_of(parts)]
        logits: list[float] = []
        started = self._clock()
        if until is not None and started >= until:
            return []
        read = 0
        with _OneThread(self._blas):
            for batch in _batches(pairs):
                coming = sum(len(tokens) for tokens, _ in batch)
                now = self._clock()
                if until is not None and read and now + (now - started) / read * coming > until:
                    break
                logits += self._read(batch)
                read += coming
        return logits

    def _pair(self, asked: list[int], answering: list[int]) -> tuple[list[int], int]:
        """The tokens of question and text together, and where the text begins."""
        first = [self._begin, *asked, self._end]
        return [*first, *answering, self._end], len(first)

    def _read(self, batch: list[tuple[list[int], int]]) -> list[float]:
        seconds = [begin for _, begin in batch] if self._segments else None
        texts = [tokens for tokens, _ in batch]
        if self._session is None and self._first:
            firsts = self._encoder.first_states(texts, seconds)
            return [float(value) + self._bias for value in self._head @ firsts]
        if self._session is None:
            states, spans = self._encoder.states(texts, seconds)
            numbers = self._head @ states
            return [float(numbers[start:end].mean()) + self._bias for start, end in spans]
        embedded = self._np.ascontiguousarray(self._encoder.embedded(texts, seconds).T)
        outputs, start = [], 0
        for tokens in texts:
            own = embedded[None, start : start + len(tokens)]
            (states,) = self._session.run(None, {"embedded": own})
            pooled = states[0, 0] if self._first else states[0].mean(axis=0)
            outputs.append(float(pooled @ self._head) + self._bias)
            start += len(tokens)
        return outputs


class _Rows:
    """Word vectors that are made when they are asked for: most words stand in no text at hand."""

    def __init__(self, table: Any, projection: Any) -> None:
        self._table = table
        self._projection = None if projection is None else _floats(projection)
        length = table.shape[1] if projection is None else projection.shape[0]
        self.shape = (table.shape[0], length)

    def __getitem__(self, rows: list[int]) -> Any:
        vectors = _floats(self._table, rows)
        return vectors if self._projection is None else vectors @ self._projection.T


class _OneThread:
    """Keeps a BLAS that somebody else imported at one thread for a while."""

    def __init__(self, blas: Blas | None) -> None:
        self._blas, self._before = blas, 0

    def __enter__(self) -> None:
        if self._blas:
            self._before = self._blas.limit(1)

    def __exit__(self, *_: object) -> None:
        if self._blas:
            self._blas.limit(self._before)


def _batches(pairs: list[tuple[list[int], int]]) -> Iterator[list[tuple[list[int], int]]]:
    """The pairs in their order, so that the best are read first."""
    batch: list[tuple[list[int], int]] = []
    held = 0
    for pair in pairs:
        if batch and held + len(pair[0]) > BATCH_TOKENS:
            yield batch
            batch, held = [], 0
        batch.append(pair)
        held += len(pair[0])
    if batch:
        yield batch


def _read(path: str) -> tuple[dict[str, Any], memoryview]:
    """The header of the file, and its data as a view of the mapped file."""
    import mmap

    from recairn.core.fastjson import loads

    try:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise ModelMissing(f"the reranker is not installed: there is no {path}") from None
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from None
    try:
        if mapped[:8] != MAGIC or int.from_bytes(mapped[8:10], "little") != VERSION:
            raise ValueError("it does not begin as one")
        end = HEAD_BYTES + int.from_bytes(mapped[12:16], "little")
        header = loads(mapped[HEAD_BYTES:end].decode())
        if not isinstance(header, dict):
            raise ValueError("its header is no object")
    except ValueError as error:
        raise _damaged(path, error) from None
    return header, memoryview(mapped)[-(-end // ALIGNMENT) * ALIGNMENT :]


def _damaged(path: str, error: Exception) -> ModelFailed:
    return ModelFailed(f"{path} is not a usable reranker: {error}", "install it anew")


def _tensor(np: Any, entry: Mapping[str, Any], data: memoryview) -> Any:
    """A tensor as it is kept: floats, or bytes with a scale for each row."""
    kind, shape, at = entry["type"], entry["shape"], entry["at"]
    if kind in ("f4", "f2"):
        return np.frombuffer(data, f"<{kind}", int(np.prod(shape)), at).reshape(shape)
    count, length = shape
    scales = np.frombuffer(data, "<f4", count, entry["scales"])
    if kind == "i8":
        codes = np.frombuffer(data, "i1", count * length, at).reshape(shape)
        return Quantised._make((codes, scales))
    if kind != "i4":
        raise ValueError(f"there is no type {kind!r}")
    packed = np.frombuffer(data, "u1", count * ((length + 1) // 2), at).reshape(count, -1)
    codes = np.stack([packed & 15, packed >> 4], -1).reshape(count, -1)[:, :length]
    return Quantised._make((codes.astype("i1") - 8, scales))


def _floats(tensor: Any, rows: Any = slice(None)) -> Any:
    """The numbers of a tensor, or of some of its rows."""
    if isinstance(tensor, Quantised):
        return tensor.codes[rows] * tensor.scales[rows][:, None]
    return tensor[rows].astype("f4")


def _in_bytes(tensors: Mapping[str, Any]) -> bool:
    """Whether the layers are kept so that onnxruntime gains something by running them."""
    first = tensors.get("encoder.layer.0.output.dense.weight")
    return isinstance(first, Quantised) and has_onnxruntime()


def _session(np: Any, tensors: Mapping[str, Any], shape: Shape, *, first: bool) -> Any:
    from recairn.embed.onnx_runtime import layers_graph

    # One thread: a search is not worth waking the others up for.
    return started(layers_graph(np, tensors, shape, first=first), threads=1)


# What of a long text is read

# Characters up to which a text is read from its beginning: an abstract, a report. What the
# reranker learnt from was seldom longer, and there a passage gains nothing.
_SHORT = 1_000
# Characters that are looked through for a passage.
_MOST = 20_000
# Characters of English text for each token, on the safe side.
_ENGLISH_CHARACTERS = 4.2
# The share of the room that the beginning takes at most.
_BEGINNING = 0.35
# What a word such as "my" or "did" counts beside another.
_STOP_WORD = 0.25
# Letters by which forms of a word are the same: retry, retries, retrying.
_STEM = 6
_SENTENCE_END = r"(?<=[.!?:;])\s+|(?<=[\u3002\uff01\uff1f])|\n+"
# Characters of a sentence: what goes on longer is cut, as a log or a list without a full stop is.
_SENTENCE = 240


def passages(question: str, texts: Sequence[str], room: int) -> list[str]:
    """What is to be read of each text in so many tokens."""
    longest = int(room * _ENGLISH_CHARACTERS)
    short = max(_SHORT, longest)
    if all(len(text) <= short for text in texts):
        return list(texts)
    asked = {word[:_STEM]: _STOP_WORD if word in STOP_WORDS else 1.0 for word in words(question)}
    return [text if len(text) <= short else _passage(text, asked, longest) for text in texts]


def _passage(text: str, asked: Mapping[str, float], longest: int) -> str:
    """The beginning, and the text from the sentence on after which most of the question comes."""
    sentences = _sentences(text[:_MOST])
    held = [{word[:_STEM] for word in words(sentence)} & asked.keys() for sentence in sentences]
    beginning = sentences[0][: int(longest * _BEGINNING)] if sentences else ""
    best, start = 0.0, 0
    for number, own in enumerate(held):
        if number and not own:
            continue
        left = longest - (len(beginning) if number else 0)
        read = set(held[0])
        for at in range(number, len(sentences)):
            left -= len(sentences[at])
            if left < 0 and at > number:
                break
            read |= held[at]
        worth = sum(asked[stem] for stem in read)
        if worth > best:
            best, start = worth, number
    return "\n".join([beginning, *sentences[start:]]) if start else text


def _sentences(text: str) -> list[str]:
    pieces = [piece for piece in re.split(_SENTENCE_END, text) if not piece.isspace()]
    return [
        piece[begin : begin + _SENTENCE]
        for piece in pieces
        for begin in range(0, len(piece), _SENTENCE)
    ]
