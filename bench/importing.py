"""Importing records of JSON, and importing them again, beside remember_many of the same.

    python3 run.py bench importing [COUNT]

Prints medians of CPU seconds, interleaved, and the ratios (the promises: at most 2 and 0.3).
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from corpus import memories

import recairn
from recairn.core.model import Draft
from recairn.sources.format import Fault, Record, Source
from recairn.sources.readers.files import Origin

ROUNDS = 3


def read(origin: Origin) -> Iterator[Record | Fault]:
    for line in origin.json_lines():
        if isinstance(line, Fault):
            yield line
        else:
            number, told = line
            draft = Draft(told["content"], source_type="import", external_id=told["id"])
            yield Record(told["id"], draft, origin.place(number))


SOURCE = Source("bench", "lines of JSON", lambda path: False, lambda folder: [], read)


def seconds(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    texts = [each["content"] for each in memories(count)]
    rows = [{"id": f"r-{number}", "content": text} for number, text in enumerate(texts)]
    drafts = [
        {"content": row["content"], "source_type": "import", "external_id": row["id"]}
        for row in rows
    ]
    names = ("remember_many", "import", "import again", "export in", "export again")
    spent: dict[str, list[float]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records.jsonl")
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        whole = Path(folder, "export.jsonl")
        for turn in range(ROUNDS):
            with recairn.open(Path(folder, f"{turn}-many.db"), project="bench") as memory:
                spent["remember_many"].append(
                    seconds(lambda: memory.remember_many(drafts, on_similar="reinforce"))
                )
                whole.write_text(
                    "".join(json.dumps(each) + "\n" for each in memory.export_records())
                )
            with recairn.open(Path(folder, f"{turn}-whole.db"), project="bench") as memory:
                for name in ("export in", "export again"):
                    spent[name].append(seconds(lambda: memory.import_from(whole)))
            with recairn.open(Path(folder, f"{turn}-import.db"), project="bench") as memory:
                for name in ("import", "import again"):
                    spent[name].append(seconds(lambda: memory.import_from(path, SOURCE)))
    many = statistics.median(spent["remember_many"])
    for name, taken in spent.items():
        middle = statistics.median(taken)
        print(f"{name:14} {middle:6.2f} s CPU  {middle / many:.2f} x remember_many")


if __name__ == "__main__":
    main()
