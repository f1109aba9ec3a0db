"""Which rerankers there are, and where each is found."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, ModelMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.embed.protocol import Reranker

OFF = "off"
# Our own: trained by tools/, one file.
OWN = "cross-mini"
OWN_FILE = "reranker.bin"
ABOUT = {OWN: "a reranker: reads the question with the best hits; needs numpy"}
NAMES = tuple(ABOUT)


def load(name: str, *, models_dir: str) -> Reranker:
    """The reranker of that name; ModelMissing when it, or a package it needs, is not installed."""
    if not name:
        raise ModelMissing("no reranker is chosen", f"recairn model use-reranker {OWN}")
    if name != OWN:
        raise BadInput(f"there is no reranker {name!r}", f"there are: {', '.join(NAMES)}")
    path = own_path(models_dir)
    if not path:
        raise ModelMissing(
            f"the reranker {name} is not installed", "pip install 'recairn[reranker]'"
        )
    from recairn.embed.reranker import Reranker

    return Reranker(path)


def installed(name: str, *, models_dir: str) -> bool:
    return name == OWN and bool(own_path(models_dir))


def own_path(models_dir: str) -> str:
    """Where our own reranker's file is: among the pulled models, or beside this module; "" where
    it is not installed."""
    for folder in (os.path.join(models_dir, OWN), os.path.dirname(__file__)):
        path = os.path.join(folder, OWN_FILE)
        if os.path.exists(path):
            return path
    return ""
