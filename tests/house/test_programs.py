"""Who starts programs: few modules, and git but one of them."""

from __future__ import annotations

import ast

from tests.repository import SOURCE

# What each of them runs, so that one more is a decision and not an accident.
STARTERS = {
    "host/program.py": "git, and programs of the settings",
    "host/background.py": "recairn itself, to exchange with a team after a session",
    "surfaces/cli/call.py": "the person's editor",
    "surfaces/cli/actions/learning.py": "what `recairn observe` is given",
    "surfaces/bench/prompts.py": "recairn itself, as agents start its hook",
    "embed/download.py": "pip or uv, to fetch a model",
    "surfaces/install/diagnosis.py": "the recairn that agents' hooks start, for its version",
}
# Ways to start a program.
STARTING = frozenset(
    {"subprocess", "system", "popen", "posix_spawn", "posix_spawnp", "fork", "execv", "execvp"}
    | {"execve", "execvpe", "spawnv", "spawnvp"}
)


def starts(code: str) -> bool:
    """Whether a module starts programs, as far as its words tell."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            if "subprocess" in (module, *(alias.name for alias in node.names)):
                return True
        if isinstance(node, ast.Attribute) and node.attr in STARTING:
            owner = node.value
            if isinstance(owner, ast.Name) and owner.id == "os":
                return True
    return False


def test_programs_are_started_in_known_places_alone():
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if starts(path.read_text())
    }
    assert found == {*STARTERS}


def test_git_is_started_in_one_place():
    callers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "output_of" in path.read_text()
    }
    assert callers == {"host/program.py", "host/git.py"}


def test_a_module_that_starts_programs_is_known_by_its_words():
    assert starts("import subprocess")
    assert starts("def f():\n    from subprocess import run")
    assert starts("import os\nos.posix_spawn('/bin/true', [], {})")
    assert not starts("import os\nos.listdir('.')")
