"""`pin --into`, `pin --refresh`, `unpin --from`."""

import pytest


@pytest.fixture
def ruled(recairn):
    recairn("add", "-k", "rule", "Never sail without a lamp")
    return recairn


def test_pinning_into_a_file_and_taking_it_out_again(ruled, tmp_path):
    assert ruled("pin", "--into", "CLAUDE.md").out == "CLAUDE.md: 1 memory written\n"
    assert "- Never sail without a lamp (#1)" in (tmp_path / "CLAUDE.md").read_text()
    assert ruled("pin", "--refresh").out == "CLAUDE.md: 1 memory, nothing new\n"
    assert ruled("unpin", "--from", "CLAUDE.md").out == "CLAUDE.md: block taken out\n"
    assert (tmp_path / "CLAUDE.md").read_text() == ""


def test_pinning_a_memory_refreshes_the_blocks_there_are(ruled):
    ruled("add", "The cook is called Ines")
    ruled("pin", "--into", "AGENTS.md")
    assert ruled("pin", "2").out == "Pinned learning #2\nAGENTS.md: 2 memories written\n"
    assert ruled("unpin", "2").out == "Unpinned learning #2\nAGENTS.md: 1 memory written\n"


def test_the_json_answer_names_memories_and_files(ruled):
    answer = ruled("pin", "1", "--into", "CLAUDE.md", "--json").json
    assert [each["id"] for each in answer["memories"]] == [1]
    assert answer["files"] == [
        {"path": "CLAUDE.md", "state": "written", "memories": [1], "left_out": 0}
    ]


def test_refreshing_without_a_block_says_how_to_make_one(ruled):
    ran = ruled("pin", "--refresh")
    assert (ran.status, ran.out) == (
        0,
        "no file of this project has a block\n  recairn pin --into CLAUDE.md makes one\n",
    )


@pytest.mark.parametrize("words", [("pin",), ("unpin",)])
def test_naming_nothing_is_a_usage_error(ruled, words):
    assert ruled(*words).status == 2


def test_a_wrong_memory_pins_nothing_and_writes_nothing(ruled, tmp_path):
    assert ruled("pin", "1", "99", "--into", "CLAUDE.md").status == 1
    assert ruled("show", "1", "--json").json["pinned"] is False
    assert not (tmp_path / "CLAUDE.md").exists()


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        (("undo", "2"), "The cook"),
        (("forget", "2"), "The cook"),
        (("edit", "2", "The pilot is called Ines"), "The cook"),
        (("edit", "2", "--no-pin"), "The cook"),
        (("supersede", "2", "The pilot is called Ines"), "The cook"),
        (("correct", "2", "The pilot is called Ines"), "The cook"),
        (("forget", "1"), "Never sail"),
    ],
)
def test_whatever_changes_a_standing_memory_changes_the_file(ruled, tmp_path, change, gone):
    ruled("pin", "--into", "AGENTS.md")
    ruled("add", "The cook is called Ines")
    ruled("pin", "2")
    assert gone in (tmp_path / "AGENTS.md").read_text()
    ran = ruled(*change)
    assert (ran.status, ran.err) == (0, "note: AGENTS.md is brought up to date\n")
    assert gone not in (tmp_path / "AGENTS.md").read_text()


def test_a_new_rule_stands_in_the_file_at_once_and_other_memories_touch_nothing(ruled, tmp_path):
    ruled("pin", "--into", "AGENTS.md")
    ruled("add", "-k", "rule", "Never sail without a bell")
    text = (tmp_path / "AGENTS.md").read_text()
    assert "- Never sail without a bell (#2)" in text
    assert ruled("add", "The cook is called Ines").err == ""
    assert (tmp_path / "AGENTS.md").read_text() == text


def test_a_file_of_this_checkout_is_left_alone_when_another_project_is_meant(ruled, tmp_path):
    ruled("pin", "--into", "AGENTS.md")
    before = (tmp_path / "AGENTS.md").read_text()
    ruled("--project", "quay", "add", "-k", "rule", "Moor at dusk")
    assert (tmp_path / "AGENTS.md").read_text() == before
