"""A question in the syntax of `core.query_syntax` as a request that is narrower than its words."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.kinds import visible_tokens
from recairn.core.query_syntax import asks_for_nothing, leaving_out, read_query
from recairn.core.record import record, replace
from recairn.core.times import day, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

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

    `listed`: no subject was named, so whatever is of that time or kind is wanted, `newest` or
    `oldest` first. `unsure`: the one word that was said may also be looked for like any other; that
    comes first, and `hint` says how to get the list. `looser`: of any kind, where
    none of the kind answers.
    """

    request: Request
    notices: tuple[str, ...]
    otherwise: str
    looser: Narrowing | None
    listed: str
    unsure: bool
    hint: str


@record
class _Heard:
    """What the person hears: how the question was understood, and what would have to be so."""

    notices: list[str]
    missing: list[str]


def narrowed(
    request: Request, store: Store, now: int, released_at: Callable[[str], int | None]
) -> Narrowing | None:
    """The narrower request; None where the question is nothing but words, or was narrowed by
    options that say the same."""
    query = _beside_options(read_query(request.query, now, released_at), request)
    if query.is_plain or (query.id is not None and not _is_seen(query.id, request, store)):
        return None
    heard = _Heard([], [])
    filter = _with_fields(query, request.filter, now, heard)
    filter = _narrower(query, filter, store, heard)
    unwanted = _unwanted(query, store, filter)
    if unwanted:
        filter = replace(filter, apart=tuple(sorted(set().union(*unwanted.values()))))
        heard.notices.append("without " + ", ".join(f"“{word}”" for word in unwanted))
        heard.missing.append("without " + " and ".join(f"“{word}”" for word in unwanted))
    if not (heard.missing or heard.notices):
        return None
    text = " ".join(leaving_out(query.text, unwanted).split())
    return _narrowing(query, text, replace(request, filter=filter), heard)


def _narrowing(query: Query, text: str, request: Request, heard: _Heard) -> Narrowing:
    named = query.kind is None and not asks_for_nothing(text)
    bare = query.id is not None or not (query.subject or named)
    listed = bare and not request.filter.include_documents and request.mode == "hybrid"
    order = "oldest" if query.oldest else "newest"
    return Narrowing(
        replace(
            request,
            query=request.query if bare else text,
            limit=min(request.limit, query.count) if bare and query.count else request.limit,
            below_floor=request.below_floor or bare,
        ),
        tuple(heard.notices),
        f"nothing {' and '.join(heard.missing)} answers this; these come without that condition"
        if heard.missing
        else "",
        _of_any_kind(query, text, request, heard),
        order if listed else "",
        query.unsure,
        "" if query.kind is None else f"“all {text}” lists every {query.kind}",
    )


def _of_any_kind(query: Query, text: str, request: Request, heard: _Heard) -> Narrowing | None:
    """The same time and subject, where no memory of the kind answers."""
    if not (query.subject and query.span):
        return None
    any_kind = replace(request, query=text, filter=replace(request.filter, kinds=()))
    told = f"nothing of the kind {query.kind} answers this; these are of any kind"
    return Narrowing(any_kind, (heard.notices[0], told), "", None, "", unsure=False, hint="")


def _beside_options(query: Query, request: Request) -> Query:
    """A question without what options say too, or what cannot be told beside them."""
    filter = request.filter
    if filter.since is not None or filter.before is not None or filter.as_of is not None:
        text = request.query if query.span else query.text
        query = replace(query, span=None, release="", text=text)
    if filter.include_documents or filter.include_superseded or filter.include_deleted:
        query = replace(query, phrases=(), without=())
        query = replace(query, kind=None, subject=False, everything=False)
    if filter.kinds or request.mode != "hybrid":
        query = replace(query, kind=None, subject=False, everything=False)
    return query


def _narrower(query: Query, filter: Filter, store: Store, heard: _Heard) -> Filter:
    """What a time, a kind and phrases leave of what may be found."""
    if query.id is not None:
        heard.notices.append(f"memory #{query.id} by its number")
        return replace(filter, among=(query.id,))
    if query.release:
        heard.notices.append(f"“{query.release}”: no tag of this checkout tells when that was")
    if query.span is not None:
        filter = replace(filter, since=query.span.since, before=query.span.before)
        heard.notices.append(_span_text(query.span))
        heard.missing.append(f"that was stored “{query.span.words}”")
    if query.kind is not None:
        filter = replace(filter, kinds=(query.kind,))
        order = "oldest first" if query.oldest else "newest first"
        heard.notices.append(
            f"of the kind {query.kind} alone" if query.subject else f"every {query.kind}, {order}"
        )
        heard.missing.append(f"of the kind {query.kind}")
    elif query.everything and not (query.span or query.fields):
        heard.notices.append("the oldest" if query.oldest else "the newest")
    if query.phrases:
        filter = replace(filter, among=_holding_all(query, store, filter))
        heard.missing.append("that holds " + " and ".join(f"“{one}”" for one in query.phrases))
    return filter


def _with_fields(query: Query, filter: Filter, now: int, heard: _Heard) -> Filter:
    """What fields such as `kind:rule` leave; one that an option says already says nothing."""
    for name, value in query.fields:
        wanted: Any = value
        if name in ("since", "before"):
            try:
                wanted = parse(value, now)
            except BadInput:
                continue
        elif name == "kind":
            name, wanted = "kinds", (value,)
        if getattr(filter, name):
            continue
        filter = replace(filter, **{name: wanted})
        said = f"{'kind' if name == 'kinds' else name}:{value}"
        heard.notices.append(f"only {said}")
        heard.missing.append(f"of {said}")
    return filter


def _is_seen(memory: int, request: Request, store: Store) -> bool:
    return memory in store.passing([memory], request.filter)


def nothing_then(request: Request, store: Store) -> str:
    """What the person hears where nothing is of the time that was asked for: what came last."""
    filter = replace(request.filter, since=None, before=None)
    newest = store.listing(filter, order="newest", limit=1)
    if not newest:
        return ""
    what = request.filter.kinds[0] if len(request.filter.kinds) == 1 else "memory"
    last = f"#{newest[0].id}, {day(newest[0].created_at)}"
    return f"nothing is of that time; the newest {what} is {last}"


def _span_text(span: Span) -> str:
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

    Where one writes it with the very dash, it is an option that is asked for: `find -name`. What
    nothing holds leaves nothing out.
    """
    held = {word: _texts(word, store, filter) for word in query.without}
    return {
        word: {text.memory for text in texts}
        for word, texts in held.items()
        if texts and not any(f"-{word}" in text.text for text in texts)
    }


def _texts(phrase: str, store: Store, filter: Filter) -> list[Text]:
    if filter.project is None:
        return store.texts_with(phrase, None, _HOLDING)
    seen = visible_tokens(filter.project, filter.session, filter.parent)
    return [text for token in seen for text in store.texts_with(phrase, token, _HOLDING)]
