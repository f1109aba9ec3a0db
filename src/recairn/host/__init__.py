"""This machine: files, git checkouts, projects, and programs the user named."""

import sys

if sys.platform == "win32":
    from recairn.core.windows import HINT, REASON

    raise ImportError(f"{REASON} ({HINT})")
