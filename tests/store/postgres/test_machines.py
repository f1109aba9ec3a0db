"""A path in the tables of a server means a folder of one machine; a repository is known on all."""

from __future__ import annotations

import os

import pytest

import recairn
from recairn.host import machine
from tests.sync.clones import git


@pytest.fixture
def address(postgres):
    return postgres.new_team()


@pytest.fixture
def team(address, tmp_path, monkeypatch):
    """Opens the memory of a team in the same folder, on the machine of a number."""
    folder = tmp_path / "notes"
    folder.mkdir()
    monkeypatch.chdir(folder)
    number = tmp_path / "machine-id"
    monkeypatch.setattr(machine, "_NUMBERS", (str(number),))

    def opened(name):
        number.write_text(name)
        return recairn.open(address, model="none")

    return opened


def test_plain_folders_of_one_path_on_two_machines_are_two_projects(team):
    with team("ann") as memory:
        memory.remember("Ann keeps her notes here")
        ours = memory.project
    with team("bob") as memory:
        assert memory.listing() == []
        memory.remember("Bob has another folder of that path")
        assert memory.project != ours
    with team("ann") as memory:
        assert [each.content for each in memory.listing()] == ["Ann keeps her notes here"]
        (mark,) = memory.store.marks_of(memory.store.project_named(ours).id)
        assert mark.value == os.getcwd()


def test_a_session_or_task_of_a_folder_is_that_of_its_machine(team):
    with team("ann") as memory:
        memory.start_session("ann-1")
        task = memory.add_task("Sort the notes", project="shared")
    with team("ann") as memory:
        assert memory.join_session() == "ann-1"
        memory.session = None
        memory.start_task(task.id)
    with team("bob") as memory:
        assert memory.join_session() is None
        assert memory.current_task() is None
    with team("ann") as memory:
        assert memory.current_task().id == task.id


def test_a_checkout_is_the_same_project_on_every_machine(team):
    folder = os.getcwd()
    git(folder, "init", "-q")
    git(folder, "commit", "-qm", "begin", "--allow-empty")
    with team("ann") as memory:
        memory.remember("The build needs make")
    with team("bob") as memory:
        assert [each.content for each in memory.listing()] == ["The build needs make"]


def test_a_folder_that_is_moved_to_a_server_is_known_there_on_this_machine_alone(
    team, address, tmp_path
):
    team("ann").close()
    with recairn.open(tmp_path / "memory.db", model="none") as memory:
        memory.remember("Notes from before the move")
        memory.move_to(address)
    with team("ann") as there:
        assert [each.content for each in there.listing()] == ["Notes from before the move"]
    with team("bob") as there:
        assert there.listing() == []
