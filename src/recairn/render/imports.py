"""What an import did, as text and as JSON."""

from __future__ import annotations

from recairn.ingest.base import COUNTS
from recairn.render.marks import without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.ingest.base import Imported

_WORDS = {
    "known": "known already",
    "forgotten": "forgotten since (--restore brings them back)",
    "linked": "links",
    "failed": "not readable",
}
# How many of each came in beside memories.
_BESIDES = {
    "session": ("session", "sessions"),
    "task": ("task", "tasks"),
    "dependency": ("dependency", "dependencies"),
    "edge": ("link told apart", "links told apart"),
    "use": ("use in a session", "uses in sessions"),
    "access": ("use", "uses"),
    "query": ("query", "queries"),
    "miss": ("failed search", "failed searches"),
    "setting": ("setting", "settings"),
    "compaction": ("compaction", "compactions"),
}


def import_json(done: Imported) -> dict[str, Any]:
    """Counts, the memories made, what is gone, and the records that failed."""
    return {
        "source": done.source,
        "path": done.path,
        "dry_run": done.dry_run,
        **{name: getattr(done, name) for name in COUNTS},
        "besides": dict(done.besides),
        "memories": list(done.memories),
        "gone": [{"id": memory, "text": text} for memory, text in done.gone],
        "errors": [{"place": each.place, "error": each.why} for each in done.errors],
        "warnings": list(done.warnings),
        "unverified": done.unverified,
    }


def import_text(done: Imported) -> str:
    """`CLAUDE.md: 12 added, 3 unchanged`, and a line for each record that is gone."""
    always = ("added", "unchanged")
    told = [
        f"{getattr(done, name):,} {_WORDS.get(name, name)}"
        for name in COUNTS
        if name in always or getattr(done, name)
    ]
    told += [
        f"{count:,} {_BESIDES[name][count != 1]}"
        for name, count in done.besides.items()
        if name in _BESIDES
    ]
    would = " (dry run)" if done.dry_run else ""
    text = f"{done.path}{would}: {', '.join(told)}\n"
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
