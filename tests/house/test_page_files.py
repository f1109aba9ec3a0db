"""The files of the page: light, complete, and nothing in them that text could become code by."""

from __future__ import annotations

import hashlib
import re

import pytest

from tests.repository import ROOT, SOURCE

PAGE = SOURCE / "surfaces" / "web" / "page"
AXE = ROOT / "tests" / "surfaces" / "web" / "axe-core-4.14.0"
FOREIGN = sorted(path.parent for path in [*PAGE.glob("*/SHA-256"), AXE / "SHA-256"])
OWN = sorted(path for path in PAGE.glob("*") if path.suffix in (".js", ".css", ".html", ".svg"))

# Bytes, as they are sent: what a first search loads, what the graph loads besides.
FIRST_SIGHT, GRAPH = 60 * 1024, 20 * 1024
LOADED_FIRST = ("index.html", "page.css", "app.js", "api.js", "parts.js", "search.js", "memory.js")


def size(*paths) -> int:
    return sum(path.stat().st_size for path in paths)


def test_what_a_first_search_loads_is_light():
    lit = PAGE / "lit-html-3.3.3" / "lit-html.js"
    assert size(*(PAGE / name for name in LOADED_FIRST), lit) <= FIRST_SIGHT


def test_the_list_of_what_is_loaded_first_is_whole():
    """Every module that those of the list import by themselves is in it, too."""
    for name in LOADED_FIRST[2:]:
        named = re.findall(
            r"^(?:import|export) .*? from '\./([\w-]+\.js)'", (PAGE / name).read_text(), re.M
        )
        assert set(named) <= set(LOADED_FIRST), name


def test_the_graph_brings_little_more():
    assert size(PAGE / "graph.js", *PAGE.glob("d3-*/*.js")) <= GRAPH + size(PAGE / "graph.js")


@pytest.mark.parametrize("folder", FOREIGN, ids=lambda folder: folder.name)
def test_foreign_code_is_what_it_was_and_has_its_licence(folder):
    assert (folder / "LICENSE").read_text().strip()
    listed = dict(
        reversed(line.split()) for line in (folder / "SHA-256").read_text().splitlines() if line
    )
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.js")
    }
    assert found == listed


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_no_file_of_ours_can_make_code_of_text_or_loads_from_elsewhere(path):
    text = path.read_text()
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "unsafeHTML"):
        assert way not in text
    assert not re.search(r"\beval\(|new Function|javascript:| style=|\son\w+=\"", text)
    elsewhere = re.findall(r"https?://[^\s'\"`<>$]+", text)
    assert [address for address in elsewhere if "w3.org" not in address] == []
