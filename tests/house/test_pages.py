"""The pages for contributors stay short, true and in one form."""

from __future__ import annotations

import re

from recairn import __version__
from tests.house.test_layers import LAYERS
from tests.repository import DOCS, ROOT, SOURCE

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
AGENTS = (ROOT / "AGENTS.md").read_text()
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))

AGENTS_LINES = 50
# `recall/search.py`, `core/guard/`: a place below src/recairn, by the name of its package.
PACKAGES = "|".join(sorted(path.name for path in SOURCE.iterdir() if path.is_dir()))
PLACE = re.compile(rf"`((?:{PACKAGES})/[\w/]*(?:\.py)?)`")


def layers_of(page: str) -> tuple[tuple[str, ...], ...]:
    """The rows of the page's table of layers, from the bottom up."""
    rows = re.findall(r"^\| \d+ \| (.*) \|$", page, re.MULTILINE)
    return tuple(tuple(re.findall(r"`([\w.]+)`", row)) for row in rows)


def test_the_table_of_layers_is_the_one_that_is_enforced():
    assert layers_of(CONTRIBUTING) == LAYERS


def test_every_package_is_explained_in_one_line_of_the_list():
    listed = re.findall(r"^- `(\w+)`: .*\.$", CONTRIBUTING, re.MULTILINE)
    assert sorted(listed) == sorted(
        path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()
    )


def test_every_place_that_contributors_are_sent_to_is_there():
    places = PLACE.findall(CONTRIBUTING + AGENTS)
    assert len(places) > 30
    assert [place for place in places if not (SOURCE / place).exists()] == []


def test_no_word_of_the_glossary_is_explained_twice():
    table = CONTRIBUTING.partition("| word | what it is | not |")[2].partition("\n\n")[0]
    heads = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)
    words = [word.strip() for head in heads[1:] for word in head.split(",")]
    assert len(words) > 40
    assert sorted(words) == sorted(set(words))


def test_the_page_for_agents_can_be_read_at_one_go():
    assert len(AGENTS.splitlines()) <= AGENTS_LINES


def test_the_changelog_has_a_heading_for_each_version_and_begins_with_this_one():
    headings = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    assert headings[0].split()[0] == __version__
    for heading in headings:
        assert re.fullmatch(r"\d+\.\d+\.\d+ \((unreleased|\d{4}-\d\d-\d\d)\)(: .+)?", heading)


def test_decisions_have_a_number_of_their_own_that_their_title_repeats():
    numbers = [path.name[:4] for path in DECISIONS]
    assert numbers == sorted(set(numbers))
    for path in DECISIONS:
        assert path.read_text().startswith(f"# {path.name[:4]}: "), path.name
