"""The engine's embedding models: which there are, which one answers, and catching up."""

from __future__ import annotations

from recairn.core.errors import BadOption, ModelMissing, RecairnError, Refused
from recairn.core.kinds import one_of
from recairn.core.record import record, replace
from recairn.embed.index import DEFAULT_MODEL, NO_MODEL
from recairn.embed.models import fingerprint
from recairn.engine.options import DEFAULT_RERANKER, RERANKER, reaching, request_from
from recairn.engine.recall import Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Unpack

    from recairn.core.keyword_arguments import SearchOptions
    from recairn.core.model import SearchResult
    from recairn.store.rows import ModelRow


@record
class ModelInfo:
    """A model: is it installed, is it the wanted one, and how far its vectors here have come.

    `state` is active (answers searches), building (waits to be complete) or "" (no vectors here).
    """

    name: str
    about: str
    installed: bool
    wanted: bool
    state: str = ""
    revision: str = ""
    dim: int = 0
    done: int = 0
    total: int = 0


@record
class Embedded:
    """What `batch_embed` did: with which model, how many memories of which kinds, what is left."""

    model: str | None
    embedded: int
    remaining: int
    total: int
    by_kind: Mapping[str, int]


@record
class RerankerInfo:
    """A reranker: is it installed, and is it the one that has a second look."""

    name: str
    about: str
    installed: bool
    chosen: bool


ABOUT = {
    "static": "ships with recairn; one vector per token, needs nothing else",
    "minilm": "all-MiniLM-L6-v2, the better one; 91 MB, needs numpy",
    "external": "a server of yours that speaks /v1/embeddings",
}


class Models(Reading):
    """Searching by meaning alone, and looking after vectors."""

    def semantic_search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResult:
        """The memories nearest in meaning, by that alone: a hit's score is its cosine."""
        from recairn.ranking.profiles import Profile, Weight

        now, config = self._clock(), self.store.config()
        asked = reaching({**options, "mode": "semantic"}, config)
        request = request_from(query, asked, self._filter(asked, now), config)
        by_meaning = Profile("meaning", "the cosine alone", {"cosine": Weight(1.0)})
        request = replace(request, profile=by_meaning, weights={}, below_floor=True, reranker=None)
        return self._answer(request, asked, now)

    def load_model(self) -> None:
        """Loads the model that questions are asked with, so that the first one need not wait;
        and our reranker, where this process stays."""
        self.meaning.question("what is remembered of this?")
        self.meaning.lengths({})
        if self.stays:
            from recairn.embed.models import OWN, reranker_is_ready

            chosen = self.store.config().get(RERANKER, OWN)
            if chosen == OWN and reranker_is_ready(self.meaning.models_dir):
                self.meaning.reranker(OWN)

    def embed(
        self,
        *,
        limit: int | None = None,
        report: Callable[[int, int], None] | None = None,
        again: bool = False,
    ) -> int:
        """Embeds what has no vector of the wanted model yet; how many memories were done.

        `report(done, total)` is called as it goes on; `again` makes every vector anew.
        """
        if limit is not None and limit < 1:
            raise BadOption(f"limit must be 1 or more, got {limit}")
        if self.meaning.wanted == NO_MODEL:
            raise ModelMissing("No embedding model configured", "recairn model use static")
        self.settle()
        return self.meaning.catch_up(clock=self._clock, limit=limit, report=report, again=again)

    def batch_embed(
        self,
        limit: int | None = None,
        report: Callable[[int, int], None] | None = None,
        *,
        each: Callable[[str], str] | None = None,
    ) -> Embedded:
        """Embeds up to `limit` memories that lack a vector, and says how many are left.

        With `each`, which gives every kind a group, that is the limit of each group.
        """
        if self.meaning.wanted == NO_MODEL:
            total = len(self.store.living(0, -1))
            return Embedded(None, 0, total, total, {})
        if each is None or limit is None:
            before = self._lacking(limit)
            done = self.embed(limit=limit, report=report)
        else:
            self.settle()
            before = self._of_each(self._lacking(None), limit, each)
            done = self.meaning.embed_some(before, clock=self._clock, report=report)
        left = set(self._lacking(None))
        kinds = [memory.kind for memory in self.store.get_many([*({*before} - left)]).values()]
        total = len(self.store.living(0, -1))
        by_kind = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
        return Embedded(self.meaning.wanted, done, len(left), total, by_kind)

    def _of_each(self, ids: list[int], limit: int, group: Callable[[str], str]) -> list[int]:
        """The first so many of each group."""
        chosen: dict[str, list[int]] = {}
        for memory in self.store.get_many(ids).values():
            chosen.setdefault(group(memory.kind), []).append(memory.id)
        return sorted(memory for own in chosen.values() for memory in sorted(own)[:limit])

    def _lacking(self, limit: int | None) -> list[int]:
        """Ids of memories without an up-to-date vector of the wanted model."""
        return self.store.without_vectors(self._wanted_id(), -1 if limit is None else limit)

    def batch_left(self) -> int:
        """How many memories have no up-to-date vector of the wanted model."""
        done, total = self.store.vector_counts(self._wanted_id())
        return total - done

    def _wanted_id(self) -> int:
        """The number of the wanted model here; 0, under which every memory lacks its vector."""
        wanted = self.meaning.wanted
        try:
            key, value = "fingerprint", fingerprint(self.meaning.embedder(wanted))
        except RecairnError:  # not installed, or not to be reached: its name has to do
            key, value = "name", wanted
        ids = [model.id for model in self.store.models() if getattr(model, key) == value]
        return ids[-1] if ids else 0

    @property
    def wanted_model(self) -> str:
        """The model to have: as opened, as configured, or the shipped one; "none" for words alone.

        It answers once it has a vector of every memory; until then `active_model` does.
        """
        return self.meaning.wanted

    @property
    def active_model(self) -> str | None:
        """The model whose vectors answer searches; None before there are any."""
        active = self.store.active_model()
        return None if active is None else active.name

    def model_troubles(self) -> list[tuple[str, str]]:
        """What keeps the chosen model or reranker from its work, and what to do about it.

        A server of yours is not asked whether it answers.
        """
        troubles = []
        for name in dict.fromkeys((self.wanted_model, self.active_model)):
            try:
                if name not in (None, NO_MODEL):
                    self.meaning.embedder(str(name))
            except RecairnError as error:
                troubles.append((f"searching by words only: {error.message}", error.hint))
        reranker = self.store.config().get(RERANKER, DEFAULT_RERANKER)
        try:
            if reranker != DEFAULT_RERANKER:
                self.meaning.reranker(reranker)
        except RecairnError as error:
            troubles.append((f"searches are not reranked: {error.message}", error.hint))
        return troubles

    def models(self) -> list[ModelInfo]:
        """Every model there is, with its progress here; one row per revision that has vectors."""
        listed: list[ModelInfo] = []
        stored = self.store.models()
        for name, about, installed in self._names():
            info = ModelInfo(name, about, installed, name == self.meaning.wanted)
            own = [model for model in stored if model.name == name]
            listed += [replace(info, **self._vectors_of(model)) for model in own] or [info]
        return listed

    def _names(self) -> list[tuple[str, str, bool]]:
        """Every model: its name, what it is, and whether it is installed."""
        from recairn.embed.catalogue import listed
        from recairn.embed.exported import EMBEDDER

        own = [(name, about, self._installed(name)) for name, about in ABOUT.items()]
        return [*own, *listed(EMBEDDER, self.meaning.models_dir)]

    def _vectors_of(self, model: ModelRow) -> dict[str, Any]:
        done, total = self.store.vector_counts(model.id)
        named = {"state": model.state, "revision": model.revision, "dim": model.dim}
        return {**named, "done": done, "total": total}

    def _installed(self, name: str) -> bool:
        if name == "external":
            return bool(self.meaning.external_options().get("url"))
        if name == DEFAULT_MODEL:
            try:
                self.meaning.embedder(name)
            except RecairnError:
                return False
            return True
        from recairn.embed.download import installed

        return name in installed(self.meaning.models_dir)

    def use_model(self, name: str) -> ModelInfo:
        """Makes a model the wanted one; the one before answers until `embed` has finished."""
        if name not in (*ABOUT, NO_MODEL) and "/" not in name:
            one_of("model", name, (*[model for model, _, _ in self._names()], NO_MODEL))
        before = self.meaning.wanted
        self.meaning.want(name)
        try:
            if name != NO_MODEL:
                self.meaning.begin(now=self._clock())
        except RecairnError:
            self.meaning.want(before)
            raise
        self.set_config("embedding.model", name)
        self.meaning.want(name)
        if name == NO_MODEL:
            return ModelInfo(name, "words only", True, True)
        return [model for model in self.models() if model.name == name][-1]

    def use_reranker(self, name: str) -> str:
        """Chooses the reranker that has a second look at the best of a search, or "off".

        Returns the name; ModelMissing when it, or a package it needs, is not installed.
        """
        from recairn.embed.models import OFF, reranker_names

        if "/" not in name:
            one_of("reranker", name, (*reranker_names(self.meaning.models_dir), OFF))
        if name != OFF:
            self.meaning.reranker(name)
        self.set_config(RERANKER, name)
        return name

    def rerankers(self) -> list[RerankerInfo]:
        """Every reranker there is: is it installed, and is it the chosen one."""
        from recairn.embed.models import listed_rerankers

        chosen = self.store.config().get(RERANKER, DEFAULT_RERANKER)
        return [
            RerankerInfo(name, about, installed, name == chosen)
            for name, about, installed in listed_rerankers(self.meaning.models_dir)
        ]

    def pull_model(self, name: str, progress: Callable[[int, int], None] | None = None) -> str:
        """Fetches a model: one of the list, one of the hub (`maker/model`), or a folder with an
        export; the folder it lies in. `progress` gets bytes done and in all."""
        return self.pull_named(name, progress)[1]

    def pull_named(
        self, name: str, progress: Callable[[int, int], None] | None = None
    ) -> tuple[str, str]:
        """The same; the name the model goes by, and its folder."""
        from recairn.embed.catalogue import pulled

        return pulled(name, models_dir=self.meaning.models_dir, progress=progress)

    def remove_model(self, name: str) -> bool:
        """Removes a model's files, and its vectors here; whether there was anything to remove."""
        from recairn.embed.catalogue import CHOSEN, is_hub_name, removed

        if not is_hub_name(name):
            one_of("model", name, (*ABOUT, *CHOSEN))
        if name == DEFAULT_MODEL:
            raise Refused(
                "the static model is part of recairn",
                "to search by words alone: recairn model use none",
            )
        active = self.store.active_model()
        if active is not None and active.name == name:
            raise Refused(
                f"{name} answers the searches of this database",
                "switch first: recairn model use static, then recairn embed",
            )
        registered = [model for model in self.store.models() if model.name == name]
        with self.store.transaction():
            for model in registered:
                self.store.remove_model(model.id)
        if name == "external":
            return bool(registered)
        if name not in ABOUT:
            return removed(name, self.meaning.models_dir) or bool(registered)
        from recairn.embed.download import remove

        return remove(name, self.meaning.models_dir) or bool(registered)
