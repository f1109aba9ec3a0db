"""Entities link themselves: a memory that names one gets a `relates_to` edge to it.

Names match as whole words, exactly but for case. The edges say `created_by = mention`; one that was
unlinked stays in the store as ended, and so is never made again.
"""

from __future__ import annotations

from recairn.core.kinds import project_token
from recairn.core.model import Edge
from recairn.core.words import STOP_WORDS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recairn.core.draft import Prepared
    from recairn.core.model import Memory
    from recairn.store.contract.base import Store
    from recairn.store.memory_rows import EntityRow

    # By first word: (all words of the name, the entity, its project or None when all see it).
    Names = dict[str, list[tuple[list[str], int, str | None]]]

ENTITY = "entity"
MENTION = "mention"
RELATION = "relates_to"

# Letters: shorter names ("Go", "C") are words of other meanings far too often.
_SHORTEST_NAME = 3
# A content of so few words, without a title, is the entity's name.
_NAME_WORDS = 4
# Memories that a new entity is linked to at once, newest first.
_MOST_MENTIONS = 1000


def link_mentions(store: Store, ids: Sequence[int], drafts: Sequence[Prepared]) -> None:
    """Links new memories to the entities they name, and new entities to who names them."""
    entity_rows = store.entities()
    if not entity_rows:
        return
    names = _names(entity_rows)
    edges: list[Edge] = []
    for memory, draft in zip(ids, drafts, strict=True):
        row = draft.row
        if row["kind"] == ENTITY:
            aliases = row["fields"].get("aliases", ())
            own = entity_names(row["title"], row["content"], aliases)
            edges += _edges_to(store, memory, own, row["tier"], row["project"], row["updated_at"])
        if row["kind"] != "chunk":
            entities = _entities_in(names, draft.text, row["project"])
            edges += _edges(memory, entities, row["updated_at"])
    store.put_edges(edges, replace=False)


def relink(store: Store, memory: Memory, at: int) -> None:
    """The same for a memory whose text changed; what it no longer names is unlinked."""
    entity_rows = store.entities()
    if not entity_rows:
        return
    from recairn.core.memory_text import whole_text

    names = _names(entity_rows)
    text = whole_text(memory)
    entities = set(_entities_in(names, text, memory.project)) if memory.kind != "chunk" else set()
    own: list[list[str]] = []
    edges = _edges(memory.id, sorted(entities), at)
    if memory.kind == ENTITY:
        own = entity_names(memory.title, memory.content, memory.fields.get("aliases", ()))
        edges += _edges_to(store, memory.id, own, memory.tier, memory.project, at)
    for source, target, source_text in store.mentions(memory.id):
        gone = target not in entities if source == memory.id else not _contains(source_text, own)
        if gone:
            store.remove_edge(source, target, RELATION)
    store.put_edges(edges, replace=False)


def entity_names(title: str, content: str, aliases: Iterable[str]) -> list[list[str]]:
    """The names of an entity, each as its words: title (or a short content) and aliases."""
    spellings = [title, *aliases]
    if not title and len(content.split()) <= _NAME_WORDS:
        spellings[0] = content
    names = [words(name) for name in spellings]
    return [name for name in names if _distinctive(name)]


def _distinctive(name: Sequence[str]) -> bool:
    return sum(map(len, name)) >= _SHORTEST_NAME and not STOP_WORDS.issuperset(name)


def _names(rows: Iterable[EntityRow]) -> Names:
    names: Names = {}
    for entity, project, tier, title, content, aliases in rows:
        if tier == "session":
            continue
        seen_in = None if tier == "global" else project
        for name in entity_names(title, content, aliases):
            names.setdefault(name[0], []).append((name, entity, seen_in))
    return names


def _entities_in(names: Names, text: str, project: str) -> list[int]:
    """The entities whose name stands in the text."""
    text_words = words(text)
    firsts = names.keys() & set(text_words)
    if not firsts:
        return []
    entities: set[int] = set()
    for at, word in enumerate(text_words):
        if word in firsts:
            for name, entity, seen_in in names[word]:
                if seen_in in (None, project) and text_words[at : at + len(name)] == name:
                    entities.add(entity)
    return sorted(entities)


def _contains(text: str, names: Iterable[list[str]]) -> bool:
    text_words = words(text)
    return any(
        text_words[at : at + len(name)] == name
        for name in names
        for at, word in enumerate(text_words)
        if word == name[0]
    )


def _edges_to(
    store: Store, entity: int, names: Iterable[list[str]], tier: str, project: str, at: int
) -> list[Edge]:
    """Edges from the memories that name an entity already; the index brings the candidates."""
    if tier == "session":
        return []
    reach = None if tier == "global" else project_token(project)
    memories: dict[int, None] = {}
    for name in names:
        for memory, text in store.texts_with(" ".join(name), reach, _MOST_MENTIONS):
            if memory != entity and _contains(text, [name]):
                memories[memory] = None
    return [_edge(memory, entity, at) for memory in memories]


def _edges(memory: int, entities: Iterable[int], at: int) -> list[Edge]:
    return [_edge(memory, entity, at) for entity in entities if entity != memory]


def _edge(memory: int, entity: int, at: int) -> Edge:
    return Edge(memory, entity, RELATION, 1.0, 1.0, MENTION, at, at, None)
