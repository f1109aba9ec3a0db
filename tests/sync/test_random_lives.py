"""Three clones live at random, with clocks that disagree, and end equal all the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import recairn
from tests.sync.clones import MINUTE, Clone, git

WORDS = "lamp lens keeper tide rope signal harbour winter lantern oil brass wick fog bell".split()
STEPS = (
    "remember remember remember edit edit sort pin forget restore destroy link link unlink undo"
    " undo supersede correct share share share share"
).split()
RELATIONS = ("affects", "relates_to", "supersedes")


class Lives:
    """Clones of one repository to which things happen."""

    def __init__(self, folder: Path, clock, seed: int) -> None:
        self.dice = random.Random(seed)
        self.clock = clock
        self.clones: list[Clone] = []
        self.destroyed: set[str] = set()
        git(folder, "init", "-q", "--bare", "-b", "main", "origin.git")
        for name in ("north", "south", "east"):
            git(folder, "clone", "-q", "origin.git", name)
            clone = Clone(folder / name, clock)
            clone.as_mine = True  # three machines of one person
            clone.slow_ms = self.dice.choice((0, 0, 30 * MINUTE, -10 * MINUTE))
            if self.clones:
                git(clone.folder, "pull", "-q", "origin", "main")
            else:
                git(clone.folder, "commit", "-qm", "begin", "--allow-empty")
                git(clone.folder, "push", "-q", "origin", "HEAD:main")
            clone.memory.start_mirror(clone.mirror)
            self.clones.append(clone)

    def say(self) -> str:
        return " ".join(self.dice.choices(WORDS, k=self.dice.randint(2, 6)))

    def step(self) -> None:
        self.clock.advance(self.dice.choice((0, 1, MINUTE)))
        clone, name = self.dice.choice(self.clones), self.dice.choice(STEPS)
        known = [each.id for each in clone.memory.every_memory()]
        if name == "share":
            clone.share()
        elif name == "remember" or not known:
            kind = self.dice.choice(("learning", "decision", "rule"))
            clone.memory.remember(self.say(), kind=kind, force=True)
        else:
            try:
                self.change(clone, name, self.dice.choice(known), self.dice.choice(known))
            except recairn.RecairnError:
                return  # a refusal is part of life

    def change(self, clone: Clone, name: str, one: int, other: int) -> None:
        memory = clone.memory
        if name == "destroy":
            self.destroyed.add(next(each.uid for each in memory.every_memory() if each.id == one))
            memory.forget(one, hard=True)
        elif name == "link":
            weight = self.dice.choice((1.0, 0.5))
            memory.link(one, other, self.dice.choice(RELATIONS), weight=weight)
        elif name in ("unlink", "supersede"):
            getattr(memory, name)(one, other)
        elif name == "correct":
            memory.correct(one, self.say())
        elif name == "edit":
            memory.edit(one, content=self.say())
        elif name == "sort":
            memory.edit(one, category=self.dice.choice(("", "upkeep", "watch")))
        else:
            getattr(memory, name)(one)

    def settle(self) -> None:
        """Everybody exchanges what there is until nobody has news."""
        self.clock.advance(100 * MINUTE)
        for clone in self.clones * 3:
            clone.share()


def living(clone: Clone, destroyed: set[str]) -> set[tuple[str, str, str, str]]:
    return {
        (each.uid, each.content, each.category, each.kind)
        for each in clone.memory.every_memory()
        if each.deleted_at is None and each.uid not in destroyed
    }


def end_equal(folder: Path, clock, seed: int) -> None:
    lives = Lives(folder, clock, seed)
    for _ in range(35):
        lives.step()
    lives.settle()
    first = lives.clones[0]
    for clone in lives.clones:
        assert clone.files() == first.files()
        assert living(clone, lives.destroyed) == living(first, lives.destroyed)
        again = clone.memory.pull_mirror()
        assert (again.files, again.taken.updated, again.taken.joined) == (0, (), ())
        assert clone.memory.verify().problems == ()
    exported = list(first.memory.export_records())
    with recairn.open(folder / "copy.db", project="north", model="none", clock=clock) as copy:
        taken = copy.take_records((("copy", each) for each in exported), as_mine=True)
        assert taken.problems == ()
        assert list(copy.export_records()) == exported
    for clone in lives.clones:
        clone.memory.close()


@pytest.mark.parametrize("seed", [49])
def test_three_clones_end_equal(folder, clock, seed):
    end_equal(folder, clock, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1060))
def test_three_clones_end_equal_in_many_lives(folder, clock, seed):
    end_equal(folder, clock, seed)
