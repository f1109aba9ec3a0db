"""What an import did, as text and as JSON."""

from __future__ import annotations

from recairn.core.words import one_line
from recairn.sources.format import COUNTS
from recairn.surfaces.render.marks import without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recairn.sources.discovery import Offer
    from recairn.sources.format import ImportSummary

_WORDS = {
    "known": "known already",
    "forgotten": "forgotten since (--restore brings them back)",
    "linked": "links",
    "failed": "not readable",
}
# Characters of a path: more than systems take, so only what breaks a line is changed.
_LONGEST_PATH = 10_000
# Files of one format that are named when there are many.
_LISTED = 3
# How many of each came in beside memories.
_BESIDES = {
    "session": ("session", "sessions"),
    "task": ("task", "tasks"),
    "dependency": ("dependency", "dependencies"),
    "edge": ("link told apart", "links told apart"),
    "use": ("use in a session", "uses in sessions"),
    "access": ("use", "uses"),
    "document": ("document", "documents"),
    "injection": ("context handed out", "contexts handed out"),
    "feedback": ("rating", "ratings"),
    "query": ("query", "queries"),
    "miss": ("failed search", "failed searches"),
    "setting": ("setting", "settings"),
    "compaction": ("compaction", "compactions"),
}


def import_json(done: ImportSummary) -> dict[str, Any]:
    """Counts, the memories made, what is gone, and the records that failed."""
    return {
        "source": done.source,
        "path": done.path,
        "dry_run": done.dry_run,
        **{name: getattr(done, name) for name in COUNTS},
        "besides": dict(done.besides),
        "memories": list(done.memories),
        "gone": [{"id": memory, "text": text} for memory, text in done.gone],
        "errors": [{"place": each.place, "error": each.reason} for each in done.errors],
        "warnings": list(done.warnings),
        "unverified": done.unverified,
        "besides_unchanged": done.besides_unchanged,
    }


def import_text(done: ImportSummary) -> str:
    """`CLAUDE.md: 12 added, 3 unchanged`, and a line for each record that is gone."""
    would = " (dry run)" if done.dry_run else ""
    text = f"{one_line(done.path, _LONGEST_PATH)}{would}: {_counts(done)}\n"
    if done.unverified:
        text += (
            f"  {done.unverified:,} unverified, kept from agents until accepted: recairn review\n"
        )
    for memory, said in done.gone:
        text += f"  no longer there: #{memory} {without_marks(said)}\n"
    if done.gone:
        ids = " ".join(str(memory) for memory, _ in done.gone)
        text += f"  recairn forget {ids} lets go of them\n"
    return text


def _counts(done: ImportSummary) -> str:
    besides = [
        f"{count:,} {_BESIDES[name][count != 1]}"
        for name, count in done.besides.items()
        if name in _BESIDES
    ]
    if not done.gone and not any(getattr(done, name) for name in COUNTS):
        already = f"nothing new, {done.besides_unchanged:,} unchanged"
        return ", ".join(besides) or (already if done.besides_unchanged else "nothing to import")
    always = ("added", "unchanged")
    told = [
        f"{count:,} {'link' if name == 'linked' and count == 1 else _WORDS.get(name, name)}"
        for name in COUNTS
        if (count := getattr(done, name)) or name in always
    ]
    return ", ".join(told + besides)


def found_json(found: Offer) -> dict[str, Any]:
    """A format, the files and folders it could read, and what to type."""
    return {
        "source": found.source,
        "paths": list(found.paths),
        "command": _command(found),
    }


def found_text(found: Sequence[Offer], folder: str, formats: Sequence[str]) -> str:
    """A line for each format that found something: what to type, and what it would read."""
    if not found:
        return (
            f"Found nothing to import in {folder}, nor where agents keep their memory.\n"
            "  recairn import PATH takes in a file or folder that lies elsewhere\n"
            f"  formats: {', '.join(formats)}\n"
        )
    commands = [_command(each) for each in found]
    width = max(map(len, commands))
    lines = [
        f"  {command:{width}}  {'of all projects' if each.words[1:] else _listed(each.paths)}"
        for command, each in zip(commands, found, strict=True)
    ]
    return "\n".join(
        [
            "Nothing was named. This can be imported:",
            *lines,
            "With --dry-run it only says what it would do.\n",
        ]
    )


def _command(found: Offer) -> str:
    return " ".join(("recairn import", *map(_typed, found.words)))


def _typed(word: str) -> str:
    """A word as a shell takes it; quoted, the sign for home would not mean it any more."""
    from os.path import expanduser
    from shlex import quote

    plain = word.removeprefix("~/")
    return word if quote(plain) == plain else quote(expanduser(word))


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _LISTED
    told = ", ".join(without_marks(path) for path in paths[:_LISTED])
    return f"{told} and {more:,} more" if more > 0 else told
