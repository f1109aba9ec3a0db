"""A question in the syntax of `core.query_syntax` as a request that is narrower than its words."""

from __future__ import annotations

from recairn.core.kinds import visible_tokens
from recairn.core.query_syntax import asks_for_nothing, leaving_out, read_query
from recairn.core.record import record, replace
from recairn.core.times import day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from recairn.core.model import Filter
    from recairn.core.query_syntax import Query
    from recairn.core.time_words import Span
    from recairn.recall.search import Request
    from recairn.store.contract.base import Store
    from recairn.store.memory_rows import Text

# The newest memories that hold a phrase, or a word that nobody wants; more are not told apart.
_HOLDING = 5_000


@record
class Narrowing:
    """What is asked instead, what the person hears of it, and what if nothing answers to it.

    `listed`: no subject was named, so whatever is of that time or kind is wanted, newest first.
    `unsure`: the one word that was said may also be looked for like any other; that comes first.
    """

    request: Request
    notices: tuple[str, ...]
    otherwise: str
    listed: bool
    unsure: bool


def narrowed(
    request: Request, store: Store, now: int, released_at: Callable[[str], int | None]
) -> Narrowing | None:
    """The narrower request; None where the question is nothing but words, or was narrowed by
    options that say the same."""
    query = read_query(request.query, now, released_at)
    filter = request.filter
    if filter.since is not None or filter.before is not None or filter.as_of is not None:
        query = replace(query, span=None, text=request.query if query.span else query.text)
    if filter.include_documents or filter.include_superseded or filter.include_deleted:
        query = replace(query, phrases=(), without=(), kind=None)
    if filter.kinds or request.mode != "hybrid":
        query = replace(query, kind=None)
    if query.is_plain:
        return None
    notices, missing = [], []
    if query.span is not None:
        filter = replace(filter, since=query.span.since, before=query.span.before)
        notices.append(_told(query.span))
        missing.append(f"that was stored “{query.span.words}”")
    if query.kind is not None:
        filter = replace(filter, kinds=(query.kind,))
        notices.append(f"every {query.kind}, newest first")
        missing.append(f"of the kind {query.kind}")
    if query.phrases:
        filter = replace(filter, among=_holding_all(query, store, filter))
        missing.append("that holds " + " and ".join(f"“{phrase}”" for phrase in query.phrases))
    unwanted = _unwanted(query, store, filter)
    if unwanted:
        filter = replace(filter, apart=tuple(sorted(set().union(*unwanted.values()))))
        query = replace(query, text=leaving_out(query.text, unwanted))
        notices.append("without " + ", ".join(f"“{word}”" for word in unwanted))
        missing.append("without " + " and ".join(f"“{word}”" for word in unwanted))
    if not missing:
        return None
    text = " ".join(query.text.split())
    bare = query.kind is not None or asks_for_nothing(text)
    return Narrowing(
        replace(
            request,
            query=request.query if bare else text,
            filter=filter,
            below_floor=request.below_floor or bare,
        ),
        tuple(notices),
        f"nothing {' and '.join(missing)} answers this; these come without that condition",
        bare and not filter.include_documents and request.mode == "hybrid",
        query.kind is not None and len(request.query.split()) == 1,
    )


def _told(span: Span) -> str:
    """How a time was understood."""
    if span.since is None:
        return f"“{span.words}”: before {day(span.before or 0)}"
    if span.before is None:
        return f"“{span.words}”: from {day(span.since)} on"
    first, last = day(span.since), day(span.before - 1)
    return f"“{span.words}”: {first}" + (f" to {last}" if last != first else "")


def _holding_all(query: Query, store: Store, filter: Filter) -> tuple[int, ...]:
    """The memories that hold every phrase, word by word."""
    held = [{text.memory for text in _texts(phrase, store, filter)} for phrase in query.phrases]
    return tuple(sorted(set.intersection(*held)))


def _unwanted(query: Query, store: Store, filter: Filter) -> dict[str, set[int]]:
    """The words nobody wants, each with the memories that hold it.

    Where one writes it with the very dash, it is an option that is asked for: `find -name`.
    """
    held = {word: _texts(word, store, filter) for word in query.without}
    return {
        word: {text.memory for text in texts}
        for word, texts in held.items()
        if not any(f"-{word}" in text.text for text in texts)
    }


def _texts(phrase: str, store: Store, filter: Filter) -> list[Text]:
    if filter.project is None:
        return store.texts_with(phrase, None, _HOLDING)
    seen = visible_tokens(filter.project, filter.session, filter.parent)
    return [text for token in seen for text in store.texts_with(phrase, token, _HOLDING)]
