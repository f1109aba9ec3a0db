"""Documents in every store."""

ROW = {
    "uid": "01hexample000000000000lamp",
    "path": "docs/lamp.md",
    "url": "",
    "title": "Lamp",
    "project": "puffin",
    "format": "md",
    "content_hash": "ab",
    "size": 12,
    "modified_at": None,
    "missing_since": None,
    "created_at": 1,
    "updated_at": 1,
    "deleted_at": None,
}


def test_documents_are_found_by_project_and_by_being_removed(store):
    with store.transaction():
        store.put_document(ROW)
        store.put_document({**ROW, "uid": "01hexample0000000000000oil", "path": "a.md"})
        store.put_document({**ROW, "uid": "01hexample0000000000000fog", "project": "gull"})
    assert [row.path for row in store.documents("puffin")] == ["a.md", "docs/lamp.md"]
    assert len(store.documents(None)) == 3
    with store.transaction():
        store.change_document(ROW["uid"], {"deleted_at": 5, "path": "b.md"})
    assert [row.path for row in store.documents("puffin")] == ["a.md"]
    (gone,) = store.documents("puffin", deleted=True)
    assert {**gone._asdict(), "id": 0} == {**ROW, "id": 0, "path": "b.md", "deleted_at": 5}


def test_a_document_without_chunks_has_none(store):
    assert store.chunks_of("01hexample000000000000lamp") == []
    assert store.chunk_counts() == {}
    assert store.key_holders([]) == {}
    assert store.look_alikes([], 3, now=1) == []
