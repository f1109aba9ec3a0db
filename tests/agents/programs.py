"""The real programs this suite drives, installed by exact version into .cache/agents.

Each is installed when a test first asks for it, and kept. A further program is one more function:
name its packages, call `python_with` or `node_with`, and return how it is started.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent.parent / ".cache" / "agents"
RECAIRN = str(Path(sys.executable).with_name("recairn"))

NODE = "node@22.23.3"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
CLAUDE = "2.1.325"
CODEX = "@openai/codex@0.166.0"
OPENCODE = "1.18.33"
GEMINI = "@google/gemini-cli@0.61.0"
COPILOT = "1.0.102"


def sdk_python() -> str:
    """A Python that has the official SDK."""
    return python_with("sdk", HERE / "sdk.txt")


def inspector() -> list[str]:
    """The MCP Inspector's command line; it needs a newer node than many systems have."""
    modules = node_with("inspector", [NODE, INSPECTOR])
    script = modules / "@modelcontextprotocol" / "inspector"
    return [str(modules / "node" / "bin" / "node"), str(_bin(script, "mcp-inspector")), "--cli"]


def claude() -> str:
    """Claude Code: a program of its own, which needs no node."""
    package = f"claude-code-{_system()}"
    modules = node_with("claude", [f"@anthropic-ai/{package}@{CLAUDE}"])
    return str(modules / "@anthropic-ai" / package / "claude")


def codex() -> str:
    """Codex: likewise, inside the package of its system."""
    modules = node_with("codex", [CODEX])
    found = sorted((modules / "@openai").glob("codex-*/vendor/*/bin/codex"))
    assert found, f"{CODEX} has no program for {_system()}"
    return str(found[0])


def opencode() -> str:
    """opencode: a program of its own too."""
    package = f"opencode-{_system()}"
    modules = node_with("opencode", [f"{package}@{OPENCODE}"])
    return str(modules / package / "bin" / "opencode")


def gemini() -> list[str]:
    """Gemini CLI: a script for node."""
    modules = node_with("gemini", [NODE, GEMINI])
    script = modules / "@google" / "gemini-cli"
    return [str(modules / "node" / "bin" / "node"), str(_bin(script, "gemini"))]


def copilot() -> str:
    """Copilot CLI: a program of its own."""
    package = f"copilot-{_system()}"
    modules = node_with("copilot", [f"@github/{package}@{COPILOT}"])
    return str(modules / "@github" / package / "copilot")


def python_with(name: str, requirements: Path) -> str:
    """The interpreter of an environment that holds these packages."""
    wanted = requirements.read_text()
    folder = CACHE / name
    if not _holds(folder, wanted):
        _begin(folder)
        _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
        python = str(folder / "bin" / "python")
        _run([sys.executable, "-m", "pip", "--python", python, "install", "-r", str(requirements)])
        (folder / "stamp").write_text(wanted)
    return str(folder / "bin" / "python")


def node_with(name: str, packages: Sequence[str]) -> Path:
    """The `node_modules` of a folder that holds these packages."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.fail("npm is needed to install the programs of this suite (Debian: apt install npm)")
    folder = CACHE / name
    wanted = "\n".join(packages)
    if not _holds(folder, wanted):
        _begin(folder)
        (folder / "package.json").write_text("{}")
        quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
        _run([npm, "install", "--prefix", str(folder), *quiet, *packages])
        (folder / "stamp").write_text(wanted)
    return folder / "node_modules"


def _holds(folder: Path, wanted: str) -> bool:
    stamp = folder / "stamp"
    return stamp.exists() and stamp.read_text() == wanted


def _begin(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ})
    if done.returncode:
        pytest.fail(f"cannot install: {' '.join(command)}\n{done.stdout}{done.stderr}"[-3000:])


def _bin(package: Path, name: str) -> Path:
    """The script that a package installs under a name."""
    import json

    return package / json.loads((package / "package.json").read_text())["bin"][name]


def _system() -> str:
    """`linux-x64` and the like, as npm packages are named."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
    arch = platform.machine().lower()
    return f"{sys.platform}-{machine.get(arch, arch)}"
