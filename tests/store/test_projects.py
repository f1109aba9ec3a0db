"""What every store promises about projects."""

from recairn.core.draft import prepare
from recairn.core.model import Draft, Event
from recairn.store.contract.imported import SETTLED, ImportedRow
from recairn.store.memory_rows import NewMemory
from recairn.store.project_rows import ProjectMark
from tests.corpus import NOW


def keep(store, content, project, **fields):
    """Puts a text into a project; its id."""
    draft = Draft(content=content, **fields)
    ready = prepare(draft, project=project, session=None, allow=(), now=NOW)
    with store.transaction():
        return store.put([NewMemory(ready.row, ready.keys)])[0]


def mark(project, kind, value, state=1, at=NOW):
    return ProjectMark(kind, value, project, state, at)


def places(store, kind, *values):
    return [(row.value, row.name, row.state) for row in store.known_places(kind, values)]


def test_a_project_is_found_by_its_names(store):
    with store.transaction():
        shop = store.add_project("shop", NOW)
        web = store.add_project("web", NOW, parent=shop, folder="packages/web")
        store.put_alias("store", shop)
    assert store.project_named("shop").id == shop
    assert store.project_named("store").name == "shop"
    assert store.project_named("bakery") is None
    found = store.project_named("web")
    assert (found.id, found.parent, found.folder) == (web, "shop", "packages/web")
    assert [row.name for row in store.projects()] == ["shop", "web"]


def test_a_name_beats_an_alias_and_a_new_project_takes_it_over(store):
    with store.transaction():
        shop = store.add_project("shop", NOW)
        store.put_alias("store", shop)
        new = store.add_project("store", NOW)
    assert store.project_named("store").id == new
    assert store.aliases(shop) == []


def test_a_renamed_project_leaves_its_name_free(store):
    with store.transaction():
        shop = store.add_project("shop", NOW)
        store.rename_project(shop, "bakery")
    assert store.project_named("shop") is None
    assert store.project_named("bakery").id == shop


def test_aliases_are_put_anew_and_dropped(store):
    with store.transaction():
        shop, bakery = store.add_project("shop", NOW), store.add_project("bakery", NOW)
        store.put_alias("old", shop)
        store.put_alias("old", bakery)
        store.put_alias("older", bakery)
        store.drop_alias("older")
    assert (store.aliases(shop), store.aliases(bakery)) == ([], ["old"])


def test_marks_lead_to_a_project_until_they_lead_elsewhere(store):
    with store.transaction():
        shop, bakery = store.add_project("shop", NOW), store.add_project("bakery", NOW)
        store.put_mark(mark(shop, "folder", "/shop", state=0))
        store.put_mark(mark(shop, "root", "abc", at=NOW + 1))
    assert places(store, "folder", "/shop", "/gone", "abc") == [("/shop", "shop", 0)]
    assert [each.value for each in store.marks_of(shop)] == ["/shop", "abc"]
    with store.transaction():
        store.put_mark(mark(bakery, "folder", "/shop"))
    assert places(store, "folder", "/shop") == [("/shop", "bakery", 1)]
    assert places(store, "root", "abc") == [("abc", "shop", 1)]


def test_a_known_place_comes_once_for_each_part_of_its_project(store):
    with store.transaction():
        shop, other = store.add_project("shop", NOW), store.add_project("other", NOW)
        store.add_project("web", NOW, parent=shop, folder="packages/web")
        store.add_project("api", NOW, parent=shop, folder="packages/api")
        store.put_mark(mark(shop, "folder", "/shop"))
    rows = store.known_places("folder", ["/shop"])
    assert sorted((row.folder, row.part) for row in rows) == [
        ("packages/api", "api"),
        ("packages/web", "web"),
    ]
    with store.transaction():
        store.adopt_parts(shop, other)
    assert [row.part for row in store.known_places("folder", ["/shop"])] == [None]


def test_a_project_goes_with_its_marks_aliases_and_parts(store):
    with store.transaction():
        shop = store.add_project("shop", NOW)
        store.add_project("web", NOW, parent=shop, folder="web")
        store.put_alias("store", shop)
        store.put_mark(mark(shop, "folder", "/shop"))
        store.drop_project(shop)
    assert store.projects() == []
    assert store.project_named("store") is None
    assert places(store, "folder", "/shop") == []


def test_a_name_is_in_use_where_something_is_kept_under_it(store):
    assert not store.is_name_in_use("shop")
    memory = keep(store, "the till is by the door", "shop")
    assert store.is_name_in_use("shop")
    assert store.memories_of("shop") == [memory]
    assert store.memories_by_branch("shop") == {}
    with store.transaction():
        store.open_session("s-1", {"project": "bakery"}, NOW)
    assert store.is_name_in_use("bakery")
    assert store.project_counts() == {"shop": {"memories": 1}, "bakery": {"sessions": 1}}


def test_records_move_to_another_project(store):
    with store.transaction():
        store.open_session("s-1", {"project": "shop"}, NOW)
        store.open_session("s-2", {"project": "bakery"}, NOW)
        store.add_failure("semantic_miss", {"at": NOW, "query": "till", "project": "shop"})
    records = store.records_of("shop")
    assert records["session"] == ["s-1"]
    assert len(records["miss"]) == 1
    with store.transaction():
        store.move_records(records, "bakery")
    assert not any(store.records_of("shop").values())
    assert store.records_of("bakery")["session"] == ["s-1", "s-2"]


def test_imports_count_for_a_project_under_its_new_name(store):
    memory = keep(store, "the till is by the door", "bakery")
    row = ImportedRow("1", "ab", memory, True, 0, SETTLED, True, False)
    with store.transaction():
        for origin in ("shop", "shop:notes.md", "shoppers:notes.md"):
            store.put_imported("jsonl", origin, [row])
        store.put_imported("jsonl", "bakery:notes.md", [row])
        store.move_origins("shop", "bakery")
    assert store.import_origins("jsonl") == [
        "bakery",
        "bakery:notes.md",
        "shop:notes.md",
        "shoppers:notes.md",
    ]


def test_what_was_done_to_projects_is_kept_newest_first(store):
    change = {"at": NOW, "event": "renamed", "project": "shop", "details": {"to": "bakery"}}
    with store.transaction():
        first = store.add_project_change(change)
        second = store.add_project_change({**change, "session_id": "s-1", "details": {}})
        store.note_undone(first, NOW + 1)
    changes = store.project_changes()
    assert [each.id for each in changes] == [second, first]
    assert changes[1].details == {"to": "bakery"}
    assert (changes[0].session_id, changes[0].undone_at) == ("s-1", None)
    assert changes[1].undone_at == NOW + 1


def test_living_memories_are_told_by_the_branch_they_belong_to(store):
    keep(store, "the till is by the door", "shop")
    first = keep(store, "the new till is by the window", "shop", branch="feat/till")
    second = keep(store, "the new till prints twice", "shop", branch="feat/till")
    third = keep(store, "the lamp is green", "shop", branch="feat/lamp")
    keep(store, "the oven is on a branch too", "bakery", branch="feat/till")
    assert store.memories_by_branch("shop") == {"feat/till": [first, second], "feat/lamp": [third]}
    with store.transaction():
        store.change(
            second, {"deleted_at": NOW}, Event(0, second, NOW, "forgotten", "", {}, {}, None, None)
        )
        store.change(third, {"branch": ""}, Event(0, third, NOW, "updated", "", {}, {}, None, None))
    assert store.memories_by_branch("shop") == {"feat/till": [first]}
