"""Renaming, joining, parting projects and naming parts of them; and taking it all back."""

from __future__ import annotations

import pytest

import recairn
from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.times import DAY
from tests.checkouts import Checkout, needs_git

pytestmark = needs_git


@pytest.fixture
def work_in(tmp_path, clock, monkeypatch):
    """The memory of whoever works in a folder."""

    def work_in(folder, **options):
        monkeypatch.chdir(tmp_path / folder)
        return recairn.open(clock=clock, model="static", **options)

    return work_in


@pytest.fixture
def shop(tmp_path, clock, work_in):
    """A checkout whose project holds a bit of everything."""
    root = Checkout(tmp_path / "shop", clock)
    root.write("readme.md", "# The till", "It stands by the door.")
    root.commit("first")
    with work_in("shop") as memory:
        memory.start_session("s-1")
        memory.remember("The till is by the door", kind="rule")
        memory.remember("Bread is baked at four", external_id="bread")
        memory.add_task("Sweep the floor", id="t-1")
        memory.add_documents(["readme.md"])
        memory.set_config("shop/hooks.inject", "off")
        memory.set_config("hooks.inject", "on")
        memory.forget("bread")
    return root


def contents(memory):
    """What a project holds, by name of what is kept."""
    project = memory.project
    return {
        "rules": [each.content for each in memory.listing(kind="rule")],
        "forgotten": [each.content for each in memory.hidden("deleted")[0]],
        "found": [hit.memory.content for hit in memory.search("till door", limit=1).hits],
        "meant": bool(memory.semantic_search("where is the cash register", limit=1).hits),
        "tasks": [each.title for each in memory.tasks()],
        "sessions": [each.id for each in memory.sessions()],
        "documents": [each.path for each, _ in memory.documents()],
        "setting": memory.config().get(f"{project}/hooks.inject"),
    }


ALL = {
    "rules": ["The till is by the door"],
    "forgotten": ["Bread is baked at four"],
    "found": ["The till is by the door"],
    "meant": True,
    "tasks": ["Sweep the floor"],
    "sessions": ["s-1"],
    "documents": ["readme.md"],
    "setting": "off",
}


def test_a_renamed_project_keeps_everything(shop, work_in):
    with work_in("shop") as memory:
        assert contents(memory) == ALL
        move = memory.rename_project("bakery")
        assert (move.project, move.to, move.memories, move.tasks) == ("shop", "bakery", 3, 1)
        assert memory.project == "bakery"
        assert contents(memory) == ALL
        assert memory.verify().problems == ()
    with work_in("shop") as memory:
        assert memory.project == "bakery"
        assert contents(memory) == ALL
        assert memory.history(1)[-1].event == "moved"


def test_the_old_name_goes_on_working(shop, work_in, monkeypatch):
    with work_in("shop") as memory:
        memory.rename_project("bakery")
        assert memory.search("till", project="shop").hits
        assert memory.remember("Flour is on the left", project="shop").project == "bakery"
        assert memory.edit(1, project="shop").project == "bakery"
        assert memory.add_task("Wipe the till", project="shop").project == "bakery"
    with work_in(".", project="shop") as memory:
        assert memory.project == "bakery"
    monkeypatch.setenv("RECAIRN_PROJECT", "shop")
    with work_in(".") as memory:
        assert memory.project == "bakery"


def test_a_rename_is_taken_back_with_what_came_since(shop, work_in):
    with work_in("shop") as memory:
        move = memory.rename_project("bakery")
        memory.remember("Flour is on the left")
        (undone,) = memory.undo(change=move.change)
        assert (undone.memory, undone.what) == (None, "project shop renamed to bakery")
        assert memory.project == "shop"
        assert contents(memory) == ALL
        assert memory.search("flour").hits
        assert memory.store.project_named("bakery") is None
        assert memory.verify().problems == ()
        with pytest.raises(Refused, match="nothing is left"):
            memory.undo(change=move.change)


def test_undo_of_a_memory_does_not_take_back_its_projects_name(shop, work_in):
    with work_in("shop") as memory:
        memory.edit(1, content="The till is by the window")
        memory.rename_project("bakery")
        memory.undo(1)
        again = memory.get(1)
        assert (again.project, again.content) == ("bakery", "The till is by the door")


def test_undo_of_a_move_finds_the_project_under_its_new_name(shop, work_in):
    with work_in("shop") as memory:
        memory.edit(1, project="elsewhere")
        memory.rename_project("bakery")
        memory.undo("elsewhere/1")
        assert memory.get(1).project == "bakery"


def test_undo_since_a_time_takes_back_what_was_done_to_projects(shop, work_in, clock):
    clock.advance(DAY)
    with work_in("shop") as memory:
        memory.rename_project("bakery")
        dry = memory.undo(since="1h", dry_run=True)
        assert [each.what for each in dry] == ["project shop renamed to bakery"]
        assert memory.undo(since="1h") == dry
        assert memory.project == "shop"
        assert contents(memory) == ALL
        assert memory.undo(since="1h") == []


def test_handoffs_that_were_read_are_not_new_under_another_name(shop, work_in):
    with work_in("shop") as memory:
        memory.handoff("The oven is on", git=False)
        assert len(memory.resume(new=True, reader="ada").handoffs) == 1
        move = memory.rename_project("bakery")
        assert memory.resume(new=True, reader="ada").handoffs == ()
        memory.handoff("The oven is off", git=False)
        assert len(memory.resume(new=True, reader="ada").handoffs) == 1
        memory.undo(change=move.change)
        assert memory.resume(new=True, reader="ada").handoffs == ()


@pytest.mark.parametrize("name", ["", "other", "kept"])
def test_a_name_must_be_free(shop, work_in, name):
    with work_in("shop") as memory:
        memory.remember("somewhere else", project="kept")
        memory.rename_project("other", "kept")
        memory.remember("again", project="unclaimed")
        with pytest.raises((BadInput, Refused)):
            memory.rename_project(name)
        with pytest.raises(Refused, match="there is a project unclaimed already"):
            memory.rename_project("unclaimed")
        with pytest.raises(NotFound, match="no project nowhere"):
            memory.rename_project("x", "nowhere")


# Joining


@pytest.fixture
def stall(tmp_path, clock, work_in):
    """Another checkout, with a document of the same path."""
    root = Checkout(tmp_path / "stall", clock)
    root.write("readme.md", "# The stall", "It is on the market.")
    root.commit("of the stall")
    with work_in("stall") as memory:
        memory.remember("The stall closes at noon")
        memory.add_documents(["readme.md"])
    return root


def test_one_project_of_two(shop, stall, work_in):
    with work_in("stall") as memory:
        move = memory.merge_project("shop")
        assert (move.project, move.to, move.memories) == ("shop", "stall", 3)
        assert [each.name for each in memory.projects()] == ["stall"]
        assert contents(memory)["rules"] == ALL["rules"]
        assert contents(memory)["documents"] == ["readme.md"]
        assert memory.verify().problems == ()
    with work_in("shop") as memory:
        assert memory.project == "stall"
        assert memory.search("stall noon").hits
        assert memory.project_info("shop").name == "stall"


def test_a_merge_is_taken_back(shop, stall, work_in):
    with work_in("stall") as memory:
        move = memory.merge_project("shop")
        memory.remember("Both have an oven now")
        memory.undo(change=move.change)
        assert sorted(each.name for each in memory.projects()) == ["shop", "stall"]
        assert memory.search("oven").hits
        assert memory.verify().problems == ()
    with work_in("shop") as memory:
        assert memory.project == "shop"
        assert contents(memory) == ALL
        assert not memory.search("oven").hits


def test_a_project_is_not_merged_with_itself_or_into_its_part(shop, work_in):
    with work_in("shop") as memory:
        memory.add_project("till", "till")
        with pytest.raises(Refused, match="one project already"):
            memory.merge_project("shop")
        with pytest.raises(Refused, match="till is a part of shop"):
            memory.merge_project("shop", "till")


# Parting


def test_copies_of_a_template_can_be_parted(tmp_path, clock, work_in):
    template = Checkout(tmp_path / "template", clock)
    template.write("readme.md", "a beginning")
    template.commit("first")
    template.git("clone", "-q", ".", "../made")
    template.git("-C", "../made", "remote", "set-url", "origin", "git@git.example:me/made.git")
    with work_in("template") as memory:
        memory.remember("Every template needs a licence")
    with work_in("made") as memory:
        assert memory.project == "template"
        assert "shares the memory of project template" in memory.home_notice
        memory.start_session("s-made")
        memory.remember("What was made needs a name")
        move = memory.split_project()
        assert (move.to, move.memories) == ("made", 1)
        assert not memory.search("licence").hits
    # Not only this clone: also the next one of the same remote.
    template.git("clone", "-q", ".", "../again")
    template.git("-C", "../again", "remote", "set-url", "origin", "https://git.example/me/made")
    for folder, words, project in (
        ("made", "name", "made"),
        ("again", "name", "made"),
        ("template", "licence", "template"),
    ):
        with work_in(folder) as memory:
            assert memory.project == project
            assert memory.search(words).hits
    with work_in("made") as memory:
        memory.undo(change=move.change)
        assert memory.project == "template"
        assert memory.search("licence").hits
        assert memory.search("made needs a name").hits


def test_a_folder_below_a_plain_one_can_be_parted(tmp_path, work_in):
    (tmp_path / "notes" / "diary").mkdir(parents=True)
    with work_in("notes") as memory:
        memory.remember("The key is under the mat")
    with work_in("notes/diary") as memory:
        assert memory.search("key").hits
        assert memory.split_project().to == "diary"
    with work_in("notes/diary") as memory:
        assert memory.project == "diary"
        assert not memory.search("key").hits


# Parts of one


def test_a_part_sees_its_own_and_the_whole_but_not_the_other_way_round(shop, work_in):
    (shop.root / "packages" / "web" / "src").mkdir(parents=True)
    with work_in("shop") as memory:
        move = memory.add_project("web", "packages/web")
        assert memory.project == "shop"
    with work_in("shop/packages/web/src") as memory:
        assert (memory.project, memory.parent) == ("web", "shop")
        memory.remember("Buttons are green")
        assert memory.search("buttons").hits
        assert memory.search("till").hits
        assert memory.semantic_search("where is the cash register").hits
        assert "The till is by the door" in memory.context(prompt="buttons").text
    with work_in("shop/packages") as memory:
        assert memory.project == "shop"
        assert not memory.search("buttons").hits
    with work_in("shop") as memory:
        assert memory.project_info().parts == ("web",)
        memory.undo(change=move.change)
        assert memory.search("buttons").hits
        assert [each.name for each in memory.projects()] == ["shop"]


@pytest.mark.parametrize("folder", ["", ".", "..", "../elsewhere", "/tmp"])
def test_a_part_lies_inside(shop, work_in, folder):
    with work_in("shop") as memory, pytest.raises(BadInput, match="is not a folder inside"):
        memory.add_project("web", folder)


def test_a_part_is_a_part_in_every_clone(shop, work_in):
    with work_in("shop") as memory:
        memory.add_project("web", "packages/web")
        memory.rename_project("bakery")
    shop.git("clone", "-q", ".", "../clone")
    (shop.root.parent / "clone" / "packages" / "web").mkdir(parents=True)
    with work_in("clone/packages/web") as memory:
        assert (memory.project, memory.parent) == ("web", "bakery")
