"""Writes the files that are made from others; `python3 run.py fix` runs it.

python -m tools.generate
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tools import command_index, lazy_parts


def generated() -> Iterator[tuple[Path, str]]:
    """Each generated file and its text; what comes later may need what was written before."""
    yield from lazy_parts.tables().items()
    yield command_index.FILE, command_index.index()


def main() -> None:
    for path, text in generated():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
