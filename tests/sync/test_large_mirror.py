"""A mirror of many memories: files go on in others, and only what changed is read and written."""

from __future__ import annotations

import json
import os
import sys

import pytest

from recairn.store.sqlite.backup import create, restore
from tests.sync.clones import MINUTE, Clone, exchange, number_of

opened: list[str] | None = None


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if opened is not None and event == "open":
        opened.append(str(arguments[0]))


sys.addaudithook(_note)


def long(name: str) -> str:
    """A text of which a few fill a file, like no other one."""
    return f"{name}, " + f"as {name.replace(' ', '')} has it. " * (15_000 // (len(name) + 9))


def remember(clone: Clone, clock, texts) -> None:
    clock.advance(1000)
    drafts = [{"content": long(text)} for text in texts]
    clone.memory.remember_many(drafts, on_similar="add")


def lines(clone: Clone) -> list[str]:
    return [line for text in clone.files().values() for line in text.splitlines()]


def age(clone: Clone) -> None:
    """As if everything had been written long ago, and looked at since."""
    clone.memory.settle()
    for path in clone.mirror.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    clone.memory.pull_mirror()


def files_read(work) -> set[str]:
    global opened
    opened = []
    try:
        work()
    finally:
        seen, opened = opened, None
    return {os.path.basename(path) for path in seen if path.endswith(".jsonl")}


@pytest.fixture
def shelf(tower, clock):
    """A mirror of thirty long memories."""
    remember(tower, clock, [f"Number {number}" for number in range(30)])
    tower.memory.settle()
    return tower


def test_a_large_file_goes_on_in_others_in_the_order_of_creation(shelf):
    files = shelf.files()
    assert len(files) > 3
    assert all(len(text) <= 128 * 1024 for text in files.values())
    uids = [json.loads(line)["uid"] for text in files.values() for line in text.splitlines()]
    assert len(set(uids)) == 30
    for name, text in files.items():
        held = [json.loads(line)["uid"] for line in text.splitlines()]
        start = name.removeprefix("learning").removesuffix(".jsonl").removeprefix("-")
        assert held == sorted(held)
        assert all(uid >= start for uid in held)


def test_a_change_writes_one_file_and_reads_those_it_may_be_in(shelf, clock):
    before = {path.name: path.stat().st_ino for path in shelf.mirror.glob("*.jsonl")}

    def change():
        shelf.memory.edit(15, category="lamp")
        shelf.memory.settle()

    clock.advance(MINUTE)
    read = files_read(change)
    after = {path.name: path.stat().st_ino for path in shelf.mirror.glob("*.jsonl")}
    (changed,) = [name for name in after if after[name] != before[name]]
    assert '"category": "lamp"' in shelf.files()[changed]
    assert read <= {changed}


def test_a_pull_and_a_look_read_only_what_git_brought(shelf, clock):
    clock.advance(MINUTE)
    age(shelf)
    assert files_read(shelf.memory.pull_mirror) == set()
    path = sorted(shelf.mirror.glob("*.jsonl"))[2]
    path.write_text(path.read_text() + '{"content": "The kettle is cracked"}\n')
    assert files_read(shelf.memory.mirrors) == {path.name}
    assert shelf.memory.mirrors()[0].incoming["added"] == 1
    done = []
    read = files_read(lambda: done.append(shelf.memory.pull_mirror()))
    # The new memory belongs at the end, whichever file somebody wrote it into.
    assert len(read) == 2
    assert (len(done[0].taken.added), done[0].taken.unchanged) == (1, 30)
    assert "The kettle is cracked" not in path.read_text()
    assert len(lines(shelf)) == 31


def test_a_line_or_file_that_went_missing_comes_back(shelf):
    age(shelf)
    first, second = sorted(shelf.mirror.glob("*.jsonl"))[1:3]
    whole = shelf.files()
    first.write_text("".join(first.read_text().splitlines(keepends=True)[1:]))
    shelf.memory.pull_mirror()
    assert shelf.files() == whole
    age(shelf)
    second.unlink()
    shelf.memory.pull_mirror()
    assert len(lines(shelf)) == 30
    assert len(list(shelf.memory.every_memory())) == 30


def test_what_cannot_be_read_is_named_every_time(shelf):
    age(shelf)
    path = sorted(shelf.mirror.glob("*.jsonl"))[1]
    path.write_text(path.read_text() + "no line at all\n")
    problems = shelf.memory.pull_mirror().problems
    assert problems == (f"{path.name}:{len(path.read_text().splitlines())}: not JSON",)
    age(shelf)
    assert shelf.memory.pull_mirror().problems == problems


def test_a_database_put_back_reads_everything_again(shelf, clock, tmp_path):
    kept = create(f"{shelf.folder}.db", str(tmp_path / "kept"))
    clock.advance(MINUTE)
    shelf.memory.edit(7, category="lamp")
    age(shelf)
    shelf.memory.close()
    restore(kept.path, f"{shelf.folder}.db")
    back = Clone(shelf.folder, clock)
    assert len(back.memory.pull_mirror().taken.updated) == 1
    found = back.memory.get(7)
    assert found is not None
    assert found.category == "lamp"
    back.memory.close()


def test_a_folder_of_one_large_file_is_carried_over(shelf, clock):
    text = "".join(text for _, text in sorted(shelf.files().items()))
    for path in [*shelf.mirror.glob("*.jsonl"), shelf.mirror / ".state.json"]:
        path.unlink()
    (shelf.mirror / "learning.jsonl").write_text(text)
    clock.advance(MINUTE)
    shelf.memory.edit(3, category="lamp")
    assert len(shelf.files()) > 3
    assert len({json.loads(line)["uid"] for line in lines(shelf)}) == len(lines(shelf)) == 30


def test_clones_that_cut_at_different_places_end_equal(two, clock):
    north, south = two
    remember(north, clock, [f"Of both {number}" for number in range(7)])
    exchange(north, south)
    for turn in range(3):
        remember(north, clock, [f"Of the north {turn} {number}" for number in range(5)])
        remember(south, clock, [f"Of the south {turn} {number}" for number in range(4)])
        clock.advance(MINUTE)
        for clone in two:
            number = number_of(clone, long(f"Of both {turn}").strip())
            clone.memory.edit(number, category=clone.folder.name)
    exchange(north, south)
    assert north.files() == south.files()
    assert len(north.files()) > 4
    assert len(lines(north)) == 7 + 15 + 12
    assert north.said() == south.said()
    for clone in two:
        age(clone)
        assert clone.memory.pull_mirror().files == 0


def test_links_and_readable_texts_go_on_in_files_of_their_own(tower, clock):
    drafts = [{"content": long(f"Decided {number}"), "kind": "decision"} for number in range(20)]
    tower.memory.remember_many(drafts, on_similar="add")
    tower.memory.link(20, 1, "affects")
    tower.memory.link(1, 2, "affects")
    tower.memory.settle()
    texts = {path.name: path.read_text() for path in tower.mirror.glob("decisions*.md")}
    assert len(texts) > 2
    assert sum(text.count("\n## ") for text in texts.values()) == 20
    clock.advance(MINUTE)
    tower.memory.forget(20)
    tower.memory.forget(1, hard=True)
    tower.memory.settle()
    everything = "".join(path.read_text() for path in tower.mirror.iterdir() if path.is_file())
    assert "Decided 19," not in everything
    assert "Decided 0," not in everything
    assert "affects" not in everything
