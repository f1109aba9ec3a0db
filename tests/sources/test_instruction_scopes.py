"""What a rule file is for is the scope of its lines: the globs of its front matter."""

import pytest

from recairn.sources.instruction_scopes import scope_of_globs


def scope(*lines):
    return scope_of_globs("\n".join(["---", *lines, "---", "# Style", "- Small functions"]))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("globs: *.ts,*.tsx", "*.ts, *.tsx"),
        ("globs: src/**/*.{ts,tsx}, docs/", "src/**/*.ts, src/**/*.tsx, docs/"),
        ('globs: ["src/api/**", "*.sql"]  # the border', "src/api/**, *.sql"),
        ("globs: [src/api/**, *.sql]", "src/api/**, *.sql"),
        ('paths: "app/[id]/**"', "app/[id]/**"),
        ("globs: [ab]*.[ch]", "[ab]*.[ch]"),
        ("globs: ./my notes/*.md", "my?notes/*.md"),
        ("globs: *.py, !test_*.py", "*.py"),
    ],
)
def test_globs_in_each_spelling_are_a_scope(line, expected):
    assert scope("description: Style", line, "alwaysApply: false") == expected


def test_globs_may_be_a_list_below_their_name():
    assert (
        scope("paths:", "  - src/api/**", '  - "*.sql"', "x:", "  - other") == "src/api/**, *.sql"
    )


@pytest.mark.parametrize(
    "lines",
    [
        ("globs:",),
        ("globs: **/*",),
        ("globs: *.py", "alwaysApply: true"),
        ("description: *.py",),
        ("globs: {a,b,c,d,e,f}/{a,b,c,d,e,f}/*.py",),
        ("globs: " + "a" * 250,),
        ("globs: " + "{" * 900,),
        ("globs: " + "{a,b}" * 150,),
    ],
)
def test_what_holds_everywhere_or_has_no_room_is_no_scope(lines):
    assert scope(*lines) == ""


def test_front_matter_that_does_not_end_is_text():
    assert scope_of_globs("---\nglobs: *.py\n- Small functions\n") == ""


def test_lines_of_a_rule_file_have_its_scope_and_follow_it(memory, tmp_path):
    path = tmp_path / ".cursor" / "rules" / "api.mdc"
    path.parent.mkdir(parents=True)
    text = "---\nglobs: {}\nalwaysApply: false\n---\n- Never trust a header\n- Answers are JSON\n"
    path.write_text(text.format("src/api/**/*.ts"))
    memory.import_from(path)
    assert [(each.kind, each.scope) for each in memory.listing()] == [
        ("learning", "src/api/**/*.ts"),
        ("rule", "src/api/**/*.ts"),
    ]
    (again,) = memory.import_from(path)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 2)
    path.write_text(text.format("*.ts"))
    (moved,) = memory.import_from(path)
    assert (moved.added, moved.changed) == (0, 2)
    assert {each.scope for each in memory.listing()} == {"*.ts"}


def test_globs_in_other_instruction_files_are_no_scope(memory, tmp_path):
    (tmp_path / "CLAUDE.md").write_text("---\nglobs: *.py\n---\n- Answers are JSON\n")
    memory.import_from(tmp_path / "CLAUDE.md")
    assert [each.scope for each in memory.listing()] == [""]
