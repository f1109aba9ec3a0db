"""The engine's way through the graph: linking, walking, and bringing near-duplicates together."""

from __future__ import annotations

from recairn.core.errors import BadOption
from recairn.core.kinds import one_of, relation_named
from recairn.engine.changes import Changing
from recairn.engine.options import limit_from, refuse_unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.core.model import Edge, Filter
    from recairn.memory.consolidate import Consolidated
    from recairn.recall.graph_search import Neighbourhood, Related, Way
    from recairn.store.memory_rows import Label

_SEEN = ("project", "all_projects", "as_of")
WAYS_TO_WRITE = ("merge", "summary")
# Memories that a drawing can show without being a tangle.
MOST_NODES = 150


class Linking(Changing):
    """Edges between memories."""

    def link(
        self,
        source: int | str,
        target: int | str,
        relation: str,
        *,
        weight: float = 1.0,
        confidence: float = 1.0,
    ) -> Edge:
        """Links two memories; an existing link gets the new weight and confidence.

        `supersedes` also ends the validity of the target, as `supersede` does.
        """
        from recairn.core.draft import unit
        from recairn.core.model import Edge
        from recairn.memory import links

        named = relation_named(relation)
        act = self._act()
        one = self.resolve(source, change=True)
        other = (
            self._changeable(target, force=False)
            if named == links.REPLACING
            else self.resolve(target, change=True)
        )
        strengths = unit("weight", weight, 1.0), unit("confidence", confidence, 1.0)
        edge = Edge(one, other, named, *strengths, "user", act.at, act.at, None)
        made = links.link(self.store, edge, act)
        self._used([one, other], "cited")
        return made

    def unlink(
        self, source: int | str, target: int | str, relation: str | None = None
    ) -> tuple[Edge, ...]:
        """Ends the link of that relation, or all links, from one memory to another."""
        from recairn.memory import links

        named = None if relation is None else relation_named(relation)
        one, other = self.resolve(source, change=True), self.resolve(target, change=True)
        return links.unlink(self.store, one, other, named, self._act())

    def related(
        self, reference: int | str, depth: int = 1, *, limit: int = 50, **options: Any
    ) -> list[Related]:
        """The memories around one, within 1 to 3 hops in both directions, strongest first."""
        from recairn.recall.graph_search import depth_of, related

        if depth_of(depth) == 0:
            raise BadOption("the depth must be between 1 and 3, got 0")
        memory = self.resolve(reference)
        most = limit_from({"limit": limit}, limit)
        return related(self.store, memory, self._around(options), depth, most)

    def neighbourhood(
        self,
        reference: int | str,
        depth: int = 1,
        *,
        relations: Sequence[str] = (),
        limit: int = MOST_NODES,
        **options: Any,
    ) -> Neighbourhood:
        """The memories around one and every edge between them, at most 150, strongest first."""
        from recairn.recall.graph_search import depth_of, neighbourhood

        if depth_of(depth) == 0:
            raise BadOption("the depth must be between 1 and 3, got 0")
        most = limit_from({"limit": limit}, limit)
        if most > MOST_NODES:
            raise BadOption(f"a neighbourhood has at most {MOST_NODES} memories, got {most}")
        named = [relation_named(relation) for relation in relations]
        memory = self.resolve(reference)
        return neighbourhood(self.store, memory, self._around(options), depth, named, most)

    def path(self, source: int | str, target: int | str, **options: Any) -> Way | None:
        """The strongest connection of two memories, or None."""
        from recairn.recall.graph_search import way_between

        one, other = self.resolve(source), self.resolve(target)
        return way_between(self.store, one, other, self._around(options))

    def graph(self, **options: Any) -> tuple[list[int], list[Edge]]:
        """The ids of all visible memories, and the edges between them."""
        seen = self._around(options)
        return self.store.visible_ids(seen), self.store.visible_edges(seen)

    def labels(self, ids: Sequence[int]) -> dict[int, Label]:
        """Memories in short: kind, title or beginning of the content, and successor, by id.

        One that is gone is left out.
        """
        return self.store.labels(ids)

    def _around(self, options: dict[str, Any]) -> Filter:
        """What the graph shows: replaced memories too, since edges lead to them."""
        refuse_unknown("graph", options, _SEEN)
        self.settle()
        return self._filter({"include_superseded": True, **options}, self._clock())

    def consolidate(
        self, *, threshold: float = 0.6, write: str | None = None, limit: int = 50
    ) -> list[Consolidated]:
        """Clusters of near-duplicates; with `write` merged, or summarised by a new memory.

        `merge` keeps one memory that says everything and supersedes the others; `summary` adds a
        memory, links the others to it by `summarized_by`, and lowers their importance.
        """
        from recairn.core.draft import unit
        from recairn.memory.consolidate import Scribe, find_clusters

        if write is not None:
            one_of("way to write", write, WAYS_TO_WRITE)
        self.settle()
        clusters = find_clusters(
            self.store,
            self._filter({}, self._clock()),
            unit("threshold", threshold, threshold),
            limit_from({"limit": limit}, limit),
        )
        scribe = Scribe(self.store, self.meaning, self._allowed(), self._writer())
        return scribe.consolidated(clusters, write, self._act())
