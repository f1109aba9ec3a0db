"""The engine's way out."""

from __future__ import annotations

import os

from recairn.core.kinds import KIND_WORDS
from recairn.core.record import replace
from recairn.engine.base import Base
from recairn.engine.options import listing_from, reaching, request_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Unpack

    from recairn.core.keyword_arguments import SearchOptions
    from recairn.core.model import Event, Hit, Memory, SearchResult
    from recairn.core.report import Report
    from recairn.recall.narrowing import Narrowing
    from recairn.recall.search import Request

# So many searches may wait to be logged before one of them does it.
_PENDING_SEARCHES = 64
# So many of the newest memories are read for the words that a misspelt one may be meant for.
_SPELLED = 500
# What may say more of a question than what it is about: how its words belong together, or a time.
_SIGNS = ('"', "“", "„", "«", " -", " AND ", "NOT ")
_FIELDS = ("kind:", "type:", "category:", "author:", "tier:", "trust:", "since:", "before:")
_TIMES = frozenset(
    """
    today yesterday tonight ago since until till weekend morning afternoon evening
    minute minutes hour hours day days week weeks fortnight month months quarter year years
    monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
    q1 q2 q3 q4 release
    gestern vorgestern heute woche monat jahr ayer anteayer hoy semana mes año hier aujourd'hui
    avant-hier semaine mois année entscheidungen regeln fehler decisiones decidimos reglas errores
    décisions règles erreurs
    """.split()
)
# Words by which a kind goes itself, and what only a short question asks for all of something with,
# for the newest, or for where work stopped.
_KINDS = frozenset([word for word, kind in KIND_WORDS.items() if word[:4] == kind[:4]])
_CURT = frozenset(KIND_WORDS) | frozenset(
    """
    new newest latest recent recently lately oldest everything anything where next session doing
    working
    """.split()
)
_SHORT = 5  # words


class Reading(Base):
    """Finding and looking."""

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResult:
        """The memories that answer a question, best first; `meta` says how they were found."""
        now, config = self._clock(), self.store.config()
        asking = reaching(options, config)
        request = request_from(query, asking, self._filter(asking, now), config)
        if self.stays:
            from recairn.engine.options import looked_twice

            request = looked_twice(request, asking.get("deep"), config, self.meaning.models_dir)
        if _says_more_than_words(query):
            return self._narrowed(request, asking, now)
        return self._answer(request, asking, now)

    def superseded(self, query: str, **options: Unpack[SearchOptions]) -> tuple[Hit, ...]:
        """What would have answered a question that nothing answers, had nothing taken its place."""
        if options.get("include_superseded") or not query.strip():
            return ()
        asking = reaching(options, self.store.config())
        filter = replace(self._filter(asking, self._clock()), hidden="superseded")
        if not self.store.count(filter):  # most often, and then nobody looks twice
            return ()
        options["include_superseded"], options["deep"], options["track"] = True, False, False
        return self.search(query, **options).hits

    def meant(self, query: str, **options: Unpack[SearchOptions]) -> str:
        """A question that nothing answers, in the spelling of what would; "" where nothing does."""
        from recairn.core.memory_text import whole_text
        from recairn.recall.slips import respelled

        filter = self._filter(reaching(options, self.store.config()), self._clock())
        newest = self.store.listing(filter, order="newest", limit=_SPELLED)
        question = respelled(query, [whole_text(memory) for memory in newest])
        options["deep"], options["track"] = False, False
        return question if question and self.search(question, **options).hits else ""

    def _narrowed(self, request: Request, options: Mapping[str, Any], now: int) -> SearchResult:
        """The answer to a question that says more than words; to its words, where nothing has what
        it asks for beside them."""
        from recairn.recall.narrowing import narrowed

        narrower = narrowed(request, self.store, now, _released_at)
        if narrower is None:
            return self._answer(request, options, now)
        if narrower.unsure:
            result = self._answer(request, options, now)
            if result.hits:
                return _with_notices(result, (narrower.hint,))
        for each in filter(None, (narrower, narrower.looser)):
            result = self._narrower(each, options, now)
            if result.hits:
                notices = (*each.notices, *self._how_many(result, each, request))
                result = _with_notices(_asked(result, request), notices)
                self._log(result, replace(each.request, query=request.query), options, now)
                return result
        wanted = narrower.request.filter
        if (
            narrower.listed
            and (wanted.since, wanted.before) != (None, None)
            and not request.below_floor
        ):
            from recairn.recall.narrowing import nothing_then

            told = nothing_then(narrower.request, self.store)
            result = _with_notices(_asked(result, request), (*narrower.notices, told))
            searched = self.store.count(request.filter)
            result = replace(result, meta=replace(result.meta, searched=searched))
            self._log(result, request, options, now)
            return result
        result = self._answer(request, options, now)
        told = narrower.otherwise if result.hits else ""
        return _with_notices(result, (told,) if told else narrower.notices)

    def _narrower(self, narrower: Narrowing, options: Mapping[str, Any], now: int) -> SearchResult:
        if not narrower.listed:
            return self._answer(narrower.request, {**options, "track": False}, now)
        from recairn.recall.listings import listed_hits

        return listed_hits(narrower.request, self.store, narrower.listed)

    def _how_many(
        self, result: SearchResult, narrower: Narrowing, request: Request
    ) -> tuple[str, ...]:
        """Of how many a list shows the first, unless so many were asked for."""
        shown = len(result.hits)
        if not narrower.listed or shown < request.limit or narrower.request.limit < request.limit:
            return ()
        total = self.store.count(narrower.request.filter)
        return (f"{shown} of {total}",) if total > shown else ()

    def _answer(self, request: Request, options: Mapping[str, Any], now: int) -> SearchResult:
        # Here, because who writes reads single memories too, and needs no search for that.
        from recairn.recall.search import search

        result = search(request, self.store, self.meaning, now=now)
        if request.mode == "semantic" and result.meta.model is None:
            notices = (self.meaning.why_not(),)
            result = replace(result, meta=replace(result.meta, notices=notices))
        self._log(result, request, options, now)
        return result

    def _log(
        self, result: SearchResult, request: Request, options: Mapping[str, Any], now: int
    ) -> None:
        """Keeps a search for the logs, unless nobody is to hear of it."""
        if options.get("track", True) and not self.store.read_only:
            self._pending.append((result, request, options.get("tool", "python"), now))
            if len(self._pending) >= _PENDING_SEARCHES:
                self.settle()

    def get(self, reference: int | str) -> Memory | None:
        """The memory `42`, `#42`, a uid (or its beginning) or a foreign id points at, or None."""
        self.settle()
        memory = self.store.get(reference) if isinstance(reference, int) else None
        ids = self.store.find(str(reference).strip()) if memory is None else [memory.id]
        ids = self._within_grant(ids)
        if memory is None and len(ids) == 1:
            memory = self.store.get(ids[0])
        return memory if ids else None

    def listing(self, **options: Any) -> list[Memory]:
        """Memories by filter instead of by question; `order` is newest, oldest, used, salient."""
        extent = listing_from(options)
        self.settle()
        filter = self._filter(options, self._clock())
        memories = self.store.listing(filter, **extent)
        if filter.as_of is None:
            return memories
        from recairn.memory.lifecycle import as_of

        past = [as_of(memory, self.store.history(memory.id), filter.as_of) for memory in memories]
        return [memory for memory in past if memory is not None]

    def history(self, reference: int | str) -> list[Event]:
        """Every change of a memory, oldest first."""
        self.settle()
        return self.store.history(self.resolve(reference))

    def verify(self) -> Report:
        """Checks the database; `.problems` is empty when it is healthy."""
        self.settle()
        return self.store.verify()


def _asked(result: SearchResult, request: Request) -> SearchResult:
    """The result under the words that were typed."""
    return replace(result, meta=replace(result.meta, query=request.query))


def _with_notices(result: SearchResult, notices: Sequence[str]) -> SearchResult:
    told = (*filter(None, notices), *result.meta.notices)
    return replace(result, meta=replace(result.meta, notices=told))


def _says_more_than_words(query: str) -> bool:
    """Whether a question is worth being taken apart; most are nothing but words."""
    said = [word.strip("?!.,;:()¿¡") for word in query.lower().split()]
    return (
        any(sign in query for sign in _SIGNS)
        or query.lstrip()[:1] in ("-", "#")
        or (":" in query and any(word.startswith(_FIELDS) for word in said))
        or not _TIMES.isdisjoint(said)
        or not _KINDS.isdisjoint(said)
        or (len(said) <= _SHORT and not _CURT.isdisjoint(said))
        or any(_is_date_or_version(word) for word in said)
    )


def _is_date_or_version(word: str) -> bool:
    """`2026-11-15`, `15.11.2026`, `2026` or `v1.2`, as far as one end tells."""
    if word[:1] == "v":
        return word[1:2].isdecimal()
    return word[:1].isdecimal() and (word[:4].isdecimal() or word[-4:].isdecimal())


def _released_at(version: str) -> int | None:
    """When a tag of the checkout around the working directory was made; the newest for ""."""
    from recairn.host.git import tag_times
    from recairn.host.project import root_of

    root = root_of(os.getcwd())
    tags = {} if root is None else tag_times(root)
    return tags.get(version) if version else next(iter(tags.values()), None)
