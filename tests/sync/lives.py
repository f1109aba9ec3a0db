"""Laptops and a server that live at random, with losses, repeats, backups, copies, wrong clocks."""

from __future__ import annotations

import itertools
import json
import random
import shutil
from pathlib import Path
from typing import Any

import recairn
from recairn.core.model import TaskFilter
from recairn.core.stamps import GROUPS, LEFT, SHARED, parsed
from recairn.core.times import iso
from recairn.memory.link_state import follows_from_text
from recairn.sync.export import known_state
from recairn.sync.merge_rule import is_gone

MINUTE = 60_000
PROJECTS = ("shop", "dock")
STEPS = (
    "remember edit edit edit sort pin forget restore destroy link unlink undo undo undo supersede"
    " correct rate task move leave push push push pull pull again again cut backup go_back copy"
    " skew newer newer store_hub put_hub_back"
).split()
# What a server never says, and what each laptop has for itself.
_OWN = ("session_id", "source_ref")


class Laptop:
    """One machine of a member: a database, a clock of its own, and what it heard so far."""

    def __init__(self, lives: Lives, name: str, member: str, path: Path) -> None:
        self.lives, self.name, self.member, self.path = lives, name, member, path
        self.skew = lives.dice.choice((0, 0, 3 * MINUTE, -40 * MINUTE))
        self.stored: Path | None = None
        self.open()

    def open(self) -> None:
        self.memory: Any = recairn.open(
            self.path, project="shop", model="none", clock=lambda: self.lives.now + self.skew
        )

    def join(self) -> None:
        for project in PROJECTS:
            self.memory.share_project(project, project, "http://hub.example")

    def push(self, *, limit: int = 500, loses_answer: bool = False) -> bool:
        page = _told(self.memory.outbox_page(limit=limit))
        if not page["records"]:
            return False
        self.lives.sent.append((self.member, page["records"]))
        done = self.lives.hub.take_push(
            page["records"], member=self.member, projects=list(PROJECTS)
        )
        if not loses_answer:
            self.memory.outbox_answers(page["marks"], _told(done["answers"]))
        return True

    def pull(self, *, limit: int = 500, is_cut: bool = False) -> None:
        for project in PROJECTS:
            while True:
                page = _told(
                    self.lives.hub.pull_page(project, self.memory.pull_cursor(project), limit=limit)
                )
                self.lives.pages.append((self, project, page))
                if is_cut:
                    break
                taken = self.memory.take_page(project, page, member=self.member)
                assert taken["faults"] == [], taken["faults"]
                if not page["more"]:
                    break


class Lives:
    """A server and the laptops of its members, to which things happen."""

    def __init__(self, folder: Path, seed: int, laptops: int = 3, common: int = 0) -> None:
        self.seed, self.dice, self.folder = seed, random.Random(seed), folder
        self.now = 1_800_000_000_000
        self.names = (f"{seed}-{number}" for number in itertools.count())
        self.words = (f"text {seed} {number}" for number in itertools.count())
        self.hub_path = folder / f"{next(self.names)}.db"
        self.hub_stored: Path | None = None
        self.open_hub()
        for project in PROJECTS:
            self.hub.host_project(project)
        self.laptops: list[Laptop] = []
        # Every push and page that ever was on the wire; texts by where they were written, and those
        # that somebody replaced who knew them.
        self.sent: list[tuple[str, list[Any]]] = []
        self.pages: list[tuple[Laptop, str, Any]] = []
        self.written: dict[str, str] = {}
        self.replaced: set[str] = set()
        self.destroyed: set[str] = set()
        for _ in range(laptops):
            name = next(self.names)
            laptop = Laptop(self, name, f"m{len(self.laptops)}", folder / f"{name}.db")
            laptop.join()
            self.laptops.append(laptop)
        if common:
            self.begin(common)

    def open_hub(self) -> None:
        self.hub: Any = recairn.open(
            self.hub_path, project="shop", model="none", clock=lambda: self.now
        )

    def begin(self, common: int) -> None:
        """Some memories that all know from the beginning: they are what happens most to."""
        first, *others = self.laptops
        for _ in range(common):
            self.change(first, "remember")
        first.push()
        for laptop in others:
            laptop.pull()

    def step(self, number: int) -> None:
        """A step of a life; each has dice of its own, so that any of them can be left out."""
        self.dice = random.Random(f"{self.seed} {number}")
        self.now += self.dice.choice((0, 1, 1000, MINUTE))
        laptop, name = self.dice.choice(self.laptops), self.dice.choice(STEPS)
        if name == "push":
            laptop.push(limit=self.dice.choice((1, 500)), loses_answer=self.dice.random() < 0.3)
        elif name == "pull":
            laptop.pull(limit=self.dice.choice((2, 500)))
        elif name == "cut":
            laptop.pull(is_cut=True)
        elif name == "again":
            self.again()
        elif name in ("backup", "go_back", "copy", "skew"):
            getattr(self, name)(laptop)
        elif name in ("newer", "store_hub", "put_hub_back"):
            getattr(self, name)()
        else:
            self.change(laptop, name)

    def again(self) -> None:
        """Something that was on the wire before comes once more."""
        if self.sent and self.dice.random() < 0.5:
            member, records = self.dice.choice(self.sent)
            self.hub.take_push(records, member=member, projects=list(PROJECTS))
        elif self.pages:
            laptop, project, page = self.dice.choice(self.pages)
            cursor = laptop.memory.pull_cursor(project)
            laptop.memory.take_page(project, {**page, "next": cursor}, member=laptop.member)

    def backup(self, laptop: Laptop) -> None:
        laptop.memory.close()
        laptop.stored = laptop.path.with_suffix(".stored")
        shutil.copyfile(laptop.path, laptop.stored)
        laptop.open()

    def go_back(self, laptop: Laptop) -> None:
        """The machine goes back to what was stored: the very same file, as an image would."""
        if laptop.stored is None:
            return
        while laptop.push():
            pass
        # What the server alone holds from now on is lost where it goes back to before.
        self.hub_stored = None
        # What is forgotten, or in a place that is not shared, is lost with the machine.
        for each in laptop.memory.every_memory():
            if each.deleted_at is not None or each.project not in PROJECTS:
                self.replaced.add(each.content)
        laptop.memory.close()
        shutil.copyfile(laptop.stored, laptop.path)
        laptop.open()

    def copy(self, laptop: Laptop) -> None:
        """Somebody copies the database to another machine, and both go on."""
        if len(self.laptops) > 4:
            return
        laptop.memory.close()
        name = next(self.names)
        shutil.copyfile(laptop.path, self.folder / f"{name}.db")
        laptop.open()
        self.laptops.append(Laptop(self, name, laptop.member, self.folder / f"{name}.db"))

    def store_hub(self) -> None:
        """The server is backed up."""
        self.hub.close()
        self.hub_stored = self.hub_path.with_suffix(".stored")
        shutil.copyfile(self.hub_path, self.hub_stored)
        self.open_hub()

    def put_hub_back(self) -> None:
        """The server goes back to its backup, and whoever does that says so."""
        if self.hub_stored is None:
            return
        self.hub.close()
        shutil.copyfile(self.hub_stored, self.hub_path)
        self.open_hub()
        self.hub.new_epoch()

    def newer(self) -> None:
        """Somebody with a newer program says what the others cannot read, and will pass on."""
        project, word, at = self.dice.choice(PROJECTS), self.say(), [self.now, "newer"]
        known = self.hub.pull_page(project)["records"]
        memories = [each for each in known if each.get("kind") in ("learning", "decision")]
        made = {"type": "memory", "project": project, "created_at": iso(self.now), "content": word}
        choices: list[dict[str, Any]] = [
            {**made, "uid": "01mewer" + "0" * 19, "kind": "diagram", "stamps": {"text": at}},
            {"type": "spell", "project": project, "uid": "s1", "words": word, "stamps": {"t": at}},
        ]
        if memories:
            record = self.dice.choice(memories)
            stamps = {**record["stamps"], "tint": at}
            choices = [{**record, "colour": word, "stamps": stamps}] * 4 + choices
        records = _told([self.dice.choice(choices)])
        self.sent.append(("m0", records))
        self.hub.take_push(records, member="m0", projects=list(PROJECTS))

    def skew(self, laptop: Laptop) -> None:
        laptop.skew = self.dice.choice((0, 4 * MINUTE, -60 * MINUTE, 365 * 24 * 60 * MINUTE))

    def say(self) -> str:
        return next(self.words)

    def change(self, laptop: Laptop, name: str) -> None:
        memory = laptop.memory
        before = {each.uid: each for each in memory.every_memory()}
        try:
            self.do(memory, name, [f"{each.project}/{each.id}" for each in before.values()])
        except recairn.RecairnError:
            return  # a refusal is part of life
        after = {each.uid: each.content for each in memory.every_memory()}
        for uid, content in after.items():
            if uid not in before:
                self.written[content] = uid
            elif before[uid].content != content:
                self.written[content] = uid
                self.replaced.add(before[uid].content)
                self.replaced.discard(content)
        for uid in before.keys() - after.keys():
            self.destroyed.add(uid)
            self.replaced.add(before[uid].content)

    def do(self, memory: Any, name: str, known: list[str]) -> None:
        dice = self.dice
        if name == "task":
            self.work(memory)
            return
        if name == "remember" or not known:
            kind = dice.choice(("learning", "decision", "handoff"))
            memory.remember(self.say(), kind=kind, project=dice.choice(PROJECTS), force=True)
            return
        one, other = dice.choice(known), dice.choice(known)
        if name == "destroy":
            memory.forget(one, hard=True)
        elif name == "link":
            memory.link(one, other, dice.choice(("affects", "supersedes")), weight=dice.random())
        elif name in ("unlink", "supersede"):
            getattr(memory, name)(one, other)
        elif name == "correct":
            memory.correct(one, self.say())
        elif name in ("edit", "sort", "move", "leave"):
            sorts: dict[str, Any] = {
                "category": dice.choice(("", "upkeep")),
                "keywords": [self.say()],
            }
            words: dict[str, Any] = {"content": self.say()}
            place: dict[str, Any] = {"project": dice.choice(PROJECTS)}
            away: dict[str, Any] = {"project": "elsewhere"}
            said = {"edit": words, "sort": sorts, "move": place, "leave": away}
            memory.edit(one, **said[name])
        elif name == "rate":
            memory.feedback(one, dice.choice((1.0, -1.0)))
        else:
            getattr(memory, name)(one)

    def work(self, memory: Any) -> None:
        tasks = memory.store.tasks(TaskFilter())
        if not tasks or self.dice.random() < 0.5:
            memory.add_task(self.say(), project=self.dice.choice(PROJECTS))
        else:
            task = self.dice.choice(tasks).id
            self.dice.choice((memory.start_task, memory.finish_task))(task)

    def settle(self) -> None:
        """Everybody exchanges what there is until nobody has news."""
        self.now += 2 * 366 * 24 * 60 * MINUTE
        for laptop in self.laptops:
            laptop.skew = 0
        for _ in range(9):
            for laptop in self.laptops:
                for _ in range(20):
                    if not laptop.push():
                        break
                else:
                    raise AssertionError("an outbox never ends")
                laptop.pull()
            for laptop in self.laptops:
                laptop.pull()
            if not any(laptop.memory.outbox_page()["records"] for laptop in self.laptops):
                return
        raise AssertionError("somebody still has news")

    def travelled(self) -> set[str]:
        """Those whose text ever was on the wire."""
        batches = [records for _, records in self.sent]
        batches += [page["records"] for _, _, page in self.pages]
        return {each["uid"] for part in batches for each in part if each["type"] == "memory"}

    def close(self) -> None:
        for each in (self.hub, *(laptop.memory for laptop in self.laptops)):
            each.close()


def view(memory: Any) -> dict[str, Any]:
    """Everything that all are to agree on: each said field, links, tasks, ratings, destroyed."""
    store = memory.store
    memories = {each.id: each for each in memory.every_memory()}
    stamps = store.stamps_of(list(memories))
    uids = store.uids_of(memories)
    found: dict[str, Any] = {}
    for number, each in memories.items():
        state = known_state(store, each, stamps[number], uids)
        if is_gone(state) or LEFT in parsed(stamps[number]) or each.project not in PROJECTS:
            continue  # its text stays where it is
        names = [name for group in SHARED for name in GROUPS[group] if name not in _OWN]
        found[each.uid] = {
            **{name: state.values[name] for name in names if name != "deleted_at"},
            "project": each.project,
            "ratings": (round(each.helpful, 3), round(each.harmful, 3)),
            "kept": state.kept,
        }
    for each in memories.values():
        if each.uid in found and uids.get(each.superseded_by or 0) in found:
            found[each.uid]["successor"] = uids[each.superseded_by or 0]
    links = {
        (uids[edge.source], edge.relation, uids[edge.target], edge.weight, edge.valid_until)
        for edge in store.edges_touching(list(memories))
        if not follows_from_text(edge)
        # Those in force; a link from one project to another stays where it was made.
        if uids[edge.source] in found and uids[edge.target] in found
        if memories[edge.source].project == memories[edge.target].project
    }
    tasks = {
        (each.id, each.title, each.status, each.project, each.outcome)
        for each in store.tasks(TaskFilter())
    }
    return {
        "memories": found,
        "links": links,
        "tasks": tasks,
        "unread": {
            kept.name: json.loads(kept.record)
            for noun in ("memory", "spell")
            for kept in store.kept_records(noun)
        },
        "erased": {row.uid for row in store.erased() if row.project in PROJECTS},
    }


def _told(value: Any) -> Any:
    """As it is after a journey over the wire."""
    return json.loads(json.dumps(value))
