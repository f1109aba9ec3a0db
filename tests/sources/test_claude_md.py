"""Instruction files become memories, once, and follow the file when it changes."""

import os
from pathlib import Path

import pytest

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.model import Draft
from recairn.sources.claude_md import pairs, pieces, takes
from recairn.sources.format import Predecessor, Record
from recairn.sources.readers.markdown_blocks import nodes_of
from tests.checkouts import Checkout, needs_git

LIGHTHOUSE = """\
---
globs: "*.py"
---
# CLAUDE.md

Guidance for whoever works on the lighthouse.

## Commands

Run everything with:

```bash
make lamp   # needs oil

make horn
```

- `make lint` checks the style
- Building:
  - `make all` builds the tower
  - `make docs` needs
    graphviz

<!-- a note to ourselves: not for reading -->
<!-- recairn:start -->
- Pinned by recairn, never read back
<!-- recairn:end -->

## Conventions

When writing tests:

1. Never sleep
2. Use tmp_path for files

Style
-----

> Prefer small
> functions.

| lamp | range |
|------|-------|
| big  | 20 nm |

@docs/more.md

### Deep **down**

* [x] oil the hinges
  every week
"""


def told(text):
    return [(line, category, said) for line, category, said, _ in pieces(nodes_of(text))]


def test_one_memory_for_each_bullet_paragraph_fence_and_table():
    assert told(LIGHTHOUSE) == [
        (6, "", "Guidance for whoever works on the lighthouse."),
        (
            10,
            "Commands",
            "Run everything with:\n```bash\nmake lamp   # needs oil\n\nmake horn\n```",
        ),
        (18, "Commands", "`make lint` checks the style"),
        (
            19,
            "Commands",
            "Building:\n- `make all` builds the tower\n- `make docs` needs graphviz",
        ),
        (33, "Conventions", "When writing tests: Never sleep"),
        (34, "Conventions", "When writing tests: Use tmp_path for files"),
        (39, "Style", "Prefer small functions."),
        (42, "Style", "| lamp | range |\n|------|-------|\n| big  | 20 nm |"),
        (50, "Style / Deep down", "oil the hinges every week"),
    ]


def test_a_long_list_below_a_bullet_is_told_apart_each_with_what_introduces_it():
    children = "".join(f"  - keep lamp {n} {'clean and trimmed ' * 5}\n" for n in range(8))
    found = [said for _, _, said in told(f"- Evening round\n{children}")]
    assert len(found) == 8
    assert found[0].startswith("Evening round: keep lamp 0 clean")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("---\n", []),
        ("---\nkey: value\n---\n", []),
        ("# Only a title\n", []),
        ("- \n-\n***\n- 1.2.3\n", []),
        ("<!-- recairn:start -->\n- never closed\n", []),
        ("<!-- never closed\n- hidden\n", []),
        ("```\nnever closed\n", ["```\nnever closed"]),
        ("a\r\nb\r\n\r\nc\r\n", ["a b", "c"]),
        ("```md\n<!-- in a fence -->\n```\n", ["```md\n<!-- in a fence -->\n```"]),
        ("text <!-- beside --> more", ["text <!-- beside --> more"]),
        ("<!-- before --> - kept", ["kept"]),
        ("Run:\n\n    make lamp\n\n      now\n\nend", ["Run:\nmake lamp\n\n  now", "end"]),
        ("text\n    goes on", ["text goes on"]),
        ("- item\n\n      make lamp\n      make horn", ["item\nmake lamp\nmake horn"]),
        ("    - far in", ["far in"]),
        ("- a\n\n- b\n\nend", ["a", "b", "end"]),
        ("- first line\nlazily continued", ["first line lazily continued"]),
        ("- item\n\n  second paragraph", ["item\nsecond paragraph"]),
    ],
)
def test_odd_documents_are_read_without_surprise(text, expected):
    assert [said for _, _, said in told(text)] == expected


def test_bullets_without_end_do_not_recurse_without_end():
    text = "".join("  " * depth + f"- level {depth}\n" for depth in range(500))
    assert told(text)[0][2].startswith("level 0")


@pytest.mark.parametrize(
    ("path", "ours"),
    [
        ("CLAUDE.md", True),
        ("/home/x/AGENTS.md", True),
        (".claude/rules/tests.md", True),
        (".cursor/rules/style.mdc", True),
        ("README.md", False),
        ("docs/rules.md", False),
    ],
)
def test_a_file_is_known_by_its_name_or_folder(path, ours):
    assert takes(path) is ours


# Through the engine


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "CLAUDE.md"
    path.write_text(LIGHTHOUSE)
    return path


def counted(done):
    return {
        name: getattr(done, name)
        for name in ("added", "changed", "unchanged", "known", "forgotten", "failed")
        if getattr(done, name)
    }


def test_an_import_keeps_the_source_line_and_the_heading(memory, file):
    (done,) = memory.import_from(file)
    assert counted(done) == {"added": 9}
    lint = memory.get(done.memories[2])
    assert (lint.content, lint.category) == ("`make lint` checks the style", "Commands")
    assert (lint.source_type, lint.source_ref) == ("claude_md", "CLAUDE.md:18")
    assert memory.verify().problems == ()


def test_a_second_import_adds_nothing_and_changes_nothing(memory, file):
    memory.import_from(file)
    before = memory.stats()
    (again,) = memory.import_from(file)
    assert counted(again) == {"unchanged": 9}
    assert memory.stats() == before


def test_lines_that_only_moved_are_the_same_lines(memory, file):
    memory.import_from(file)
    file.write_text(LIGHTHOUSE.replace("## Commands\n", "## Commands\n\n- A new first bullet\n"))
    (again,) = memory.import_from(file)
    assert counted(again) == {"added": 1, "unchanged": 9}


def test_a_changed_line_supersedes_what_it_was(memory, file):
    (first,) = memory.import_from(file)
    file.write_text(LIGHTHOUSE.replace("Never sleep", "Never sleep; wait for the event"))
    (again,) = memory.import_from(file)
    assert counted(again) == {"changed": 1, "unchanged": 8}
    old = memory.get(first.memories[4])
    assert old.superseded_by == again.memories[0]
    assert memory.get(old.superseded_by).content.endswith("wait for the event")
    (third,) = memory.import_from(file)
    assert counted(third) == {"unchanged": 9}


def test_a_renamed_heading_moves_its_lines_to_the_new_category(memory, file):
    (first,) = memory.import_from(file)
    file.write_text(LIGHTHOUSE.replace("## Conventions", "## House rules"))
    (again,) = memory.import_from(file)
    assert counted(again) == {"changed": 2, "unchanged": 7}
    sleep = memory.get(first.memories[4])
    assert (sleep.category, sleep.superseded_by) == ("House rules", None)


def test_a_removed_line_is_told_and_stays_remembered(memory, file):
    (first,) = memory.import_from(file)
    file.write_text(LIGHTHOUSE.replace("- `make lint` checks the style\n", ""))
    (again,) = memory.import_from(file)
    lint = first.memories[2]
    assert list(again.gone) == [(lint, "`make lint` checks the style")]
    assert memory.get(lint).deleted_at is None
    memory.forget(lint)
    assert list(memory.import_from(file)[0].gone) == []


def test_a_wholly_new_line_in_the_place_of_another_does_not_supersede_it(memory, file):
    memory.import_from(file)
    file.write_text(LIGHTHOUSE.replace("`make lint` checks the style", "Paint brass in spring"))
    (again,) = memory.import_from(file)
    assert counted(again) == {"added": 1, "unchanged": 8}
    assert [said for _, said in again.gone] == ["`make lint` checks the style"]


def test_what_someone_forgot_does_not_come_back_by_itself(memory, file):
    (first,) = memory.import_from(file)
    memory.forget(first.memories[0])
    (again,) = memory.import_from(file)
    assert counted(again) == {"unchanged": 8, "forgotten": 1}
    (back,) = memory.import_from(file, restore=True)
    assert back.restored == 1
    assert memory.get(first.memories[0]).deleted_at is None


def test_what_was_destroyed_for_good_does_not_come_back_at_all(memory, file):
    (first,) = memory.import_from(file)
    memory.forget(first.memories[0], hard=True)
    assert counted(memory.import_from(file, restore=True)[0]) == {"unchanged": 9}
    assert memory.verify().problems == ()


def test_a_memory_written_by_hand_is_reinforced_and_never_superseded_by_the_file(memory, file):
    mine = memory.remember("When writing tests: Never sleep").id
    (done,) = memory.import_from(file)
    assert counted(done) == {"added": 8, "known": 1}
    file.write_text(LIGHTHOUSE.replace("Never sleep", "Never sleep longer than needed"))
    (again,) = memory.import_from(file)
    assert counted(again) == {"added": 1, "unchanged": 8}
    assert memory.get(mine).superseded_by is None


def test_a_dry_run_says_the_same_and_writes_nothing(memory, file):
    (dry,) = memory.import_from(file, dry_run=True)
    assert (dry.added, dry.memories, memory.stats()["memories"]) == (9, (), 0)
    memory.import_from(file)
    file.write_text(
        LIGHTHOUSE.replace("Never sleep", "Never sleep; wait").replace(
            "- `make lint` checks the style\n", ""
        )
    )
    before = memory.stats()
    (dry,) = memory.import_from(file, dry_run=True)
    assert counted(dry) == {"changed": 1, "unchanged": 7}
    assert [said for _, said in dry.gone] == ["`make lint` checks the style"]
    assert memory.stats() == before


def test_an_import_is_taken_back_by_its_file(memory, file):
    memory.import_from(file)
    memory.remember("Something of my own")
    memory.undo(source="CLAUDE.md")
    assert [each.content for each in memory.listing()] == ["Something of my own"]


def test_a_line_too_long_is_an_error_with_its_place_and_the_others_go_on(memory, file):
    file.write_text(f"- short one\n- {'long ' * 30_000}\n- another short one\n")
    (done,) = memory.import_from(file)
    assert counted(done) == {"added": 2, "failed": 1}
    (error,) = done.errors
    assert error.place == "CLAUDE.md:2"
    assert "100,000 at most" in error.reason


def test_a_secret_in_the_file_is_redacted_and_told_with_its_line(memory, file):
    file.write_text("- the key is AKIAQ3EGRZ7LMN2XWV5T and nobody knows\n")
    (done,) = memory.import_from(file)
    assert "AKIAQ3EGRZ7" not in memory.get(done.memories[0]).content
    assert done.warnings[0].startswith("CLAUDE.md:1: redacted 1 secret")


def test_without_a_file_every_instruction_file_of_the_project_is_read_once(memory, tmp_path, file):
    os.symlink("CLAUDE.md", tmp_path / "AGENTS.md")
    (tmp_path / ".claude" / "rules").mkdir(parents=True)
    (tmp_path / ".claude" / "rules" / "ink.md").write_text("Blue ink only\n")
    done = memory.import_from(source="claude-md")
    assert [(each.path, each.added) for each in done] == [
        ("CLAUDE.md", 9),
        (".claude/rules/ink.md", 1),
    ]


def test_a_link_out_of_the_project_is_not_followed_when_looking_around(memory, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "secret.md").write_text("- the code is 1234 and nobody may know\n")
    os.symlink(tmp_path / "secret.md", tmp_path / "here" / "CLAUDE.md")
    with pytest.raises(NotFound):
        memory.import_from(tmp_path / "here", "claude-md")


def test_a_pipe_or_a_missing_file_is_refused_at_once(memory, tmp_path):
    os.mkfifo(tmp_path / "CLAUDE.md")
    with pytest.raises(BadInput, match="not a file"):
        memory.import_from(tmp_path / "CLAUDE.md")
    with pytest.raises(NotFound):
        memory.import_from(tmp_path / "AGENTS.md")


def test_the_surest_match_wins_when_several_lines_changed(memory, file):
    file.write_text("## Oil\n- fill the tank with whale oil at dusk\n- trim the wick at dusk\n")
    (first,) = memory.import_from(file)
    file.write_text("## Oil\n- trim the wick at dawn\n- fill the tank with rape oil at dusk\n")
    (again,) = memory.import_from(file)
    assert again.changed == 2
    tank, wick = (memory.get(memory.get(each).superseded_by).content for each in first.memories)
    assert (tank, wick) == ("fill the tank with rape oil at dusk", "trim the wick at dawn")


def test_of_two_equal_matches_the_one_of_the_same_section_wins():
    def line(key, category):
        return Record(key, Draft("wind the clock at eight", category=category), "x:1")

    def former(key, category):
        return Predecessor(key, 1, "wind the clock at nine", category, 0)

    fresh = [line("a", "Lamp"), line("b", "Horn")]
    assert pairs(fresh, [former("old b", "Horn"), former("old a", "Lamp")]) == {
        "a": "old a",
        "b": "old b",
    }


def test_a_file_of_another_encoding_is_read_and_one_that_is_no_text_refused(memory, tmp_path):
    path = tmp_path / "CLAUDE.md"
    path.write_text("- Oil the hinges every week\n", encoding="utf-16")
    assert memory.import_from(path)[0].added == 1
    assert [each.content for each in memory.listing()] == ["Oil the hinges every week"]
    path.write_bytes(b"- \x00\x01\x02 \xff\n")
    with pytest.raises(BadInput) as refused:
        memory.import_from(path)
    assert refused.value.message == "CLAUDE.md is not text"


def test_what_came_from_a_file_of_that_name_in_another_project_is_not_taken_back(memory, tmp_path):
    path = tmp_path / "CLAUDE.md"
    path.write_text("- Oil the hinges every week\n")
    memory.import_from(path)
    memory.project = "auk"
    with pytest.raises(Refused) as refused:
        memory.undo(source="CLAUDE.md")
    assert refused.value.hint == (
        "in puffin something did: recairn undo --source CLAUDE.md --project puffin"
    )
    memory.import_from(path)
    assert len(memory.undo(source="CLAUDE.md")) == 1
    assert [each.project for each in memory.listing(all_projects=True)] == ["puffin"]


# What a line is, and how old


@pytest.mark.parametrize(
    "line",
    [
        "Never commit to main",
        "ALWAYS run `make lint` first",
        "**Never** sleep in tests",
        "*Always* ask before a deploy",
    ],
)
def test_a_line_that_says_always_or_never_is_a_rule(memory, tmp_path, line):
    (tmp_path / "CLAUDE.md").write_text(f"- {line}\n")
    (tmp_path / "AGENTS.md").write_text(f"When the lamp is out and nobody is in:\n\n- {line}\n")
    for name in ("CLAUDE.md", "AGENTS.md"):
        memory.import_from(tmp_path / name)
    assert [each.kind for each in memory.listing()] == ["rule", "rule"]


@pytest.mark.parametrize(
    "line",
    [
        "Nevertheless the lamp burns",
        "Always-on mode is slow",
        "The lamp is never cold",
        "`never` is a type of TypeScript",
    ],
)
def test_other_lines_are_learnings(memory, tmp_path, line):
    (tmp_path / "CLAUDE.md").write_text(f"- {line}\n")
    memory.import_from(tmp_path / "CLAUDE.md")
    assert [each.kind for each in memory.listing()] == ["learning"]


@needs_git
def test_lines_are_as_old_as_their_commits_or_else_as_the_file(memory, tmp_path, clock):
    now = clock()
    clock.advance(-200 * 86_400_000)
    checkout = Checkout(tmp_path / "tower", clock)
    checkout.write("CLAUDE.md", "- Trim the wick daily")
    checkout.commit("The wick")
    committed = clock() // 1000 * 1000
    clock.now = now
    checkout.write("CLAUDE.md", "- Trim the wick daily", "- Wind the clock on Sundays")
    changed = now // 1000 * 1000 - 5_000_000
    os.utime(checkout.root / "CLAUDE.md", (changed // 1000, changed // 1000))
    memory.import_from(checkout.root / "CLAUDE.md")
    assert {each.content: each.created_at for each in memory.listing()} == {
        "Trim the wick daily": committed,
        "Wind the clock on Sundays": changed,
    }
    # Its age is no part of what a line says: a file that was touched has not changed.
    os.utime(checkout.root / "CLAUDE.md")
    (again,) = memory.import_from(checkout.root / "CLAUDE.md")
    assert (again.unchanged, again.changed) == (2, 0)


def test_a_dry_run_over_files_that_say_the_same_counts_each_line_once(
    memory, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name in ("CLAUDE.md", "AGENTS.md"):
        (tmp_path / name).write_text("# Lamp\n\n- Never trim the wick while it burns\n")
    tried = memory.import_from(source="claude-md", dry_run=True)
    done = memory.import_from(source="claude-md")
    assert [(each.added, each.known) for each in tried] == [(1, 0), (0, 1)]
    assert [(each.added, each.known) for each in done] == [(1, 0), (0, 1)]
