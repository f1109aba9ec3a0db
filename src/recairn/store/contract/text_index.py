"""What a store promises about finding by words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Filter
    from recairn.core.words import Plan
    from recairn.store.memory_rows import Text
    from recairn.store.rows import Match, Named, TermAt


class TextIndex(Protocol):
    """The text index; what a question means to it is its own business."""

    def match_text(self, plan: Plan, filter: Filter, limit: int) -> list[Match]:
        """Memories by their words, best first, ties by id; any plan is answered, never an error.

        Where no memory has a word of a short plan, those that hold all of them inside others count.
        """

    def terms(self, text: str) -> list[TermAt]:
        """The index terms of a text, in its order: one tokenizer, the same for every store."""

    def texts_with(self, phrase: str, reach: str | None, limit: int) -> list[Text]:
        """The newest live memories that may hold the phrase."""

    def naming(self, phrases: Sequence[str], filter: Filter, limit: int) -> list[Named]:
        """The newest memories that may hold one of the phrases, at most `limit`.

        Then, without their text, the newest rules that have a scope, as many.
        """
