"""Why recairn does not run on Windows itself, and where it does."""

from __future__ import annotations

REASON = (
    "recairn does not run on Windows itself: what keeps a memory from others and from a kill (file"
    " owners and rights, locks on folders, files opened without following links) is not there"
)
HINT = "inside WSL 2 it is at home: wsl --install, then pipx install recairn in its shell"
