"""A folder in step with the database, shared through a real git repository."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import recairn
from recairn.core.errors import NotFound, Refused
from recairn.store.sqlite.backup import create, restore
from tests.sync.clones import MINUTE, Clone, exchange, git, number_of


def test_concurrent_edits_of_two_clones_end_equal_and_lose_nothing(two, clock):
    north, south = two
    for text in ("Trim the wick", "Ring the bell in fog", "Oil comes on Mondays", "Paint in May"):
        north.memory.remember(text, kind="decision" if "Oil" in text else "learning")
    exchange(north, south)

    def edit(clone: Clone, old: str, **changes) -> None:
        clock.advance(MINUTE)
        clone.memory.edit(number_of(clone, old), **changes)

    edit(north, "Trim the wick", content="Trim the wick before dusk")
    edit(south, "Trim the wick", category="lamp")
    edit(north, "Ring the bell in fog", content="Ring the bell twice in fog")
    edit(south, "Ring the bell in fog", content="Ring the bell in fog and snow")
    clock.advance(MINUTE)
    north.memory.forget(number_of(north, "Oil comes on Mondays"))
    south.memory.forget(number_of(south, "Paint in May"))
    edit(north, "Paint in May", content="Paint in May, before the storms")
    north.memory.remember("The north stair is loose")
    south.memory.remember("The south door sticks")
    clock.advance(MINUTE)
    exchange(north, south)

    assert north.said() == south.said()
    assert north.said() == {
        ("learning", "Trim the wick before dusk", False),
        ("learning", "Ring the bell in fog and snow", False),
        ("learning", "Ring the bell twice in fog", False),
        ("decision", "Oil comes on Mondays", True),
        ("learning", "Paint in May, before the storms", False),
        ("learning", "The north stair is loose", False),
        ("learning", "The south door sticks", False),
    }
    for name, text in north.files().items():
        assert text.splitlines() == south.files()[name].splitlines()
    lamp = north.memory.get(number_of(north, "Trim the wick before dusk"))
    assert lamp is not None
    assert lamp.category == "lamp"
    (state,) = south.memory.mirrors()
    assert state.clashes == (
        (
            number_of(south, "Ring the bell twice in fog"),
            number_of(south, "Ring the bell in fog and snow"),
        ),
    )
    for clone in two:
        assert clone.memory.verify().problems == ()


def test_what_one_side_restores_comes_back_on_the_other(two, clock):
    north, south = two
    north.memory.remember("Trim the wick")
    exchange(north, south)
    clock.advance(MINUTE)
    north.memory.forget(1)
    exchange(north, south)
    assert south.said() == {("learning", "Trim the wick", True)}
    clock.advance(MINUTE)
    north.memory.restore(1)
    exchange(north, south)
    assert south.said() == north.said() == {("learning", "Trim the wick", False)}


def test_a_clone_that_joins_late_keeps_what_others_went_through(two, clock, tmp_path):
    """The latecomer passes a changed memory on; whoever is behind must see that he is."""
    north, south = two
    north.memory.remember("Trim the wick")
    exchange(north, south)
    clock.advance(MINUTE)
    north.memory.edit(1, content="Trim the wick before dusk")
    north.share()
    git(tmp_path, "clone", "-q", "origin.git", "late")
    late = Clone(tmp_path / "late", clock)
    late.memory.start_mirror(late.mirror)
    late.share()
    assert late.files() == north.files()
    late.memory.close()
    south.share()
    assert south.said() == {("learning", "Trim the wick before dusk", False)}
    assert [each.event for each in south.memory.history(1)] == ["created", "synced"]


def test_a_slow_clock_forgets_restores_and_takes_back(two, clock):
    north, south = two
    south.slow_ms = 60 * MINUTE
    for text in ("Trim the wick", "Ring the bell", "Paint in May", "Oil comes on Mondays"):
        north.memory.remember(text)
    exchange(north, south)
    clock.advance(MINUTE)
    south.memory.forget(number_of(south, "Trim the wick"))
    south.memory.forget(number_of(south, "Ring the bell"), hard=True)
    north.memory.edit(number_of(north, "Paint in May"), category="spring")
    north.memory.forget(number_of(north, "Oil comes on Mondays"))
    exchange(north, south)
    south.memory.undo(number_of(south, "Paint in May"))
    south.memory.restore(number_of(south, "Oil comes on Mondays"))
    exchange(north, south)
    assert north.files() == south.files()
    assert north.said() == {
        ("learning", "Trim the wick", True),
        ("learning", "Paint in May", False),
        ("learning", "Oil comes on Mondays", False),
    }
    assert not any(each.category for each in north.memory.every_memory())


def test_forgetting_beside_another_change_is_decided_alike_in_both_clones(two, clock):
    north, south = two
    for text in ("Trim the wick", "Ring the bell", "Paint in May"):
        north.memory.remember(text)
        north.memory.pin(number_of(north, text))
    exchange(north, south)
    clock.advance(MINUTE)
    for text in ("Trim the wick", "Ring the bell", "Paint in May"):
        north.memory.forget(number_of(north, text))
    clock.advance(MINUTE)
    south.memory.undo(number_of(south, "Trim the wick"))
    south.memory.forget(number_of(south, "Ring the bell"))
    south.memory.edit(number_of(south, "Paint in May"), content="Paint in June")
    exchange(north, south)
    assert north.files() == south.files()
    assert {each[1:] for each in north.said()} == {
        ("Trim the wick", True),
        ("Ring the bell", True),
        ("Paint in June", False),
    }


def test_what_was_destroyed_is_destroyed_also_where_somebody_went_on_with_it(two, clock):
    north, south = two
    north.memory.remember("Trim the wick")
    north.memory.remember("Ring the bell")
    north.memory.link(1, 2, "affects")
    exchange(north, south)
    clock.advance(MINUTE)
    north.memory.forget(1, hard=True)
    clock.advance(MINUTE)
    south.memory.edit(number_of(south, "Trim the wick"), content="Trim the wick before dusk")
    exchange(north, south)
    assert north.files() == south.files()
    for clone in two:
        assert "wick" not in "".join(clone.files().values())
        assert clone.said() == {("learning", "Ring the bell", False)}
        assert "wick" not in str(list(clone.memory.export_records()))
        assert clone.links() == set()


def test_what_was_destroyed_does_not_come_back_with_who_was_away(two, clock, tmp_path):
    north, south = two
    north.memory.remember("Trim the wick")
    exchange(north, south)
    git(tmp_path, "clone", "-q", "origin.git", "late")
    late = Clone(tmp_path / "late", clock)
    late.memory.start_mirror(late.mirror)
    clock.advance(MINUTE)
    south.memory.edit(1, content="Trim the wick before dusk")
    clock.advance(MINUTE)
    north.memory.forget(1, hard=True)
    for clone in (north, late, south, north, late):
        clone.share()
    assert north.files() == south.files() == late.files()
    assert south.said() == late.said() == set()
    late.memory.close()


def test_what_another_project_destroyed_leaves_no_trace(tower):
    tower.memory.remember("Of another tower", project="lighthouse")
    tower.memory.remember("Everybody sees this", tier="global")
    tower.memory.remember("Trim the wick")
    for reference in ("lighthouse/1", 2):
        tower.memory.forget(reference, hard=True)
    tower.memory.pull_mirror()
    assert "forgotten.jsonl" not in tower.files()


def test_a_line_that_is_ahead_is_not_joined_by_an_older_one(two, clock):
    north, south = two
    north.memory.remember("Trim the wick")
    exchange(north, south)
    clock.advance(MINUTE)
    north.memory.edit(1, content="Trim the wick before dusk")
    north.share()
    git(south.folder, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    south.memory.feedback(1, 1.0)
    assert south.files() == north.files()


def test_a_database_that_came_back_from_a_backup_catches_up(tower, clock, tmp_path):
    tower.memory.remember("Trim the wick")
    tower.memory.settle()
    kept = create(f"{tower.folder}.db", str(tmp_path / "kept"))
    clock.advance(MINUTE)
    tower.memory.edit(1, content="Trim the wick before dusk")
    tower.memory.remember("Ring the bell")
    tower.memory.settle()
    tower.memory.close()
    restore(kept.path, f"{tower.folder}.db")
    back = Clone(tower.folder, clock)
    clock.advance(MINUTE)
    for text in ("Paint in May", "Oil comes on Mondays", "The kettle is cracked"):
        back.memory.remember(text)
    assert "Paint in May" in back.files()["learning.jsonl"]
    back.memory.pull_mirror()
    assert {each.content for each in back.memory.listing()} == {
        "Trim the wick before dusk",
        "Ring the bell",
        "Paint in May",
        "Oil comes on Mondays",
        "The kettle is cracked",
    }
    assert back.files()["learning.jsonl"].count("\n") == 5
    back.memory.close()


def test_links_and_successors_arrive(two, clock):
    north, south = two
    north.memory.remember("Burn whale oil", kind="decision")
    north.memory.remember("Burn rape oil", kind="decision", supersede=1)
    north.memory.remember("Rape oil smokes less")
    north.memory.link(3, 2, "confirms")
    exchange(north, south)
    old, new, why = (
        number_of(south, text)
        for text in ("Burn whale oil", "Burn rape oil", "Rape oil smokes less")
    )
    replaced = south.memory.get(old)
    assert replaced is not None
    assert replaced.superseded_by == new
    assert [edge.relation for edge in south.memory.store.edges_between(why, new)] == ["confirms"]
    clock.advance(MINUTE)
    south.memory.unlink(why, new)
    exchange(north, south)
    assert north.memory.store.edges_between(3, 2) == []


def test_a_version_that_nobody_took_in_yet_is_not_written_over(tower, clock):
    tower.memory.remember("Trim the wick")
    tower.memory.settle()
    path = tower.mirror / "learning.jsonl"
    mine = path.read_text()
    theirs = mine.replace("Trim the wick", "Trim the wick daily")
    path.write_text(mine + theirs)
    clock.advance(MINUTE)
    tower.memory.edit(1, category="lamp")
    tower.memory.settle()
    assert theirs in path.read_text()
    tower.memory.pull_mirror()
    (line,) = path.read_text().splitlines()
    found = json.loads(line)
    assert (found["content"], found["category"]) == ("Trim the wick daily", "lamp")


def test_a_line_edited_or_added_by_hand_is_taken_in(tower):
    tower.memory.remember("Trim the wick")
    tower.memory.settle()
    path = tower.mirror / "learning.jsonl"
    path.write_text(
        path.read_text().replace("Trim the wick", "Trim both wicks")
        + '{"content": "The kettle is cracked", "category": "kitchen"}\n'
    )
    done = tower.memory.pull_mirror()
    assert (len(done.taken.updated), len(done.taken.added), done.taken.clashes) == (1, 1, ())
    assert {(each.content, each.category) for each in tower.memory.listing()} == {
        ("Trim both wicks", ""),
        ("The kettle is cracked", "kitchen"),
    }
    assert [event.event for event in tower.memory.history(1)] == ["created", "synced"]
    assert tower.memory.pull_mirror().taken.unchanged == 2
    tower.memory.undo(1)
    assert "Trim the wick" in tower.files()["learning.jsonl"]


def test_a_missing_line_or_folder_forgets_nothing(tower):
    tower.memory.remember("Trim the wick")
    tower.memory.settle()
    (tower.mirror / "learning.jsonl").unlink()
    tower.memory.pull_mirror()
    assert [each.content for each in tower.memory.listing()] == ["Trim the wick"]
    assert "Trim the wick" in tower.files()["learning.jsonl"]
    tower.mirror.rename(tower.folder / "elsewhere")
    tower.memory.remember("Ring the bell")
    tower.memory.settle()
    assert "is not there" in tower.memory.mirror_notice
    assert not tower.mirror.exists()
    with pytest.raises(NotFound):
        tower.memory.pull_mirror()
    (tower.folder / "elsewhere").rename(tower.mirror)
    tower.memory.remember("Paint in May")
    assert "Ring the bell" in tower.files()["learning.jsonl"]


def test_unreadable_lines_and_marks_of_git_lose_nothing(tower):
    tower.memory.remember("Trim the wick")
    tower.memory.settle()
    path = tower.mirror / "learning.jsonl"
    path.write_bytes(
        b"<<<<<<< HEAD\n" + path.read_bytes() + b"=======\n"
        b'{"content": "Ring the bell", "uid"\n' + b'{"uid": "x", "content": "\xff"}\n'
        b">>>>>>> theirs\n"
    )
    done = tower.memory.pull_mirror()
    # The lines as they stand now: the pull has put the file in order.
    assert done.problems == ("learning.jsonl:3: not JSON", "learning.jsonl:2: not UTF-8")
    assert path.read_bytes().splitlines()[2].startswith(b'{"content"')
    tower.memory.remember("Paint in May")
    tower.memory.settle()
    raw = path.read_bytes()
    assert b"<<<" not in raw
    assert raw.endswith(b'{"content": "Ring the bell", "uid"\n')
    assert b'{"uid": "x", "content": "\xff"}\n' in raw


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: b"<<<<<<< HEAD\n" + raw + b"=======\n" + raw + b">>>>>>> theirs\n",
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: b"\n\n" + raw.rstrip(b"\n"),
    ],
    ids=["marks of git", "windows line ends", "byte order mark", "empty lines and no end"],
)
def test_a_pull_leaves_the_file_as_recairn_writes_it(tower, spoil):
    tower.memory.remember("Trim the wick")
    tower.memory.settle()
    path = tower.mirror / "learning.jsonl"
    good = path.read_bytes()
    path.write_bytes(spoil(good))
    done = tower.memory.pull_mirror()
    assert (done.problems, done.taken.updated, done.taken.joined) == ((), (), ())
    assert path.read_bytes() == good


def test_a_line_that_was_cut_off_gives_way_to_the_whole_one(tower):
    tower.memory.remember("Trim the wick")
    tower.memory.settle()
    path = tower.mirror / "learning.jsonl"
    good = path.read_bytes()
    path.write_bytes(good[:60])
    assert tower.memory.pull_mirror().problems == ("learning.jsonl:1: not JSON",)
    assert path.read_bytes() == good
    assert tower.memory.pull_mirror().problems == ()


def test_a_renamed_checkout_is_told_where_its_memories_are(tower, clock):
    tower.memory.remember("Trim the wick")
    tower.memory.settle()
    before = tower.files()
    with recairn.open(
        f"{tower.folder}.db", project="lighthouse", model="none", clock=clock
    ) as memory:
        for done in (memory.start_mirror(tower.mirror), memory.pull_mirror()):
            assert (done.taken.unchanged, done.taken.joined) == (1, ())
            (problem,) = done.problems
            assert problem.startswith("1 of the memories in ")
            assert "belong to the project tower here, and stay there" in problem
        assert [each.event for each in memory.history(1)] == ["created"]
    assert tower.files() == before


def test_a_successor_that_was_forgotten_before_it_arrived_is_no_trouble(two, clock):
    north, south = two
    north.memory.remember("Burn whale oil", kind="decision")
    clock.advance(MINUTE)
    north.memory.remember("Burn rape oil", kind="decision", supersede=1)
    north.memory.forget(2)
    exchange(north, south)
    assert north.files() == south.files()
    assert [each.content for each in south.memory.listing()] == []
    assert "**superseded**" in (south.mirror / "decisions.md").read_text()
    clock.advance(MINUTE)
    north.memory.restore(2)
    exchange(north, south)
    assert north.files() == south.files()
    old = south.memory.get(number_of(south, "Burn whale oil"))
    assert old is not None
    assert old.superseded_by == number_of(south, "Burn rape oil")


def test_a_known_successor_gives_way_to_one_that_never_arrives(two, clock):
    north, south = two
    north.memory.remember("Burn whale oil", kind="decision")
    north.memory.remember("Burn rape oil", kind="decision", supersede=1)
    exchange(north, south)
    clock.advance(MINUTE)
    north.memory.remember("Burn paraffin", kind="decision", force=True)
    north.memory.supersede(1, 3)
    north.memory.forget(3)
    exchange(north, south)
    assert north.files() == south.files()
    assert south.memory.pull_mirror().files == 0
    clock.advance(MINUTE)
    south.memory.undo(number_of(south, "Burn whale oil"))
    exchange(north, south)
    assert north.files() == south.files()
    old = north.memory.get(1)
    assert old is not None
    assert old.superseded_by == 2


def test_rebuilding_takes_the_files_for_the_truth_and_keeps_the_access_log(tower, clock):
    tower.memory.remember("Trim the wick")
    clock.advance(MINUTE)
    tower.memory.remember("Ring the bell")
    tower.memory.search("bell wick")
    tower.memory.settle()
    path = tower.mirror / "learning.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    done = tower.memory.rebuild_from_mirror()
    assert done.forgotten == (1,)
    assert [(each.content, each.usage_count) for each in tower.memory.listing()] == [
        ("Ring the bell", 1)
    ]
    accesses = [r for r in tower.memory.export_records() if r["type"] == "access"]
    assert len(accesses) == 2
    assert tower.memory.verify().problems == ()


def test_rebuilding_ends_the_links_that_no_line_holds(tower, clock):
    for text in ("Trim the wick", "Ring the bell", "Burn whale oil", "Burn rape oil"):
        tower.memory.remember(text)
    tower.memory.link(1, 2, "affects")
    tower.memory.link(2, 1, "confirms")
    tower.memory.supersede(3, 4)
    tower.memory.settle()
    path = tower.mirror / "links.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "confirms" in line))
    clock.advance(MINUTE)
    done = tower.memory.rebuild_from_mirror()
    assert (done.forgotten, done.unlinked) == ((), 1)
    assert {edge.relation for edge in tower.memory.graph()[1]} == {"confirms", "supersedes"}
    tower.memory.undo(1)
    assert "affects" in {edge.relation for edge in tower.memory.graph()[1]}


def test_rebuilding_keeps_the_text_that_gave_way_to_a_newer_one(two, clock):
    north, south = two
    north.memory.remember("Ring the bell in fog")
    exchange(north, south)
    for clone, text in ((north, "Ring it twice in fog"), (south, "Ring it in fog and snow")):
        clock.advance(MINUTE)
        clone.memory.edit(1, content=text)
        clone.memory.settle()
    (south.mirror / "learning.jsonl").write_text(north.files()["learning.jsonl"])
    done = south.memory.rebuild_from_mirror()
    assert done.forgotten == ()
    assert {each.content for each in south.memory.listing()} == {
        "Ring it twice in fog",
        "Ring it in fog and snow",
    }


def test_a_lost_database_comes_back_from_its_mirror(tower, clock):
    tower.memory.remember("Trim the wick", kind="rule")
    tower.memory.remember("Burn rape oil", kind="decision", fields={"rationale": "it is cheap"})
    tower.memory.settle()
    with recairn.open(
        tower.folder / "new.db", project="tower", model="none", clock=clock
    ) as memory:
        memory.start_mirror(tower.mirror)
        assert {(each.kind, each.content) for each in memory.listing()} == {
            ("rule", "Trim the wick"),
            ("decision", "Burn rape oil"),
        }


def test_only_the_projects_own_verified_memories_are_mirrored(tower):
    tower.memory.remember("Everybody sees this", tier="global")
    tower.memory.remember("Not confirmed yet", trust="unverified")
    tower.memory.remember("Of another tower", project="lighthouse")
    tower.memory.remember("Trim the wick")
    assert tower.files().keys() == {"learning.jsonl"}
    assert tower.files()["learning.jsonl"].count("\n") == 1


def test_forgotten_text_leaves_the_folder(tower):
    tower.memory.remember("Burn whale oil", kind="decision")
    tower.memory.settle()
    assert "## Burn whale oil" in (tower.mirror / "decisions.md").read_text()
    tower.memory.forget(1)
    tower.memory.settle()
    everything = "".join(path.read_text() for path in tower.mirror.rglob("*") if path.is_file())
    assert "whale" not in everything
    tower.memory.restore(1)
    assert "whale" in tower.files()["decision.jsonl"]
    assert tower.files()["forgotten.jsonl"] == ""


def test_a_mirror_is_never_a_link_nor_inside_git(tmp_path, tower):
    (tmp_path / "way").symlink_to(tower.folder)
    with pytest.raises(Refused, match="symbolic link"):
        tower.memory.start_mirror(tmp_path / "way")
    with pytest.raises(Refused, match=r"inside \.git"):
        tower.memory.start_mirror(tmp_path / ".git" / "memory")


def test_writers_beside_one_another_lose_no_line(tower, clock, tmp_path):
    """Four processes remember at once; the folder holds everything in the end."""
    script = (
        "import recairn, sys\n"
        "for number in range(6):\n"
        "    with recairn.open(sys.argv[1], project='tower', model='none') as memory:\n"
        "        memory.remember(f'{sys.argv[2]} stair number {number}', force=True)\n"
    )
    tower.memory.settle()
    writers = [
        subprocess.Popen([sys.executable, "-c", script, f"{tower.folder}.db", name])
        for name in ("north", "south", "east", "west")
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0, 0]
    lines = (tower.mirror / "learning.jsonl").read_text().splitlines()
    assert len({json.loads(line)["content"] for line in lines}) == 24
