"""Bringing near-duplicates together: finding them, merging them, or writing a summary of them.

A cluster is a star: every member resembles the memory in its middle, so that no chain of likenesses
ends with something else. Texts that differ in a number or a denial are never alike.
"""

from __future__ import annotations

from recairn.core.derived import near_duplicate, overlap, subject_words
from recairn.core.draft import Cleaner, prepare
from recairn.core.errors import Refused
from recairn.core.memory_text import whole_text
from recairn.core.model import Act, Draft, Edge
from recairn.core.record import record, replace
from recairn.core.words import words
from recairn.host.program import PATIENCE_S, answer_of
from recairn.memory import lifecycle, links
from recairn.memory.joined_sentences import sentences
from recairn.memory.lookup import known_memory
from recairn.memory.remember import Door, remember

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from recairn.core.author import Writer
    from recairn.core.model import Filter, Memory
    from recairn.embed.index import Meaning
    from recairn.store.contract.base import Store

COMMAND = "consolidate.command"
SOURCE = "consolidate"

# Pieces of documents belong to their document, a handoff to its moment.
_LEFT_ALONE = ("chunk", "handoff")
# Of memories that share a look-alike key, so many of the newest are compared with one another.
_FAMILY = 24
# The newest memories whose vectors are compared too, and how many neighbours of each.
_COMPARED_BY_MEANING = 2000
_NEAREST = 6
# Cosine at and above which two texts that share half the wanted words say the same in other words.
_SAME_MEANING = 0.9
# What a summarised memory's importance falls to at most (Lore: 1 of 5).
SUMMARISED_IMPORTANCE = 0.2
# Sentences that share this much are one; a summary has at most so many, of so many characters.
_SAME_SENTENCE = 0.8
_SUMMARY_SENTENCES = 3
_SUMMARY_CHARACTERS = 600
# Members of a cluster that a title or reason names.
_NAMED = 10


@record
class Cluster:
    """Memories that say nearly the same: the one in the middle, and the others with likeness."""

    survivor: Memory
    others: tuple[tuple[Memory, float], ...]

    @property
    def memories(self) -> list[Memory]:
        return [self.survivor, *(memory for memory, _ in self.others)]


@record
class Consolidated:
    """A cluster and what became of it: the text written and the memory that holds it."""

    cluster: Cluster
    written: str | None = None
    text: str = ""
    memory: int | None = None


def find_clusters(store: Store, filter: Filter, threshold: float, most: int) -> list[Cluster]:
    """Clusters of current memories whose word overlap with the middle one reaches the threshold."""
    pairs = _candidates(store, filter)
    ids = sorted({memory for pair in pairs for memory in pair})
    linked = store.linked(ids, filter, _FAMILY)
    summarised = {row.here for row in linked if row.relation == "summarized_by" and row.forward}
    memories = {
        memory.id: memory
        for memory in store.get_many([one for one in ids if one not in summarised]).values()
        if memory.kind not in _LEFT_ALONE and memory.trust != "unverified"
    }
    alike: dict[int, dict[int, float]] = {}
    for (one, other), cosine in pairs.items():
        if one in memories and other in memories:
            share = _likeness(memories[one], memories[other], cosine, threshold)
            if share:
                alike.setdefault(one, {})[other] = share
                alike.setdefault(other, {})[one] = share
    return _stars(memories, alike)[:most]


def _candidates(store: Store, filter: Filter) -> dict[tuple[int, int], float]:
    """Pairs (smaller id first) that may be alike, with their cosine or 0."""
    pairs: dict[tuple[int, int], float] = {}
    for group in store.alike_groups(filter):
        newest = group[-_FAMILY:]
        for at, one in enumerate(newest):
            for other in newest[at + 1 :]:
                pairs[one, other] = 0.0
    model = store.active_model()
    newest = store.visible_ids(filter)[-_COMPARED_BY_MEANING:]
    if model is not None and newest:
        codes = store.codes(model.id, newest)
        for one, pieces in codes.items():
            for other, cosine in store.match_vector(model.id, pieces[0], filter, _NEAREST):
                if other != one and cosine >= _SAME_MEANING:
                    pairs[min(one, other), max(one, other)] = cosine
    return pairs


def _likeness(one: Memory, other: Memory, cosine: float, threshold: float) -> float:
    """How much two memories say the same; 0 for those that must stay apart."""
    if (one.kind, one.project, one.tier) != (other.kind, other.project, other.tier):
        return 0.0
    if one.tier == "session" and one.session_id != other.session_id:
        return 0.0
    share = near_duplicate(whole_text(one), whole_text(other))
    if share >= threshold:
        return share
    return cosine if share >= threshold / 2 and cosine >= _SAME_MEANING else 0.0


def _stars(memories: dict[int, Memory], alike: dict[int, dict[int, float]]) -> list[Cluster]:
    """The best memory takes all that resemble it, then the best of the rest, and so on."""
    left = dict(sorted(alike.items(), key=lambda pair: _rank(memories[pair[0]]), reverse=True))
    clusters = []
    for middle in list(left):
        if middle not in left:
            continue
        del left[middle]
        others = [
            (memories[other], share)
            for other, share in alike[middle].items()
            if other in left and not (memories[other].immutable or memories[other].pinned)
        ]
        for memory, _ in others:
            del left[memory.id]
        if others:
            others.sort(key=lambda pair: (-pair[1], pair[0].id))
            clusters.append(Cluster(memories[middle], tuple(others)))
    return sorted(clusters, key=lambda cluster: (-len(cluster.others), cluster.survivor.id))


def _rank(memory: Memory) -> tuple[Any, ...]:
    """Who survives: what is fixed, then what counts, helped, is used, says more, is newer."""
    return (
        memory.immutable,
        memory.pinned,
        memory.importance,
        memory.helpful - memory.harmful,
        memory.usage_count,
        len(memory.content),
        memory.id,
    )


# Texts


def merged_text(cluster: Cluster) -> str:
    """The survivor's text, and every sentence of the others that says something more."""
    word_sets = [set(words(sentence)) for sentence in sentences(cluster.survivor.content)]
    vocabulary = set().union(*word_sets)
    additions = []
    for memory, _ in cluster.others:
        for sentence in sentences(memory.content):
            new = set(words(sentence))
            if subject_words(new) <= vocabulary or any(
                overlap(new, old) >= _SAME_SENTENCE for old in word_sets
            ):
                continue
            word_sets.append(new)
            vocabulary |= new
            additions.append(sentence)
    return "\n".join([cluster.survivor.content, *additions])


def summary_text(cluster: Cluster) -> str:
    """The sentences that share most with all members, at most three, in the order they came."""
    candidates = [sentence for memory in cluster.memories for sentence in sentences(memory.content)]
    common: dict[str, int] = {}
    for memory in cluster.memories:
        for word in subject_words(set(words(whole_text(memory)))):
            common[word] = common.get(word, 0) + 1

    def weight(sentence: str) -> float:
        subject = subject_words(set(words(sentence)))
        return sum(common.get(word, 0) for word in subject) / (len(subject) + 1)

    summary: list[str] = []
    for sentence in sorted(candidates, key=lambda text: (-weight(text), candidates.index(text))):
        new = set(words(sentence))
        repeated = any(overlap(new, set(words(other))) >= _SAME_SENTENCE for other in summary)
        fits = len(" ".join([*summary, sentence])) <= _SUMMARY_CHARACTERS or not summary
        if fits and not repeated and len(summary) < _SUMMARY_SENTENCES:
            summary.append(sentence)
    return " ".join(sorted(summary, key=candidates.index))


def text_by_command(command: str, cluster: Cluster, patience_s: float = PATIENCE_S) -> str:
    """What the user's command answers to the cluster as JSON; Refused when it does not."""
    import json

    request = json.dumps({"memories": [_as_request(memory) for memory in cluster.memories]})
    return answer_of(command, request, COMMAND, patience_s)


def _as_request(memory: Memory) -> dict[str, Any]:
    names = ("id", "uid", "kind", "title", "content", "project", "category", "importance")
    values = {name: getattr(memory, name) for name in names}
    return {**values, "fields": dict(memory.fields), "keywords": list(memory.keywords)}


# Writing


class Scribe:
    """Writes what becomes of clusters, all of them in one transaction."""

    def __init__(
        self, store: Store, meaning: Meaning, allow: Sequence[str], writer: Writer
    ) -> None:
        self._store = store
        self._meaning = meaning
        self._allow = allow
        self._writer = writer

    def consolidated(
        self, clusters: Sequence[Cluster], write: str | None, act: Act
    ) -> list[Consolidated]:
        """The clusters and, with `write`, what they became; texts are ready before the lock."""
        if write is None:
            return [Consolidated(cluster) for cluster in clusters]
        texts = [self._new_text(cluster, write) for cluster in clusters]
        results = []
        with self._store.transaction():
            for cluster, text in zip(clusters, texts, strict=True):
                self._check_unchanged(cluster)
                writing = self._merge if write == "merge" else self._summarise
                results.append(Consolidated(cluster, write, text, writing(cluster, text, act)))
        return results

    def _new_text(self, cluster: Cluster, write: str) -> str:
        if write == "merge":
            return merged_text(cluster)
        command = self._store.config().get(COMMAND, "").strip()
        return text_by_command(command, cluster) if command else summary_text(cluster)

    def _check_unchanged(self, cluster: Cluster) -> None:
        for memory in cluster.memories:
            current = known_memory(self._store, memory.id)
            if (current.content_hash, current.deleted_at) != (
                memory.content_hash,
                memory.deleted_at,
            ):
                raise Refused(f"#{memory.id} was changed meanwhile", "recairn consolidate again")

    def _merge(self, cluster: Cluster, text: str, act: Act) -> int:
        survivor = cluster.survivor
        act = replace(act, reason=f"merged with {_id_list(cluster.memories[1:])}")
        if not survivor.immutable:
            changes: dict[str, Any] = {
                "content": text,
                "keywords": _keywords(cluster.memories),
                "importance": max(memory.importance for memory in cluster.memories),
                "fields": _fields(cluster),
            }
            clean = Cleaner(self._allow)
            after = lifecycle.edit(self._store, survivor.id, changes, act, clean)
            self._meaning.renew(after, now=act.at)
        for memory, _ in cluster.others:
            by = replace(act, reason=f"merged into #{survivor.id}")
            lifecycle.supersede(self._store, memory.id, survivor.id, by)
        return survivor.id

    def _summarise(self, cluster: Cluster, text: str, act: Act) -> int:
        first = cluster.survivor
        draft = Draft(
            content=text,
            title=f"Summary of {_id_list(cluster.memories)}",
            kind=first.kind,
            project=first.project,
            tier=first.tier,
            session=first.session_id if first.tier == "session" else None,
            category=first.category,
            keywords=_keywords(cluster.memories),
            importance=max(memory.importance for memory in cluster.memories),
            source_type="compaction",
            source_ref=SOURCE,
        )
        prepared = prepare(
            draft,
            writer=self._writer,
            project=first.project,
            session=act.session,
            allow=self._allow,
            now=act.at,
        )
        pieces = self._meaning.pieces([prepared.text])[0]
        stored = remember(self._store, prepared, Door(self._meaning, "add"), pieces)
        assert stored.id is not None
        for memory in cluster.memories:
            edge = Edge(
                memory.id, stored.id, "summarized_by", 1.0, 1.0, SOURCE, act.at, act.at, None
            )
            links.link(self._store, edge, act)
            if memory.importance > SUMMARISED_IMPORTANCE and not memory.immutable:
                changes = {"importance": SUMMARISED_IMPORTANCE}
                by = replace(act, reason=f"summarized by #{stored.id}")
                lifecycle.edit(self._store, memory.id, changes, by, Cleaner(self._allow))
        return stored.id


def _id_list(memories: Sequence[Memory]) -> str:
    """`#1, #2 and 5 more`."""
    ids = ", ".join(f"#{memory.id}" for memory in memories[:_NAMED])
    return ids + (f" and {len(memories) - _NAMED} more" if len(memories) > _NAMED else "")


def _keywords(memories: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for memory in memories for word in memory.keywords))


def _fields(cluster: Cluster) -> dict[str, Any]:
    """Fields that only the others have; the survivor's own stay as they are."""
    fields: dict[str, Any] = {}
    for memory, _ in cluster.others:
        for name, value in memory.fields.items():
            if name not in cluster.survivor.fields:
                fields.setdefault(name, value)
    return fields
