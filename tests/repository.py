"""Where the parts of this repository lie, wherever a test stands in its tree."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "recairn"
DATA = ROOT / "tests" / "data"
DOCS = ROOT / "docs"
