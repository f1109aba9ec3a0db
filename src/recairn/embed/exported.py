"""What an exported model's folder says of itself: how its texts become vectors or numbers.

A folder as sentence-transformers writes it is read once, when it is pulled, and what matters of it
is kept in a file of ours beside the weights; loading reads that alone. Nothing here runs code of a
model, and no pickle is opened: weights are ONNX or safetensors.
"""

from __future__ import annotations

import hashlib
import os

from recairn.core.errors import ModelFailed
from recairn.core.fastjson import dumps, loads
from recairn.core.record import as_dict, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MANIFEST = "recairn.json"
TOKENIZER = "tokenizer.json"
# Where exporters put the weights, the best first.
WEIGHTS = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx")
# What is read of a folder beside the weights and the tokeniser.
DOCUMENTS = (
    "modules.json",
    "config.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    "tokenizer_config.json",
)
_LAYER_FILES = ("config.json", "model.safetensors")
EMBEDDER, RERANKER = "embedder", "reranker"
# Tokens seen at once where nothing says how many, and at most: one vector does no justice to more.
_USUAL_WINDOW, _LARGEST_WINDOW = 512, 1024
_POOLINGS = {"mean_tokens": "mean", "cls_token": "cls", "max_tokens": "max", "lasttoken": "last"}
# Words before a question and before a text, under the names that models give them.
_QUERY_PROMPTS, _DOCUMENT_PROMPTS = ("query", "s2p_query"), ("document", "passage", "corpus")


@record
class Export:
    """A model as it is loaded. `dense` are folders of layers behind the pooling."""

    name: str
    kind: str
    weights: str
    licence: str = ""
    revision: str = ""
    window: int = _USUAL_WINDOW
    dim: int = 0
    pooling: str = "mean"
    query_prefix: str = ""
    document_prefix: str = ""
    dense: tuple[str, ...] = ()


def described(folder: str, name: str, licence: str = "") -> Export:
    """What the files of a folder say; ModelFailed, by name, for what recairn cannot do."""
    weights = next((path for path in WEIGHTS if _is_there(folder, path)), "")
    if not weights:
        raise ModelFailed(
            f"{name} has no ONNX weights: none of {', '.join(WEIGHTS)}",
            "export it with optimum: optimum-cli export onnx --model NAME FOLDER",
        )
    if not _is_there(folder, TOKENIZER):
        raise ModelFailed(f"{name} has no {TOKENIZER}, which is how its texts become tokens")
    config = document(folder, "config.json")
    window = _window(folder, config)
    if any(
        "SequenceClassification" in architecture
        for architecture in config.get("architectures") or ()
    ):
        return Export(name, RERANKER, weights, licence, window=window)
    pooling, dim, dense = _modules(folder, name)
    prompts = document(folder, "config_sentence_transformers.json").get("prompts") or {}
    return Export(
        name,
        EMBEDDER,
        weights,
        licence,
        window=window,
        dim=dim or int(config.get("hidden_size") or 0),
        pooling=pooling,
        query_prefix=_prompt(prompts, _QUERY_PROMPTS),
        document_prefix=_prompt(prompts, _DOCUMENT_PROMPTS),
        dense=dense,
    )


def _modules(folder: str, name: str) -> tuple[str, int, tuple[str, ...]]:
    """How tokens become one vector, its dimension (0: not said), and the layers behind."""
    pooling, dim, dense = "mean", 0, []
    for module in document(folder, "modules.json", []):
        kind, path = str(module.get("type", "")).rpartition(".")[2], str(module.get("path", ""))
        if kind in ("Transformer", "Normalize"):  # every vector of recairn has length one
            continue
        config = document(folder, f"{path}/config.json")
        if kind == "Pooling":
            pooling, dim = _pooling(config, name), int(config.get("word_embedding_dimension") or 0)
        elif kind == "Dense":
            dense.append(path)
            dim = int(config.get("out_features") or 0)
        else:
            raise ModelFailed(f"{name} has a layer {kind!r} that recairn does not know")
    return pooling, dim, tuple(dense)


def _pooling(config: Mapping[str, Any], name: str) -> str:
    chosen = [
        _POOLINGS.get(key.removeprefix("pooling_mode_"), key)
        for key, value in config.items()
        if key.startswith("pooling_mode_") and value is True
    ]
    chosen = chosen or [str(config.get("pooling_mode", "mean"))]
    if len(chosen) != 1 or chosen[0] not in _POOLINGS.values():
        raise ModelFailed(f"{name} pools by {' and '.join(chosen)}, which recairn does not know")
    return chosen[0]


def _window(folder: str, config: Mapping[str, Any]) -> int:
    said = (
        document(folder, "sentence_bert_config.json").get("max_seq_length"),
        document(folder, "tokenizer_config.json").get("model_max_length"),
        config.get("max_position_embeddings"),
    )
    lengths = [int(length) for length in said if isinstance(length, int) and length > 0]
    return min(lengths[0] if lengths else _USUAL_WINDOW, _LARGEST_WINDOW)


def _prompt(prompts: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((str(prompts[name]) for name in names if prompts.get(name)), "")


def document(folder: str, path: str, otherwise: Any = None) -> Any:
    """A file of JSON; what is not there says nothing."""
    try:
        with open(os.path.join(folder, *path.split("/")), encoding="utf-8") as file:
            value = loads(file.read())
    except FileNotFoundError:
        return {} if otherwise is None else otherwise
    except (OSError, ValueError) as error:
        raise ModelFailed(f"{os.path.join(folder, path)} cannot be read: {error}") from None
    if not isinstance(value, dict if otherwise is None else type(otherwise)):
        raise ModelFailed(f"{os.path.join(folder, path)} does not hold what it should")
    return value


def _is_there(folder: str, path: str) -> bool:
    return os.path.isfile(os.path.join(folder, *path.split("/")))


def files_of(export: Export) -> list[str]:
    """The files that loading needs, by their paths in the folder."""
    layers = [f"{path}/{file}" for path in export.dense for file in _LAYER_FILES]
    return [export.weights, TOKENIZER, *layers]


def write_manifest(folder: str, export: Export) -> None:
    """Keeps what was read; the revision says by a hash what makes the vectors what they are."""
    digest = hashlib.sha256()
    sizes = {}
    for path in files_of(export):
        whole = os.path.join(folder, *path.split("/"))
        with open(whole, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
        sizes[path] = os.path.getsize(whole)
    settled = {key: value for key, value in as_dict(export).items() if key != "licence"}
    digest.update(dumps({**settled, "name": "", "revision": ""}).encode())
    kept = {**as_dict(export), "revision": digest.hexdigest()[:12], "sizes": sizes}
    part = os.path.join(folder, MANIFEST + ".part")
    with open(part, "w", encoding="utf-8") as out:
        out.write(dumps(kept))
    os.replace(part, os.path.join(folder, MANIFEST))


def read_manifest(folder: str) -> Export | None:
    """What was kept of a folder; None where it was not pulled to its end, or files are gone."""
    try:
        kept = document(folder, MANIFEST)
        sizes = kept.pop("sizes")
        for path, size in sizes.items():
            if os.path.getsize(os.path.join(folder, *path.split("/"))) != size:
                return None
        return Export(**{**kept, "dense": tuple(kept["dense"])})
    except (ModelFailed, OSError, KeyError, TypeError, AttributeError):
        return None
