"""Which project a decision of Lore belongs to."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

# Sections of its registry whose keys are projects.
_SECTIONS = ("metadata", "dependencies", "projects")


class Projects:
    """What Lore knows as projects. A decision belongs to the first tag, which names its project;
    where others know better which names are projects, to the first that is one."""

    def __init__(self, names: Collection[str] = ()) -> None:
        self._names = names

    def of(self, tags: Sequence[str]) -> str | None:
        if not self._names:
            return tags[0] if tags else None
        return next((tag for tag in tags if tag in self._names), None)


def registered(registry: object) -> Iterator[str]:
    """The names under which a file of the registry tells of projects."""
    if not isinstance(registry, dict):
        return
    for section in _SECTIONS:
        if isinstance(registry.get(section), dict):
            yield from registry[section]
    clusters = registry.get("clusters")
    for cluster in clusters.values() if isinstance(clusters, dict) else ():
        if isinstance(cluster, dict) and isinstance(cluster.get("components"), dict):
            yield from cluster["components"]
