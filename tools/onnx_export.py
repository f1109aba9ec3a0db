"""Writes weights named as BERT's as a sentence-transformers folder with an ONNX model in it.

    python3 -m tools.onnx_export .cache/models/minilm FOLDER

makes one of the MiniLM that `recairn model pull minilm` has fetched; `recairn model pull FOLDER`
takes it in. A source that is such a folder itself, of an MPNet, keeps its own files and gets
`onnx/model.onnx` beside them. For trying the loading of such folders on real weights, without a hub
or torch.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from recairn.embed.encoder import Shape
from recairn.embed.minilm import SHAPE, WINDOW_TOKENS, read_safetensors
from recairn.embed.onnx_runtime import EPSILON, TYPES, Graph, add_layer
from recairn.embed.wordpiece import SPECIAL_TOKENS

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def encoder_graph(tensors: Mapping[str, Any], shape: Shape) -> bytes:
    """An ONNX model from token numbers, mask and types to the states of the tokens; with a head
    (`head.weight`, `head.bias`) to one number of each text."""
    graph = Graph(np)
    states = _embedded(graph, tensors)
    mask = graph.node("Cast", ["attention_mask"], to=TYPES["int32"])
    for layer in range(shape.layers):
        states = add_layer(
            graph, tensors, (f"encoder.layer.{layer}", states, states, (mask,)), shape
        )
    inputs = dict.fromkeys(INPUTS, ("int64", 2))
    if "head.weight" not in tensors:
        graph.end(states, "last_hidden_state")
        return graph.model(inputs, {"last_hidden_state": ("float32", 3)})
    graph.end(_head(graph, tensors, states), "logits")
    return graph.model(inputs, {"logits": ("float32", 2)})


def _embedded(graph: Graph, tensors: Mapping[str, Any]) -> str:
    """The vectors of words, places and types, added up and normalised."""
    words = graph.constant("words", tensors["embeddings.word_embeddings.weight"])
    types = graph.constant("types", tensors["embeddings.token_type_embeddings.weight"])
    places = graph.constant("places", tensors["embeddings.position_embeddings.weight"])
    rows = graph.node("Gather", [words, "input_ids"])
    rows = graph.node("Add", [rows, graph.node("Gather", [types, "token_type_ids"])])
    length = graph.node("Shape", ["input_ids"], start=1, end=2)
    zero = graph.constant("zero", np.zeros(1, "i8"))
    rows = graph.node("Add", [rows, graph.node("Slice", [places, zero, length, zero])])
    norm = [
        graph.constant(f"embedded_{part}", tensors[f"embeddings.LayerNorm.{part}"])
        for part in ("weight", "bias")
    ]
    return graph.node("LayerNormalization", [rows, *norm], epsilon=EPSILON)


# MPNet: the states of tokens know how far apart they stand, in so many ranges up to so far.
_RANGES, _FARTHEST = 32, 128
# Its places are numbered from here on.
_FIRST_PLACE = 2
_AS_BERT = {
    "attention.attn.q": "attention.self.query",
    "attention.attn.k": "attention.self.key",
    "attention.attn.v": "attention.self.value",
    "attention.attn.o": "attention.output.dense",
    "attention.LayerNorm": "attention.output.LayerNorm",
}


def mpnet_graph(tensors: Mapping[str, Any], shape: Shape, window: int) -> bytes:
    """An ONNX model of an MPNet, from token numbers and mask to the states of the tokens."""
    named = dict(tensors)
    for name in tensors:
        for part, bert in _AS_BERT.items():
            if f".{part}." in name:
                named[name.replace(part, bert)] = tensors[name]
    graph = Graph(np)
    zero, two = (graph.constant(f"{at}", np.array([at], "i8")) for at in (0, _FIRST_PLACE))
    length = graph.node("Shape", ["input_ids"], start=1, end=2)
    words = graph.constant("words", tensors["embeddings.word_embeddings.weight"])
    places = graph.constant("places", tensors["embeddings.position_embeddings.weight"])
    own = graph.node("Slice", [places, two, graph.node("Add", [length, two]), zero])
    rows = graph.node("Add", [graph.node("Gather", [words, "input_ids"]), own])
    norm = [
        graph.constant(f"embedded_{part}", tensors[f"embeddings.LayerNorm.{part}"])
        for part in ("weight", "bias")
    ]
    states = graph.node("LayerNormalization", [rows, *norm], epsilon=EPSILON)
    mask = graph.node("Cast", ["attention_mask"], to=TYPES["int32"])
    table = tensors["encoder.relative_attention_bias.weight"]
    apart = table[_ranges(window)].transpose(2, 0, 1)[None]
    axes = graph.constant("axes", np.array([2, 3], "i8"))
    starts = graph.constant("starts", np.zeros(2, "i8"))
    ends = graph.node("Concat", [length, length], axis=0)
    added = graph.node("Slice", [graph.constant("apart", apart), starts, ends, axes])
    for layer in range(shape.layers):
        at = (f"encoder.layer.{layer}", states, states, (mask, added))
        states = add_layer(graph, named, at, shape)
    graph.end(states, "last_hidden_state")
    inputs = dict.fromkeys(INPUTS[:2], ("int64", 2))
    return graph.model(inputs, {"last_hidden_state": ("float32", 3)})


def _ranges(window: int) -> Any:
    """In which range of distances each token of a window lies from each: half of the ranges for
    what stands before, half for what follows, the farther the wider."""
    back = np.arange(window)[:, None] - np.arange(window)[None, :]
    half, exact = _RANGES // 2, _RANGES // 4
    far = np.log(np.maximum(abs(back), 1) / exact) / np.log(_FARTHEST / exact) * (half - exact)
    ranges = np.where(abs(back) < exact, abs(back), np.minimum(exact + far.astype(int), half - 1))
    return ranges + np.where(back < 0, half, 0)


def _head(graph: Graph, tensors: Mapping[str, Any], states: str) -> str:
    """One number of the mean over the tokens that the mask lets through."""
    last = graph.constant("last", np.array([2], "i8"))
    second = graph.constant("second", np.array([1], "i8"))
    mask = graph.node("Cast", ["attention_mask"], to=TYPES["float32"])
    weights = graph.node("Unsqueeze", [mask, last])
    total = graph.node("ReduceSum", [graph.node("Mul", [states, weights]), second], keepdims=0)
    mean = graph.node("Div", [total, graph.node("ReduceSum", [mask, second], keepdims=1)])
    told = graph.node("MatMul", [mean, graph.constant("head", tensors["head.weight"].T)])
    return graph.node("Add", [told, graph.constant("head_bias", tensors["head.bias"])])


def write_folder(folder: str, model: bytes, vocabulary: list[str], window: int, dim: int) -> None:
    """The files that sentence-transformers keeps beside a model, and the tokeniser's."""
    from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece

    numbers = {token: number for number, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    ends = (("[SEP]", numbers["[SEP]"]), ("[CLS]", numbers["[CLS]"]))
    tokenizer.post_processor = processors.BertProcessing(*ends)
    tokenizer.add_special_tokens([each for each in SPECIAL_TOKENS if each in numbers])
    os.makedirs(os.path.join(folder, "onnx"), exist_ok=True)
    os.makedirs(os.path.join(folder, "1_Pooling"), exist_ok=True)
    tokenizer.save(os.path.join(folder, "tokenizer.json"))
    with open(os.path.join(folder, "onnx", "model.onnx"), "wb") as file:
        file.write(model)
    kept = "sentence_transformers.models."
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    documents = {
        "modules.json": [
            {"idx": at, "name": str(at), "path": path, "type": kept + kind}
            for at, (path, kind) in enumerate(modules)
        ],
        "1_Pooling/config.json": {
            "word_embedding_dimension": dim,
            "pooling_mode_mean_tokens": True,
        },
        "sentence_bert_config.json": {"max_seq_length": window, "do_lower_case": False},
    }
    for name, document in documents.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as text:
            json.dump(document, text)


def main() -> None:
    source, folder = sys.argv[1:]
    tensors = read_safetensors(np, os.path.join(source, "model.safetensors"))
    about = os.path.join(source, "config.json")
    if os.path.exists(about):
        with open(about, encoding="utf-8") as file:
            config = json.load(file)
        if config["model_type"] == "mpnet":
            write_beside(source, folder, tensors, config)
            return
    with open(os.path.join(source, "vocab.txt"), encoding="utf-8") as file:
        vocabulary = file.read().rstrip("\n").split("\n")
    write_folder(folder, encoder_graph(tensors, SHAPE), vocabulary, WINDOW_TOKENS, SHAPE.dim)


def write_beside(
    source: str, folder: str, tensors: Mapping[str, Any], config: Mapping[str, Any]
) -> None:
    """The model as ONNX beside a copy of the small files that it came with."""
    shape = Shape(
        layers=config["num_hidden_layers"],
        dim=config["hidden_size"],
        heads=config["num_attention_heads"],
        wide=config["intermediate_size"],
    )
    window = config["max_position_embeddings"] - _FIRST_PLACE
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.safetensors", "*.ini"))
    os.makedirs(os.path.join(folder, "onnx"))
    with open(os.path.join(folder, "onnx", "model.onnx"), "wb") as file:
        file.write(mpnet_graph(tensors, shape, window))


if __name__ == "__main__":
    main()
