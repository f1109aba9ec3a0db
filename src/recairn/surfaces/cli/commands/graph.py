"""Rows of the commands that link memories, walk their links, and bring look-alikes together."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.cli.command import Argument

_A_MEMORY = "42, #42, the beginning of a uid, or an external id"
_SEEN: tuple[Argument, ...] = (
    ("--all-projects", "look into every project"),
    ("--as-of TIME", "as it was at that time"),
)

LINKING = (
    Command(
        name="link",
        group="Change",
        about="link two memories by a relation",
        handler="recairn.surfaces.cli.actions.graph:link",
        examples=(
            "recairn link 17 42 contradicts",
            "recairn link pat-507900 dec-5741815d derived_from --weight 0.8",
            "recairn graph connect 17 42 RELATED_TO",
        ),
        arguments=(
            ("A", _A_MEMORY),
            ("B", "the memory it points to"),
            ("RELATION", "relates_to, contradicts, supersedes, derived_from, part_of ..."),
            ("--weight SCORE", "how strong, 0 to 1 (1)"),
            ("--confidence SCORE", "how sure, 0 to 1 (1)"),
        ),
        aliases=("graph connect", "graph link"),
        notes=(
            "Linking again changes weight and confidence. `supersedes` also replaces B by A, and\n"
            "refuses to lead in a circle. `undo A` takes the link back."
        ),
    ),
    Command(
        name="unlink",
        group="Change",
        about="end the links from one memory to another",
        handler="recairn.surfaces.cli.actions.graph:unlink",
        examples=(
            "recairn unlink 17 42",
            "recairn unlink 17 42 contradicts",
            "recairn graph disconnect 17 42",
        ),
        arguments=(
            ("A", _A_MEMORY),
            ("B", "the memory it points to"),
            ("[RELATION]", "only this relation; all of them when left out"),
        ),
        aliases=("graph disconnect", "graph unlink"),
        notes="A link that made itself, because A names B, stays away once it was ended.",
    ),
)

CONSOLIDATING = (
    Command(
        name="consolidate",
        group="Change",
        about="find near-duplicates, and merge or summarise them",
        handler="recairn.surfaces.cli.actions.graph:consolidate",
        examples=(
            "recairn consolidate",
            "recairn consolidate --threshold 0.8 --write merge",
            "recairn consolidate --write summary --yes",
        ),
        arguments=(
            ("--threshold SCORE", "share of common words that makes two alike (0.6)"),
            ("--write WAY", "merge: one survives, the others are superseded; summary: a new one"),
            ("-n, --limit N", "at most so many clusters (50)"),
            ("--yes", "do not ask"),
        ),
        notes=(
            "Without --write nothing changes. A merge keeps every sentence that says something\n"
            "more; `undo --since` takes it back. A summary is linked by `summarized_by` and its\n"
            "originals drop to importance 0.2; the setting consolidate.command may name a program\n"
            "that reads the cluster as JSON and prints the summary."
        ),
    ),
)

GRAPH = (
    Command(
        name="graph related",
        group="Find",
        about="the memories around one, by typed links in both directions",
        handler="recairn.surfaces.cli.actions.graph:related",
        examples=(
            "recairn graph related 42",
            "recairn graph related 42 --depth 3",
            "recairn graph related dec-5741815d --json",
        ),
        arguments=(
            ("ID", _A_MEMORY),
            ("--depth N", "how many links away, 1 to 3 (1)"),
            ("-n, --limit N", "at most so many (50)"),
            *_SEEN,
        ),
        aliases=("graph traverse",),
    ),
    Command(
        name="graph around",
        group="Find",
        about="the memories around one and all links between them, at most 150",
        handler="recairn.surfaces.cli.actions.graph:around",
        examples=(
            "recairn graph around 42",
            "recairn graph around 42 --depth 2 --relation depends_on",
            "recairn graph around 42 --json",
        ),
        arguments=(
            ("ID", _A_MEMORY),
            ("--depth N", "how many links away, 1 to 3 (1)"),
            ("--relation RELATION...", "only links of this relation; may be repeated"),
            ("-n, --limit N", "at most so many memories (150)"),
            *_SEEN,
        ),
    ),
    Command(
        name="graph path",
        group="Find",
        about="the strongest connection of two memories",
        handler="recairn.surfaces.cli.actions.graph:path",
        examples=(
            "recairn graph path 17 42",
            "recairn graph path 17 42 --all-projects",
            "recairn graph path pat-507900 dec-5741815d --json",
        ),
        arguments=(("A", _A_MEMORY), ("B", "the other one"), *_SEEN),
    ),
    Command(
        name="graph hubs",
        group="Find",
        about="the memories with most links",
        handler="recairn.surfaces.cli.actions.graph:hubs",
        examples=("recairn graph hubs", "recairn graph hubs -n 3", "recairn graph hubs --json"),
        arguments=(("-n, --limit N", "at most so many (10)"), *_SEEN),
    ),
    Command(
        name="graph conflicts",
        group="Find",
        about="memories that contradict each other and are both held, newest first",
        handler="recairn.surfaces.cli.actions.graph:conflicts",
        examples=(
            "recairn graph conflicts",
            "recairn graph conflicts --all-projects",
            "recairn graph conflicts --json",
        ),
        arguments=(("-n, --limit N", "at most so many (10)"), *_SEEN),
        notes=(
            "A pair is settled when one of the two is superseded or forgotten, or the link ended."
        ),
    ),
    Command(
        name="graph orphans",
        group="Find",
        about="the memories without any link, newest first",
        handler="recairn.surfaces.cli.actions.graph:orphans",
        examples=(
            "recairn graph orphans",
            "recairn graph orphans -n 100",
            "recairn graph orphans --json",
        ),
        arguments=(("-n, --limit N", "at most so many (10)"), *_SEEN),
    ),
    Command(
        name="graph clusters",
        group="Find",
        about="groups of memories that hang together, largest first",
        handler="recairn.surfaces.cli.actions.graph:clusters",
        examples=(
            "recairn graph clusters",
            "recairn graph clusters -n 3",
            "recairn graph clusters --json",
        ),
        arguments=(("-n, --limit N", "at most so many (10)"), *_SEEN),
    ),
    Command(
        name="graph stats",
        group="Find",
        about="how large the graph is, and which relations it has",
        handler="recairn.surfaces.cli.actions.graph:stats",
        examples=(
            "recairn graph",
            "recairn graph stats --all-projects",
            "recairn graph stats --json",
        ),
        arguments=_SEEN,
    ),
    Command(
        name="graph export",
        group="Find",
        about="draw the graph, all of it or around one memory",
        handler="recairn.surfaces.cli.actions.graph:export",
        examples=(
            "recairn graph export > memories.mmd",
            "recairn graph export 42 --depth 2 --format dot",
            "recairn graph export --format json",
        ),
        arguments=(
            ("[ID]", "only what lies around this memory"),
            ("--depth N", "how many links away from it, 1 to 3 (1)"),
            ("--format DRAWING", "mermaid, dot or json (mermaid)"),
            *_SEEN,
        ),
        aliases=("graph visualize",),
    ),
)
