"""`recairn context` and `recairn ledger`."""

from __future__ import annotations

import json

import pytest

from recairn.core.memory_text import CLOSE, OPEN


@pytest.fixture
def chart(recairn, tmp_path, monkeypatch):
    """A project with a task, two memories that fit it, one that does not, and a rule."""
    monkeypatch.setenv("RECAIRN_PROJECT", "puffin")
    (tmp_path / ".git").mkdir()
    recairn("add", "Tide charts begin at the left", "-c", "charts")
    recairn("add", "Tide charts need the harbour datum", "-k", "decision")
    recairn("add", "Gulls peck the sensor", "-c", "sensor")
    recairn("add", "Label axes in metres", "-k", "rule", "--scope", "*.py")
    recairn("task", "add", "Draw the tide chart", "-d", "in chart.py", "--id", "tx-a1b2c3d4")
    return recairn


def test_a_list_with_percentages_is_for_people(chart):
    ran = chart("context", "tx-a1b2c3d4")
    assert ran.status == 0
    head, counted, *lines = [line for line in ran.out.splitlines() if line]
    assert head == 'Context for task tx-a1b2c3d4: "Draw the tide chart"'
    assert counted.startswith("Found 1 rule, 2 relevant memories (estimated ")
    assert counted.endswith(" of 2,000 tokens):")
    assert lines[0] == "[rule] #4 Label axes in metres"
    assert sorted(line.partition("] ")[2] for line in lines[1:]) == [
        "#1 learning: [charts] Tide charts begin at the left",
        "#2 decision: Tide charts need the harbour datum",
    ]
    assert all(
        line.partition("]")[0].removeprefix("[").removesuffix("%").isdigit() for line in lines[1:]
    )


def test_json_keeps_the_contract(chart):
    document = chart("context", "tx-a1", "--json").json
    assert list(document)[:6] == ["task", "query", "rules", "hits", "handoff", "text"]
    assert document["task"]["id"] == "tx-a1b2c3d4"
    assert [each["id"] for each in document["rules"]] == [4]
    assert sorted(each["id"] for each in document["hits"]) == [1, 2]
    assert all(each["tokens"] > 0 for each in document["hits"])
    assert document["handoff"] is None
    assert document["text"].startswith(OPEN)
    assert 0 < document["tokens"] <= document["budget"] == 2000
    assert document["injection"] > 0


def test_text_is_what_an_agent_reads(chart):
    ran = chart("context", "tx-a1", "--text", "--max-tokens", "100")
    assert ran.out.startswith(f"{OPEN}\n")
    assert ran.out.endswith(f"{CLOSE}\n")
    assert chart("context", "--prompt", "gulls", "--text", "--max-tokens", "0").out == ""


def test_inject_writes_the_file_and_says_so(chart, tmp_path):
    ran = chart("context", "tx-a1", "--inject")
    path = tmp_path / ".recairn" / "context.md"
    assert ran.out.startswith(f"Injected 3 memories to {path} (estimated ")
    assert path.read_text().startswith(OPEN)
    assert (tmp_path / ".recairn" / "archive" / "tx-a1b2c3d4" / "context.md").exists()
    chart("task", "done", "tx-a1", "--outcome", "success")
    outcome = tmp_path / ".recairn" / "archive" / "tx-a1b2c3d4" / "outcome.json"
    assert json.loads(outcome.read_text())["outcome"] == "success"
    document = chart("context", "--prompt", "gulls", "--inject", "--json").json
    assert document["file"] == str(path)


def test_a_link_in_the_way_is_a_failure_that_writes_nothing(chart, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / ".recairn").symlink_to(tmp_path / "there")
    ran = chart("context", "tx-a1", "--inject")
    assert ran.status == 1
    assert "symbolic link" in ran.err
    assert list((tmp_path / "there").iterdir()) == []


def test_explain_shows_terms_and_what_was_left_out(chart):
    ran = chart("context", "tx-a1", "--explain", "-n", "1")
    assert "signal" in ran.out
    assert "score 0." in ran.out
    assert "Left out:" in ran.out
    assert "beyond the limit" in ran.out


def test_nothing_known_is_no_failure(recairn):
    for words in (["context"], ["context", "tx-nobody"], ["context", "--prompt", "x"]):
        ran = recairn(*words)
        assert (ran.status, "0 relevant memories" in ran.out) == (0, True)
        assert recairn(*words, "--json").json["hits"] == []
    assert "there is no task tx-nobody" in recairn("context", "tx-nobody").err


def test_a_prompt_may_be_piped_in_and_names_files_for_rules(chart):
    document = chart("context", "--prompt", "-", "--json", stdin="gulls in buoy.py?").json
    assert [each["id"] for each in document["hits"]] == [3]
    assert [each["id"] for each in document["rules"]] == [4]
    document = chart(
        "context", "--prompt", "gulls", "--file", "a.py", "--exclude", "3", "--json"
    ).json
    assert (document["hits"], len(document["rules"])) == ([], 1)


def test_what_cannot_be_understood_is_a_usage_error(chart):
    assert chart("context", "tx-a1", "--max-tokens", "many").status == 2
    assert chart("context", "tx-a1", "--max-tokens", "-5").status == 2
    assert chart("ledger", "--by", "week").status == 2


def test_the_ledger_counts_what_was_handed_out_and_used(chart, monkeypatch):
    assert chart("ledger").out.startswith("nothing was handed out yet")
    chart("context", "tx-a1")
    chart("context", "--prompt", "gulls", "--no-track")
    chart("show", "4")
    monkeypatch.setenv("CLAUDECODE", "1")
    chart("show", "1")
    monkeypatch.delenv("CLAUDECODE")
    chart("helpful", "2")
    chart("task", "done", "tx-a1", "--outcome", "partial")
    ran = chart("ledger")
    assert ran.out.startswith("1 context, ")
    assert "of the memories 0 cited, 1 expanded, 1 helpful" in ran.out
    assert ran.out.splitlines()[-1].startswith("tx-a1b2c3d4")
    assert ran.out.splitlines()[-1].endswith("1  partial")
    document = chart("ledger", "--by", "memory", "--json").json
    assert document["grouped_by"] == "memory"
    counted = {row["memory"]: (row["expanded"], row["helpful"]) for row in document["data"]}
    # The last row is what stands around them.
    assert counted == {1: (1, 0), 2: (0, 1), 4: (0, 0), None: (0, 0)}
    assert sum(row["tokens"] for row in document["data"]) == document["totals"]["tokens"]
    assert chart("ledger", "--since", "2030-01-01", "--json").json["data"] == []


def test_settings_of_contexts_are_checked(chart):
    assert chart("config", "set", "context.max_tokens", "120").status == 0
    assert chart("context", "tx-a1", "--json").json["budget"] == 120
    assert chart("config", "set", "context.max_tokens", "lots").status == 1
    assert chart("config", "set", "context.include_unverified", "maybe").status == 1


def test_text_from_memories_reaches_no_terminal_unescaped(chart):
    chart("add", "Tide chart \x1b]0;owned\x07 trick")
    ran = chart("context", "tx-a1", "--text")
    assert "\x1b" not in ran.out


def test_the_ledger_of_a_task_shows_what_it_was_given_in_the_words_of_that_time(chart, monkeypatch):
    assert chart("ledger", "tx-a1").out.endswith("nothing was handed out for it\n")
    given = chart("context", "tx-a1", "--json").json
    monkeypatch.setenv("CLAUDECODE", "1")
    chart("show", "1")
    monkeypatch.delenv("CLAUDECODE")
    chart("edit", "1", "Tide charts begin at the right")
    chart("task", "done", "tx-a1", "--outcome", "failure")
    head, _, about, *lines = chart("ledger", "tx-a1").out.splitlines()
    assert head == "tx-a1b2c3d4 Draw the tide chart (done, failure)"
    assert about == f"just now, cli, {given['tokens']} tokens"
    assert lines[0] == "  [rule] #4 Label axes in metres"
    share = {each["id"]: f"{round(100 * each['score'])}%" for each in given["hits"]}
    assert f"  [{share[1]}] #1 [charts] Tide charts begin at the left (expanded)" in lines
    assert f"  [{share[2]}] #2 Tide charts need the harbour datum" in lines
    (context,) = chart("ledger", "tx-a1", "--json").json["contexts"]
    assert (context["surface"], context["outcome"]) == ("cli", "failure")
    assert context["memories"][0]["id"] == 4
    assert [each["used"] for each in context["memories"]].count("expanded") == 1


@pytest.mark.parametrize(("words", "status"), [(("tx-zz",), 1), (("tx-a1", "--by", "memory"), 2)])
def test_the_ledger_of_a_task_refuses_what_it_cannot_show(chart, words, status):
    assert chart("ledger", *words).status == status


def test_a_task_brings_the_rules_and_memories_of_its_own_project(chart, monkeypatch):
    monkeypatch.setenv("RECAIRN_PROJECT", "kestrel")
    chart("add", "Tide charts of the kestrel are drawn by hand")
    document = chart("context", "tx-a1", "--json").json
    assert [each["id"] for each in document["rules"]] == [4]
    assert sorted(each["id"] for each in document["hits"]) == [1, 2]


def test_a_task_that_is_not_there_leaves_the_injected_file_alone(chart, tmp_path):
    chart("context", "tx-a1", "--inject")
    file = tmp_path / ".recairn" / "context.md"
    before = file.read_text()
    ran = chart("context", "tx-typo123", "--inject")
    assert ran.status == 1
    assert "tx-typo123" in ran.err
    assert file.read_text() == before


def test_the_ledger_of_one_memory_says_when_it_was_handed_out(recairn):
    recairn("add", "Wrap writes in a transaction")
    assert recairn("ledger", "--memory", "1").out == "#1 was never handed out\n"
    for _ in range(2):
        recairn("context", "--prompt", "how do we wrap writes in a transaction?")
    found = recairn("ledger", "--memory", "1", "--json").json
    assert (found["memory"], len(found["injections"])) == (1, 2)
    assert found["injections"][0]["query"] == "how do we wrap writes in a transaction?"
    assert "how do we wrap writes" in recairn("ledger", "--memory", "1").out


def test_what_is_handed_out_often_and_never_used_is_found(recairn):
    recairn("add", "Wrap writes in a transaction")
    for _ in range(2):
        recairn("context", "--prompt", "how do we wrap writes in a transaction?")
    often = recairn("ledger", "--by", "memory", "--unused", "2", "--json").json
    assert [row["memory"] for row in often["data"]] == [1]
    recairn("helpful", "1")
    assert recairn("ledger", "--by", "memory", "--unused", "2", "--json").json["data"] == []
    by_day = recairn("ledger", "--by", "day", "--json").json
    assert [row["times"] for row in by_day["data"]] == [2]
