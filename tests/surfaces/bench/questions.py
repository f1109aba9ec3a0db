"""A tiny question set: two projects of a harbour, five questions, two of them without answer."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

DOCUMENTS = [
    ("d1", "north", "The fog horn of the north pier sounds twice a minute"),
    ("d2", "north", "Gulls nest on the roof of the boathouse"),
    ("d3", "north", "The ferry to the island leaves at nine"),
    ("d4", "north", "the ferry to the island   leaves at NINE"),
    ("d5", "south", "The fog horn of the south pier is broken"),
    ("d6", "south", "A crane lifts the boats out in October"),
]
QUESTIONS = [
    ("q1", "north", "how often does the fog horn sound?", {}),
    ("q2", "north", "when does the ferry leave for the island", {}),
    ("q3", "south", "which fog horn is broken", {}),
    ("q4", "north", "who won the chess tournament in Reykjavik", {"adversarial": True}),
    ("q5", "south", "which algorithm hashes the passwords", {"abstention": True}),
]
JUDGED = [("q1", "d1", 1), ("q2", "d3", 2), ("q2", "d4", 2), ("q3", "d5", 1), ("q3", "d6", 0)]


def lines(rows: list[tuple[str, str, str, dict[str, bool]]]) -> str:
    return "".join(
        json.dumps({"id": id, "text": text, "meta": {"scope": scope, **about}}) + "\n"
        for id, scope, text, about in rows
    )


def written(folder: Path, *, packed: bool = False) -> Path:
    """The set in a folder named harbour, with packed texts when asked."""
    made = folder / "harbour"
    made.mkdir(parents=True)
    texts = {
        "corpus.jsonl": lines([(id, scope, text, {}) for id, scope, text in DOCUMENTS]),
        "queries.jsonl": lines(QUESTIONS),
    }
    for name, text in texts.items():
        if packed:
            (made / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (made / name).write_text(text)
    rows = "".join(f"{question}\t{document}\t{gain}\n" for question, document, gain in JUDGED)
    (made / "qrels.tsv").write_text(rows)
    return made
