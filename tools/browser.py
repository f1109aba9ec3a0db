"""A browser for the tests of the page: finds one on this machine, or installs one.

python -m tools.browser
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

# What Chromium and its kin are called, by who packs them.
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
_FETCHED = ("chrome-headless-shell", "headless_shell", "chrome")
# Seconds that an installer may take before the tests go on without a browser.
_PATIENCE_S = 300


def found() -> str | None:
    """The program of a browser: one of the machine, or the one that Playwright has fetched."""
    named = [shutil.which(name) for name in NAMES]
    fetched = [
        str(path)
        for name in _FETCHED
        for path in sorted(_playwright_folder().glob(f"chromium*/chrome-*/{name}"))
    ]
    return next((path for path in (*named, *fetched) if path), None)


def _playwright_folder() -> Path:
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    return Path(named) if named else Path.home() / ".cache" / "ms-playwright"


def install() -> str:
    """What went wrong; empty when there is a browser now."""
    problems = [_run(*command) for command in _ways() if found() is None]
    return "" if found() else "\n".join(problem for problem in problems if problem)


def _ways() -> list[tuple[str, ...]]:
    """Debian's package where we may install one, then Playwright's download."""
    ways: list[tuple[str, ...]] = []
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        ways += [
            ("apt-get", "update"),
            ("apt-get", "install", "-y", "--no-install-recommends", "chromium"),
        ]
    ways.append((sys.executable, "-m", "playwright", "install", "chromium-headless-shell"))
    return ways


def _run(*command: str) -> str:
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=_PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command[0]}: {error}"
    lines = (done.stdout + done.stderr).strip().splitlines()
    return "" if done.returncode == 0 else f"{command[0]}: {' '.join(lines[-2:])}"


def main() -> int:
    if found() is not None:
        return 0
    print("installing a browser for the tests of the page", flush=True)
    problem = install()
    if problem:
        print(problem, file=sys.stderr)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
