"""`recairn doc`."""

import os

import pytest

LAMP = "# Lamp\n\nTrim the wick at dusk.\n\n## Fog\n\n" + "The horn sounds twice a minute. " * 20


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "lamp.md").write_text(LAMP)
    (folder / "keep.py").write_text("def keep_watch():\n    return 'until dawn'\n")
    (tmp_path / ".git").mkdir()
    return folder


def test_documents_are_added_and_a_second_run_adds_nothing(recairn, docs):
    ran = recairn("doc", "add", "docs")
    assert (ran.status, ran.out) == (0, "2 added (2 pieces written)\n")
    assert recairn("doc", "add", "docs").out == "2 unchanged\n"
    assert recairn("doc", "add", "docs/*.md", "--dry-run").out == "dry run: 1 unchanged\n"


def test_one_piece_is_one_piece(recairn, docs):
    assert recairn("doc", "add", "docs/keep.py").out == "1 added (1 piece written)\n"
    assert recairn("doc", "show", "docs/keep.py").out.splitlines()[0].endswith("(code, 1 piece)")


def test_a_search_shows_path_and_lines(recairn, docs):
    recairn("doc", "add", "docs")
    ran = recairn("doc", "search", "until when is watch kept")
    assert ran.out.splitlines()[0].endswith("docs/keep.py:1-2  keep.py > keep_watch")
    assert "docs/keep.py:1\n" in recairn("search", "--docs", "keep watch until dawn").out
    (first, *_) = recairn("doc", "search", "keep watch until dawn", "--json").json["hits"]
    place = {name: first[name] for name in ("path", "line", "end_line", "page", "heading")}
    assert place == {
        "path": "docs/keep.py",
        "line": 1,
        "end_line": 2,
        "page": None,
        "heading": "keep_watch",
    }


def test_a_search_that_finds_nothing_is_no_failure(recairn, docs):
    ran = recairn("doc", "search", "walrus")
    assert (ran.status, ran.out.splitlines()[0]) == (
        0,
        "nothing relevant among 0 pieces of documents",
    )


def test_documents_are_listed(recairn, docs):
    assert recairn("doc").out == "no documents\n  recairn doc add PATH makes some searchable\n"
    recairn("doc", "add", "docs")
    assert recairn("doc", "list").out.splitlines()[2].split()[:2] == ["docs/lamp.md", "Lamp"]
    listed = recairn("doc", "list", "--json").json["documents"]
    assert [(each["path"], each["chunks"]) for each in listed] == [
        ("docs/keep.py", 1),
        ("docs/lamp.md", 1),
    ]


def test_a_document_is_shown_by_path_line_and_number(recairn, docs):
    recairn("doc", "add", "docs")
    ran = recairn("doc", "show", "docs/keep.py:2", "--full")
    assert "    return 'until dawn'" in ran.out
    assert recairn("doc", "show", "docs/keep.py:9").out.count("#") == 0
    (told,) = recairn("doc", "show", "1", "--json").json["documents"]
    assert [piece["id"] for piece in told["pieces"]] == [1]
    missing = recairn("doc", "show", "docs/none.md")
    assert (missing.status, missing.out) == (1, "")


def test_a_missing_file_is_told_then_removed(recairn, docs):
    recairn("doc", "add", "docs")
    os.unlink(docs / "keep.py")
    assert recairn("doc", "refresh").out == (
        "1 unchanged, 1 missing\n"
        "  missing: docs/keep.py\n"
        "  recairn doc refresh once more removes what is missing\n"
    )
    assert recairn("doc", "refresh").out == "1 unchanged, 1 removed\n  removed: docs/keep.py\n"


def test_a_document_is_removed_and_comes_back(recairn, docs):
    recairn("doc", "add", "docs")
    assert recairn("doc", "rm", "docs/lamp.md").out == "1 removed\n  removed: docs/lamp.md\n"
    assert recairn("doc", "add", "docs/lamp.md").status == 0
    assert recairn("doc", "show", "docs/lamp.md").status == 0


def test_standard_input_is_a_document(recairn):
    assert recairn("doc", "add", "-", "--title", "tides.txt", stdin="High at noon.\n").status == 0
    assert "tides.txt:1" in recairn("doc", "search", "high at noon").out
    assert recairn("doc", "add", "-", "x").status == 2
    assert recairn("doc", "add", "x", "--title", "y").status == 2


def test_a_bad_file_is_told_and_ends_with_status_one(recairn, docs):
    (docs / "bad.ipynb").write_text("{")
    ran = recairn("doc", "add", "docs")
    assert (ran.status, ran.out) == (1, "2 added (2 pieces written)\n")
    assert ran.err.startswith("recairn: docs/bad.ipynb: ")
    assert recairn("doc", "add", "docs", "--json").json["errors"][0]["path"] == "docs/bad.ipynb"


def test_an_address_is_not_fetched_unasked(recairn):
    ran = recairn("doc", "add", "https://harbour.example/")
    assert (ran.status, "add --fetch" in ran.err) == (1, True)
