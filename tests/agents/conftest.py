"""Programs are installed before a test gets its own home, with the user's own configuration."""

from __future__ import annotations

import pytest

from . import programs


@pytest.fixture(scope="session")
def sdk_python() -> str:
    return programs.sdk_python()


@pytest.fixture(scope="session")
def inspector() -> list[str]:
    return programs.inspector()


@pytest.fixture(scope="session")
def claude() -> str:
    return programs.claude()


@pytest.fixture(scope="session")
def codex() -> str:
    return programs.codex()


@pytest.fixture(scope="session")
def opencode() -> str:
    return programs.opencode()


@pytest.fixture(scope="session")
def gemini() -> list[str]:
    return programs.gemini()


@pytest.fixture(scope="session")
def copilot() -> str:
    return programs.copilot()
