"""What the pages tell people to type is what recairn understands."""

from __future__ import annotations

import re
import shlex

import pytest

from recairn.surfaces.cli import EARLY
from recairn.surfaces.cli.parse import parse, resolve
from tests.repository import DOCS, ROOT

# The reference is made from the table itself; dialogues are typed by test_dialogues.
PAGES = [ROOT / "README.md", *sorted(set(DOCS.glob("*.md")) - {DOCS / "cli.md"})]
# A line of its own, up to where an explanation begins; what is piped or joined is another command.
LINE = re.compile(r"^ {4}(?:\$ )?(?:[A-Z_]+=\S+ )*recairn (.*?)(?: {2,}.*| [|&>].*| # .*)?$", re.M)
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def typed(page) -> list[str]:
    text = re.sub(r"\\\n\s*", "", page.read_text())  # lines that go on
    return LINE.findall(BLOCK.sub("", text))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if typed(page)], ids=lambda page: page.stem
)
def test_every_command_of_a_page_is_understood(page):
    for line in typed(page):
        words = shlex.split(line)
        if words[0] in EARLY:
            continue
        found, rest, _ = resolve(words)
        assert found is not None or words[0].startswith("-"), f"recairn {line}"
        if found is not None:
            parse(found, rest)
