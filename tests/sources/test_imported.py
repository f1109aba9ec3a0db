"""Which source a file is: two that count alike are two, and one that was moved is the same one."""

import json

import pytest

from recairn.sources.format import Source
from recairn.sources.imported import record_hash
from recairn.store.contract.imported import ImportedRow
from tests.sources.test_import_run import read

EELS = {"id": "1", "text": "Eels are smoked over alder wood"}
ROPES = {"id": "2", "text": "Ropes are tarred before the first frost"}
NETS = {"id": "1", "text": "Nets dry on the north side of the shed"}


def files_of(folder):
    return [str(folder)]


def read_all(origin):
    """A folder of such files, or one of them."""
    from os.path import isdir

    for file in origin.files(".jsonl") if isdir(origin.path) else [origin]:
        yield from read(file)


SHELF = Source(
    "shelf", "files", lambda path: False, files_of, read_all, distinct=True, complete=True
)


def write(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


@pytest.fixture
def shelf(tmp_path):
    write(tmp_path / "shelf" / "a.jsonl", EELS)
    write(tmp_path / "shelf" / "b.jsonl", ROPES)
    return tmp_path / "shelf"


def texts(memory):
    return sorted(each.content for each in memory.listing())


@pytest.mark.parametrize("name", ["jsonl", "shelf"])
def test_two_files_that_count_alike_are_two_sources(memory, tmp_path, name):
    source = SHELF if name == "shelf" else name
    fields = {"id": "external_id", "text": "content"} if name == "jsonl" else {}
    one, other = (
        write(tmp_path / folder / "m.jsonl", {fields.get(key, key): each[key] for key in each})
        for folder, each in (("s1", EELS), ("s2", NETS))
    )
    memory.import_from(one, source)
    (done,) = memory.import_from(other, source)
    assert (done.added, done.changed) == (1, 0)
    assert texts(memory) == sorted([EELS["text"], NETS["text"]])
    assert memory.import_from(one, source)[0].unchanged == 1


def test_two_databases_of_ccmemory_that_count_alike_are_two(memory, tmp_path):
    def export(name, said):
        row = {"id": "1", "content": said, "sector": "semantic", "accessCount": 0}
        path = tmp_path / name
        path.write_text(json.dumps([row]))
        return path

    memory.import_from(export("mine.json", EELS["text"]), "ccmemory")
    (done,) = memory.import_from(export("yours.json", NETS["text"]), "ccmemory")
    assert (done.added, done.changed) == (1, 0)


def test_a_folder_that_was_moved_is_known_by_what_it_says(memory, shelf, tmp_path):
    memory.import_from(shelf, SHELF)
    shelf.rename(tmp_path / "attic")
    write(tmp_path / "attic" / "b.jsonl", {**ROPES, "text": "Ropes are tarred in spring"})
    (would,) = memory.import_from(tmp_path / "attic", SHELF, dry_run=True)
    (done,) = memory.import_from(tmp_path / "attic", SHELF)
    assert (would.unchanged, would.changed) == (done.unchanged, done.changed) == (1, 1)
    assert done.added == 0
    (tmp_path / "attic" / "a.jsonl").unlink()
    (later,) = memory.import_from(tmp_path / "attic", SHELF)
    assert [text for _, text in later.gone] == [EELS["text"]]
    # Under its new name, it can be taken back by that name.
    memory.undo(source="attic")
    assert EELS["text"] not in texts(memory)


def test_a_copy_of_a_source_is_the_same_and_each_goes_on_by_itself(memory, shelf, tmp_path):
    from shutil import copytree

    write(shelf / "c.jsonl", {"id": "3", "text": "Put away"})
    memory.import_from(shelf, SHELF)
    memory.forget(memory.get("3").id)
    copytree(shelf, tmp_path / "copy")
    for folder in (tmp_path / "copy", shelf, tmp_path / "copy"):
        (done,) = memory.import_from(folder, SHELF)
        assert (done.added, done.unchanged, done.forgotten) == (0, 2, 1)


def test_files_one_by_one_and_then_their_folder_are_not_twice(memory, shelf):
    for name in ("a.jsonl", "b.jsonl"):
        memory.import_from(shelf / name, SHELF)
    memory.forget(memory.get("2").id)
    (would,) = memory.import_from(shelf, SHELF, dry_run=True)
    (done,) = memory.import_from(shelf, SHELF)
    for each in (would, done):
        assert (each.added, each.unchanged, each.forgotten, each.gone) == (0, 1, 1, ())
    # And the other way round: the file goes on in the rows of its folder.
    (alone,) = memory.import_from(shelf / "a.jsonl", SHELF)
    assert (alone.added, alone.unchanged, alone.gone) == (0, 1, ())
    (shelf / "a.jsonl").unlink()
    assert [text for _, text in memory.import_from(shelf, SHELF)[0].gone] == [EELS["text"]]


def test_a_file_without_ids_that_says_the_same_is_another_file(memory, tmp_path):
    rules = "- Mend nets on Mondays\n- Salt the herring twice\n"
    (tmp_path / "CLAUDE.md").write_text(rules)
    (tmp_path / "AGENTS.md").write_text(rules)
    memory.import_from(tmp_path / "CLAUDE.md")
    assert memory.import_from(tmp_path / "AGENTS.md")[0].known == 2
    (tmp_path / "AGENTS.md").write_text("- Mend nets on Mondays\n")
    assert memory.import_from(tmp_path / "AGENTS.md")[0].gone == ()
    assert memory.import_from(tmp_path / "CLAUDE.md")[0].unchanged == 2


def test_a_file_without_ids_that_was_moved_is_the_same_file(memory, tmp_path):
    (tmp_path / "CLAUDE.md").write_text("- Mend nets on Mondays\n- Salt the herring twice\n")
    memory.import_from(tmp_path / "CLAUDE.md")
    (tmp_path / ".claude").mkdir()
    (tmp_path / "CLAUDE.md").rename(tmp_path / ".claude" / "CLAUDE.md")
    (tmp_path / ".claude" / "CLAUDE.md").write_text("- Mend nets on Mondays\n")
    (done,) = memory.import_from(tmp_path / ".claude" / "CLAUDE.md")
    assert (done.added, done.unchanged, len(done.gone)) == (0, 1, 1)


def test_what_older_versions_kept_under_the_project_alone_is_taken_over(memory, tmp_path):
    path = write(tmp_path / "a.jsonl", EELS, ROPES)
    memory.import_from(path, SHELF)
    store, here = memory.store, ("shelf", f"{memory.project}:a.jsonl")
    rows = store.imported(*here)
    stranger = ImportedRow("9", "ff", None, True, 0)
    with store.transaction():
        store.drop_imported(*here, [row.key for row in rows])
        store.put_imported("shelf", memory.project, [*rows, stranger])
    (done,) = memory.import_from(path, SHELF)
    assert (done.added, done.unchanged, done.gone) == (0, 2, ())
    assert [row.key for row in store.imported("shelf", memory.project)] == ["9"]
    assert len(store.imported(*here)) == 2


def test_a_stranger_of_an_older_version_is_left_alone(memory, tmp_path):
    row = ImportedRow("1", "ff", None, True, 0)
    with memory.store.transaction():
        memory.store.put_imported("shelf", memory.project, [row])
    (done,) = memory.import_from(write(tmp_path / "a.jsonl", EELS), SHELF)
    assert done.added == 1
    assert [each.key for each in memory.store.imported("shelf", memory.project)] == ["1"]


def test_the_same_record_has_the_same_hash_wherever_it_lies(tmp_path):
    from recairn.sources.readers.files import Origin

    paths = [write(tmp_path / name / "x.jsonl", EELS) for name in ("a", "b")]
    hashes = {record_hash(one) for path in paths for one in read(Origin(str(path), str(path)))}
    assert len(hashes) == 1


# What is no longer there


def test_what_is_gone_is_told_and_forgotten_on_request(memory, shelf):
    memory.import_from(shelf, SHELF)
    (shelf / "a.jsonl").unlink()
    (told,) = memory.import_from(shelf, SHELF)
    assert (told.pruned, [text for _, text in told.gone]) == (0, [EELS["text"]])
    (would,) = memory.import_from(shelf, SHELF, dry_run=True, prune=True)
    assert (would.pruned, len(texts(memory))) == (1, 2)
    (done,) = memory.import_from(shelf, SHELF, prune=True)
    assert (done.pruned, texts(memory)) == (1, [ROPES["text"]])
    assert memory.import_from(shelf, SHELF, prune=True)[0].pruned == 0
    write(shelf / "a.jsonl", EELS)
    assert memory.import_from(shelf, SHELF, restore=True)[0].restored == 1
    assert len(texts(memory)) == 2


def test_nothing_is_forgotten_while_some_of_it_cannot_be_read(memory, shelf):
    memory.import_from(shelf, SHELF)
    (shelf / "a.jsonl").write_text("{")
    (done,) = memory.import_from(shelf, SHELF, prune=True)
    assert (done.pruned, done.failed, len(done.gone)) == (0, 1, 1)
    assert done.warnings == ("nothing is forgotten while some of it cannot be read",)
    assert len(texts(memory)) == 2


def test_two_records_that_became_one_memory_are_brought_back_as_one(memory, shelf):
    write(shelf / "b.jsonl", {"id": "2", "text": EELS["text"]})
    (first,) = memory.import_from(shelf, SHELF)
    assert (first.added, first.known) == (1, 1)
    memory.forget(memory.listing()[0].id)
    (done,) = memory.import_from(shelf, SHELF, restore=True)
    assert (done.restored, texts(memory)) == (2, [EELS["text"]])
    # One of them alone may go: the other still says it.
    (shelf / "a.jsonl").unlink()
    assert memory.import_from(shelf, SHELF, prune=True)[0].gone == ()


def test_an_import_that_was_undone_and_restored_can_be_undone_again(memory, shelf):
    memory.import_from(shelf, SHELF)
    for _ in range(3):
        assert len(memory.undo(source="shelf")) == 2
        assert texts(memory) == []
        assert memory.import_from(shelf, SHELF, restore=True)[0].restored == 2
        assert len(texts(memory)) == 2
    assert memory.verify().problems == ()
