"""What an import did, as text and as JSON."""

from __future__ import annotations

from recairn.core.words import counted, one_line
from recairn.sources.format import BESIDES, COUNTS
from recairn.surfaces.render.text import without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.sources.discovery import Offer
    from recairn.sources.format import ImportSummary, Omission

_WORDS = {
    "known": "known already",
    "forgotten": "forgotten since (--restore brings them back)",
    "linked": "links",
    "pruned": "forgotten now",
    "failed": "not readable",
}
# Characters of a path: more than systems take, so only what breaks a line is changed.
_LONGEST_PATH = 10_000
# Files of one format that are named when there are many.
_LISTED = 3
# Settings that are named, of those left out.
_NAMED = 20


def import_json(summary: ImportSummary) -> dict[str, Any]:
    """Counts, the memories made, what is gone, and the records that failed."""
    return {
        "source": summary.source,
        "path": summary.path,
        "dry_run": summary.dry_run,
        **{name: getattr(summary, name) for name in COUNTS},
        "besides": dict(summary.besides),
        "memories": list(summary.memories),
        "gone": [{"id": memory, "text": text} for memory, text in summary.gone],
        "errors": [{"place": fault.place, "error": fault.reason} for fault in summary.errors],
        "warnings": list(summary.warnings),
        "unverified": summary.unverified,
        "besides_unchanged": summary.besides_unchanged,
        "settings_left_out": list(summary.settings_left_out),
        "left_out": [
            {
                "things": omission.things,
                "why": omission.why,
                "count": omission.count,
                "kept": omission.kept,
            }
            for omission in summary.left_out
        ],
        "projects": dict(summary.projects),
    }


def import_text(summary: ImportSummary) -> str:
    """`CLAUDE.md: 12 added, 3 unchanged`, and a line for each record that is gone."""
    would = " (dry run)" if summary.dry_run else ""
    text = f"{one_line(summary.path, _LONGEST_PATH)}{would}: {_counts(summary)}\n"
    if summary.unverified:
        waiting = f"{summary.unverified:,} unverified"
        text += f"  {waiting}, kept from agents until accepted: recairn review\n"
    if summary.projects:
        text += _elsewhere(summary.projects)
    for omission in summary.left_out:
        begins = "kept with others" if omission.kept else "left out"
        text += f"  {begins}: {omission.count:,} {_omission_text(omission)}\n"
    if summary.settings_left_out:
        text += _left_out(summary.settings_left_out)
    for memory, beginning in summary.gone:
        text += f"  no longer there: #{memory} {without_marks(beginning)}\n"
    if summary.gone and not summary.pruned:
        ids = " ".join(str(memory) for memory, _ in summary.gone)
        text += f"  recairn forget {ids} lets go of them\n"
    return text


def _omission_text(omission: Omission) -> str:
    things = _singular(omission.things) if omission.count == 1 else omission.things
    return without_marks(f"{things} ({omission.why})")


def _singular(things: str) -> str:
    """One of several: the last word before `of` tells how many."""
    head, of, rest = things.partition(" of ")
    if head.endswith("ies"):
        return f"{head[:-3]}y{of}{rest}"
    return head.removesuffix("s") + of + rest


def _elsewhere(projects: Mapping[str, int]) -> str:
    """Where memories went that belong to other projects: they are not seen from here."""
    most = sorted(projects.items(), key=lambda item: (-item[1], item[0]))
    listed = ", ".join(f"{count:,} {without_marks(name)}" for name, count in most[:_NAMED])
    more = f" and {len(most) - _NAMED:,} more" if len(most) > _NAMED else ""
    return (
        f"  to other projects: {listed}{more}\n"
        "  recairn search --all-projects WORDS finds them from here too\n"
    )


def _left_out(settings: Sequence[str]) -> str:
    count = counted(len(settings), "setting")
    listed = ", ".join(without_marks(key) for key in settings[:_NAMED])
    more = f" and {len(settings) - _NAMED:,} more" if len(settings) > _NAMED else ""
    return (
        f"  {count} left out: only a person may set {listed}{more}\n"
        "  recairn config set KEY VALUE sets one here\n"
    )


def _counts(summary: ImportSummary) -> str:
    besides = [
        f"{count:,} {BESIDES[name][count != 1]}"
        for name, count in summary.besides.items()
        if name in BESIDES and name != "edge"
    ]
    # Links of records and links told by themselves are one and the same to whoever reads this.
    numbers = {name: getattr(summary, name) for name in COUNTS}
    numbers["linked"] += summary.besides.get("edge", 0)
    if not summary.gone and not any(numbers.values()):
        already = f"nothing new, {summary.besides_unchanged:,} unchanged"
        return ", ".join(besides) or (already if summary.besides_unchanged else "nothing to import")
    always = ("added", "unchanged")
    counts = [
        f"{count:,} {'link' if name == 'linked' and count == 1 else _WORDS.get(name, name)}"
        for name, count in numbers.items()
        if count or name in always
    ]
    return ", ".join(counts + besides)


def offer_json(offer: Offer) -> dict[str, Any]:
    """A format, the files and folders it could read, and what to type."""
    return {
        "source": offer.source,
        "paths": list(offer.paths),
        "command": _command(offer),
    }


def offers_text(offers: Sequence[Offer], folder: str, formats: Sequence[str]) -> str:
    """A line for each format that found something: what to type, and what it would read."""
    if not offers:
        return (
            f"Found nothing to import in {folder}, nor where agents keep their memory.\n"
            "  recairn import PATH takes in a file or folder that lies elsewhere\n"
            f"  formats: {', '.join(formats)}\n"
        )
    commands = [_command(offer) for offer in offers]
    width = max(map(len, commands))
    lines = [
        f"  {command:{width}}  {'of all projects' if offer.words[1:] else _listed(offer.paths)}"
        for command, offer in zip(commands, offers, strict=True)
    ]
    return "\n".join(
        [
            "Nothing was named. This can be imported:",
            *lines,
            "With --dry-run it only says what it would do.\n",
        ]
    )


def _command(offer: Offer) -> str:
    return " ".join(("recairn import", *map(_typed, offer.words)))


def _typed(word: str) -> str:
    """A word as a shell takes it; quoted, the sign for home would not mean it any more."""
    from os.path import expanduser
    from shlex import quote

    plain = word.removeprefix("~/")
    return word if quote(plain) == plain else quote(expanduser(word))


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _LISTED
    names = ", ".join(without_marks(path) for path in paths[:_LISTED])
    return f"{names} and {more:,} more" if more > 0 else names
