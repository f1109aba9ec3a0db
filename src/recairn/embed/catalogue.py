"""Models by name beyond those that recairn has code for: a few that were chosen, and any export.

The chosen ones are pinned by size and SHA-256, like every file that `download` fetches. Any other
is named as on the model hub (`maker/model`), or by a folder on this machine: the hub says then what
its files are, they are checked against that, and what was fetched is known again by its hash.
"""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, ModelFailed, ModelMissing
from recairn.core.record import record
from recairn.embed.download import KNOWN, KnownModel, ModelFile, pull, remove_folder
from recairn.embed.exported import (
    DOCUMENTS,
    EMBEDDER,
    MANIFEST,
    RERANKER,
    TOKENIZER,
    WEIGHTS,
    Export,
    described,
    files_of,
    read_manifest,
    write_manifest,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Progress = Callable[[int, int], None]

HUB = "https://huggingface.co"
# Seconds without an answer after which the hub counts as out of reach.
TIMEOUT_S = 20.0
# What the hub says about a model with many files is far below this.
_MOST_BYTES = 4 * 1024 * 1024
# The name under which a folder of this machine is taken in.
_LOCAL = "local"


@record
class Chosen:
    """A model of the list: where it lies, how it is used, and what it is good for."""

    files: KnownModel
    export: Export
    about: str


def _chosen(
    export: Export, hub: str, commit: str, pins: Mapping[str, tuple[int, str]], about: str
) -> Chosen:
    files = tuple(ModelFile(path, size, digest) for path, (size, digest) in pins.items())
    address = f"{HUB}/{hub}/resolve/{commit}"
    model = KnownModel(export.name, commit[:12], export.licence, files, hub=address)
    return Chosen(model, export, about)


_BERT_TOKENIZER = (
    711_396,
    "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)

CHOSEN = {
    choice.export.name: choice
    for choice in (
        _chosen(
            Export(
                "bge-small",
                EMBEDDER,
                "onnx/model.onnx",
                "MIT",
                dim=384,
                pooling="cls",
                query_prefix="Represent this sentence for searching relevant passages: ",
            ),
            "BAAI/bge-small-en-v1.5",
            "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
            {
                "onnx/model.onnx": (
                    133_093_490,
                    "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
                ),
                TOKENIZER: _BERT_TOKENIZER,
            },
            "BAAI/bge-small-en-v1.5: English, 134 MB, MIT",
        ),
        _chosen(
            Export(
                "e5-small",
                EMBEDDER,
                "onnx/model.onnx",
                "MIT",
                dim=384,
                query_prefix="query: ",
                document_prefix="passage: ",
            ),
            "intfloat/multilingual-e5-small",
            "614241f622f53c4eeff9890bdc4f31cfecc418b3",
            {
                "onnx/model.onnx": (
                    470_268_510,
                    "ca456c06b3a9505ddfd9131408916dd79290368331e7d76bb621f1cba6bc8665",
                ),
                TOKENIZER: (
                    17_082_730,
                    "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
                ),
            },
            "intfloat/multilingual-e5-small: a hundred languages, 487 MB, MIT",
        ),
        _chosen(
            Export(
                "jina-code",
                EMBEDDER,
                "onnx/model_quantized.onnx",
                "Apache-2.0",
                window=1024,
                dim=768,
            ),
            "jinaai/jina-embeddings-v2-base-code",
            "516f4baf13dec4ddddda8631e019b5737c8bc250",
            {
                "onnx/model_quantized.onnx": (
                    161_895_621,
                    "ed45870251c9f0cf656e78aab0d37a23489066df8a222bb1c8caf8a45f2cb16d",
                ),
                TOKENIZER: (
                    2_561_316,
                    "b01c78a902aa4facb2f47f95449f48e2f7bbfea5d2472ee2f6ce92323c6f86e5",
                ),
            },
            "jinaai/jina-embeddings-v2-base-code: code and English, 164 MB, Apache-2.0",
        ),
        _chosen(
            Export("ms-marco", RERANKER, "onnx/model.onnx", "Apache-2.0", window=256),
            "cross-encoder/ms-marco-MiniLM-L6-v2",
            "c5ee24cb16019beea0893ab7796b1df96625c6b8",
            {
                "onnx/model.onnx": (
                    91_011_230,
                    "5d3e70fd0c9ff14b9b5169a51e957b7a9c74897afd0a35ce4bd318150c1d4d4a",
                ),
                TOKENIZER: _BERT_TOKENIZER,
            },
            "cross-encoder/ms-marco-MiniLM-L6-v2: an English reranker, 92 MB, Apache-2.0",
        ),
    )
}


def pulled(name: str, *, models_dir: str, progress: Progress | None = None) -> tuple[str, str]:
    """Fetches a model; the name it goes by from now on, and the folder it lies in."""
    if name in KNOWN:
        return name, pull(name, models_dir=models_dir, progress=progress)
    if name in CHOSEN:
        chosen = CHOSEN[name]
        folder = pull(chosen.files, models_dir=models_dir, progress=progress)
        if read_manifest(folder) is None:
            write_manifest(folder, chosen.export)
        return name, folder
    if os.path.isdir(name):
        return _adopted(os.path.abspath(name), models_dir)
    if not is_hub_name(name):
        names = ", ".join([*KNOWN, *CHOSEN])
        raise BadInput(
            f"no model {name!r} can be pulled",
            f"there are: {names}; any other is MAKER/MODEL on the model hub, or a folder",
        )
    known, licence = _on_the_hub(name)
    folder = pull(known, models_dir=models_dir, progress=progress)
    if read_manifest(folder) is None:
        write_manifest(folder, described(folder, name, licence))
    return name, folder


def _adopted(source: str, models_dir: str) -> tuple[str, str]:
    """Copies what is needed of a folder, so that the model stays when the folder goes."""
    import shutil

    name = f"{_LOCAL}/{os.path.basename(source)}"
    if not is_hub_name(name):
        raise BadInput(
            f"a model cannot be called {os.path.basename(source)!r}",
            "rename the folder: letters, digits, dots, dashes and underscores",
        )
    export = described(source, name)
    folder = folder_of(name, models_dir)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    data = f"{export.weights}_data"  # weights beyond two gigabytes lie beside their graph
    beside = [data] if os.path.exists(os.path.join(source, data)) else []
    try:
        for path in [*files_of(export), *beside]:
            target = os.path.join(folder, *path.split("/"))
            os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
            shutil.copyfile(os.path.join(source, *path.split("/")), target)
    except OSError as error:
        raise ModelFailed(f"cannot copy {error.filename}: {error.strerror}") from error
    write_manifest(folder, export)
    return name, folder


def is_hub_name(name: str) -> bool:
    """Whether a name is one of the hub, `maker/model`, and leads to no other place as a path."""
    parts = name.split("/")
    return len(parts) == 2 and all(
        part.strip("-._").replace("-", "").replace(".", "").replace("_", "").isalnum()
        and part.isascii()
        and not part.startswith(".")
        for part in parts
    )


def folder_of(name: str, models_dir: str) -> str:
    return os.path.join(models_dir, name.replace("/", "--"))


def exports(models_dir: str) -> dict[str, Export]:
    """The exported models that are there in full, by name."""
    try:
        folders = sorted(os.listdir(models_dir))
    except OSError:
        return {}
    manifests = [
        read_manifest(os.path.join(models_dir, folder))
        for folder in folders
        if os.path.exists(os.path.join(models_dir, folder, MANIFEST))
    ]
    return {export.name: export for export in manifests if export is not None}


def listed(kind: str, models_dir: str) -> list[tuple[str, str, bool]]:
    """Every exported model of a kind: its name, what it is, and whether it is installed."""
    there = exports(models_dir)
    by_name = {name: choice.about for name, choice in CHOSEN.items() if choice.export.kind == kind}
    own = {
        name: f"{export.licence or 'its own licence'}, needs recairn[onnx]"
        for name, export in there.items()
        if export.kind == kind and name not in CHOSEN
    }
    return [(name, about, name in there) for name, about in {**by_name, **own}.items()]


def removed(name: str, models_dir: str) -> bool:
    """Removes an exported model's files; whether there were any."""
    is_one = name in CHOSEN or is_hub_name(name)
    return is_one and remove_folder(folder_of(name, models_dir))


def installed_export(name: str, kind: str, models_dir: str) -> tuple[str, Export]:
    """The folder of an exported model and what it says of itself; ModelMissing without it."""
    folder = folder_of(name, models_dir)
    export = read_manifest(folder) if name in CHOSEN or is_hub_name(name) else None
    if export is None:
        own = name.startswith(f"{_LOCAL}/")
        way = (
            "recairn model pull FOLDER, where its export lies"
            if own
            else f"recairn model pull {name}"
        )
        raise ModelMissing(f"the model {name} is not installed", way)
    if export.kind != kind:
        other = "use-reranker" if export.kind == RERANKER else "use"
        raise BadInput(f"{name} is no {kind}", f"recairn model {other} {name}")
    return folder, export


def _on_the_hub(name: str) -> tuple[KnownModel, str]:
    """What the hub says of a model's files now: their sizes, hashes, and the commit they are of."""
    hub = _hub()
    answer = _hub_answer(f"{hub}/api/models/{name}?blobs=true", name)
    try:
        commit = str(answer["sha"])
        listed = {str(sibling["rfilename"]): sibling for sibling in answer["siblings"]}
        weights = next((path for path in WEIGHTS if path in listed), "")
        if not weights:
            raise ModelFailed(
                f"{name} has no ONNX weights on the hub: none of {', '.join(WEIGHTS)}",
                "export it with optimum, then: recairn model pull FOLDER",
            )
        wanted = [weights, f"{weights}_data", TOKENIZER, *DOCUMENTS]
        wanted += [path for path in listed if _is_of_a_layer(path)]
        files = tuple(_file(path, listed[path]) for path in wanted if path in listed)
        licence = str((answer.get("cardData") or {}).get("license", ""))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ModelFailed(f"the hub's answer about {name} is not understood: {error!r}") from None
    address = f"{hub}/{name}/resolve/{commit}"
    return KnownModel(name.replace("/", "--"), commit[:12], licence, files, hub=address), licence


def _is_of_a_layer(path: str) -> bool:
    """Whether a file belongs to a layer behind the encoder: `1_Pooling/config.json`."""
    folder, _, file = path.partition("/")
    numbered = folder[:1].isdigit() and folder.replace("_", "").isalnum()
    return numbered and file in ("config.json", "model.safetensors")


def _file(path: str, sibling: Mapping[str, Any]) -> ModelFile:
    large = sibling.get("lfs")
    if large:
        return ModelFile(path, int(large["size"]), str(large["sha256"]))
    return ModelFile(path, int(sibling["size"]), f"git:{sibling['blobId']}")


def _hub() -> str:
    """The hub's address; HF_ENDPOINT names a mirror, as it does for other programs."""
    address = os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB
    if not address.startswith("https://") and not address.startswith("http://127.0.0.1:"):
        raise BadInput(
            f"HF_ENDPOINT is {address!r}, which is no https:// address", "unset HF_ENDPOINT"
        )
    return address


def _hub_answer(address: str, name: str) -> dict[str, Any]:
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    from recairn.core.fastjson import loads

    try:
        request = Request(address, headers={"User-Agent": "recairn"})
        with urlopen(request, timeout=TIMEOUT_S) as response:
            answer = loads(response.read(_MOST_BYTES).decode())
    except HTTPError as error:
        error.close()
        if error.code in (401, 403, 404):
            raise BadInput(
                f"the hub knows no model {name}, or does not give it to everybody",
                "names are MAKER/MODEL, as in the model's address",
            ) from None
        raise ModelFailed(f"the hub answered {error.code} about {name}") from None
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise ModelFailed(
            f"cannot ask the hub about {name}: {reason}",
            f"check the network and repeat: recairn model pull {name}; without one,"
            " recairn model pull FOLDER takes an export from a folder",
        ) from None
    if not isinstance(answer, dict):
        raise ModelFailed(f"the hub's answer about {name} is not understood")
    return answer
