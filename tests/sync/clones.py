"""Two people with a checkout and a database each, who share memories through git."""

from __future__ import annotations

import os
import subprocess

import recairn
from tests.corpus import Clock

MINUTE = 60_000
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "keeper",
    "GIT_AUTHOR_EMAIL": "keeper@tower.example",
    "GIT_COMMITTER_NAME": "keeper",
    "GIT_COMMITTER_EMAIL": "keeper@tower.example",
}


def git(folder, *words: str) -> str:
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**os.environ, **GIT},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Clone:
    """One person's checkout and database."""

    def __init__(self, folder, clock: Clock) -> None:
        self.folder = folder
        self.mirror = folder / "memory"
        self.slow_ms = 0  # how far this person's clock is behind
        self.as_mine = False  # whether what comes is taken as this person's own word
        self.memory = recairn.open(
            f"{folder}.db",
            project=folder.name,
            model="none",
            clock=lambda: clock.now - self.slow_ms,
        )

    def share(self) -> None:
        """What a person does to exchange memories: commit, pull, take in, push."""
        self.memory.settle()
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", "memories", "--allow-empty")
        git(self.folder, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
        done = self.memory.pull_mirror(as_mine=self.as_mine)
        assert done.problems == (), done.problems
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", "joined", "--allow-empty")
        git(self.folder, "push", "-q", "origin", "HEAD:main")

    def files(self) -> dict[str, str]:
        self.memory.settle()
        return {path.name: path.read_text() for path in sorted(self.mirror.glob("*.jsonl"))}

    def said(self) -> set[tuple[str, str, bool]]:
        return {
            (each.kind, each.content, each.deleted_at is not None)
            for each in self.memory.every_memory()
        }

    def links(self) -> set[tuple[str, str, str, float]]:
        """The links that hold: content, relation, content, weight."""
        _, edges = self.memory.graph()
        said = {each.id: each.content for each in self.memory.every_memory()}
        return {
            (said[edge.source], edge.relation, said[edge.target], edge.weight) for edge in edges
        }


def number_of(clone: Clone, content: str) -> int:
    (found,) = [each.id for each in clone.memory.every_memory() if each.content == content]
    return found


def exchange(north: Clone, south: Clone) -> None:
    for clone in (north, south, north, south):
        clone.share()
