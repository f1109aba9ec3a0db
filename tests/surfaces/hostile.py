"""Repositories that try to run a program, and the doors of recairn that look at a repository."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import recairn
from recairn.host.git import git, line_times
from recairn.surfaces.cli import main
from recairn.surfaces.mcp.dispatch import Desk
from recairn.surfaces.mcp.server import Connection
from tests.checkouts import Checkout
from tests.corpus import Clock

RULE = "Label every axis in metres"


class Canary:
    """A program that leaves a trace of each run, and passes on what it is given."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.program = folder / "canary"
        self._trace = folder / "trace"
        self.program.write_text(f'#!/bin/sh\necho "$@" >> "{self._trace}"\n[ -n "$1" ] || cat\n')
        self.program.chmod(0o755)

    @property
    def ran(self) -> bool:
        return self._trace.exists()

    def place(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.program, path)


def prepared(root: Path) -> Checkout:
    """A checkout with a history, a changed file, and a file whose time alone has changed."""
    checkout = Checkout(root, Clock())
    checkout.write("chart.py", "def draw_axis():", "    pass", *(f"# {n}" for n in range(20)))
    checkout.write("tide.py", "def read_tide():", "    pass")
    checkout.commit("Draw the chart")
    checkout.write("chart.py", "def draw_axis():", "    return 1")
    checkout.commit("Draw less of the chart")
    checkout.git("revert", "--no-edit", "HEAD")
    checkout.write("chart.py", "def draw_axis():", "    return 2")
    os.utime(root / "tide.py", (1_700_000_000, 1_700_000_000))
    return checkout


def plain_git(root: Path, *words: str) -> None:
    """Git as a person would call it, with everything that the repository says."""
    subprocess.run(
        ["git", *words],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


class Doors:
    """Every way into recairn that looks at the checkout around the working directory."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        # The wall guard of hooks would end the whole test run.
        patch.setenv("RECAIRN_HOOK_SECONDS", "600")
        patch.setenv("RECAIRN_MODEL", "none")
        with recairn.open(model="none") as memory:
            memory.remember(RULE, kind="rule", scope="chart.py", trust="verified", tier="global")
            memory.remember("tide.py and `draw_axis` belong together", created_at=1_000)
            memory.remember("chart.py was rewritten by nobody", created_at=1_000)

    def _main(self, *words: str, given: bytes = b"") -> str:
        out = io.StringIO()
        with self._patch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
            patch.setattr(sys, "stdout", out)
            assert main([*words]) == 0
        return out.getvalue()

    def _hook(self, name: str, **fields: Any) -> str:
        event = {"session_id": f"s-{name}", "cwd": os.getcwd(), "hook_event_name": name, **fields}
        return self._main("hook", name, given=json.dumps(event).encode())

    def _tool(self, name: str, **arguments: Any) -> str:
        desk = Desk(os.environ["RECAIRN_DB"], None)
        connection = Connection(desk, ("default",), lambda message: None)
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
        call = {"name": name, "arguments": arguments}
        asked = (("initialize", hello), ("tools/call", call))
        answers = [
            connection.handle({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            for method, params in asked
        ]
        desk.close()
        return json.dumps(answers[-1])

    def open_all(self) -> dict[str, str]:
        """What each door says."""
        return {
            "handoff": self._main("handoff", "Charts draw"),
            "resume": self._main("resume"),
            "context": self._main("context", "--prompt", "draw it", "--text"),
            "stale": self._main("stale", "--check"),
            "reverts": self._main("outcome", "observe"),
            "ages of lines": str(line_times("tide.py")),
            "start": self._hook("SessionStart", source="startup"),
            "prompt": self._hook("UserPromptSubmit", prompt="how is the tide read by everyone?"),
            "compact": self._hook("PreCompact", trigger="manual"),
            "mcp": self._tool("recairn_context", prompt="draw it"),
        }


class Trap(NamedTuple):
    """How a repository names a program, and the git command that runs it."""

    name: str
    plant: Callable[[Checkout, Canary], None]
    words: tuple[str, ...]


def ask(root: Path, trap: Trap) -> None:
    """The very command that runs the program, through recairn's own call of git."""
    git(str(root), *trap.words)
