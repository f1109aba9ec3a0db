"""`.gitignore`, rule by rule."""

import subprocess

import pytest

from recairn.sources.documents.ignore import glob_fits, rules_of, verdict
from recairn.sources.documents.walk import files_of


@pytest.mark.parametrize(
    ("rules", "path", "ignored"),
    [
        ("*.log", "deep/down/sea.log", True),
        ("/sea.log", "deep/sea.log", None),
        ("/sea.log", "sea.log", True),
        ("docs/*.md", "docs/oil.md", True),
        ("docs/*.md", "docs/deep/oil.md", None),
        ("docs/**/oil.md", "docs/oil.md", True),
        ("docs/**/oil.md", "docs/a/b/oil.md", True),
        ("docs/**", "docs/a/b", True),
        ("docs/**", "docs", None),
        ("**/oil", "a/oil", True),
        ("*.md\n!keep.md", "keep.md", False),
        ("!keep.md\n*.md", "keep.md", True),
        ("# note", "# note", None),
        (r"\#note", "#note", True),
        (r"\!note", "!note", True),
        ("trail   ", "trail", True),
        ("oil[0-9].txt", "oil7.txt", True),
        ("oil[!0-9].txt", "oil7.txt", None),
        ("oil?.txt", "oil.txt", None),
        ("a*b*c", "axxbxxc", True),
        ("build/", "build", None),
    ],
)
def test_the_last_rule_that_fits_a_path_decides(rules, path, ignored):
    assert verdict(rules_of(rules), path, folder=False) is ignored


def test_a_rule_with_a_slash_at_its_end_is_for_folders():
    assert verdict(rules_of("build/"), "build", folder=True) is True


def test_a_hostile_pattern_takes_no_time():
    rules = rules_of("*a" * 100 + "b\n" + "**/a/" * 100 + "b")
    assert verdict(rules, "/".join(["a" * 250] * 30), folder=False) is None


def test_patterns_of_files_span_folders():
    assert glob_fits("**/*.md", "a/b/c.md")
    assert not glob_fits("*.md", "a/c.md")


def test_the_walk_sees_what_git_sees(tmp_path):
    files = {
        ".gitignore": "*.txt\n!keep.txt\nout/\n/top.md\n",
        "a.txt": "x",
        "keep.txt": "x",
        "top.md": "x",
        "out/in.md": "x",
        "docs/top.md": "x",
        "docs/.gitignore": "draft*\n!draft-good.md\n",
        "docs/draft.md": "x",
        "docs/draft-good.md": "x",
        "docs/deep/draft-2.md": "x",
        "docs/deep/fine.md": "x",
    }
    for name, text in files.items():
        path = tmp_path / "r" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    root = tmp_path / "r"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-o", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    seen = [path.removeprefix(f"{root}/") for path in files_of(str(root))]
    assert sorted(seen) == sorted(name for name in listed if not name.endswith(".gitignore"))
    inner = [path.removeprefix(f"{root}/") for path in files_of(str(root / "docs"))]
    assert sorted(inner) == ["docs/deep/fine.md", "docs/draft-good.md", "docs/top.md"]


def test_links_are_not_followed_and_circles_end(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("x")
    root = tmp_path / "root"
    root.mkdir()
    (root / "here.md").write_text("x")
    (root / "loop").symlink_to(root)
    (root / "out").symlink_to(outside)
    (root / "file.md").symlink_to(outside / "secret.md")
    assert [path.removeprefix(f"{root}/") for path in files_of(str(root))] == ["here.md"]
