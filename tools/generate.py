"""Writes the files that are made from others; `python3 run.py fix` runs it.

python -m tools.generate
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.beside import page as benchmarks
from tools import api_page, command_index, lazy_parts, man_page, page_api, public_names


def generated() -> Iterator[tuple[Path, str]]:
    """Each generated file and its text; what comes later may need what was written before."""
    yield from lazy_parts.tables().items()
    yield public_names.FILE, public_names.package()
    yield command_index.FILE, command_index.index()
    yield command_index.OVERVIEW_FILE, command_index.overview()
    yield api_page.FILE, api_page.page()
    yield page_api.FILE, page_api.document()
    yield man_page.FILE, man_page.page()
    yield from benchmarks.files(benchmarks.kept()).items()


def main() -> None:
    for path, text in generated():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
