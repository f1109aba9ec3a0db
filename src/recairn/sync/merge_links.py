"""Links of another database taken in: of two states of one link, what was said last holds."""

from __future__ import annotations

from recairn.core.record import replace
from recairn.core.stamps import parsed, spelled, stamp_of
from recairn.memory import lifecycle, link_state, links
from recairn.memory.mentions import MENTION
from recairn.memory.versions import SYNCED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from recairn.core.model import Act, Edge, Memory
    from recairn.store.contract.base import Store
    from recairn.sync.merge_tables import LinkEntry

    Key = tuple[int, int, str]


def receive_links(
    store: Store, entries: Sequence[LinkEntry], residents: Collection[int], act: Act
) -> tuple[int, set[int]]:
    """Takes in links; how many are new here, and the memories that a changed one leads to.

    What changes at a memory that was here before (`residents`) is an event, which `undo` takes
    back.
    """
    latest: dict[Key, LinkEntry] = {}
    for entry in entries:
        rival = latest.get(_key(entry.edge))
        if rival is None or link_state.order(entry.edge) > link_state.order(rival.edge):
            latest[_key(entry.edge)] = entry
    sources = sorted({source for source, _, _ in latest})
    here = {_key(edge): edge for edge in store.edges_touching(sources)}
    news = [
        entry for key, entry in latest.items() if _is_news(entry.edge, here.get(key), residents)
    ]
    store.put_edges([entry.edge for entry in news], replace=True)
    for entry in news:
        if entry.edge.source in residents:
            before = here.get(_key(entry.edge))
            reason = replace(act, reason=f"from {entry.place}")
            if not links.note_arrival(store, before, entry.edge, reason):
                # Nothing to take back, but others are to hear of it.
                store.note(lifecycle.event_of(SYNCED, entry.edge.source, reason))
    new = sum(_key(entry.edge) not in here for entry in news)
    return new, {entry.edge.target for entry in news}


def follow_successors(store: Store, memories: Iterable[int], act: Act) -> None:
    """Ends the links of successors that gave way to another one.

    Every database comes to the same states, so it asks no clock.
    """
    present = store.get_many(sorted(memories))
    outdated = [
        replace(edge, valid_until=edge.said_at, changed_at=edge.said_at + 1)
        for edge in store.edges_touching(sorted(present))
        if edge.relation == links.REPLACING and edge.valid_until is None
        if edge.target in present and present[edge.target].superseded_by != edge.source
    ]
    store.put_edges(outdated, replace=True)
    for edge in outdated:
        store.note(lifecycle.event_of(SYNCED, edge.source, act, "another one took its place"))


def break_circles(store: Store, memories: Iterable[int], act: Act) -> set[int]:
    """Lets one memory of each circle of successors hold again; those that do.

    Two people can each put one of two memories in the other's place. Whoever sees the circle lets
    the one hold that was replaced first, with a stamp that is the same everywhere.
    """
    freed: set[int] = set()
    for start in sorted(memories):
        circle = _circle(store, start)
        if not circle:
            continue
        texts = store.stamps_of([memory.id for memory in circle])
        stamps = {memory.id: parsed(texts[memory.id]) for memory in circle}
        said = {memory.id: (stamp_of(stamps[memory.id], "valid"), memory.uid) for memory in circle}
        first = min(circle, key=lambda memory: said[memory.id])
        later = max(stamp for stamp, _ in said.values())[0] + 1
        text = spelled({**stamps[first.id], "valid": [later, "~"]})
        event = lifecycle.event_of(SYNCED, first.id, act, "it was replaced by what it replaced")
        store.change(first.id, {"superseded_by": None, "valid_until": None}, event, text)
        freed.add(first.id)
    return freed


def _circle(store: Store, start: int) -> list[Memory]:
    """The memories that replaced each other in a circle through one; none where they do not."""
    line: dict[int, Memory] = {}
    number: int | None = start
    while number is not None and number not in line:
        memory = store.get(number)
        if memory is None:
            return []
        line[number] = memory
        number = memory.superseded_by
    return list(line.values()) if number == start else []


def _key(edge: Edge) -> Key:
    return edge.source, edge.target, edge.relation


def _is_news(edge: Edge, here: Edge | None, residents: Collection[int]) -> bool:
    """Whether a link says more than is known of it here."""
    if here is not None:
        return link_state.order(edge) > link_state.order(here)
    # Mentions follow from the text; between memories that were here, it names nothing more now.
    mention = edge.created_by == MENTION and edge.valid_until is None
    return not (mention and edge.source in residents and edge.target in residents)
