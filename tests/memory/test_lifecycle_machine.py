"""Random lives of memories: whatever is done to them, the engine and a dictionary agree.

Two connections, several sessions, and a clock that jumps in both directions. The gate tries 200
lives; RECAIRN_EXAMPLES sets another number, and the slow suite tries 5,000.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

import recairn
from recairn.core.errors import Refused
from recairn.core.times import DAY, HOUR
from tests.corpus import PROJECT, Clock
from tests.memory.life_model import RATE, TIERS, Model, Refusal

# Surviving a power cut is tested elsewhere; here a real disk would only make lives fewer.
MEMORY_DISK = "/dev/shm"
# Read here: every test takes RECAIRN_ variables out of its environment.
EXAMPLES = int(os.environ.get("RECAIRN_EXAMPLES", "200"))

numbers = st.integers(0, 99)
kinds = st.sampled_from(sorted(RATE))
amounts = st.sampled_from([0.0, 0.1, 0.5, 1.0])
jumps = st.sampled_from([1, 1000, HOUR, DAY, 40 * DAY, 400 * DAY])
# What the model holds of a memory, by the engine's own names.
EXACT = (
    "content",
    "category",
    "kind",
    "tier",
    "importance",
    "pinned",
    "immutable",
    "created_at",
    "deleted_at",
    "expires_at",
    "superseded_by",
    "valid_until",
    "outcome_score",
    "decayed_at",
    "usage_count",
    "last_used_at",
    "session_id",
)
COUNTED = ("helpful", "harmful", "salience")


class LifecycleMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = tempfile.mkdtemp(dir=MEMORY_DISK if os.path.isdir(MEMORY_DISK) else None)
        self.clock = Clock()
        self.engines = [self.opened(), self.opened()]
        self.turn = 0
        self.session = None
        self.model = Model()
        self.texts = 0

    def opened(self):
        path = Path(self.folder) / "lives.db"
        return recairn.open(path, project=PROJECT, clock=self.clock, model="none")

    @property
    def engine(self):
        engine = self.engines[self.turn]
        engine.session = self.session
        return engine

    @property
    def now(self):
        return self.clock.now

    def pick(self, number):
        return sorted(self.model.memories)[number % len(self.model.memories)]

    def text(self):
        """A text that resembles no other."""
        self.texts += 1
        return " ".join(f"{word}{self.texts:04d}" for word in ("gull", "mast", "rope", "tide"))

    def either(self, refused, act):
        """Lets the engine act, or sees it refuse; whether it acted."""
        if refused:
            with pytest.raises(Refused):
                act()
        else:
            act()
        return not refused

    def known(self, memory):
        return self.model.memories[memory]

    # Making

    @initialize(kind=kinds)
    def begin(self, kind):
        self.create(kind, "project", pinned=False, immutable=False)

    @rule(kind=kinds, tier=st.sampled_from(TIERS), pinned=st.booleans(), immutable=st.booleans())
    def create(self, kind, tier, pinned, immutable):
        if tier == "session" and self.session is None:
            return
        row = {"content": self.text(), "kind": kind, "tier": tier, "pinned": pinned}
        row["immutable"] = immutable and pinned
        content = row["content"]
        options = {name: row[name] for name in ("kind", "tier", "pinned", "immutable")}
        answer = self.engine.remember(content, **options)
        assert answer.status == "added"
        self.model.create(answer.id, {**row, "session_id": self.session}, self.now)

    @rule(number=numbers)
    def say_it_again(self, number):
        content = self.known(self.pick(number))["content"]
        twins = [
            memory
            for memory, known in self.model.memories.items()
            if known["content"] == content
            and known["tier"] == "project"
            and known["deleted_at"] is None
            and known["valid_until"] is None
            and not self.model.expired(known, self.now)
        ]
        if len(twins) == 1:
            answer = self.engine.remember(content)
            assert (answer.id, answer.status) == (twins[0], "reinforced")
            self.strengthen(twins[0], 0.1, "reinforced")

    def strengthen(self, memory, amount, name):
        left = self.model.salience(self.known(memory), self.now)
        after = left + amount * (1.0 - left)
        if name == "deemphasized":
            after = max(min(left, 0.05), left - amount)
        changes = {"salience": after, "decayed_at": self.now}
        self.model.change(memory, changes, name, self.now, self.session)

    # Changing

    @rule(
        number=numbers, force=st.booleans(), what=st.sampled_from("content category weight".split())
    )
    def edit(self, number, force, what):
        memory = self.pick(number)
        changes = {
            "content": {"content": self.text()},
            "category": {"category": f"c{self.texts}"},
            "weight": {"importance": 0.25, "pinned": True},
        }[what]
        immutable = self.known(memory)["immutable"] and not force
        if self.either(immutable, lambda: self.engine.edit(memory, force=force, **changes)):
            self.model.change(memory, changes, "updated", self.now, self.session)

    @rule(number=numbers, amount=amounts)
    def reinforce(self, number, amount):
        memory = self.pick(number)
        self.engine.reinforce(memory, amount)
        self.strengthen(memory, amount, "reinforced")

    @rule(number=numbers, amount=amounts)
    def deemphasize(self, number, amount):
        memory = self.pick(number)
        self.engine.deemphasize(memory, amount)
        self.strengthen(memory, amount, "deemphasized")

    @rule(number=numbers, score=amounts)
    def rate(self, number, score):
        memory = self.pick(number)
        known = self.known(memory)
        self.engine.feedback(memory, score)
        changes = {
            "helpful": known["helpful"] + score,
            "harmful": known["harmful"] + (1.0 - score),
            "outcome_score": score,
        }
        self.model.change(memory, changes, "rated", self.now, self.session)

    @rule(number=numbers, force=st.booleans())
    def forget(self, number, force):
        memory = self.pick(number)
        known = self.known(memory)
        refused = known["immutable"] and not force
        forgot = self.either(refused, lambda: self.engine.forget(memory, force=force))
        if forgot and known["deleted_at"] is None:
            gone = {"deleted_at": self.now}
            self.model.change(memory, gone, "forgotten", self.now, self.session)

    @rule(number=numbers)
    def erase(self, number):
        memory = self.pick(number)
        if len(self.model.memories) > 2:
            self.engine.forget(memory, hard=True, force=True)
            self.model.erase(memory, self.now, self.session)

    @rule(number=numbers)
    def restore(self, number):
        memory = self.pick(number)
        known = self.known(memory)
        changes: dict[str, None] = {}
        if known["deleted_at"] is not None:
            changes["deleted_at"] = None
        if self.model.expired(known, self.now):
            changes["expires_at"] = None
        if self.either(not changes, lambda: self.engine.restore(memory)):
            self.model.change(memory, changes, "restored", self.now, self.session)

    @rule(number=numbers, force=st.booleans())
    def expire(self, number, force):
        memory = self.pick(number)
        refused = self.known(memory)["immutable"] and not force
        if self.either(refused, lambda: self.engine.expire(memory, force=force)):
            ended = {"expires_at": self.now}
            self.model.change(memory, ended, "expired", self.now, self.session)

    @rule(number=numbers)
    def promote(self, number):
        memory = self.pick(number)
        tier = self.known(memory)["tier"]
        if self.either(tier == "global", lambda: self.engine.promote(memory, force=True)):
            wider = {"tier": TIERS[TIERS.index(tier) + 1]}
            self.model.change(memory, wider, "promoted", self.now, self.session)

    @rule(number=numbers, pinned=st.booleans())
    def pin(self, number, pinned):
        memory = self.pick(number)
        self.engine.pin(memory, pinned=pinned)
        if self.known(memory)["pinned"] != pinned:
            self.model.change(memory, {"pinned": pinned}, "updated", self.now, self.session)

    @rule()
    def archive(self):
        put_away = {each.id for each in self.engine.archive(below=0.5, dry_run=False)}
        faded = {
            memory
            for memory in self.model.visible(self.now, self.session)
            if self.model.salience(self.known(memory), self.now) < 0.5
            and not (self.known(memory)["pinned"] or self.known(memory)["immutable"])
            and self.known(memory)["kind"] != "rule"
        }
        assert put_away == faded
        for memory in sorted(faded):
            gone = {"deleted_at": self.now}
            self.model.change(memory, gone, "archived", self.now, self.session)

    # Replacing

    @rule(one=numbers, other=numbers, force=st.booleans())
    def supersede(self, one, other, force):
        old, new = self.pick(one), self.pick(other)
        refused = (
            (self.known(old)["immutable"] and not force)
            or self.model.leads_to(new, old)
            or self.known(new)["deleted_at"] is not None
        )
        if self.either(refused, lambda: self.engine.supersede(old, new, force=force)):
            self.model.supersede(old, new, self.now, self.session)

    @rule(number=numbers)
    def correct(self, number):
        old = self.pick(number)
        known = self.known(old)
        content = self.text()
        refused = (
            known["immutable"]
            or known["superseded_by"] is not None
            or known["deleted_at"] is not None
        )
        made = []
        if not self.either(refused, lambda: made.append(self.engine.correct(old, content).id)):
            return
        session = known["session_id"] if known["tier"] == "session" else self.session
        row = {name: known[name] for name in ("kind", "tier", "category", "pinned")}
        row["importance"] = known["importance"] + 0.5 * (1.0 - known["importance"])
        row |= {"content": content, "session_id": session}
        self.model.create(made[0], row, self.now)
        self.model.supersede(old, made[0], self.now, session)
        self.model.edges[made[0], old, "corrects"] = True

    @rule(one=numbers, other=numbers)
    def link(self, one, other):
        source, target = self.pick(one), self.pick(other)
        if source == target:
            return
        refused = any(self.known(each)["deleted_at"] is not None for each in (source, target))
        edge = (source, target, "relates_to")
        if self.either(refused, lambda: self.engine.link(*edge)) and not self.model.edges.get(edge):
            self.model.link(edge, True, self.now, self.session)

    @rule(number=numbers)
    def unlink(self, number):
        held = [edge for edge, holds in self.model.edges.items() if holds]
        held = sorted(edge for edge in held if edge[2] == "relates_to")
        if held:
            edge = held[number % len(held)]
            self.engine.unlink(*edge)
            self.model.link(edge, False, self.now, self.session)

    # Taking back

    def take_back(self, wanted, act):
        try:
            after = self.model.undo(wanted, self.now, self.session)
        except Refusal:
            self.either(True, act)
        else:
            act()
            self.model = after

    @rule(number=numbers)
    def undo_one(self, number):
        memory = self.pick(number)
        left = [event for event in self.model.undoable() if event["memory"] == memory]
        if left:
            self.take_back(left[-1:], lambda: self.engine.undo(memory))
        else:
            self.either(True, lambda: self.engine.undo(memory))

    @rule(back=jumps)
    def undo_since(self, back):
        since = self.now - back
        wanted = [event for event in self.model.undoable() if event["at"] >= since]
        self.take_back(wanted, lambda: self.engine.undo(since=since))

    @rule(session=st.sampled_from(["s1", "s2"]))
    def undo_session(self, session):
        wanted = [event for event in self.model.undoable() if event["session"] == session]
        self.take_back(wanted, lambda: self.engine.undo(session=session))

    # The world around

    @rule(session=st.sampled_from([None, "s1", "s2"]))
    def enter_session(self, session):
        self.session = session

    @rule(session=st.sampled_from(["s1", "s2"]))
    def end_session(self, session):
        if session in self.model.sessions:
            self.engine.end_session(session)
            self.model.end_session(session, self.now)

    @rule(length=jumps, back=st.booleans())
    def time_passes(self, length, back):
        self.clock.advance(-length if back else length)

    @rule()
    def reopen(self):
        self.engines[self.turn].close()
        self.engines[self.turn] = self.opened()

    @rule()
    def use_the_other_connection(self):
        self.turn = 1 - self.turn

    @rule(number=numbers)
    def search(self, number):
        content = self.known(self.pick(number))["content"]
        visible = self.model.visible(self.now, self.session)
        wanted = {each for each in visible if self.known(each)["content"] == content}
        hits = self.engine.search(content, mode="keyword").hits
        found = {hit.id for hit in hits}
        # Words spelled nearly so may bring others along.
        assert wanted <= found <= visible
        self.engine.settle()
        for memory in found:
            known = self.known(memory)
            left = self.model.salience(known, self.now)
            known["usage_count"] += 1
            known["last_used_at"] = known["decayed_at"] = self.now
            known["salience"] = left + 0.02 * (1.0 - left)

    # What must hold

    @invariant()
    def every_row_agrees(self):
        stored = self.engine.store.get_many(sorted(self.model.memories))
        assert stored.keys() == self.model.memories.keys()
        for memory, known in self.model.memories.items():
            row = stored[memory]
            assert {name: getattr(row, name) for name in EXACT} == {
                name: known[name] for name in EXACT
            }
            for name in COUNTED:
                assert getattr(row, name) == pytest.approx(known[name], abs=1e-9), name

    @invariant()
    def what_is_visible_agrees(self):
        listed = {each.id for each in self.engine.listing(limit=1000)}
        assert listed == self.model.visible(self.now, self.session)

    def teardown(self):
        try:
            engine = self.engine
            for memory in self.model.memories:
                told = [event.event for event in engine.history(memory)]
                mine = [each["event"] for each in self.model.events if each["memory"] == memory]
                assert told == mine
            held = {
                (edge.source, edge.target, edge.relation)
                for source in self.model.memories
                for target in self.model.memories
                for edge in engine.store.edges_between(source, target)
            }
            assert held == {edge for edge, holds in self.model.edges.items() if holds}
            assert engine.verify().problems == ()
        finally:
            for each in self.engines:
                each.close()
            shutil.rmtree(self.folder)


def live(examples):
    chosen = settings(
        max_examples=examples,
        stateful_step_count=40,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        # Explaining a failure would run the machine some hundred times more.
        phases=[phase for phase in Phase if phase is not Phase.explain],
    )
    run_state_machine_as_test(LifecycleMachine, settings=chosen)


@pytest.mark.timeout(600)
def test_random_lives_agree_with_the_model():
    live(EXAMPLES)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_very_many_random_lives_agree_with_the_model():
    live(max(EXAMPLES, 5000))
