"""Questions in German, Spanish, French and Japanese, to memories of that language and of English.

    python3 run.py bench languages [static|minilm|none|MODEL]

The set is bench/languages/memories.jsonl: sixteen things a team remembers, said in five languages,
and a question about each in four of them, in other forms of the words. Everything lies in one
store; for the second table only what is English. Shown are how many of the sixteen come first,
the mean reciprocal rank, and how many questions are met with silence.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import json
import os
import tempfile

import recairn

HERE = os.path.dirname(os.path.abspath(__file__))
LANGUAGES = ("de", "es", "fr", "ja")


def main() -> None:
    model = sys.argv[1] if len(sys.argv) > 1 else "static"
    with open(os.path.join(HERE, "languages", "memories.jsonl"), encoding="utf-8") as file:
        topics = [json.loads(line) for line in file]
    for title, kept in (("own language", ("en", *LANGUAGES)), ("to English memories", ("en",))):
        print(f"{title} ({model})")
        print("      first  mrr   silent")
        for language, row in measured(topics, kept, model).items():
            print(f"  {language}  {row[0]:2} of {len(topics)}  {row[1]:.3f}  {row[2]}")


def measured(topics: list[dict], kept: tuple[str, ...], model: str) -> dict:
    """Per language: how many first, the mean reciprocal rank, how many met silence."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "languages.db")
        with recairn.open(path, project="languages", model=model) as memory:
            ids = {}
            for topic in topics:
                for language in kept:
                    made = memory.remember(topic[language], force=True)
                    ids[topic["topic"], language] = made.id
            if model != "none":
                memory.embed()
            return {language: row(memory, topics, ids, language) for language in LANGUAGES}


def row(memory, topics: list[dict], ids: dict, language: str) -> tuple[int, float, int]:
    first, reciprocal, silent = 0, 0.0, 0
    for topic in topics:
        wanted = ids.get((topic["topic"], language), ids[topic["topic"], "en"])
        found = [hit.id for hit in memory.search(topic["ask"][language], track=False).hits]
        silent += not found
        if wanted in found:
            first += found[0] == wanted
            reciprocal += 1.0 / (found.index(wanted) + 1)
    return first, reciprocal / len(topics), silent


if __name__ == "__main__":
    main()
