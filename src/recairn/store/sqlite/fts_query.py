"""Questions in the syntax of the full-text engine; words are always text there, never syntax."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.words import Plan

# All columns but one, which is a filter; to name the others instead costs a little more.
TEXT_COLUMNS = "- reach"
# A longer question is no phrase that anybody has written down.
_PHRASE_WORDS = 6


def quote(word: str) -> str:
    """A string the full-text engine takes as text, never as syntax."""
    return '"' + word.replace('"', '""') + '"'


def together(chosen: Sequence[str]) -> list[str]:
    """The expressions for some words as a phrase and near one another; none for one or for many."""
    if not 2 <= len(chosen) <= _PHRASE_WORDS:
        return []
    each = " ".join(quote(word) for word in chosen)
    return [quote(" ".join(chosen)), f"NEAR({each}, 10)"]


def match_expression(plan: Plan, chosen: Sequence[str], *, apart: bool = False) -> str:
    """The three tiers as one full-text expression: phrase, nearness, any of the chosen words.

    A row that holds the phrase matches all three tiers and so scores highest under BM25. Where the
    words stand `apart` in every row, the last tier alone finds the same.
    """
    tiers = [quote(phrase) for phrase in plan.phrases]
    if not apart:
        tiers += together(chosen)
    tiers.extend(quote(word) for word in chosen)
    if plan.prefix and plan.prefix in chosen:
        tiers.append(quote(plan.prefix) + "*")
    return " OR ".join(tiers)
