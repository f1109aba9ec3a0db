"""Writes the files that are made from others; `python3 run.py fix` runs it.

python -m tools.generate
"""

from __future__ import annotations

from tools.lazy_parts import tables


def main() -> None:
    for path, text in tables().items():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
