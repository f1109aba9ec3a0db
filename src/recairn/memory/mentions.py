"""Entities link themselves: a memory that names one gets a `relates_to` edge to it.

Names match as whole words, exactly but for case. The edges say `created_by = mention`; one that was
unlinked stays in the store as ended, and so is never made again.
"""

from __future__ import annotations

from recairn.core.model import Edge
from recairn.core.visibility import project_token
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
    known = store.entities()
    if not known:
        return
    names = _names(known)
    edges: list[Edge] = []
    for memory, draft in zip(ids, drafts, strict=True):
        row = draft.row
        if row["kind"] == ENTITY:
            aliases = row["fields"].get("aliases", ())
            own = entity_names(row["title"], row["content"], aliases)
            edges += _mentioned(store, memory, own, row["tier"], row["project"], row["updated_at"])
        if row["kind"] != "chunk":
            found = _named(names, draft.text, row["project"])
            edges += _edges(memory, found, row["updated_at"])
    store.put_edges(edges, replace=False)


def relink(store: Store, memory: Memory, at: int) -> None:
    """The same for a memory whose text changed; what it no longer names is unlinked."""
    known = store.entities()
    if not known:
        return
    from recairn.core.memory_text import whole_text

    names = _names(known)
    text = whole_text(memory)
    found = set(_named(names, text, memory.project)) if memory.kind != "chunk" else set()
    own: list[list[str]] = []
    edges = _edges(memory.id, sorted(found), at)
    if memory.kind == ENTITY:
        own = entity_names(memory.title, memory.content, memory.fields.get("aliases", ()))
        edges += _mentioned(store, memory.id, own, memory.tier, memory.project, at)
    for source, target, said in store.mentions(memory.id):
        gone = target not in found if source == memory.id else not _says(said, own)
        if gone:
            store.remove_edge(source, target, RELATION)
    store.put_edges(edges, replace=False)


def entity_names(title: str, content: str, aliases: Iterable[str]) -> list[list[str]]:
    """The names of an entity, each as its words: title (or a short content) and aliases."""
    spelled = [title, *aliases]
    if not title and len(content.split()) <= _NAME_WORDS:
        spelled[0] = content
    found = [words(name) for name in spelled]
    return [name for name in found if _telling(name)]


def _telling(name: Sequence[str]) -> bool:
    return sum(map(len, name)) >= _SHORTEST_NAME and not STOP_WORDS.issuperset(name)


def _names(known: Iterable[EntityRow]) -> Names:
    names: Names = {}
    for entity, project, tier, title, content, aliases in known:
        if tier == "session":
            continue
        seen_in = None if tier == "global" else project
        for name in entity_names(title, content, aliases):
            names.setdefault(name[0], []).append((name, entity, seen_in))
    return names


def _named(names: Names, text: str, project: str) -> list[int]:
    """The entities whose name stands in the text."""
    said = words(text)
    firsts = names.keys() & set(said)
    if not firsts:
        return []
    found: set[int] = set()
    for at, word in enumerate(said):
        if word in firsts:
            for name, entity, seen_in in names[word]:
                if seen_in in (None, project) and said[at : at + len(name)] == name:
                    found.add(entity)
    return sorted(found)


def _says(text: str, names: Iterable[list[str]]) -> bool:
    said = words(text)
    return any(
        said[at : at + len(name)] == name
        for name in names
        for at, word in enumerate(said)
        if word == name[0]
    )


def _mentioned(
    store: Store, entity: int, names: Iterable[list[str]], tier: str, project: str, at: int
) -> list[Edge]:
    """Edges from the memories that name an entity already; the index brings the candidates."""
    if tier == "session":
        return []
    reach = None if tier == "global" else project_token(project)
    found: dict[int, None] = {}
    for name in names:
        for memory, text in store.texts_with(" ".join(name), reach, _MOST_MENTIONS):
            if memory != entity and _says(text, [name]):
                found[memory] = None
    return [_edge(memory, entity, at) for memory in found]


def _edges(memory: int, entities: Iterable[int], at: int) -> list[Edge]:
    return [_edge(memory, entity, at) for entity in entities if entity != memory]


def _edge(memory: int, entity: int, at: int) -> Edge:
    return Edge(memory, entity, RELATION, 1.0, 1.0, MENTION, at, at, None)
