"""Which embedding models there are, and how the vectors of one are told from those of another."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from recairn.embed.protocol import Embedder

NAMES = ("static", "minilm", "external")

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
