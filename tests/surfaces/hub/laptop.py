"""A laptop of a member: a folder, a database and a home of its own, with the engine in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import recairn


class Laptop:
    """Everything happens inside `open`: until it ends, this process is that laptop."""

    def __init__(self, folder: Path, name: str, project: str = "lantern") -> None:
        self.home = folder / name
        self.home.mkdir(parents=True)
        self.database = str(self.home / "memory.db")
        self.project = project

    @contextmanager
    def open(self, project: str | None = None) -> Iterator[Any]:
        before = os.environ.get("XDG_DATA_HOME")
        os.environ["XDG_DATA_HOME"] = str(self.home / "share")
        try:
            with recairn.open(
                self.database, project=project or self.project, model="none"
            ) as memory:
                memory.author = "person"
                yield memory
        finally:
            if before is None:
                del os.environ["XDG_DATA_HOME"]
            else:
                os.environ["XDG_DATA_HOME"] = before

    def join(self, url: str, token: str) -> dict[str, Any]:
        """Joins and shares its project."""
        with self.open() as memory:
            memory.join_team(url, token)
            memory.share_with_team()
            return memory.sync()

    def sync(self) -> dict[str, Any]:
        with self.open() as memory:
            return memory.sync()

    def contents(self) -> dict[str, str]:
        """What is remembered of the project, by uid."""
        with self.open() as memory:
            return {each.uid: each.content for each in memory.listing(limit=1000)}
