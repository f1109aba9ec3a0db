"""The shape of the house: few packages, each with a purpose, and names that mean one thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.repository import DOCS, ROOT, SOURCE

MOST_PACKAGES = 12
BESIDE_PACKAGES = {"__init__.py", "__main__.py", "py.typed"}

# The engine of the database is known where the database is: to its store, to readers of foreign
# databases, and to the yardstick of the benchmark, which is plain FTS5.
APSW_BELONGS_TO = ("store/sqlite/", "store/glance.py", "sources/readers/", "surfaces/bench/")

# One name, one idea: a name may come back on another layer when it is that layer's share of this.
IDEAS = {
    "address": "where a store lies",
    "aging": "correct, promote, pin, expire, archive: what time does to a memory",
    "bench": "question sets through the shipped search",
    "branches": "memories that belong to a branch until it is merged",
    "brain": "Project Brain: its data and its tools",
    "ccmemory": "ccmemory: its data and its tools",
    "context": "what an agent is given for a piece of work",
    "default": "the tools every agent gets",
    "documents": "files and pages kept in chunks",
    "feed": "what members read of a server, in the order of the changes",
    "outbox": "what waits to be sent to a server",
    "endings": "the end of a rule in force that others ask for",
    "erasure": "destroying a memory, and asking for it",
    "exchange": "whole records out of and into a database",
    "feedback": "ratings, and outcomes of work",
    "files": "reading and writing files, as the package around it needs it",
    "graph": "edges between memories, and walks over them",
    "imported": "what is kept of a record that an import brought",
    "imports": "taking in what was remembered elsewhere",
    "inspection": "what a person sees of a database before they trust it",
    "install": "registering recairn with agents",
    "jsonl": "files of JSON lines",
    "journal": "what was just written, to be taken back exactly",
    "ledger": "what was injected, for whom, at which cost",
    "learning": "weights, outcomes and learnings from work that is over",
    "listings": "memories by the time of their creation, page by page and counted",
    "lore": "Lore: its data and its tools",
    "m002_authors": "the columns of authors, of an engine",
    "m003_projects": "the tables of projects, for each engine",
    "m004_turns": "the table of turns, for each engine",
    "m007_counts": "the indexes of counts, for each engine",
    "markdown": "memories as Markdown",
    "models": "embedding models",
    "naming": "whether a memory names a file or a symbol",
    "outcomes": "how work came out, read off the work itself",
    "overview": "rules in force and health, looked at as a whole",
    "parts": "generated: which part of a class has which method",
    "projects": "which projects there are, and what is done to them",
    "queries": "the log of what was asked",
    "recall": "finding memories",
    "records": "what each kind of record of a foreign system becomes here",
    "remember": "the way of a draft to a memory",
    "review": "candidates, and a person's word on them",
    "session_notes": "what a session leaves behind by itself",
    "sessions": "runs of agents",
    "settings": "what a person may set, and what the database keeps of it",
    "source": "the importer of a foreign system that needs a folder",
    "tasks": "pieces of work",
    "trust": "the user's word on the database of a checkout",
    "turns": "moments of a session: what an agent was told, and why not",
    "tx": "tx: its data and its tools",
    "upkeep": "looking after the database and the tool",
    "work": "sessions, tasks and their outcomes; in an importer, those of the foreign system",
    "members": "who is on a team, and what each may do",
    "sharing": "who of a team sees a memory",
    "teams": "the commands about a team, and what answers",
}

# Names with two meanings, where both are the word of their field. May only shrink.
TWO_IDEAS = {
    "agents": "commands that agents start | the agents recairn registers with",
    "base": "what all parts of the engine share | what every store promises",
    "fields": "which fields a memory has | options of `add` and `edit` that become them",
    "index": "the vectors of a database | from the word of a command to its row",
    "prompts": "a person's words in a transcript | what MCP calls prompts",
    "protocol": "what an embedding model promises | JSON-RPC and MCP",
    "schema": "tables of the database | JSON Schema of a tool's parameters",
    "tables": "what travels between databases | aligned columns of text",
    "values": "what may be a secret | what other programs wrote, read leniently",
}

# The contract, its shared statements and the engines have the same modules: that is one idea.
STORE_PARTS = re.compile(r"^store/(contract|statements|sqlite|postgres)\b")


def place_and_name(path: str) -> tuple[str, str]:
    """The folder and the name of a module; of a package's `__init__.py`, those of the package."""
    module = Path(path)
    if module.name == "__init__.py":
        module = module.parent
    return STORE_PARTS.sub("store/*", module.parent.as_posix()), module.name.removesuffix(".py")


def repeated(paths: list[str]) -> dict[str, list[str]]:
    """The names that stand in more than one folder, with these folders."""
    places = defaultdict(set)
    for path in paths:
        place, name = place_and_name(path)
        places[name].add(place)
    return {name: sorted(found) for name, found in places.items() if len(found) > 1}


def modules() -> list[str]:
    return sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


def imports_apsw(code: str) -> bool:
    if "apsw" not in code:  # most files need no parser to know
        return False
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        if any(name.partition(".")[0] == "apsw" for name in names):
            return True
    return False


def test_there_are_at_most_twelve_packages_and_nothing_flat_beside_them():
    entries = {path.name for path in SOURCE.iterdir()} - {"__pycache__"}
    packages = {name for name in entries if (SOURCE / name / "__init__.py").exists()}
    assert entries - packages == BESIDE_PACKAGES
    assert len(packages) <= MOST_PACKAGES


@pytest.mark.parametrize("path", [name for name in modules() if name.endswith("__init__.py")])
def test_a_package_begins_with_its_purpose_in_one_line(path):
    purpose, *rest = (ast.get_docstring(ast.parse((SOURCE / path).read_text())) or "").split("\n")
    assert purpose.endswith("."), f"{path}: the first line is no sentence: {purpose!r}"
    assert not rest or rest[0] == "", f"{path}: the purpose goes on in a second line"


def test_only_who_owns_a_database_knows_its_engine():
    elsewhere = {
        path
        for path in modules()
        if not path.startswith(APSW_BELONGS_TO) and imports_apsw((SOURCE / path).read_text())
    }
    assert elsewhere == set()


def test_a_name_that_comes_back_means_the_same_idea_or_is_declared_to_mean_two():
    names = repeated(modules())
    known = IDEAS.keys() | TWO_IDEAS.keys()
    new = {name: places for name, places in names.items() if name not in known}
    assert new == {}, "another name, or one idea in IDEAS"
    assert TWO_IDEAS.keys() - names.keys() == set(), "mended: take these out of TWO_IDEAS"


def test_no_name_is_declared_both_ways():
    assert IDEAS.keys() & TWO_IDEAS.keys() == set()


def test_an_accidental_repetition_is_found_wherever_it_stands():
    paths = [
        "work/tasks.py",
        "memory/links.py",
        "surfaces/mcp/links.py",
        "sources/tasks/__init__.py",
    ]
    assert repeated(paths) == {
        "links": ["memory", "surfaces/mcp"],
        "tasks": ["sources", "work"],
    }


def test_the_contract_and_the_engines_that_keep_it_may_share_their_names():
    assert repeated(["store/contract/edges.py", "store/sqlite/edges.py", "core/model.py"]) == {}
    assert repeated(["store/sqlite/edges.py", "memory/edges.py"]) == {
        "edges": ["memory", "store/*"],
    }


# A path of this repository, as pages write it; a folder of a user's project is none.
PATH = re.compile(r"\b(?:src/recairn/[\w./-]*\w|(?:bench|tools|tests)/[\w./-]+\.py)")
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_a_page_names_only_paths_that_are_there(page):
    assert [path for path in PATH.findall(page.read_text()) if not (ROOT / path).exists()] == []
