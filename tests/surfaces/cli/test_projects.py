"""`recairn project …`, where `add` says that something went, and databases from before projects."""

from __future__ import annotations

import shutil

import pytest

import recairn as library
from tests.checkouts import Checkout, needs_git
from tests.corpus import kept_at
from tests.repository import DATA

pytestmark = needs_git


@pytest.fixture
def yard(tmp_path, clock, recairn, monkeypatch):
    """Two checkouts called api, and a way to run commands in a folder."""
    for folder in ("work", "private"):
        (tmp_path / folder).mkdir()
        root = Checkout(tmp_path / folder / "api", clock)
        root.write("readme", folder)
        root.commit(folder)

    def in_folder(folder):
        monkeypatch.chdir(tmp_path / folder)
        return recairn

    return in_folder


def test_add_says_where_it_went(yard):
    assert yard("work/api")("add", "one").out == "Added learning #1 to project api\n"
    assert yard("private/api")("add", "two").out == "Added learning #2 to project private/api\n"
    said = yard("work/api")("add", "three", "--tier", "global")
    assert said.out == "Added learning #3 for all projects\n"
    said = yard("work/api")("add", "four", "--tier", "session", "--session", "s-1")
    assert said.out == "Added learning #4 for its session\n"
    document = yard("work/api")("add", "five", "--json").json
    assert (document["project"], document["tier"]) == ("api", "project")


def test_a_plain_folder_keeps_its_rules_to_itself(yard, tmp_path):
    (tmp_path / "notes").mkdir()
    said = yard("notes")("add", "-k", "rule", "Never say never")
    assert said.out == "Added rule #1 to project notes\n"
    assert "Never say never" not in yard("work/api")("context", "say never").out
    assert "Never say never" in yard("notes")("context", "say never").out


def test_projects_are_listed_with_where_they_lie(yard, tmp_path):
    assert yard("work/api")("projects").out.startswith("no memories yet\n")
    yard("work/api")("add", "one")
    yard("private/api")("add", "two")
    assert yard("work/api")("project").out.splitlines() == [
        "project      memories        where",
        f"api                 1  here  {tmp_path}/work/api",
        f"private/api         1        {tmp_path}/private/api",
    ]
    document = yard("work/api")("project", "list", "--json").json
    assert document["current"] == "api"
    assert [each["name"] for each in document["projects"]] == ["api", "private/api"]
    assert document == yard("work/api")("projects", "--json").json


def test_a_project_shows_by_what_it_is_known(yard, tmp_path):
    yard("work/api")("add", "one")
    yard("work/api")("project", "rename", "backend")
    lines = yard("work/api")("project", "show").out.splitlines()
    assert lines[:4] == [
        "backend",
        "  Also called: api",
        "  Keeps: 1 memory",
        f"  Checkouts: {tmp_path}/work/api",
    ]
    assert lines[4].startswith("  First commit: ")
    assert lines[5:] == ["  Changes:", "    1: api renamed to backend, just now"]
    shutil.move(tmp_path / "work", tmp_path / "moved")
    assert (
        f"{tmp_path}/work/api (gone), {tmp_path}/moved/api"
        in yard("moved/api")("project", "show", "api").out
    )
    assert yard("moved/api")("project", "show", "nobody").status == 1


def test_a_rename_is_said_and_undone(yard):
    yard("work/api")("add", "one")
    said = yard("work/api")("project", "rename", "backend")
    assert said.out == (
        "Project api renamed to backend, with 1 memory (recairn undo --change 1 takes it back)\n"
    )
    assert yard("work/api")("--project", "api", "list", "--json").json["meta"]["total"] == 1
    said = yard("work/api")("undo", "--change", "1")
    assert said.out == "Took back: project api renamed to backend\n"
    document = yard("work/api")("undo", "--change", "1")
    assert document.status == 1
    assert yard("private/api")("project", "rename", "api", "x").status == 0


def test_two_projects_become_one_and_two_again(yard):
    yard("work/api")("add", "one")
    yard("private/api")("add", "two")
    document = yard("work/api")("project", "merge", "private/api", "--json").json
    assert document == {
        "change": 1,
        "event": "merged",
        "project": "private/api",
        "to": "api",
        "memories": 1,
        "tasks": 0,
    }
    assert yard("private/api")("list", "--json").json["meta"]["total"] == 2
    assert yard("work/api")("undo", "--change", "1", "--json").json == {
        "undone": [{"event": 1, "memory": None, "what": "project private/api merged into api"}],
        "dry_run": False,
    }
    assert yard("private/api")("list", "--json").json["meta"]["total"] == 1


def test_a_part_of_a_repository(yard, tmp_path):
    (tmp_path / "work" / "api" / "web").mkdir()
    said = yard("work/api")("project", "add", "web", "--folder", "web")
    assert said.out.startswith("Project web made a part of api (recairn undo --change 1")
    assert yard("work/api/web")("add", "one").out == "Added learning #1 to project web\n"
    assert "  Part of: api, from web on\n" in yard("work/api/web")("project", "show").out
    assert yard("work/api")("project", "add", "web").status == 2
    assert yard("work/api")("project", "rename", "a", "b", "c").status == 2


def test_a_clone_says_once_whose_memory_it_shares(yard, tmp_path, clock):
    yard("work/api")("add", "one")
    shutil.copytree(tmp_path / "work" / "api", tmp_path / "copy", symlinks=True)
    assert "note: this checkout shares the memory of project api" in yard("copy")("recent").err
    assert yard("copy")("recent").err == ""
    said = yard("copy")("project", "split")
    assert said.out == "Project copy split from api (recairn undo --change 1 takes it back)\n"


# Databases from before


@pytest.mark.files("a file of an older version")
def test_what_bears_the_name_of_a_checkout_becomes_its_own(yard, own_home):
    """A database made by a version that named projects after folders."""
    shutil.copy(DATA / "schema-1.db", own_home / "memories.db")
    (own_home / "memories.db").chmod(0o600)
    shutil.move("work/api", "work/frozen")
    shutil.move("private/api", "private/frozen")
    found = yard("work/frozen")("search", "penguin")
    assert "#1" in found.out
    assert (
        "note: 7 memories stored under the name frozen are now those of this checkout" in found.err
    )
    assert yard("work/frozen")("search", "penguin").err == ""
    assert "nothing relevant" in yard("private/frozen")("search", "penguin").out
    assert yard("private/frozen")("list", "--json").json["meta"]["project"] == "private/frozen"


def test_the_folders_of_sessions_say_whose_a_name_was(yard, tmp_path):
    """Not who comes first gets it, where sessions tell which of two checkouts was meant."""
    with library.open(project="api", model="none") as memory:
        memory.remember("from the time before", session="s-1")
        memory.store.open_session("s-1", {"directory": str(tmp_path / "private" / "api")}, 1)
    assert yard("work/api")("list", "--json").json["meta"]["total"] == 0
    assert yard("private/api")("list", "--json").json["meta"]["total"] == 1
    assert [each["name"] for each in yard("work/api")("projects", "--json").json["projects"]] == [
        "api",
        "work/api",
    ]


def test_a_reader_needs_no_right_to_write(yard, tmp_path, own_home):
    yard("work/api")("add", "the jetty is slippery")
    shutil.move(tmp_path / "work", tmp_path / "moved")
    with library.open(read_only=True, model="none", project="api") as memory:
        assert memory.search("jetty").hits
    before = kept_at(own_home / "memories.db")
    assert b"the jetty is slippery" in before
    yard("moved/api")("version")
    with library.open(read_only=True, model="none") as memory:
        assert memory.project == "api"
        assert memory.search("jetty").hits
    assert kept_at(own_home / "memories.db") == before
