"""Which models there are, those that embed and those that rerank, and where each is found."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, ModelMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from recairn.embed.protocol import Embedder, Reranker

NAMES = ("static", "minilm", "external")

OFF = "off"
# Our own: trained by tools/train_reranker.py, one file of this package.
OWN = "cross-mini"
OWN_FILE = "reranker.bin"
OWN_ABOUT = "a reranker: reads the question with the best hits; 8 MB, part of recairn, needs numpy"

# The file, when it was written and its size → the model. One may be used by several threads.
_LOADED: dict[tuple[str, int, int], Reranker] = {}

# Models that stay loaded: name, folder and its age → model. None where each memory loads its own.
_kept: dict[tuple[str, str, int], Embedder] | None = None


def keep_loaded() -> None:
    """From now on this process keeps the models it loads for the memories it opens next.

    For who answers for hours, from one thread, and opens a memory for each question.
    """
    global _kept
    if _kept is None:
        _kept = {}


def load(
    name: str,
    *,
    models_dir: str | os.PathLike[str],
    options: Mapping[str, object] | None = None,
) -> Embedder:
    """The embedder of that name, importing nothing of the others; one that was kept, if it can be.

    `options` are the external model's (see `recairn.embed.external.DEFAULTS`); the others have
    none. Raises ModelMissing when the model or a package it needs is not installed.
    """
    if options and name != "external":
        raise BadInput(f"the {name} model has no options, {sorted(options)[0]!r} was given")
    if _kept is None or name == "external":  # whose options may be others the next time
        return _loaded(name, models_dir, options)
    key = name, str(models_dir), _age(os.path.join(models_dir, name.replace("/", "--")))
    if key not in _kept:
        _kept[key] = _loaded(name, models_dir, options)
    return _kept[key]


def _age(folder: str) -> int:
    """Another one after a model was pulled anew; 0 for the one that comes with the program."""
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


def _loaded(
    name: str, models_dir: str | os.PathLike[str], options: Mapping[str, object] | None
) -> Embedder:
    if name == "static":
        from recairn.embed.static import StaticEmbedder

        return StaticEmbedder()
    if name == "minilm":
        from recairn.embed.minilm import MiniLM

        return MiniLM(os.path.join(models_dir, "minilm"))
    if name == "external":
        from recairn.embed.external import External

        return External(options or {})
    from recairn.embed.catalogue import CHOSEN, installed_export, is_hub_name

    if name not in CHOSEN and not is_hub_name(name):
        raise BadInput(
            f"there is no embedding model {name!r}", f"there are: {', '.join((*NAMES, *CHOSEN))}"
        )
    from recairn.embed.exported import EMBEDDER
    from recairn.embed.onnx_model import OnnxEmbedder

    return OnnxEmbedder(*installed_export(name, EMBEDDER, str(models_dir)))


def fingerprint(embedder: Embedder) -> str:
    """Names the space a vector lives in: vectors with different fingerprints are never compared."""
    return f"{embedder.name}@{embedder.revision}/{embedder.dim}/l2"


def load_reranker(name: str, *, models_dir: str) -> Reranker:
    """The reranker of that name, our own without one; ModelMissing when it, or a package it needs,
    is not installed."""
    if name in (OWN, ""):
        path = own_path(models_dir)
        if not path:
            hint = "pip install 'recairn[reranker]'"
            raise ModelMissing(f"the reranker {name} is not installed", hint)
        return _own(path)
    from recairn.embed.catalogue import CHOSEN, installed_export, is_hub_name
    from recairn.embed.exported import RERANKER

    if name not in CHOSEN and not is_hub_name(name):
        raise BadInput(
            f"there is no reranker {name!r}", f"there are: {', '.join(reranker_names(models_dir))}"
        )
    from recairn.embed.onnx_model import OnnxReranker

    return OnnxReranker(*installed_export(name, RERANKER, models_dir))


def _own(path: str) -> Reranker:
    """Our own, loaded once for all memories that a process has open."""
    status = os.stat(path)
    file = (path, status.st_mtime_ns, status.st_size)
    if file not in _LOADED:
        from recairn.embed.reranker import Reranker

        _LOADED.clear()
        _LOADED[file] = Reranker(path)
    return _LOADED[file]


def reranker_is_ready(models_dir: str) -> bool:
    """Whether our own is installed, and numpy, without loading either."""
    from importlib.util import find_spec

    return bool(own_path(models_dir)) and find_spec("numpy") is not None


def reranker_names(models_dir: str) -> list[str]:
    return [name for name, _, _ in listed_rerankers(models_dir)]


def listed_rerankers(models_dir: str) -> list[tuple[str, str, bool]]:
    """Every reranker: its name, what it is, and whether it is installed."""
    from recairn.embed.catalogue import listed as exported
    from recairn.embed.exported import RERANKER

    own = (OWN, OWN_ABOUT, bool(own_path(models_dir)))
    return [own, *exported(RERANKER, models_dir)]


def own_path(models_dir: str) -> str:
    """Where our own reranker's file is: among the pulled models, or beside this module; "" where
    it is not installed."""
    for folder in (os.path.join(models_dir, OWN), os.path.dirname(__file__)):
        path = os.path.join(folder, OWN_FILE)
        if os.path.exists(path):
            return path
    return ""
