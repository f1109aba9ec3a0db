"""Who types: a person, unless the environment is one that an agent gave a shell."""

from __future__ import annotations

import pytest

from recairn.core.author import PERSON
from recairn.host.project import author_here


def test_where_nothing_speaks_of_an_agent_a_person_types():
    assert author_here() == PERSON


@pytest.mark.parametrize(
    ("variable", "author"),
    [
        ("CLAUDECODE", "agent:claude-code"),
        ("CODEX_THREAD_ID", "agent:codex"),
        ("CODEX_SANDBOX", "agent:codex"),
        ("CODEX_SANDBOX_NETWORK_DISABLED", "agent:codex"),
        ("CODEX_CI", "agent:codex"),
        ("GEMINI_CLI", "agent:gemini"),
        ("OPENCODE", "agent:opencode"),
        ("CURSOR_AGENT", "agent:cursor"),
        ("COPILOT_CLI", "agent:copilot"),
        ("COPILOT_AGENT", "agent:copilot"),
    ],
)
def test_the_shell_of_an_agent_is_known_by_what_the_agent_sets(monkeypatch, variable, author):
    monkeypatch.setenv(variable, "1")
    assert author_here() == author


@pytest.mark.parametrize("variable", ["CODEX_HOME", "GEMINI_API_KEY", "CURSOR_TRACE_ID", "AGENT"])
def test_what_only_configures_an_agent_makes_nobody_one(monkeypatch, variable):
    monkeypatch.setenv(variable, "1")
    assert author_here() == PERSON


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("gardener", "agent:gardener"),
        ("Codex CLI", "agent:codex"),
        ("person", "agent:person"),
        ("x\x1b[31m\ny", "agent:x-y"),
        ("x" * 300, f"agent:…{'x' * 99}"),
        ("ghp_" + "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8", "agent:ghp_[REDACTED]"),
    ],
)
def test_an_agent_nobody_knows_can_name_itself_but_never_a_person(monkeypatch, name, author):
    monkeypatch.setenv("RECAIRN_AGENT", name)
    assert author_here() == author
