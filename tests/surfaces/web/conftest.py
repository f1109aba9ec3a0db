"""One page for all tests of a module that only ask it; others start their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import recairn
from tests.surfaces.web.serving import Served, surroundings


@pytest.fixture(scope="module")
def lighthouse(tmp_path_factory) -> Iterator[Served]:
    """A page over a small memory of the project lantern, which knows words only."""
    folder = tmp_path_factory.mktemp("page")
    project = folder / "lantern"
    project.mkdir()
    database = str(folder / "memories.db")
    with recairn.open(database, project="lantern", model="none") as memory:
        memory.remember("The lamp turns with a stepper motor", kind="decision", category="lamp")
        memory.remember("Never switch the lamp off between dusk and dawn", kind="rule")
        memory.remember("Fog is visibility below 800 m")
        memory.add_task("Oil the bearings", id="t-oil")
    env = {**surroundings(folder), "RECAIRN_MODEL": "none"}
    served = Served(project, database, "--project", "lantern", env=env)
    yield served
    served.stop()


@pytest.fixture
def serve(tmp_path) -> Iterator[Callable[..., Served]]:
    """Starts pages over databases that a test breaks; all of them end with it."""
    started: list[Served] = []

    def start(*words: str, database: str | None = None, **options: Any) -> Served:
        env = {**surroundings(tmp_path), "RECAIRN_MODEL": "none"}
        database = database or str(tmp_path / "memories.db")
        served = Served(tmp_path, database, *words, env=env, **options)
        started.append(served)
        return served

    yield start
    for served in started:
        served.stop()
