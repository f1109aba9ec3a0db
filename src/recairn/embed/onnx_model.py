"""Exported models on onnxruntime: any sentence-transformers encoder, and any cross-encoder."""

from __future__ import annotations

import os
import time
from array import array

from recairn.core.errors import ModelFailed, ModelMissing
from recairn.embed.encoder import import_numpy
from recairn.embed.exported import TOKENIZER
from recairn.embed.onnx_runtime import EXTRA_HINT, started
from recairn.embed.reranker import passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from recairn.embed.exported import Export

# Texts in one pass; of about the same length, so that little is filled up. More are not faster.
_BATCH = 8
# Pairs read between two looks at the clock.
_PAIRS = 4
# Tokens of a question that a reranker reads; the rest of its window is the text's.
_QUESTION_TOKENS = 64
# How much a cross-encoder's word counts beside the score: what measured best for our own.
_WEIGHT = 0.5
# A window's worth of tokens is found in this many characters a token.
_TOKEN_CHARACTERS = 16


class _Encoded:
    """What embedder and reranker share: tokens in, the first output of the network out."""

    def __init__(self, folder: str, export: Export) -> None:
        self._np, _ = import_numpy(export.name, "onnx")
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise ModelMissing(f"{export.name} needs tokenizers", EXTRA_HINT) from None
        self._session = started(os.path.join(folder, *export.weights.split("/")))
        try:
            self._tokenizer = Tokenizer.from_file(os.path.join(folder, TOKENIZER))
        except Exception as error:  # the library raises nothing more specific
            raise ModelFailed(f"{folder}/{TOKENIZER} is not usable: {error}") from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._inputs = {each.name for each in self._session.get_inputs()}
        if "input_ids" not in self._inputs:
            raise ModelFailed(f"{export.name} does not take token numbers (input_ids)")
        self._outputs = [output.name for output in self._session.get_outputs()]

    def _padding(self) -> int:
        for token in ("[PAD]", "<pad>"):
            number = self._tokenizer.token_to_id(token)
            if number is not None:
                return int(number)
        return 0

    def run(self, batch: Sequence[Any], output: str) -> tuple[Any, Any]:
        """That output for some texts, and their mask: 1 where a token stands."""
        np = self._np
        longest = max(len(text.ids) for text in batch)
        shape = (len(batch), longest)
        fed = {
            "input_ids": np.full(shape, self._padding(), "i8"),
            "attention_mask": np.zeros(shape, "i8"),
            "token_type_ids": np.zeros(shape, "i8"),
        }
        for row, text in enumerate(batch):
            fed["input_ids"][row, : len(text.ids)] = text.ids
            fed["attention_mask"][row, : len(text.ids)] = 1
            fed["token_type_ids"][row, : len(text.ids)] = text.type_ids
        inputs = {name: value for name, value in fed.items() if name in self._inputs}
        try:
            (states,) = self._session.run([output], inputs)
        except Exception as error:  # its exceptions have no base of their own
            raise ModelFailed(f"onnxruntime failed: {str(error).splitlines()[0]}") from None
        return states, fed["attention_mask"]


class OnnxEmbedder(_Encoded):
    """A sentence-transformers encoder; it is ready when constructed."""

    def __init__(self, folder: str, export: Export) -> None:
        super().__init__(folder, export)
        self.name, self.revision = export.name, export.revision
        self.window_tokens = export.window
        self._export = export
        self._dense = [_Dense(self._np, folder, path) for path in export.dense]
        named = [name for name in self._outputs if name == "sentence_embedding"]
        self._output = (named or self._outputs)[0]
        self.dim = export.dim or len(self.embed_query("dimension"))
        self._ends = self._tokenizer.num_special_tokens_to_add(is_pair=False)
        self._prefix_tokens = len(self._tokens(export.document_prefix)) - self._ends

    def embed_query(self, text: str) -> array[float]:
        return self._vectors([self._export.query_prefix + text] if text.strip() else [""])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[array[float]]:
        prefix = self._export.document_prefix
        return self._vectors([prefix + text if text.strip() else "" for text in texts])

    def count_tokens(self, text: str) -> int:
        """How many tokens of a window the text takes, with the words that go before it."""
        return len(self._tokens(text)) - self._ends + self._prefix_tokens

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids

    def _vectors(self, texts: Sequence[str]) -> list[array[float]]:
        """One vector for each text; the zero vector for one that says nothing."""
        most = self.window_tokens
        vectors = [array("f", bytes(4 * self._export.dim)) for _ in texts]
        said = [at for at, text in enumerate(texts) if text]
        clipped = [texts[at][: most * _TOKEN_CHARACTERS] for at in said]
        self._tokenizer.enable_truncation(most)
        try:
            encoded = dict(zip(said, self._tokenizer.encode_batch(clipped), strict=True))
        finally:
            self._tokenizer.no_truncation()
        order = sorted(said, key=lambda at: -len(encoded[at].ids))
        for batch in _groups(order, _BATCH):
            rows = self._pooled([encoded[at] for at in batch])
            for at, row in zip(batch, rows, strict=True):
                vectors[at] = array("f", row.tobytes())
        return vectors

    def _pooled(self, batch: Sequence[Any]) -> Any:
        np = self._np
        states, mask = self.run(batch, self._output)
        states = np.asarray(states, "f4")
        if states.ndim == 3:
            states = _pooled(np, states, mask, self._export.pooling)
        for dense in self._dense:
            states = dense(states)
        lengths = np.linalg.norm(states, axis=1, keepdims=True)
        return (states / np.maximum(lengths, 1e-12)).astype("f4")


def _pooled(np: Any, states: Any, mask: Any, pooling: str) -> Any:
    """One row for each text from the states of its tokens."""
    if pooling == "cls":
        return states[:, 0]
    if pooling == "last":
        return states[np.arange(len(states)), mask.sum(axis=1) - 1]
    weights = mask[:, :, None].astype("f4")
    if pooling == "max":
        return np.where(weights > 0, states, -np.inf).max(axis=1)
    return (states * weights).sum(axis=1) / weights.sum(axis=1)


class _Dense:
    """A layer behind the pooling, from its own safetensors file."""

    def __init__(self, np: Any, folder: str, path: str) -> None:
        from recairn.embed.exported import document
        from recairn.embed.minilm import read_safetensors

        tensors = read_safetensors(np, os.path.join(folder, path, "model.safetensors"))
        said = str(document(folder, f"{path}/config.json").get("activation_function", "Identity"))
        self._activation = said.rpartition(".")[2]
        if self._activation not in ("Identity", "Tanh") or "linear.weight" not in tensors:
            raise ModelFailed(f"{folder}/{path} is a layer that recairn does not know")
        self._np = np
        self._weight, self._bias = tensors["linear.weight"], tensors.get("linear.bias")

    def __call__(self, rows: Any) -> Any:
        rows = rows @ self._weight.T
        if self._bias is not None:
            rows = rows + self._bias
        return self._np.tanh(rows) if self._activation == "Tanh" else rows


class OnnxReranker(_Encoded):
    """A cross-encoder with one number as its output, or one for no and one for yes."""

    def __init__(
        self, folder: str, export: Export, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(folder, export)
        self.name, self.revision = export.name, export.revision
        self._window, self._clock = export.window, clock

    def weight_beside(self, model: str | None) -> float:
        """The same beside every model: nobody has measured it beside ours."""
        return _WEIGHT

    def scores(
        self, question: str, texts: Sequence[str], until: float | None = None
    ) -> list[float]:
        """A number for each text; of the first ones alone, where the rest would come too late."""
        asked = self._shortened(question, _QUESTION_TOKENS)
        most = self._window * _TOKEN_CHARACTERS
        read = passages(question, texts, max(0, self._window - _QUESTION_TOKENS - 3))
        self._tokenizer.enable_truncation(self._window, strategy="only_second")
        try:
            pairs = self._tokenizer.encode_batch([(asked, text[:most]) for text in read])
        finally:
            self._tokenizer.no_truncation()
        numbers: list[float] = []
        started_at = self._clock()
        for batch in _groups(pairs, _PAIRS):
            now = self._clock()
            pace = (now - started_at) / max(1, len(numbers)) * len(batch)
            if until is not None and now + pace >= until:
                break
            logits, _ = self.run(batch, self._outputs[0])
            rows = self._np.asarray(logits, "f4").reshape(len(batch), -1)
            numbers += [float(row[-1] - row[0]) if len(row) == 2 else float(row[0]) for row in rows]
        return numbers

    def _shortened(self, text: str, tokens: int) -> str:
        """The beginning of a text, of at most so many tokens."""
        encoded = self._tokenizer.encode(
            text[: tokens * _TOKEN_CHARACTERS], add_special_tokens=False
        )
        return text if len(encoded.ids) <= tokens else text[: encoded.offsets[tokens - 1][1]]


def _groups(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
