"""What was destroyed is nowhere any more: no page, log, index, note or file has a word of it."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import apsw
import pytest

import recairn
from recairn.surfaces.cli import main
from tests.corpus import opened

WORD = "zq7canary9"
TEXT = f"The vault key {WORD} opens the north door"


def found_in(folder: Path, *words: str) -> list[str]:
    """The files below a folder that hold one of the words, byte for byte."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [
        path.name for path in files if any(word.encode() in path.read_bytes() for word in words)
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    checkout = tmp_path / "checkout"
    subprocess.run(["git", "init", "-q", str(checkout)], check=True)
    monkeypatch.chdir(checkout)
    return tmp_path


def test_no_index_page_or_vector_holds_a_word_of_many_destroyed_memories(tmp_path):
    chance = random.Random(7)
    names = ["".join(chance.choices("bcdfghjklmnpqrstvwxz", k=14)) for _ in range(300)]
    with opened(tmp_path / "memory.db", model="static") as memory:
        drafts = [
            {"content": f"{name} is number {at}", "title": f"{name[::-1]} here", "category": name}
            for at, name in enumerate(names)
        ]
        memory.remember_many(drafts, on_similar="add")
        for number in range(1, 301, 10):
            memory.forget(number, hard=True)
        # The index keeps only the end of a word that begins like the one before it.
        ends = [part[4:] for name in names[::10] for part in (name, name[::-1])]
        assert found_in(tmp_path, *ends) == []
        assert memory.verify().problems == ()
    assert found_in(tmp_path, *ends) == []
    assert found_in(tmp_path, names[1]) == ["memory.db"]


def test_the_logs_notes_and_what_was_made_by_itself_go_with_it(folder):
    path = folder / "memory.db"
    with opened(path, session="s-1") as memory:
        memory.remember("Nothing to see here")
        memory.remember(TEXT, title=f"{WORD} again", keywords=[WORD], source_ref=f"{WORD}.md:1")
        memory.edit(2, content=f"{TEXT} at night")
        memory.search(f"where is {WORD}")
        memory.search("north door")
        memory.settle()
        memory.note(prompts=[f"What does {WORD} open?", "What else is there?"])
        memory.capture([f"Remember: {TEXT}"], source_ref="prompt in s-1")
        memory.leave_handoff("compacted")
        memory.context(prompt=f"open with {WORD}")
        memory.record_miss(f"the door of {WORD}", 2, f"note of {WORD}")
        memory.feedback(1, 1.0, query=f"is {WORD} here", note=f"better than {WORD}")
        memory.settle()
        erased = memory.destroy(2)
        assert len(erased.also) == 2
        assert set(erased.cleared) >= {"query_log", "search_failures", "injections", "sessions"}
        assert erased.left == ()
        assert memory.notes()["prompts"] == ["What else is there?"]
        assert found_in(folder, WORD, "north door") == []
        assert [each.content for each in memory.listing(include_deleted=True)] == [
            "Nothing to see here"
        ]
        assert memory.verify().problems == ()
    assert found_in(folder, WORD, "north door") == []


def test_files_that_recairn_wrote_are_cleared_and_what_others_keep_is_named(folder):
    database = str(folder / "data" / "memory.db")

    def typed(*words):
        assert main(["--db", database, *words]) == 0

    typed("add", TEXT)
    typed("pin", "1", "--into", "AGENTS.md")
    typed("context", "--prompt", "north door", "--inject")
    typed("backup", "create")
    assert {"AGENTS.md", "context.md"} <= set(found_in(folder, WORD))
    with recairn.open(database) as memory:
        (left,) = memory.destroy(1).left
    assert left.startswith("1 backup in ")
    (backup,) = found_in(folder, WORD)
    assert backup.startswith("memory-")


def test_a_reader_that_keeps_the_log_is_named_and_gone_means_gone_once_it_has_ended(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        memory.remember(TEXT)
        reader = apsw.Connection(str(path))
        reader.execute("begin; select count(*) from memories")
        erased = memory.destroy(1)
        assert any("another program is reading" in line for line in erased.left)
        assert found_in(tmp_path, WORD) != []
        reader.close(True)
    assert main(["--db", str(path), "doctor", "--repair"]) == 0
    assert found_in(tmp_path, WORD) == []


def test_another_memory_that_says_the_same_is_named_and_left(tmp_path):
    with opened(tmp_path / "memory.db") as memory:
        memory.remember(TEXT)
        memory.remember(f"Bring oil: {TEXT.lower()}", force=True)
        (left,) = memory.destroy(1).left
        assert left == "#2 says the same: recairn forget ID --hard"
        assert memory.get(2) is not None


def test_what_was_asked_in_other_words_and_the_history_of_others_stay(tmp_path):
    with opened(tmp_path / "memory.db") as memory:
        memory.remember(TEXT)
        memory.remember("Trim the wick by the door")
        memory.edit(2, content="Trim the wick")
        memory.search("wick oil")
        memory.settle()
        memory.destroy(1)
        assert [row["query"] for row in memory.query_stats()["data"]] == ["wick oil"]
        memory.undo(2)
        assert memory.get(2).content == "Trim the wick by the door"
