"""The one tokenizer: SQLite's, without a database, for a store that keeps its own text index."""

from __future__ import annotations

from functools import lru_cache

import apsw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


@lru_cache(maxsize=1)
def tokenizer() -> Callable[[str], list[tuple[int, int, str]]]:
    """A function from a text to (start byte, end byte, index term) of each word."""
    nowhere = apsw.Connection(":memory:")
    split: Any = nowhere.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])

    def terms(text: str) -> list[tuple[int, int, str]]:
        places: list[tuple[int, int, str]] = split(
            text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False
        )
        return places

    return terms
