"""The ledger: what was injected, and the turns of a session, written after the answer is out."""

from __future__ import annotations

from recairn.core.guard import loggable_question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Term
    from recairn.recall.context import ContextResult
    from recairn.store.contract.base import Store

# What was found and stayed away, of one turn; nobody reads more.
_LEFT_OUT = 50


def log_injection(
    store: Store, entry: Mapping[str, Any], memories: Sequence[tuple[int, int, float | None]]
) -> int:
    """Records an injection: which memories, in which order, at which cost; its number."""
    query = loggable_question(entry["query"])
    return store.put_injection({**entry, "query": query}, memories)


def log_turn(
    store: Store,
    turn: Mapping[str, Any],
    result: ContextResult | None = None,
    injection: int | None = None,
) -> None:
    """Records a moment of a session, with what of a context stayed away and why, and what the
    scores of what was handed out are made of."""
    from recairn.work.session_notes import note_value

    entry = {**turn, "prompt": note_value(turn["prompt"])}
    if result is not None:
        terms = {hit.id: hit.terms for hit in result.hits}
        entry.update(
            silence=result.silence,
            injection=injection,
            left_out=result.left_out[:_LEFT_OUT],
            terms=[_telling(terms.get(memory)) for memory in result.costs or ()],
        )
    store.put_turn(entry)


def _telling(terms: Mapping[str, Term] | None) -> list[tuple[str, float, float, str]] | None:
    """The terms that move a score; the others can be left out without changing it."""
    if terms is None:
        return None
    from recairn.ranking.signals import neutral

    return [
        (name, round(term.value, 4), round(term.weight, 4), term.effect)
        for name, term in terms.items()
        if term.effect == "add" or term.value != neutral(name, term.effect)
    ]
