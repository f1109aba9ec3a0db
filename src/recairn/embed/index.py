"""Embeddings for a database: which model answers, which one writes, and catching up.

One model is active at a time. A failing or missing model never loses a write and never stops a
search: memories are stored without a vector, questions are answered by words, and a notice says so.
"""

from __future__ import annotations

import time
from math import hypot

from recairn.core.errors import RecairnError
from recairn.core.kinds import reach_tokens
from recairn.core.model import Said, Vectors
from recairn.embed.models import fingerprint, load
from recairn.ranking.codes import codes_of
from recairn.store.rows import QueryVector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from recairn.core.model import Memory
    from recairn.embed.protocol import Embedder, Reranker
    from recairn.store.contract.base import Store

NO_MODEL = "none"
DEFAULT_MODEL = "static"
# Memories embedded between two commits of `catch_up`: a kill loses at most this much work.
_BATCH = 128
# The first batch of a slow model, and the seconds that one should take.
_FIRST_BATCH, _BATCH_S = 4, 0.5
# Words of a question whose meaning is looked at one by one; the others count together.
_TOLD_APART = 16
# Memories that may be embedded under the write lock at the end of a switch.
_LAST = 16


class Meaning:
    """The embedding side of one open memory. Nothing is loaded before it is needed."""

    def __init__(self, store: Store, *, models_dir: str, wanted: str | None) -> None:
        self._store = store
        self.models_dir = models_dir
        self._given = wanted
        self._wanted = wanted
        self._loaded: dict[str, Embedder] = {}
        self._rerankers: dict[str, Reranker] = {}
        self._made_with: Embedder | None = None
        self._was_slow = False
        self.late: dict[int, int] = {}
        self.notice = ""

    @property
    def wanted(self) -> str:
        """The model to have: as opened, as configured, the one in use, or the shipped one.

        Settings are looked at each time: another process may change them.
        """
        if self._wanted is not None:
            return self._wanted
        configured = self._store.config().get("embedding.model")
        return configured or self._writing_name(DEFAULT_MODEL)

    def want(self, name: str) -> None:
        """Names another model to have."""
        self._wanted = name

    def reload(self) -> None:
        """Forgets what was loaded: settings changed, or this is the end."""
        for embedder in self._loaded.values():
            close = getattr(embedder, "close", None)
            if close is not None:
                close()
        self._loaded.clear()
        self._rerankers.clear()
        self._wanted = self._given

    def embedder(self, name: str) -> Embedder:
        """The embedder of that name; ModelMissing when it is not installed."""
        if name not in self._loaded:
            options = self.external_options() if name == "external" else None
            self._loaded[name] = load(name, models_dir=self.models_dir, options=options)
        return self._loaded[name]

    def reranker(self, name: str) -> Reranker:
        """The reranker of that name; ModelMissing when it is not installed."""
        if name not in self._rerankers:
            from recairn.embed.models import load_reranker

            self._rerankers[name] = load_reranker(name, models_dir=self.models_dir)
        return self._rerankers[name]

    def external_options(self) -> dict[str, object]:
        """The settings `embedding.external.*`, by their last word."""
        prefix = "embedding.external."
        settings = self._store.config().items()
        return {
            key.removeprefix(prefix): _typed(value)
            for key, value in settings
            if key.startswith(prefix)
        }

    # Questions

    def question(
        self, query: str, words: Sequence[str] = (), settings: Mapping[str, str] | None = None
    ) -> QueryVector | None:
        """A question in the active model's space; None: words only.

        A model that cannot tell words apart says nothing of them. Settings that the caller has
        read already are not read again.
        """
        self.notice = ""
        if settings is None:
            settings = self._store.config()
        if (self._wanted or settings.get("embedding.model")) == NO_MODEL:
            return None
        self.embed_late()
        active = self._store.active_model()
        if active is None:
            return None
        name, known_as = active.name, active.fingerprint
        try:
            embedder = self.embedder(name)
            if fingerprint(embedder) != known_as:
                self.notice = (
                    f"searching by words only: the vectors are of {known_as}, and {name} is now"
                    f" {embedder.revision}; recairn embed makes new ones"
                )
                return None
            codes, said = _question_codes(embedder, query, words)
            return QueryVector._make((active.id, name, codes, said))
        except RecairnError as error:
            self.notice = _with_hint("searching by words only", error)
            return None

    def lengths(self, spelled: Mapping[str, str]) -> dict[str, float]:
        """How telling the words behind some terms are in any text, by the shipped model; 1: "the".

        Empty where its file cannot be read: then no word is known to be plain.
        """
        from recairn.embed.static import StaticEmbedder

        try:
            model = self.embedder("static")
        except RecairnError:
            return {}
        assert isinstance(model, StaticEmbedder)
        return {term: model.length(word) for term, word in spelled.items()}

    def why_not(self) -> str:
        """Why a question could not be answered by meaning, and what to do about it."""
        if self.wanted == NO_MODEL:
            return "No embedding model configured; recairn model use static"
        return self.notice or "no memory has a vector yet; recairn embed makes them"

    # Writing

    def pieces(
        self, texts: Sequence[str], settings: Mapping[str, str] | None = None
    ) -> list[list[bytes]]:
        """The codes of each text, one or more pieces; empty lists where the model failed."""
        return self._pieces(self._writer(settings), texts)

    def _pieces(self, name: str, texts: Sequence[str]) -> list[list[bytes]]:
        self._made_with = None
        if name == NO_MODEL:
            return [[] for _ in texts]
        try:
            embedder = self.embedder(name)
            made = _embedded(embedder, texts)
        except RecairnError as error:
            self.notice = _with_hint("stored without a vector", error)
            return [[] for _ in texts]
        self._made_with = embedder
        return made

    def pieces_at_once(self, texts: Sequence[str]) -> list[list[bytes]]:
        """The same for bulk work under the write lock, which waits for no slow model (`later`)."""
        name = self._writer()
        self._was_slow = _is_slow(name)
        return [[] for _ in texts] if self._was_slow else self._pieces(name, texts)

    def put(self, vectors: Sequence[Vectors], *, now: int) -> None:
        """Stores what `pieces` has just made; in the caller's transaction.

        When another process has switched models since, they are left to `embed`.
        """
        if self._made_with is None or not vectors:
            return
        model = self._writing_model(self._made_with, now)
        if model is not None:
            self._store.put_vectors(model, vectors)

    def renew(self, memory: Memory, *, now: int) -> None:
        """Makes the vectors of a memory anew after its text or reach changed.

        Those of a model that is being built go too: they would be of the old text.
        """
        self._store.drop_vectors([memory.id])
        if _is_slow(self._writer()):
            self.late[memory.id] = now
            return
        from recairn.core.memory_text import whole_text

        pieces = self.pieces([whole_text(memory)])[0]
        if pieces:
            self.put([vectors_of(memory, pieces)], now=now)

    def later(self, memories: Iterable[int], *, now: int) -> None:
        """Leaves what bulk work has just stored to `embed_late`, if its model was too slow."""
        if self._was_slow:
            self.late.update(dict.fromkeys(memories, now))

    def embed_late(self) -> None:
        """Embeds what a slow model would have held the write lock for; a failure is a notice."""
        if not self.late:
            return
        late, self.late = self.late, {}
        ids, now = list(late), max(late.values())
        try:
            embedder = self.embedder(self._writing_name(self.wanted))
            for start in range(0, len(ids), _BATCH):
                self._embed_batch(embedder, ids[start : start + _BATCH], now, self._writing_model)
        except RecairnError as error:
            self.notice = _with_hint("stored without a vector", error)

    def _writer(self, settings: Mapping[str, str] | None = None) -> str:
        """The model that writes, or none: the active one, so that what is written is found."""
        wanted = self._wanted
        if wanted is None:
            settings = self._store.config() if settings is None else settings
            wanted = settings.get("embedding.model")
        return NO_MODEL if wanted == NO_MODEL else self._writing_name(wanted or DEFAULT_MODEL)

    def _writing_name(self, otherwise: str) -> str:
        """The active model's name, so that what is written is found at once."""
        active = self._store.active_model()
        return otherwise if active is None else active.name

    def _writing_model(self, embedder: Embedder, now: int) -> int | None:
        """The id to store new vectors under; None when another model has taken over.

        A new revision of the active model takes its vectors apart: the old ones cannot answer.
        """
        active = self._store.active_model()
        if active is not None and active.name != embedder.name:
            return None
        if active is not None and active.fingerprint == fingerprint(embedder):
            return active.id
        return self._registered(embedder, now)

    def _registered(self, embedder: Embedder, now: int) -> int:
        return self._store.add_model(
            {
                "fingerprint": fingerprint(embedder),
                "name": embedder.name,
                "revision": embedder.revision,
                "dim": embedder.dim,
            },
            at=now,
        )

    # Catching up

    def begin(self, *, now: int) -> int:
        """Registers the wanted model, which becomes active at once where there is nothing to do."""
        embedder = self.embedder(self.wanted)
        fingerprint(embedder)  # an external server is asked before the lock is taken
        with self._store.transaction():
            model = self._registered(embedder, now)
            if not self._store.without_vectors(model, 1):
                self._store.activate_model(model)
        return model

    def catch_up(
        self,
        *,
        clock: Callable[[], int],
        limit: int | None = None,
        report: Callable[[int, int], None] | None = None,
        again: bool = False,
    ) -> int:
        """Embeds what is missing or stale with the wanted model; how many memories were done.

        Each batch is one transaction, so it may be killed and run again. When nothing is missing
        any more, the wanted model becomes the active one. `again` makes every vector anew.
        """
        model = self.begin(now=clock())
        embedder = self.embedder(self.wanted)
        done, total = self._store.vector_counts(model)
        done, finished, after = 0 if again else done, 0, 0
        listed = self._store.living if again else self._store.without_vectors
        slow = _is_slow(embedder.name)
        pace = Pace(slow=slow)
        if slow and report is not None:
            report(min(done, total), total)
        while limit is None or finished < limit:
            size = pace.size if limit is None else min(pace.size, limit - finished)
            ids = listed(model, size, after)
            if ids:
                after = ids[-1]
                with pace:
                    finished += self._embed_batch(embedder, ids, clock(), self._registered)
            else:
                last = self._embed_last(embedder, clock())
                if last is not None:
                    return finished + last
                after, listed = 0, self._store.without_vectors
            if report is not None:
                report(min(done + finished, total), total)
        self.begin(now=clock())
        return finished

    def embed_some(
        self,
        ids: Sequence[int],
        *,
        clock: Callable[[], int],
        report: Callable[[int, int], None] | None = None,
    ) -> int:
        """Embeds these memories with the wanted model; how many were done."""
        self.begin(now=clock())
        embedder = self.embedder(self.wanted)
        done = 0
        for start in range(0, len(ids), _BATCH):
            some = ids[start : start + _BATCH]
            done += self._embed_batch(embedder, some, clock(), self._registered)
            if report is not None:
                report(min(start + len(some), len(ids)), len(ids))
        self.begin(now=clock())
        return done

    def _embed_last(self, embedder: Embedder, now: int) -> int | None:
        """Ends a pass: what was written meanwhile is embedded under the lock, so that those who
        write all the time cannot keep a switch from ending. None when that is too much."""
        with self._store.transaction():
            model = self._registered(embedder, now)
            ids = self._store.without_vectors(model, _LAST + 1)
            if len(ids) > _LAST:
                return None
            done = self._embed_batch(embedder, ids, now, self._registered) if ids else 0
            self._store.activate_model(model)
        return done

    def _embed_batch(
        self,
        embedder: Embedder,
        ids: Sequence[int],
        now: int,
        target: Callable[[Embedder, int], int | None],
    ) -> int:
        """Embeds outside the transaction; what changed or went meanwhile is left for next time."""
        from recairn.core.memory_text import whole_text

        memories = [one for one in self._store.get_many(ids).values() if one.deleted_at is None]
        pieces = _embedded(embedder, [whole_text(memory) for memory in memories])
        with self._store.transaction():
            model = target(embedder, now)
            if model is None:
                return 0
            present = self._store.get_many(ids)
            made = [
                vectors_of(present[memory.id], codes)
                for memory, codes in zip(memories, pieces, strict=True)
                if memory.id in present
                and present[memory.id].content_hash == memory.content_hash
                and present[memory.id].deleted_at is None
            ]
            self._store.put_vectors(model, made)
        return len(made)


class Pace:
    """How many memories are embedded at once: a slow model is heard of about twice a second.

    What is done is kept batch by batch, so whoever stops loses no more than that.
    """

    def __init__(self, *, slow: bool) -> None:
        self.size = _FIRST_BATCH if slow else _BATCH
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        took = max(time.monotonic() - self._began, 1e-6)
        # At most twice as many the next time: the first batch also loads the model.
        self.size = max(1, min(_BATCH, 2 * self.size, int(self.size * _BATCH_S / took)))


def _question_codes(
    embedder: Embedder, query: str, words: Sequence[str]
) -> tuple[bytes, list[Said]]:
    """The codes of a question, and of what the first of its words add to it."""
    told_apart = getattr(embedder, "embed_question", None)
    if told_apart is None:
        return codes_of(embedder.embed_query(query)), []
    vector, shares = told_apart(query, set(words[:_TOLD_APART]))
    said = [Said._make((word, codes_of(own), hypot(*own), size)) for word, own, size in shares]
    return codes_of(vector), said


def _is_slow(model: str) -> bool:
    """Whether a model is too slow, or too far away, to be waited for under a lock."""
    return model not in (NO_MODEL, DEFAULT_MODEL)


def _with_hint(what: str, error: RecairnError) -> str:
    return f"{what}: {error.message}" + (f"; {error.hint}" if error.hint else "")


def _typed(text: str) -> object:
    """A setting as the value it spells: true, false, a number, or the text itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def vectors_of(memory: Memory, pieces: Sequence[bytes]) -> Vectors:
    reach = reach_tokens(memory.tier, memory.project, memory.session_id)
    return Vectors(memory.id, reach, memory.content_hash, pieces)


def _embedded(embedder: Embedder, texts: Sequence[str]) -> list[list[bytes]]:
    """Codes of each text; a text beyond the model's window in overlapping pieces.

    A model without a window may say beyond how many characters one vector does no justice to a
    text.
    """
    # A model may make codes without making vectors first.
    coded = getattr(embedder, "document_codes", None) or (
        lambda some: [codes_of(vector) for vector in embedder.embed_documents(some)]
    )
    if embedder.window_tokens is None:
        in_pieces = getattr(embedder, "in_pieces", None)
        if in_pieces is None or max(map(len, texts), default=0) <= in_pieces[0]:
            return [[codes] for codes in coded(texts)]
    from recairn.embed.pieces import split_for

    split = [split_for(embedder, text) for text in texts]
    codes = iter(coded([piece.text for own in split for piece in own]))
    return [[next(codes) for _ in own] for own in split]
