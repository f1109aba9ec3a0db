"""What an instruction file is for is the scope of its lines: globs, or the folder it lies in."""

import pytest

from recairn.core.scopes import applies
from recairn.sources.instruction_scopes import files_below, scope_of_folder, scope_of_globs
from tests.checkouts import Checkout, needs_git


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


# Files of folders


@pytest.fixture
def monorepo(tmp_path, clock):
    checkout = Checkout(tmp_path / "shop", clock)
    checkout.write("AGENTS.md", "- Answers are JSON")
    checkout.write("packages/till/AGENTS.md", "- Never round a price", "- Prices are in cents")
    checkout.write("src/app/[id]/CLAUDE.md", "- Pages are rendered on the server")
    checkout.write("node_modules/left/AGENTS.md", "- Not ours at all")
    checkout.write("third_party/lib/CLAUDE.md", "- Not ours either")
    checkout.write(".cache/x/AGENTS.md", "- Hidden away somewhere")
    checkout.write("packages/till/README.md", "- No instructions here")
    checkout.commit("A shop")
    checkout.write("scratch/AGENTS.md", "- Nobody has committed this")
    return checkout.root


@needs_git
def test_tracked_files_of_folders_are_read_with_their_folder_as_scope(
    memory, monorepo, monkeypatch
):
    monkeypatch.chdir(monorepo)
    done = memory.import_from(source="claude-md")
    assert [(each.path, each.added) for each in done] == [
        ("AGENTS.md", 1),
        ("packages/till/AGENTS.md", 2),
        ("src/app/[id]/CLAUDE.md", 1),
    ]
    assert {(each.kind, each.content, each.scope) for each in memory.listing()} == {
        ("learning", "Answers are JSON", ""),
        ("rule", "Never round a price", "packages/till/**"),
        ("learning", "Prices are in cents", "packages/till/**"),
        ("learning", "Pages are rendered on the server", "src/app/?id?/**"),
    }
    again = memory.import_from(source="claude-md")
    assert [(each.added, each.changed) for each in again] == [(0, 0)] * 3


@needs_git
def test_a_file_for_a_folder_has_its_scope_when_it_is_named_too(memory, monorepo, monkeypatch):
    monkeypatch.chdir(monorepo / "packages")
    memory.import_from("till/AGENTS.md")
    assert {each.scope for each in memory.listing()} == {"packages/till/**"}
    assert applies("src/app/?id?/**", ["src/app/[id]/page.tsx"], frozenset())


@needs_git
def test_the_nearest_hundred_files_of_a_usual_size_are_read(tmp_path, clock):
    checkout = Checkout(tmp_path / "many", clock)
    checkout.write("a/b/AGENTS.md", "- Far down")
    checkout.write("large/AGENTS.md", "x" * 100_001)
    for number in range(100):
        checkout.write(f"p{number:03}/AGENTS.md", f"- Package {number}")
    checkout.commit("Many packages")
    found = files_below(str(checkout.root))
    assert found == [str(checkout.root / f"p{number:03}" / "AGENTS.md") for number in range(100)]


def test_below_a_folder_that_is_no_checkout_nothing_is_looked_for(tmp_path):
    (tmp_path / "till").mkdir()
    (tmp_path / "till" / "AGENTS.md").write_text("- Never round a price\n")
    assert files_below(str(tmp_path)) == []
    assert scope_of_folder(str(tmp_path / "till" / "AGENTS.md")) == ""
