"""Where recairn keeps what belongs to the user. A module of its own: hooks need no more."""

from __future__ import annotations

import os


def data_folder() -> str:
    """`$XDG_DATA_HOME/recairn`."""
    base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, "recairn")
