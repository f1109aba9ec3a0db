"""recairn: the long-term memory that a developer's AI coding agents share."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.errors import RecairnError
    from recairn.core.model import Draft, Filter, Hit, Memory, Remembered, SearchResult, Term
    from recairn.engine import Recairn
    from recairn.engine import open_memory as open

__version__ = "0.1.0"

__all__ = [
    "Draft",
    "Filter",
    "Hit",
    "Memory",
    "Recairn",
    "RecairnError",
    "Remembered",
    "SearchResult",
    "Term",
    "open",
]

_HOMES = {
    "open": "recairn.engine:open_memory",
    "Recairn": "recairn.engine:Recairn",
    "RecairnError": "recairn.core.errors:RecairnError",
}


def __getattr__(name: str) -> Any:
    """Loads a public name on first use, so that `import recairn` costs next to nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'recairn' has no attribute {name!r}")
    from recairn.core.lazy import load

    return load(_HOMES.get(name, f"recairn.core.model:{name}"))
