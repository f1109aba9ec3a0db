"""Every link of a page leads somewhere: to a file of the repository, and to a heading of it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.repository import DOCS, ROOT
from tools import site

PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "plugin").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$|^(?: {4}.*\n)+|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    """What is linked outside of code."""
    return LINK.findall(FENCE.sub("", page.read_text()))


@cache
def headings(page: Path) -> frozenset[str]:
    """The anchors of a page, as forges and the site make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles)
    return frozenset(re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in plain)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(page):
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor and target.suffix == ".md":
            assert anchor in headings(target), f"{link}: {target.name} has no such heading"


def test_the_site_has_every_page_once_and_no_link_out_of_it(tmp_path):
    site.assemble(tmp_path)
    pages = [page for group in site.navigation(tmp_path) for page in site.pages_of(group)]
    written = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")]
    assert sorted(pages) == sorted(written)
    for page in written:
        for link in links(tmp_path / page):
            if not re.match(r"[a-z]+:|#", link):
                assert ((tmp_path / page).parent / link.partition("#")[0]).exists(), (page, link)
