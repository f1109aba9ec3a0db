"""The public Python API: opens things, owns their lifetimes, and calls the layers below.

with recairn.open() as memory:
    memory.remember("Always run migrations in a transaction", kind="rule")
    for hit in memory.search("migrations").hits:
        print(hit.id, hit.score, hit.memory.content)
"""

from __future__ import annotations

import os

from recairn.errors import Ambiguous, BadInput, NotFound
from recairn.ids import row_number
from recairn.kinds import one_of
from recairn.known import known_memory
from recairn.meaning import Meaning
from recairn.model import Act, Draft
from recairn.options import (
    DOOR,
    draft_from,
    filter_from,
    known,
    listing_from,
    moment,
    request_from,
)
from recairn.projects import database_path, detect, models_folder
from recairn.search import search
from recairn.store.sqlite import SqliteStore
from recairn.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Unpack

    from recairn.drafts import Prepared
    from recairn.model import (
        DraftOptions,
        Event,
        Filter,
        Memory,
        Remembered,
        Report,
        SearchOptions,
        SearchResult,
    )
    from recairn.search import Request
    from recairn.store.base import Store
    from recairn.undo import Undone

# How long a write waits for another process (seconds), and how long book-keeping may.
_PATIENCE_S = 30.0
_BOOKKEEPING_PATIENCE_S = 0.15
# So many searches may wait to be logged before one of them does it.
_PENDING_SEARCHES = 64


def open_memory(
    path: str | os.PathLike[str] | None = None,
    *,
    project: str | None = None,
    session: str | None = None,
    model: str | None = None,
    read_only: bool = False,
    clock: Callable[[], int] = now_ms,
) -> Recairn:
    """Opens (and on first use creates) a memory.

    `path` defaults to RECAIRN_DB, then the project's own `.recairn/memory.db`, then the user's one.
    `project` defaults to the git checkout of the working directory. `model` names the embedding
    model for new vectors ("none" for no vectors); it defaults to the configured one.
    """
    folder = os.getcwd()
    chosen = database_path(None if path is None else os.fspath(path), folder)
    store = SqliteStore(chosen, read_only=read_only, patience_s=_PATIENCE_S)
    return Recairn(
        store,
        project=detect(folder) if project is None else project,
        session=session or os.environ.get("RECAIRN_SESSION") or None,
        model=model or os.environ.get("RECAIRN_MODEL") or None,
        clock=clock,
    )


class Recairn:
    """One open memory. Not for use by several threads at once; open one per thread."""

    def __init__(
        self,
        store: Store,
        *,
        project: str,
        session: str | None = None,
        model: str | None = None,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.store = store
        self.project = project
        self.session = session
        self.meaning = Meaning(store, models_dir=models_folder(), wanted=model)
        self._clock = clock
        self._pending: list[tuple[SearchResult, Request, str, int]] = []

    def __enter__(self) -> Recairn:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Writes what is left to log, and closes the database."""
        self.settle()
        self.store.close()

    # In

    def remember(self, content: str, **options: Unpack[DraftOptions]) -> Remembered:
        """Remembers a text, or says what it resembles (`status="needs_decision"`).

        `force` stores it beside look-alikes, `supersede` replaces a memory, `merge` adds to one.
        """
        from recairn.remember import Door, remember

        given: dict[str, Any] = {"content": content, **options}
        draft = draft_from({k: v for k, v in given.items() if k not in DOOR}, self._clock())
        force = bool(given.get("force"))
        replaced, joined = (
            None if given.get(name) is None else self._changeable(given[name], force=force)
            for name in ("supersede", "merge")
        )
        door = Door(self.meaning, "add" if force else "ask", replaced, joined)
        prepared = self._prepared(draft)
        pieces = self.meaning.pieces([prepared.text])[0]
        self.settle()
        return remember(self.store, prepared, door, pieces)

    def remember_many(
        self, drafts: Iterable[Draft | Mapping[str, Any]], *, on_similar: str = "ask"
    ) -> list[Remembered]:
        """Remembers all drafts in one transaction: all of them or, on an error, none.

        `on_similar` decides about look-alikes: ask (skip and report), reinforce, or add.
        """
        from recairn.remember import Door, remember_all

        one_of("on_similar", on_similar, ("ask", "reinforce", "add"))
        self.settle()
        results = remember_all(
            self.store, self._all_prepared(drafts), Door(self.meaning, on_similar)
        )
        if self.meaning.left_behind():
            self.embed()
        return results

    def _all_prepared(self, drafts: Iterable[Draft | Mapping[str, Any]]) -> Iterator[Prepared]:
        now, allow = self._clock(), self._allowed()
        for number, given in enumerate(drafts, start=1):
            try:
                draft = given if isinstance(given, Draft) else draft_from(given, now)
                yield self._prepared(draft, now, allow)
            except BadInput as error:
                raise BadInput(f"draft {number}: {error.message}", error.hint) from None

    def _prepared(
        self, draft: Draft, now: int | None = None, allow: Sequence[str] | None = None
    ) -> Prepared:
        from recairn.drafts import prepare

        return prepare(
            draft,
            project=self.project,
            session=self.session,
            allow=self._allowed() if allow is None else allow,
            now=self._clock() if now is None else now,
        )

    def _allowed(self) -> Sequence[str]:
        """What the user declared not to be a secret."""
        listed = self.store.config().get("redaction.allow", "")
        return tuple(line for line in listed.splitlines() if line)

    def embed(
        self,
        *,
        limit: int | None = None,
        report: Callable[[int, int], None] | None = None,
    ) -> int:
        """Embeds what has no vector of the wanted model yet; how many memories were done."""
        return self.meaning.catch_up(clock=self._clock, limit=limit, report=report)

    # Out

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResult:
        """The memories that answer a question, best first; `meta` says how they were found."""
        given: dict[str, Any] = dict(options)
        now = self._clock()
        request = request_from(query, given, self._filter(given, now))
        result = search(request, self.store, self.meaning, now=now)
        if given.get("track", True) and not self.store.read_only:
            self._pending.append((result, request, given.get("tool", "python"), now))
            if len(self._pending) >= _PENDING_SEARCHES:
                self.settle()
        return result

    def _filter(self, given: Mapping[str, Any], now: int) -> Filter:
        return filter_from(given, project=self.project, session=self.session, now=now)

    def settle(self) -> None:
        """Writes the book-keeping of past searches; it may fail quietly, never a search or write."""
        if not self._pending:
            return
        from recairn.tracking import log_searches

        pending, self._pending = self._pending, []
        try:
            with self.store.bookkeeping(_BOOKKEEPING_PATIENCE_S):
                log_searches(self.store, pending)
        except Exception:
            return  # counters are a comfort: an answer already given is worth more

    def get(self, reference: int | str) -> Memory | None:
        """The memory `42`, `#42`, a uid (or its beginning) or a foreign id points at, or None."""
        self.settle()
        found = self.store.find(str(reference))
        return self.store.get(found[0]) if len(found) == 1 else None

    def resolve(self, reference: int | str) -> int:
        """The id a reference points at; NotFound or Ambiguous otherwise."""
        found = self.store.find(str(reference).strip())
        if not found:
            raise NotFound(f"there is no memory {reference!s}", "recairn recent lists the newest")
        if len(found) > 1:
            listed = ", ".join(f"#{memory}" for memory in found)
            raise Ambiguous(f"{reference!s} fits {listed}", "give more letters, or the number")
        return found[0]

    def listing(self, **options: Any) -> list[Memory]:
        """Memories by filter instead of by question; `order` newest, oldest, used, salient, changed."""
        extent = listing_from(options)
        self.settle()
        return self.store.listing(self._filter(options, self._clock()), **extent)

    def count(self, **options: Any) -> int:
        """How many memories a filter lets through."""
        listing_from(options)
        return self.store.count(self._filter(options, self._clock()))

    def history(self, reference: int | str) -> list[Event]:
        """Every change of a memory, oldest first."""
        self.settle()
        return self.store.history(self.resolve(reference))

    def stats(self) -> dict[str, Any]:
        """Counts of everything."""
        self.settle()
        return self.store.stats(self._clock())

    def verify(self) -> Report:
        """Checks the database; `.problems` is empty when it is healthy."""
        self.settle()
        return self.store.verify()

    # Changes

    def edit(self, reference: int | str, *, force: bool = False, **changes: Any) -> Memory:
        """Changes fields of a memory; every index and the history follow."""
        from recairn import lifecycle
        from recairn.drafts import Cleaner

        memory = self._changeable(reference, force=force)
        for name in ("expires_at", "valid_from", "valid_until"):
            if name in changes:
                changes[name] = moment(changes[name], self._clock())
        with self.store.transaction():
            after = lifecycle.edit(
                self.store, memory, changes, self._act(), Cleaner(self._allowed())
            )
            self.meaning.renew(after, now=self._clock())
        return after

    def forget(
        self, reference: int | str, *, hard: bool = False, reason: str = "", force: bool = False
    ) -> Memory:
        """Hides a memory (`restore` brings it back), or with `hard` destroys it for good."""
        from recairn import lifecycle

        memory = self._changeable(reference, force=force)
        act = self._act(reason)
        return (lifecycle.erase if hard else lifecycle.forget)(self.store, memory, act)

    def restore(self, reference: int | str) -> Memory:
        """Brings a forgotten memory back."""
        from recairn import lifecycle

        return lifecycle.restore(self.store, self.resolve(reference), self._act())

    def supersede(self, old: int | str, new: int | str, *, force: bool = False) -> Memory:
        """Replaces a memory by another one, or by a new text; returns the old one."""
        from recairn import lifecycle

        memory = self._changeable(old, force=force)
        if isinstance(new, int) or row_number(new.strip()) or self.store.find(new.strip()):
            return lifecycle.supersede(self.store, memory, self.resolve(new), self._act())
        known = known_memory(self.store, memory)
        self.remember(
            new,
            kind=known.kind,
            project=known.project,
            category=known.category,
            tier=known.tier,
            supersede=memory,
            force=True,
        )
        return known_memory(self.store, memory)

    def feedback(self, reference: int | str, score: float = 1.0, *, source: str = "user") -> Memory:
        """Records how much a memory helped, from 0 (harmful) to 1."""
        from recairn import lifecycle
        from recairn.drafts import Cleaner

        source = Cleaner(self._allowed()).name("source", source)
        return lifecycle.feedback(self.store, self.resolve(reference), score, self._act(), source)

    def reinforce(self, reference: int | str, amount: float = 0.1) -> Memory:
        """Strengthens a memory."""
        from recairn import lifecycle

        return lifecycle.reinforce(self.store, self.resolve(reference), self._act(), amount)

    def deemphasize(self, reference: int | str, amount: float = 0.2) -> Memory:
        """Weakens a memory."""
        from recairn import lifecycle

        return lifecycle.deemphasize(self.store, self.resolve(reference), self._act(), amount)

    def undo(self, reference: int | str | None = None, **options: Any) -> list[Undone]:
        """Takes back the last change of a memory, or all of a `source`, a `session`, `since` a time.

        `dry_run` only says what would be taken back.
        """
        from recairn.undo import Undone, events_of, undo, with_consequences

        known("undo", options, ("source", "session", "since", "dry_run"))
        self.settle()
        events = events_of(
            self.store,
            memory=None if reference is None else self.resolve(reference),
            source=options.get("source"),
            session=options.get("session"),
            since=moment(options.get("since"), self._clock()),
        )
        if options.get("dry_run"):
            chosen = with_consequences(self.store, events)
            return [Undone(event.id, event.memory, event.event) for event in chosen]
        with self.store.transaction():
            undone = undo(self.store, events, self._act())
            for memory in {each.memory for each in undone if each.what in ("updated", "merged")}:
                self.meaning.renew(known_memory(self.store, memory), now=self._clock())
        return undone

    def _act(self, reason: str = "") -> Act:
        from recairn.drafts import MAX_REFERENCE, Cleaner

        if reason:
            reason = Cleaner(self._allowed()).name("reason", reason, MAX_REFERENCE)
        return Act(self._clock(), self.session, reason)

    def _changeable(self, reference: int | str, *, force: bool) -> int:
        from recairn import lifecycle

        self.settle()
        memory = self.resolve(reference)
        lifecycle.guard_immutable(known_memory(self.store, memory), force=force)
        return memory

    # Settings

    def config(self) -> dict[str, str]:
        """All settings that differ from the defaults."""
        return self.store.config()

    def set_config(self, key: str, value: str | None) -> None:
        """Stores a setting; None removes it."""
        with self.store.transaction():
            self.store.set_config(key, value, self._clock())
