"""Finished tasks become learnings: once, in their own words, and undoably."""

import pytest

from recairn.core.errors import Refused
from recairn.core.times import DAY


@pytest.fixture
def horn(memory, clock):
    """A finished task with a finished part and a decision, done ten days ago."""
    memory.add_task(
        "Install the horn",
        id="t-horn",
        category="safety",
        description="It must be heard two miles away. The weather was fine. The horn is brass.",
    )
    memory.add_task("Buy the horn", id="t-buy", parent="t-horn")
    memory.remember(
        "Use the brass horn",
        kind="decision",
        fields={"rationale": "it carries further"},
        source_ref="t-horn",
    )
    memory.finish_task("t-buy", "success", "bought in Leith")
    memory.finish_task("t-horn", "partial", "the bracket is loose")
    clock.advance(10 * DAY)
    return memory


TEXT = """\
Install the horn: partial, the bracket is loose
It must be heard two miles away.
The weather was fine.
The horn is brass.
- Buy the horn: success, bought in Leith
- Decision: Use the brass horn (it carries further)"""


def test_a_finished_task_with_its_parts_becomes_one_learning(horn):
    (done,), _ = horn.compact()
    assert (done.tasks, done.by, done.text) == (("t-horn", "t-buy"), "extract", TEXT)
    learning = horn.get(done.memory)
    assert (learning.kind, learning.category, learning.title) == (
        "learning",
        "safety",
        "Install the horn",
    )
    assert (learning.source_type, learning.source_ref) == ("compaction", "t-horn:t-buy")
    assert [edge.relation for edge in horn.graph()[1]] == ["derived_from"]
    assert horn.verify().problems == ()


def test_it_is_logged_with_its_tasks_and_memories(horn):
    (done,), _ = horn.compact()
    (entry,) = horn.store.compactions()
    assert (entry.task_ids, entry.memories) == (["t-horn", "t-buy"], [done.memory])
    assert entry.summary == TEXT


def test_nothing_is_compacted_twice(horn):
    horn.compact()
    assert horn.compact() == ([], [])
    horn.forget("2")
    assert horn.compact() == ([], [])


def test_a_dry_run_shows_the_text_and_writes_nothing(horn):
    (done,), _ = horn.compact(dry_run=True)
    assert (done.text, done.memory) == (TEXT, None)
    assert horn.store.compactions() == []
    assert horn.count() == 1


def test_undo_by_source_takes_it_back_and_it_may_be_done_again(horn):
    horn.compact()
    horn.undo(source="compaction")
    assert [each.kind for each in horn.listing()] == ["decision"]
    (again,), _ = horn.compact()
    assert again.tasks == ("t-horn", "t-buy")


def test_work_that_is_not_over_stays(memory, clock):
    memory.add_task("Parent", id="t-1")
    memory.add_task("Child", id="t-2", parent="t-1")
    memory.finish_task("t-1", "success")
    clock.advance(10 * DAY)
    assert memory.compact() == ([], [])
    memory.finish_task("t-2", "success")
    assert memory.compact() == ([], [])
    clock.advance(8 * DAY)
    assert [each.tasks for each in memory.compact()[0]] == [("t-1", "t-2")]


def test_a_part_whose_parent_goes_on_is_compacted_for_itself(memory, clock):
    memory.add_task("Parent", id="t-1")
    memory.add_task("Child", id="t-2", parent="t-1")
    memory.finish_task("t-2", "success")
    clock.advance(10 * DAY)
    assert [each.tasks for each in memory.compact()[0]] == [("t-2",)]
    memory.finish_task("t-1", "success")
    clock.advance(10 * DAY)
    assert [each.tasks for each in memory.compact()[0]] == [("t-1",)]


def test_the_time_before_which_tasks_count_may_be_given(horn):
    assert horn.compact(before="11d") == ([], [])
    assert len(horn.compact(before="9d")[0]) == 1


def test_a_program_may_write_the_text(horn):
    horn.set_config("compaction.command", "sed -n 1p")
    (done,), _ = horn.compact()
    assert (done.by, done.text) == ("command", "Install the horn: partial, the bracket is loose")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("false", "'false' ended with status 1"),
        ("no-such-program-here", "'no-such-program-here' cannot be run"),
        ("true", "'true' wrote nothing"),
        ("'unbalanced", "cannot be run"),
    ],
)
def test_a_program_that_fails_leaves_the_extract_and_a_notice(horn, command, why):
    horn.set_config("compaction.command", command)
    (done,), _ = horn.compact()
    assert (done.by, done.text) == ("extract", TEXT)
    assert why in done.notice
    assert done.notice.endswith("; extracted instead")


def test_secrets_in_notes_do_not_reach_the_learning(memory, clock, tmp_path):
    notes = tmp_path / "notes"
    notes.write_text("token AKIAQ3EGRZ7LMN2XWV5T here")
    memory.set_config("compaction.command", f"cat {notes}")
    memory.add_task("Rotate keys", id="t-1")
    memory.finish_task("t-1", "success")
    clock.advance(10 * DAY)
    (done,), _ = memory.compact()
    assert "token" in done.text
    assert "AKIAQ3EGRZ7" not in done.text


def test_what_was_relied_on_is_named_and_linked(memory, clock):
    memory.remember("Fog comes at dawn")
    memory.add_task("Watch", id="t-1")
    entry = {"at": clock(), "surface": "cli", "task_id": "t-1", "tokens": 1, "characters": 1}
    with memory.store.transaction():
        memory.store.put_injection(entry, [(1, 1, 0.5)])
        memory.store.note_used([1], "cited", session=None, since=0, at=clock())
    memory.finish_task("t-1", "success")
    clock.advance(10 * DAY)
    (done,), _ = memory.compact()
    assert done.text == "Watch: success\nRelied on #1."


def test_without_tasks_there_is_nothing_to_compact(memory):
    assert memory.compact() == ([], [])


# Into a file


def test_learnings_are_added_to_a_block_of_the_file_under_their_date(horn, tmp_path):
    (tmp_path / "CLAUDE.md").write_bytes(b"# Mine\r\nno end")
    (done,), added = horn.compact(output="CLAUDE.md")
    assert added == [done.memory]
    assert (tmp_path / "CLAUDE.md").read_bytes().decode() == (
        "# Mine\r\nno end\r\n"
        "<!-- recairn:start learnings -->\r\n"
        "## Agent learnings\r\n"
        "\r\n"
        "### 2026-11-25\r\n"
        "\r\n"
        "- Install the horn: partial, the bracket is loose. It must be heard two miles away."
        " The weather was fine. The horn is brass. Buy the horn: success, bought in Leith."
        " Decision: Use the brass horn (it carries further). (#2)\r\n"
        "<!-- recairn:end learnings -->\r\n"
    )
    assert horn.store.compactions()[0].exported_to == "CLAUDE.md"


def test_no_entry_is_repeated_and_later_ones_get_their_own_date(horn, clock, tmp_path):
    horn.compact(output="CLAUDE.md")
    before = (tmp_path / "CLAUDE.md").read_text()
    assert horn.compact(output="CLAUDE.md") == ([], [])
    assert (tmp_path / "CLAUDE.md").read_text() == before
    horn.add_task("Paint it", id="t-paint")
    horn.finish_task("t-paint", "success")
    clock.advance(8 * DAY)
    horn.compact(output="CLAUDE.md")
    lines = (tmp_path / "CLAUDE.md").read_text().splitlines()
    assert [line for line in lines if line.startswith("###")] == [
        "### 2026-11-25",
        "### 2026-12-03",
    ]
    assert lines[-2] == "- Paint it: success. (#3)"


def test_what_was_compacted_before_without_a_file_is_added_later(horn, tmp_path):
    horn.compact()
    assert horn.compact(output="CLAUDE.md") == ([], [2])


def test_a_file_that_cannot_be_written_to_stops_before_anything_happens(horn):
    with pytest.raises(Refused):
        horn.compact(output="../elsewhere.md")
    assert horn.store.compactions() == []
