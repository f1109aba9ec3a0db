"""Writes weights named as BERT's as a sentence-transformers folder with an ONNX model in it.

    python3 -m tools.onnx_export .cache/models/minilm FOLDER

makes one of the MiniLM that `recairn model pull minilm` has fetched; `recairn model pull FOLDER`
takes it in. For trying the loading of such folders on real weights, without a hub or torch.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from recairn.embed.encoder import Shape
from recairn.embed.minilm import SHAPE, WINDOW_TOKENS, read_safetensors
from recairn.embed.onnx_graph import EPSILON, TYPES, Graph, add_layer
from recairn.embed.wordpiece import SPECIAL_TOKENS

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def encoder_graph(tensors: Mapping[str, Any], shape: Shape) -> bytes:
    """An ONNX model from token numbers, mask and types to the states of the tokens; with a head
    (`head.weight`, `head.bias`) to one number of each text."""
    graph = Graph(np)
    states = _embedded(graph, tensors)
    mask = graph.node("Cast", ["attention_mask"], to=TYPES["int32"])
    for layer in range(shape.layers):
        states = add_layer(graph, tensors, (f"encoder.layer.{layer}", states, states, mask), shape)
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
    with open(os.path.join(source, "vocab.txt"), encoding="utf-8") as file:
        vocabulary = file.read().rstrip("\n").split("\n")
    write_folder(folder, encoder_graph(tensors, SHAPE), vocabulary, WINDOW_TOKENS, SHAPE.dim)


if __name__ == "__main__":
    main()
