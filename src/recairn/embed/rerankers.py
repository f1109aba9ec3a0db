"""Which rerankers there are, and where each is found."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, ModelMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.embed.protocol import Reranker

OFF = "off"
# Our own: trained by tools/train_reranker.py, one file of this package.
OWN = "cross-mini"
OWN_FILE = "reranker.bin"
OWN_ABOUT = "a reranker: reads the question with the best hits; 8 MB, part of recairn, needs numpy"

# The file, when it was written and its size → the model. One may be used by several threads.
_LOADED: dict[tuple[str, int, int], Reranker] = {}


def load(name: str, *, models_dir: str) -> Reranker:
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
            f"there is no reranker {name!r}", f"there are: {', '.join(names(models_dir))}"
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


def is_ready(models_dir: str) -> bool:
    """Whether our own is installed, and numpy, without loading either."""
    from importlib.util import find_spec

    return bool(own_path(models_dir)) and find_spec("numpy") is not None


def names(models_dir: str) -> list[str]:
    return [name for name, _, _ in listed(models_dir)]


def listed(models_dir: str) -> list[tuple[str, str, bool]]:
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
