"""A cold `recairn` process imports nothing heavy: start-up time is what an agent waits for."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.thorough

# Each costs from a half to ten times an empty Python process.
HEAVY = frozenset(
    {"asyncio", "concurrent", "dataclasses", "datetime", "email", "hashlib", "http", "inspect"}
    | {"logging", "multiprocessing", "numpy", "pathlib", "rich", "socket", "sqlite3", "ssl"}
    | {"subprocess", "tempfile", "typing", "urllib", "xml"}
)

# With what they import themselves, half an empty Python process: kept off the shortest ways.
COSTLY = frozenset({"re", "enum", "functools", "json", "threading"})

START = "-- recairn starts here --"

# The console script's own two lines, after a mark that tells them from the interpreter's start.
PROGRAM = f"""
import sys
sys.argv[0] = "recairn"
sys.stderr.write("{START}\\n")
sys.stderr.flush()
from recairn.surfaces.cli import main
sys.exit(main())
"""


class Import(NamedTuple):
    depth: int
    module: str


def run_recairn(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-c", PROGRAM, *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )


def imports_of(report: str) -> list[Import]:
    """What `-X importtime` listed after the mark: a module comes after those it imported."""
    found = []
    for line in report.partition(START)[2].splitlines():
        columns = line.split("|")
        if line.startswith("import time:") and len(columns) == 3:
            name = columns[2].removeprefix(" ")
            found.append(Import((len(name) - len(name.lstrip())) // 2, name.strip()))
    return found


def heavy_chains(imports: list[Import]) -> list[str]:
    """One line for each heavy module: what imported it, outermost first."""
    chains = []
    for position, (depth, module) in enumerate(imports):
        if module.partition(".")[0] not in HEAVY:
            continue
        chain = [module]
        for above in imports[position:]:
            if above.depth < depth:
                chain.insert(0, above.module)
                depth = above.depth
        chains.append(" > ".join(chain))
    return chains


def assert_light(done: subprocess.CompletedProcess[str]) -> None:
    imports = imports_of(done.stderr)
    assert "recairn.surfaces.cli" in {each.module for each in imports}, done.stderr
    chains = heavy_chains(imports)
    assert not chains, "heavy imports on the cold path:\n" + "\n".join(chains)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_imports_nothing_heavy(option):
    done = run_recairn(option)
    assert "search" in done.stdout
    assert_light(done)


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_search_imports_nothing_heavy(options):
    run_recairn("add", "Full jitter keeps the broker alive when every client retries at once.")
    done = run_recairn("search", "jitter", *options)
    assert "Full jitter" in done.stdout
    assert_light(done)


def costly_imports(report: str) -> set[str]:
    return {each.module for each in imports_of(report)} & COSTLY


def test_a_plain_question_loads_no_regular_expressions():
    run_recairn("add", "Full jitter keeps the broker alive when every client retries at once.")
    done = run_recairn("search", "why does every client retry with jitter?")
    assert "Full jitter" in done.stdout
    assert costly_imports(done.stderr) == set()


def test_a_starting_server_loads_neither_json_nor_threads():
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "gull"}}
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    ]
    done = run_recairn("mcp", given="".join(f"{json.dumps(each)}\n" for each in messages))
    assert "recairn_search" in done.stdout
    assert_light(done)
    assert costly_imports(done.stderr) == set()


def test_the_overview_of_help_loads_no_row_of_a_command():
    modules = [each.module for each in imports_of(run_recairn("--help").stderr)]
    assert [name for name in modules if name.startswith("recairn.surfaces.cli.commands")] == []


@pytest.mark.parametrize(
    ("words", "home"),
    [(["add", "Full jitter"], "remember"), (["task"], "tasks"), (["learning:recent"], "recall")],
)
def test_a_command_loads_the_rows_of_its_own_module_alone(words, home):
    package = "recairn.surfaces.cli.commands."
    modules = [each.module for each in imports_of(run_recairn(*words).stderr)]
    assert [name for name in modules if name.startswith(package)] == [package + home]


def test_adding_imports_nothing_of_the_read_path():
    done = run_recairn("add", "Full jitter keeps the broker alive.")
    modules = {each.module for each in imports_of(done.stderr)}
    assert "recairn.memory.remember" in modules
    read_path = ("recairn.recall.", "recairn.ranking.fusion", "recairn.ranking.score")
    assert [name for name in modules if name.startswith(read_path)] == []
    assert costly_imports(done.stderr) == set()


@pytest.mark.parametrize("options", [[], ["--text"], ["--json"]], ids=["list", "text", "json"])
def test_context_imports_nothing_heavy(options):
    run_recairn("add", "Full jitter keeps the broker alive when every client retries at once.")
    run_recairn("add", "Retries are logged", "-k", "rule", "--scope", "*.py")
    run_recairn("task", "add", "Add jitter to the broker's retries in retry.py", "--id", "t-1")
    done = run_recairn("context", "t-1", *options)
    assert "Full jitter" in done.stdout
    assert "Retries are logged" in done.stdout
    assert_light(done)


def test_a_hook_imports_nothing_heavy_and_nothing_costly():
    run_recairn("add", "Full jitter keeps the broker alive when every client retries at once.")
    prompt = '{"session_id": "s-1", "prompt": "why jitter when clients retry the broker?"}'
    done = run_recairn("hook", "UserPromptSubmit", given=prompt)
    assert "Full jitter" in done.stdout
    assert_light(done)
    assert costly_imports(done.stderr) == set()


def test_a_heavy_import_is_reported_with_the_modules_that_led_to_it():
    report = "\n".join(
        [
            "import time:       100 |        100 | typing",
            START,
            "import time:       100 |        100 |     numpy.linalg",
            "import time:       100 |        200 |   recairn.recall.search",
            "import time:       100 |        300 | recairn.surfaces.cli",
            "import time:       100 |        100 | json",
        ]
    )
    assert heavy_chains(imports_of(report)) == [
        "recairn.surfaces.cli > recairn.recall.search > numpy.linalg"
    ]
