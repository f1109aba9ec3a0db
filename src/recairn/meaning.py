"""Embeddings for a database: which model answers, which one writes, and catching up.

One model is active at a time. A failing or missing model never loses a write and never stops a
search: memories are stored without a vector, questions are answered by words, and a notice says so.
"""

from __future__ import annotations

from recairn.embed.base import fingerprint
from recairn.embed.load import load
from recairn.errors import RecairnError
from recairn.kinds import fields_text
from recairn.model import Vectors
from recairn.reach import reach_tokens
from recairn.record import record
from recairn.store.quantise import codes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recairn.embed.base import Embedder
    from recairn.model import Memory
    from recairn.store.base import Store

NO_MODEL = "none"
DEFAULT_MODEL = "static"
# Memories embedded between two commits of `catch_up`: a kill loses at most this much work.
_BATCH = 128


@record
class Progress:
    """How far a model has come: memories with its vector, and memories in all."""

    model: str
    done: int
    total: int
    active: bool


class Meaning:
    """The embedding side of one open memory. Nothing is loaded before it is needed."""

    def __init__(self, store: Store, *, models_dir: str, wanted: str | None) -> None:
        self._store = store
        self._models_dir = models_dir
        self._wanted = wanted
        self._loaded: dict[str, Embedder] = {}
        self.notice = ""

    @property
    def wanted(self) -> str:
        """The model new vectors are made with: as opened, as configured, or the shipped one."""
        if self._wanted is None:
            self._wanted = self._store.config().get("embedding.model", DEFAULT_MODEL)
        return self._wanted

    def want(self, name: str) -> None:
        """Names another model for new vectors."""
        self._wanted = name

    def embedder(self, name: str) -> Embedder:
        """The embedder of that name; ModelMissing when it is not installed."""
        if name not in self._loaded:
            options = self._external_options() if name == "external" else None
            self._loaded[name] = load(name, models_dir=self._models_dir, options=options)
        return self._loaded[name]

    def _external_options(self) -> dict[str, object]:
        """The settings `embedding.external.*`, by their last word."""
        prefix = "embedding.external."
        settings = self._store.config().items()
        return {
            key.removeprefix(prefix): value for key, value in settings if key.startswith(prefix)
        }

    # Questions

    def asked(self, query: str) -> tuple[int, str, bytes] | None:
        """(model id, name, codes) of a question in the active model's space; None: words only."""
        if self.wanted == NO_MODEL:
            return None
        active = self._store.active_model()
        if active is None:
            return None
        model, name, known_as = active
        try:
            embedder = self.embedder(name)
            if fingerprint(embedder) != known_as:
                self.notice = f"the vectors are of {known_as}; recairn embed makes new ones"
                return None
            return model, name, codes_of(embedder.embed_query(query))
        except RecairnError as error:
            self.notice = f"searching by words only: {error.message}"
            return None

    # Writing

    def pieces(self, texts: Sequence[str]) -> list[list[bytes]]:
        """The codes of each text, one or more pieces; empty lists where the model failed."""
        if self.wanted == NO_MODEL:
            return [[] for _ in texts]
        try:
            return _embedded(self.embedder(self._writing_name()), texts)
        except RecairnError as error:
            self.notice = f"stored without a vector: {error.message}"
            return [[] for _ in texts]

    def pieces_at_once(self, texts: Sequence[str]) -> list[list[bytes]]:
        """The same for bulk work under the write lock; a slow model is left to `catch_up`."""
        if self.wanted != NO_MODEL and self._writing_name() != DEFAULT_MODEL:
            return [[] for _ in texts]
        return self.pieces(texts)

    def _writing_name(self) -> str:
        """The active model's name, so that what is written is found at once; or the wanted one."""
        active = self._store.active_model()
        return self.wanted if active is None else active[1]

    def model(self, *, now: int) -> int:
        """The id under which `pieces` are stored, registering the model on first use."""
        return self._registered(self.embedder(self._writing_name()), now)

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

    def renew(self, memory: Memory, *, now: int) -> None:
        """Makes the vectors of a memory anew after its text or reach changed."""
        pieces = self.pieces([embedded_text(memory)])[0]
        if pieces:
            self._store.put_vectors(self.model(now=now), [vectors_of(memory, pieces)])
        else:
            self._store.drop_vectors([memory.id])

    # Catching up

    def left_behind(self) -> bool:
        """Whether bulk work was stored without vectors because its model is slow."""
        return self.wanted != NO_MODEL and self._writing_name() != DEFAULT_MODEL

    def progress(self) -> list[Progress]:
        """How complete the vectors of each known model are."""
        listed = []
        for model in self._store.models():
            done, total = self._store.vector_counts(int(str(model["id"])))
            active = model["state"] == "active"
            listed.append(Progress(str(model["fingerprint"]), done, total, active))
        return listed

    def catch_up(
        self,
        *,
        clock: Callable[[], int],
        limit: int | None = None,
        report: Callable[[int, int], None] | None = None,
    ) -> int:
        """Embeds what is missing or stale with the wanted model; how many memories were done.

        Each batch is one transaction, so it may be killed and run again. When nothing is missing
        any more, the wanted model becomes the active one.
        """
        embedder = self.embedder(self.wanted)
        with self._store.transaction():
            model = self._registered(embedder, clock())
        done, total = self._store.vector_counts(model)
        finished = 0
        while limit is None or finished < limit:
            size = _BATCH if limit is None else min(_BATCH, limit - finished)
            ids = self._store.without_vectors(model, size)
            if not ids:
                with self._store.transaction():
                    self._store.activate_model(model)
                break
            finished += self._embed_batch(embedder, model, ids)
            if report is not None:
                report(min(done + finished, total), total)
        return finished

    def _embed_batch(self, embedder: Embedder, model: int, ids: Sequence[int]) -> int:
        """Embeds outside the transaction; what changed meanwhile stays stale and comes again."""
        memories = list(self._store.get_many(ids).values())
        pieces = _embedded(embedder, [embedded_text(memory) for memory in memories])
        with self._store.transaction():
            self._store.put_vectors(
                model,
                [vectors_of(memory, made) for memory, made in zip(memories, pieces, strict=True)],
            )
        return len(memories)


def embedded_text(memory: Memory) -> str:
    """The text whose meaning is kept: title, content, and the words of the kind's fields."""
    return "\n".join(
        part for part in (memory.title, memory.content, fields_text(memory.fields)) if part
    )


def vectors_of(memory: Memory, pieces: Sequence[bytes]) -> Vectors:
    reach = reach_tokens(memory.tier, memory.project, memory.session_id)
    return Vectors(memory.id, reach, memory.content_hash, pieces)


def _embedded(embedder: Embedder, texts: Sequence[str]) -> list[list[bytes]]:
    """Codes of each text; a text beyond the model's window in overlapping pieces."""
    window = embedder.window_tokens
    if window is None:
        return [[codes_of(vector)] for vector in embedder.embed_documents(texts)]
    from recairn.embed.chunk import split_for

    split = [split_for(embedder, text) for text in texts]
    vectors = iter(embedder.embed_documents([piece.text for each in split for piece in each]))
    return [[codes_of(next(vectors)) for _ in each] for each in split]
