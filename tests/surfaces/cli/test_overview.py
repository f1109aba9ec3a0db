"""Rules in force and health from the command line."""

from __future__ import annotations

from tests.corpus import ELSEWHERE


def test_rules_are_listed_with_what_they_cost(recairn):
    assert "recairn add" in recairn("rules").out
    recairn("add", "Never push to main", "-k", "rule")
    lines = recairn("stats", "rules").out.splitlines()
    assert lines[0] == "#1 Never push to main"
    assert "handed out 0 times" in lines[1]
    assert lines[2].startswith("1 of 1 fit into 4,000 characters")
    told = recairn("rules", "--max-chars", "10", "--json").json
    assert [(rule["memory"]["id"], rule["fits"]) for rule in told["rules"]] == [(1, False)]


def test_health_says_what_works(recairn):
    recairn("add", "Gulls peck at dawn")
    text = recairn("health").out
    assert "1 memory" in text
    assert ("backups: the server's own" if ELSEWHERE else "last backup: never") in text
    assert "recairn install" in text
    recairn("backup", "create")
    told = recairn("health", "--thorough", "--json").json
    assert len(told["backups"]) == (0 if ELSEWHERE else 1)  # a server's are those of who runs it
    assert told["findings"]
    assert told["hooks"] == []
