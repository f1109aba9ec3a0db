"""Documents stay in step with their files, and nothing is lost on the way."""

import os

import pytest

from tests.corpus import opened

OIL = "# Oil\n\n" + "Whale oil burns bright and is kept in the cellar of the tower. " * 12
FOG = "## Fog\n\n" + "The horn sounds twice each minute while the fog is in the bay. " * 12
ICE = "## Ice\n\n" + "In hard winters the channel closes and the boats stay ashore. " * 12


@pytest.fixture
def tower(tmp_path, monkeypatch):
    """A checkout with two documents."""
    root = tmp_path / "tower"
    (root / "docs").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "docs" / "lamp.md").write_text(f"{OIL}\n\n{FOG}\n")
    (root / "docs" / "ice.md").write_text(f"{ICE}\n")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def memory(tmp_path, clock, tower):
    with opened(tmp_path / "tower.db", clock=clock, project="tower") as empty:
        yield empty


def told(kept):
    return sorted(kept.documents)


def chunks(memory, path):
    (document,) = memory.find_documents(path)
    return memory.document_chunks(document)


def places(memory, query):
    hits = memory.search(query, kind="chunk", docs=True).hits
    return [(hit.memory.fields["path"], hit.memory.fields["line"]) for hit in hits]


def test_a_search_in_documents_points_at_path_and_line(memory):
    assert told(memory.add_documents(["docs"])) == [
        ("added", "docs/ice.md"),
        ("added", "docs/lamp.md"),
    ]
    assert places(memory, "when does the horn sound")[0] == ("docs/lamp.md", 5)
    (fog,) = [each for each in chunks(memory, "docs/lamp.md") if "horn" in each.content]
    assert fog.title == "Oil > Fog"
    assert fog.fields["heading"] == "Oil > Fog"
    assert memory.verify().problems == ()


def test_an_ordinary_search_does_not_see_documents(memory):
    memory.add_documents(["docs"])
    assert memory.search("horn in the fog").hits == ()
    assert memory.listing() == []


def test_unchanged_files_are_skipped(memory):
    memory.add_documents(["docs"])
    again = memory.add_documents(["docs"])
    assert {what for what, _ in again.documents} == {"unchanged"}
    assert again.chunks == 0


def test_unchanged_chunks_of_a_changed_file_keep_their_memory(memory, tower):
    memory.add_documents(["docs"])
    oil, fog = chunks(memory, "docs/lamp.md")
    (tower / "docs" / "lamp.md").write_text(f"{OIL} More.\n\nNew.\n\n{FOG}\n")
    assert memory.add_documents(["docs"]).count("changed") == 1
    new, same = chunks(memory, "docs/lamp.md")
    assert (same.id, same.fields["line"]) == (fog.id, 7)
    assert new.id not in (oil.id, fog.id)
    assert memory.get(oil.id).deleted_at is not None
    assert memory.verify().problems == ()


def test_text_that_comes_back_is_the_memory_it_was(memory, tower):
    memory.add_documents(["docs"])
    before = [each.id for each in chunks(memory, "docs/lamp.md")]
    lamp = tower / "docs" / "lamp.md"
    first = lamp.read_text()
    lamp.write_text(f"{ICE}\n")
    memory.refresh_documents()
    lamp.write_text(first)
    memory.refresh_documents()
    assert [each.id for each in chunks(memory, "docs/lamp.md")] == before


def test_a_moved_file_is_followed(memory, tower):
    memory.add_documents(["docs"])
    before = [each.id for each in chunks(memory, "docs/lamp.md")]
    (tower / "docs" / "old").mkdir()
    os.rename("docs/lamp.md", "docs/old/light.md")
    kept = memory.refresh_documents()
    assert ("moved", "docs/old/light.md") in kept.documents
    assert [each.id for each in chunks(memory, "docs/old/light.md")] == before
    assert places(memory, "horn in the fog")[0] == ("docs/old/light.md", 5)
    assert kept.count("missing") == 0
    assert memory.verify().problems == ()


def test_a_copy_is_a_document_of_its_own(memory, tower):
    memory.add_documents(["docs"])
    (tower / "docs" / "copy.md").write_text((tower / "docs" / "lamp.md").read_text())
    assert ("added", "docs/copy.md") in memory.refresh_documents().documents
    assert len(chunks(memory, "docs/copy.md")) == len(chunks(memory, "docs/lamp.md")) == 2


def test_what_a_document_says_twice_is_kept_twice(memory, tower):
    (tower / "docs" / "lamp.md").write_text(f"{FOG}\n\n{FOG}\n")
    memory.add_documents(["docs"])
    assert [each.fields["line"] for each in chunks(memory, "docs/lamp.md")] == [1, 5]


def test_a_memory_may_quote_a_document(memory):
    memory.add_documents(["docs"])
    assert memory.remember(FOG).status == "added"


def test_a_missing_file_is_told_first_and_removed_by_the_next_refresh(memory, tower):
    memory.add_documents(["docs"])
    os.unlink("docs/ice.md")
    assert ("missing", "docs/ice.md") in memory.refresh_documents().documents
    assert len(chunks(memory, "docs/ice.md")) == 1
    assert ("removed", "docs/ice.md") in memory.refresh_documents().documents
    assert [each.path for each, _ in memory.documents()] == ["docs/lamp.md"]
    assert places(memory, "hard winters in the channel") == []


def test_a_file_that_comes_back_is_not_missing_any_more(memory, tower):
    memory.add_documents(["docs"])
    os.rename("docs/ice.md", "ice.bak")
    memory.refresh_documents()
    os.rename("ice.bak", "docs/ice.md")
    memory.refresh_documents()
    assert [each.missing_since for each, _ in memory.documents()] == [None, None]


def test_prune_removes_at_once(memory, tower):
    memory.add_documents(["docs"])
    os.unlink("docs/ice.md")
    assert ("removed", "docs/ice.md") in memory.refresh_documents(prune=True).documents


def test_a_missing_or_empty_folder_never_removes_anything(memory, tower):
    memory.add_documents(["docs"])
    os.rename("docs", "away")
    for _ in range(3):
        kept = memory.refresh_documents(prune=True)
        assert kept.documents == ()
        assert kept.notices[0] == "docs is not there or empty: nothing of it was removed"
    os.mkdir("docs")
    assert memory.refresh_documents(prune=True).documents == ()
    assert len(memory.documents()) == 2


def test_a_missing_folder_inside_keeps_its_documents(memory, tower):
    (tower / "docs" / "deep").mkdir()
    (tower / "docs" / "deep" / "ice2.md").write_text(ICE + "x")
    memory.add_documents(["docs"])
    os.rename("docs/deep", "../elsewhere")
    kept = memory.refresh_documents(prune=True)
    assert "docs/deep/ice2.md is kept: its folder is not there" in kept.notices
    assert kept.count("removed") == 0


def test_from_another_folder_nothing_of_the_checkout_is_missing(memory, tmp_path, monkeypatch):
    memory.add_documents(["docs"])
    monkeypatch.chdir(tmp_path)
    assert memory.refresh_documents(prune=True).documents == ()
    assert len(memory.documents()) == 2


def test_new_files_of_a_kept_folder_are_found_by_refresh(memory, tower):
    memory.add_documents(["docs"])
    (tower / "docs" / "new.md").write_text("# Paint\n\nWhite, each spring.\n")
    assert ("added", "docs/new.md") in memory.refresh_documents().documents


def test_a_removed_document_stays_away_until_it_is_added_again(memory):
    memory.add_documents(["docs"])
    before = [each.id for each in chunks(memory, "docs/ice.md")]
    assert told(memory.remove_documents(["docs/ice.md"])) == [("removed", "docs/ice.md")]
    assert memory.refresh_documents().count("added") == 0
    assert places(memory, "hard winters in the channel") == []
    assert memory.add_documents(["docs/ice.md"]).count("added") == 1
    assert [each.id for each in chunks(memory, "docs/ice.md")] == before


def test_removing_a_folder_removes_all_below_and_it_is_not_watched_any_more(memory, tower):
    memory.add_documents(["docs"])
    assert memory.remove_documents(["docs"]).count("removed") == 2
    (tower / "docs" / "new.md").write_text("# Paint\n\nWhite.\n")
    assert memory.refresh_documents().documents == ()


def test_what_was_undone_comes_back_when_it_is_added_again(memory):
    memory.add_documents(["docs"])
    before = [each.id for each in chunks(memory, "docs/ice.md")]
    memory.undo(source="docs/ice.md")
    assert memory.refresh_documents().count("changed") == 0
    assert chunks(memory, "docs/ice.md") == []
    assert memory.add_documents(["docs"]).count("changed") == 1
    assert [each.id for each in chunks(memory, "docs/ice.md")] == before


def test_the_uid_of_a_document_is_no_word_of_its_chunks(memory):
    memory.add_documents(["docs"])
    (document,) = memory.find_documents("docs/ice.md")
    # By words alone: by meaning, letters in any order may come near something.
    assert memory.search(document.uid, kind="chunk", docs=True, mode="keyword").hits == ()


def test_a_dry_run_writes_nothing(memory):
    kept = memory.add_documents(["docs"], dry_run=True)
    assert (kept.count("added"), memory.documents()) == (2, [])


def test_a_bad_file_stops_nothing_else(memory, tower):
    (tower / "docs" / "bad.ipynb").write_text("{")
    (tower / "docs" / "picture.md").write_bytes(b"\x89PNG\0\0")
    (tower / "docs" / "huge.txt").write_text("x" * 3_000_000)
    (tower / "docs" / "latin.txt").write_bytes(b"caf\xe9 in the harbour\n")
    (tower / "docs" / "empty.md").write_text("")
    kept = memory.add_documents(["docs"])
    assert [path for path, _ in kept.errors] == ["docs/bad.ipynb"]
    assert kept.notices == (
        "left out: huge.txt is larger than 2 MB (--max-mb sets the limit)",
        "left out: docs/picture.md is a binary file",
    )
    assert kept.count("added") == 3
    assert memory.add_documents(["docs/huge.txt"]).errors[0][0] == "docs/huge.txt"


def test_pdf_in_a_folder_is_left_out_where_its_package_is_not_there(memory, tower, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pypdf", None)
    (tower / "docs" / "chart.pdf").write_bytes(b"%PDF-1.4")
    kept = memory.add_documents(["docs"])
    assert (kept.count("added"), kept.errors) == (2, ())
    assert kept.notices[0].endswith("needs the package pypdf (pip install 'recairn[pdf]')")
    assert len(memory.add_documents(["docs/chart.pdf"]).errors) == 1


def test_a_pipe_in_a_folder_is_not_waited_for(memory, tower):
    os.mkfifo("docs/pipe.md")
    assert memory.add_documents(["docs"]).count("added") == 2
    assert memory.add_documents(["docs/pipe.md"]).errors == (
        ("docs/pipe.md", f"{os.getcwd()}/docs/pipe.md is not a file (give a file)"),
    )


def test_secrets_in_documents_never_reach_the_store(memory, tower):
    (tower / "docs" / "ice.md").write_text("password = 'hunter2-Tr0ub4dor-9x'\n\nIce.\n")
    kept = memory.add_documents(["docs"])
    assert any("redacted 1 secret" in each for each in kept.notices)
    assert "hunter2-Tr0ub4dor" not in chunks(memory, "docs/ice.md")[0].content


def test_a_text_through_a_pipe_is_replaced_under_its_title(memory):
    memory.add_text(b"# Tides\n\nHigh at noon.\n", "tides.md")
    assert memory.add_text(b"# Tides\n\nHigh at six.\n", "tides.md").count("changed") == 1
    (only,) = chunks(memory, "tides.md")
    assert only.content == "# Tides\n\nHigh at six."
    assert memory.refresh_documents(prune=True).documents == ()


def test_documents_travel_in_an_export(memory, tmp_path, clock):
    memory.add_documents(["docs"])
    asked = "when does the horn sound"
    told = [(f"line {at}", each) for at, each in enumerate(memory.export_records(), start=1)]
    with opened(tmp_path / "other.db", clock=clock, project="tower") as other:
        other.take_records(told)
        assert [each.path for each, _ in other.documents()] == ["docs/ice.md", "docs/lamp.md"]
        assert places(other, asked) == places(memory, asked)
        assert other.refresh_documents().count("unchanged") == 2
        assert other.verify().problems == ()
