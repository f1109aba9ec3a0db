"""Real git repositories for tests, with commits at the times a test says."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Checkout:
    """One repository; every commit carries the time of the test's clock."""

    def __init__(self, root: Path, clock) -> None:
        self.root = root
        self._clock = clock
        root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        at = f"@{self._clock() // 1000} +0000"
        environment = {
            **os.environ,
            "GIT_AUTHOR_DATE": at,
            "GIT_COMMITTER_DATE": at,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        named = ["-c", "user.name=Ines", "-c", "user.email=ines@puffin.example"]
        done = subprocess.run(
            ["git", *named, *words],
            cwd=self.root,
            env=environment,
            text=True,
            capture_output=True,
            check=True,
        )
        return done.stdout.strip()

    def write(self, path: str, *lines: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines))

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "--short=7", "HEAD")


def on_a_branch(root: Path, clock) -> Checkout:
    """A repository in which the branch feat/pay is checked out, without a commit of its own yet."""
    checkout = Checkout(root, clock)
    checkout.write("README.md", "# Shop")
    checkout.commit("A shop")
    checkout.git("branch", "-M", "main")
    checkout.git("checkout", "-q", "-b", "feat/pay")
    return checkout
