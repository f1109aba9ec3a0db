"""What runs by itself, on a server or before a commit, is run.py and nothing else."""

from __future__ import annotations

import re
import tomllib

from tests.repository import ROOT

WORKFLOW = (ROOT / ".github" / "workflows" / "check.yml").read_text()
PRE_COMMIT = (ROOT / ".pre-commit-config.yaml").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_every_python_that_the_package_names_is_checked_on_linux_and_macos():
    named = [line.rpartition(" :: ")[2] for line in PROJECT["classifiers"] if ":: 3." in line]
    assert f"python: {named}".replace("'", '"') in WORKFLOW
    assert "os: [ubuntu-latest, macos-latest]" in WORKFLOW


def test_the_server_runs_the_gate_and_makes_the_site_and_nothing_beside_it():
    assert re.findall(r"run: (.*)", WORKFLOW) == ["python3 run.py check", "python3 run.py docs"]


def test_the_hook_before_a_commit_is_run_py_and_downloads_nothing():
    assert re.findall(r"repo: (.*)", PRE_COMMIT) == ["local"]
    assert re.findall(r"entry: (.*)", PRE_COMMIT) == ["python3 run.py lint"]
