"""An agent's program: sends events to `recairn hook`, in this process or in one of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import Any, NamedTuple

import pytest

import recairn
from recairn.surfaces.cli import main

SESSION = "0f3c9a52-77aa-4d1e-9a30-1b2c3d4e5f60"


class Said(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def context(self) -> str:
        """What reaches the model; empty when nothing was said."""
        if not self.out:
            return ""
        return json.loads(self.out)["hookSpecificOutput"]["additionalContext"]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """The folder of the project puffin, a git checkout on the branch tide."""
    folder = tmp_path / "puffin"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/tide\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def store(checkout):
    """Opens the memory that hooks will find; it exists from then on."""

    def open_memory(**options: Any) -> recairn.Recairn:
        return recairn.open(**{"model": "none", **options})

    open_memory().close()
    return open_memory


def event(name: str, checkout: Any, **fields: Any) -> dict[str, Any]:
    """An event with the fields that Claude Code and Codex send with all of them."""
    common = {
        "session_id": SESSION,
        "transcript_path": str(checkout.parent / "transcript.jsonl"),
        "cwd": str(checkout),
        "hook_event_name": name,
        "permission_mode": "default",
    }
    return {**common, **fields}


@pytest.fixture
def hook(checkout, monkeypatch):
    """Sends an event to the hook in this process."""
    # The wall guard would end the whole test run.
    monkeypatch.setenv("RECAIRN_HOOK_SECONDS", "600")
    monkeypatch.setenv("RECAIRN_MODEL", "none")

    def send(name: str, *words: str, **fields: Any) -> Said:
        given = fields.pop("raw", None) or json.dumps(event(name, checkout, **fields)).encode()
        out, err = io.StringIO(), io.StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            status = main(["hook", name, *words])
        return Said(status, out.getvalue(), err.getvalue())

    return send


@pytest.fixture
def process(checkout):
    """Sends an event to a process of its own, as an agent does."""

    def send(name: str, *words: str, env: Any = None, **fields: Any) -> Said:
        given = fields.pop("raw", None)
        if given is None:
            given = json.dumps(event(name, checkout, **fields)).encode()
        command = [sys.executable, "-m", "recairn", *(words or ("hook", name))]
        settings = {**os.environ, "RECAIRN_HOOK_SECONDS": "50", **(env or {})}
        done = subprocess.run(
            command, input=given, capture_output=True, env=settings, cwd=checkout, check=False
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    return send
