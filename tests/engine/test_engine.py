"""The Python API as a program meets it, and a model that the engine must agree with."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import recairn
from recairn.core.errors import Ambiguous, BadInput, NotFound, Refused
from recairn.core.times import DAY
from tests.corpus import MEMORIES, NOW, PROJECT, Clock, kept_at

# Without its type: what a program without a type checker may call.
open_memory: Any = recairn.open

# Opening


def test_a_memory_opens_where_the_environment_says(own_home):
    with open_memory() as memory:
        memory.remember("hello gull")
    assert b"hello gull" in kept_at(own_home / "memories.db")


def test_without_any_setting_it_opens_in_the_users_data_folder(own_home, monkeypatch):
    monkeypatch.delenv("RECAIRN_DB")
    with open_memory() as memory:
        assert memory.store.path == str(own_home / ".local/share/recairn/memory.db")


def test_the_project_is_that_of_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "puffin" / ".git").mkdir(parents=True)
    (tmp_path / "puffin" / "server").mkdir()
    monkeypatch.chdir(tmp_path / "puffin" / "server")
    with open_memory() as memory:
        assert memory.project == "puffin"
        assert memory.get(memory.remember("hello gull").id).project == "puffin"
    with open_memory(project="kestrel") as memory:
        assert memory.project == "kestrel"
        assert memory.search("gull", mode="keyword").hits == ()


def test_a_path_may_be_a_path_or_a_text(tmp_path):
    for path in (tmp_path / "a.db", str(tmp_path / "b.db")):
        with open_memory(path) as memory:
            assert memory.store.path == str(path)


def test_the_session_comes_from_the_environment_or_the_caller(monkeypatch):
    monkeypatch.setenv("RECAIRN_SESSION", "s1")
    with open_memory() as memory:
        assert memory.session == "s1"
    with open_memory(session="s2") as memory:
        assert memory.session == "s2"


def test_the_clock_is_the_callers(tmp_path):
    clock = Clock(NOW)
    with open_memory(tmp_path / "c.db", clock=clock, model="none") as memory:
        first = memory.remember("one gull").id
        clock.advance(DAY)
        second = memory.remember("two terns").id
        assert [memory.get(each).created_at for each in (first, second)] == [NOW, NOW + DAY]
        assert [each.id for each in memory.listing(since="1h")] == [second]
        assert memory.get(first).uid < memory.get(second).uid


def test_real_time_is_the_default():
    with open_memory(model="none") as memory:
        created = memory.get(memory.remember("one gull").id).created_at
    assert created > 1_700_000_000_000


def test_everything_is_there_when_opened_again(tmp_path, clock):
    path = tmp_path / "again.db"
    with open_memory(path, project=PROJECT, clock=clock) as memory:
        memory.remember_many(MEMORIES)
        before = memory.listing(docs=True, limit=100)
    with open_memory(path, project=PROJECT, clock=clock) as memory:
        assert memory.listing(docs=True, limit=100) == before
        assert memory.verify().problems == ()


def test_unknown_open_options_are_errors():
    with pytest.raises(TypeError, match="projct"):
        open_memory(projct="x")


def test_leaving_the_block_closes_also_after_an_error(tmp_path):
    def fail():
        with open_memory(tmp_path / "e.db", model="none") as memory:
            memory.remember("one gull")
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        fail()
    assert [each.name for each in tmp_path.glob("e.db*")] == ["e.db"]


# Visibility


def test_outside_a_project_a_memory_is_for_everyone(tmp_path):
    path = tmp_path / "v.db"
    with open_memory(path, project="", model="none") as memory:
        stored = memory.get(memory.remember("tabs are eight wide").id)
        assert (stored.project, stored.tier) == ("", "global")
    with open_memory(path, project="puffin", model="none") as memory:
        assert len(memory.search("tabs").hits) == 1


def test_tiers_decide_who_sees_what(tmp_path):
    path = tmp_path / "t.db"
    with open_memory(path, project="puffin", session="s1", model="none") as memory:
        memory.remember("harbour session", tier="session")
        memory.remember("harbour project")
        memory.remember("harbour global", tier="global")

    def seen(asker, session, **options):
        with open_memory(path, project=asker, session=session, model="none") as memory:
            listed = {each.content.removeprefix("harbour ") for each in memory.listing(**options)}
            hits = memory.search("harbour", track=False, **options).hits
            assert {hit.memory.content.removeprefix("harbour ") for hit in hits} == listed
            return listed

    assert seen("puffin", "s1") == {"session", "project", "global"}
    assert seen("puffin", "s2") == {"project", "global"}
    assert seen("puffin", None) == {"project", "global"}
    assert seen("kestrel", "s1") == {"session", "global"}
    assert seen("kestrel", None) == {"global"}
    assert seen("kestrel", None, project="puffin") == {"project", "global"}


# Options


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.search("x", limt=3), "search has no option 'limt' .did you mean 'limit'"),
        (lambda m: m.search("x", projet="p"), "did you mean 'project'"),
        (lambda m: m.remember("x", importnce=1), "did you mean 'importance'"),
        (lambda m: m.remember("x", forec=True), "did you mean 'force'"),
        (lambda m: m.listing(ordr="newest"), "did you mean 'order'"),
        (lambda m: m.count(kidn="fact"), "did you mean 'kind'"),
        (lambda m: m.search("x", kind="decison"), "did you mean 'decision'"),
        (lambda m: m.search("x", mode="keywords"), "did you mean 'keyword'"),
        (lambda m: m.search("x", profile="defalt"), "did you mean 'default'"),
        (lambda m: m.listing(order="newst"), "did you mean 'newest'"),
        (lambda m: m.search("x", limit=0), "limit must be between 1 and 1000"),
        (lambda m: m.search("x", limit=1001), "limit"),
        (lambda m: m.search("x", limit="3"), "limit"),
        (lambda m: m.search("x", limit=True), "limit"),
        (lambda m: m.listing(offset=-1), "offset"),
        (lambda m: m.search("x", since="soon"), "cannot read 'soon' as a time"),
        (lambda m: m.search("x", since=10**30), "not a time in milliseconds"),
        (lambda m: m.search("x", tier="planet"), "unknown tier"),
        (lambda m: m.search("x", min_salience="high"), "min_salience"),
        (lambda m: m.search("x", min_score="high"), "min_score"),
        (lambda m: m.search("x", kind=5), "kind"),
        (lambda m: m.remember_many(["ferries run late"]), "draft 1: a text is no draft"),
        (lambda m: m.remember_many([{"content": "x"}, 7]), "draft 2: int is no draft"),
    ],
)
def test_a_wrong_option_is_an_error_with_a_guess(memory, call, message):
    with pytest.raises(BadInput, match=message):
        call(memory)


# References


def test_a_memory_is_named_in_many_ways(memory):
    answer = memory.remember("one gull", external_id="dec-5741815d")
    for reference in (1, "1", "#1", answer.uid, answer.uid[:10], "dec-5741815d"):
        assert memory.resolve(reference) == 1, reference
        assert memory.get(reference).id == 1, reference


def test_blanks_around_a_reference_do_not_matter(memory):
    memory.remember("one gull")
    assert memory.resolve(" #1 ") == 1
    assert memory.get(" #1 ").id == 1


@pytest.mark.parametrize("reference", [2, "#2", "", "nothing", "0", -1, "\ud800", "1 or 1=1"])
def test_a_name_for_nothing_finds_nothing(memory, reference):
    memory.remember("one gull")
    assert memory.get(reference) is None
    with pytest.raises(NotFound, match="there is no memory") as caught:
        memory.resolve(reference)
    assert caught.value.hint


def test_a_name_for_several_is_ambiguous(memory):
    memory.remember("one gull", external_id="bird")
    memory.remember("two terns", external_id="bird")
    with pytest.raises(Ambiguous, match="#1, #2"):
        memory.resolve("bird")


# Listing and counting


def test_what_was_superseded_answers_where_nothing_else_does(memory):
    asked = "where are kites counted"
    old = memory.remember("Kites are counted at the north cape").id
    assert memory.superseded(asked) == ()
    memory.supersede(old, "Terns breed below the pier")
    assert [hit.id for hit in memory.superseded(asked)] == [old]
    assert memory.superseded(asked, project="elsewhere") == ()
    assert memory.superseded(asked, include_superseded=True) == memory.superseded(" ") == ()


def test_listing_is_newest_first_and_pages(puffin):
    total = len(MEMORIES) - 1
    assert puffin.count() == total
    listed = [each.id for each in puffin.listing(limit=100)]
    assert len(listed) == total
    assert listed[-1] == 20
    assert [each.id for each in puffin.listing(limit=5, offset=5)] == listed[5:10]


def test_stats_count_everything(puffin):
    puffin.forget(1)
    puffin.search("harbour")
    stats = puffin.stats()
    # Of the corpus one is a piece of a document, and no memory.
    living = len(MEMORIES) - 2
    assert (stats["memories"], stats["forgotten"], stats["queries"]) == (living, 1, 1)
    assert stats["by"]["kind"]["fact"] == 2
    assert sum(stats["by"]["kind"].values()) == living
    assert stats["bytes"] > 30_000


def test_settings_are_kept_and_removed(memory):
    memory.set_config("profile", "default")
    assert memory.config() == {"profile": "default"}
    memory.set_config("profile", None)
    assert memory.config() == {}


# The engine against a plain model

# No two of these are near-duplicates or contradict each other.
TEXTS = (
    "gulls peck ultrasonic sensors",
    "the ferry leaves before sunrise",
    "barometer polling drains batteries",
    "satellite uplink wants batches",
    "siren tests happen on saturdays",
    "mooring chains chafe slowly",
)
WORD = {text: text.split()[0] if text.split()[0] != "the" else "ferry" for text in TEXTS}


class Life:
    """One memory as the model knows it; `past` holds the state before each undoable change."""

    def __init__(self, content):
        self.content = content
        self.deleted = False
        self.successor = None
        self.past = []

    @property
    def live(self):
        return not self.deleted and self.successor is None

    def change(self, **changes):
        self.past.append((self.content, self.deleted, self.successor))
        for name, new in changes.items():
            setattr(self, name, new)


class EngineMachine(RuleBasedStateMachine):
    """Random lives of memories through two connections; the engine and a dict must agree."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.clock = Clock()
        self.engines = [self.opened(), self.opened()]
        self.turn = 0
        self.lives: dict[int, Life] = {}

    def opened(self):
        path = Path(self.folder) / "machine.db"
        return open_memory(path, project=PROJECT, clock=self.clock, model="none")

    @property
    def engine(self):
        self.clock.advance(1000)
        return self.engines[self.turn]

    def pick(self, number):
        return sorted(self.lives)[number % len(self.lives)]

    def leads_to(self, start, goal):
        while start is not None:
            if start == goal:
                return True
            start = self.lives[start].successor
        return False

    @initialize(text=st.sampled_from(TEXTS))
    def begin(self, text):
        self.remember(text)

    @rule(text=st.sampled_from(TEXTS), shout=st.booleans())
    def remember(self, text, shout=False):
        known = {each for each, life in self.lives.items() if life.live and life.content == text}
        answer = self.engine.remember(text.upper() if shout else text)
        if known:
            assert answer.status == "reinforced"
            assert answer.id in known
            self.lives[answer.id].change()
        else:
            assert answer.status == "added"
            assert answer.id not in self.lives
            self.lives[answer.id] = Life(text)

    @rule(number=st.integers(0, 99), text=st.sampled_from(TEXTS))
    def edit(self, number, text):
        memory = self.pick(number)
        self.engine.edit(memory, content=text)
        self.lives[memory].change(content=text)

    @rule(number=st.integers(0, 99))
    def forget(self, number):
        memory = self.pick(number)
        self.engine.forget(memory)
        if not self.lives[memory].deleted:
            self.lives[memory].change(deleted=True)

    @rule(number=st.integers(0, 99))
    def restore(self, number):
        memory = self.pick(number)
        if self.lives[memory].deleted:
            self.engine.restore(memory)
            self.lives[memory].change(deleted=False)
        else:
            with pytest.raises(Refused):
                self.engine.restore(memory)

    @rule(one=st.integers(0, 99), other=st.integers(0, 99))
    def supersede(self, one, other):
        old, new = self.pick(one), self.pick(other)
        if self.leads_to(new, old) or self.lives[new].deleted:
            with pytest.raises(Refused):
                self.engine.supersede(old, new)
        else:
            self.engine.supersede(old, new)
            self.lives[old].change(successor=new)

    @rule(number=st.integers(0, 99))
    def undo(self, number):
        memory = self.pick(number)
        life = self.lives[memory]
        if not life.past:
            # Its creation is left: taking that back would free those it replaced as well.
            if not any(each.successor == memory for each in self.lives.values()):
                self.undo_creation(memory, life)
            return
        content, deleted, successor = life.past[-1]
        if successor is not None and self.leads_to(successor, memory):
            with pytest.raises(Refused):
                self.engine.undo(memory)
            return
        self.engine.undo(memory)
        life.past.pop()
        life.content, life.deleted, life.successor = content, deleted, successor

    def undo_creation(self, memory, life):
        if getattr(life, "unmade", False):
            with pytest.raises(Refused):
                self.engine.undo(memory)
            return
        self.engine.undo(memory)
        life.unmade = True
        life.deleted = True

    @rule()
    def reopen(self):
        self.engines[self.turn].close()
        self.engines[self.turn] = self.opened()

    @rule()
    def use_the_other_connection(self):
        self.turn = 1 - self.turn

    @rule(text=st.sampled_from(TEXTS))
    def search(self, text):
        found = {hit.id for hit in self.engine.search(WORD[text], limit=100).hits}
        assert found == {
            memory for memory, life in self.lives.items() if life.live and life.content == text
        }

    @precondition(lambda self: self.lives)
    @invariant()
    def rows_agree(self):
        stored = self.engine.store.get_many(list(self.lives))
        assert {
            memory: (each.content.lower(), each.deleted_at is not None, each.superseded_by)
            for memory, each in stored.items()
        } == {
            memory: (life.content, life.deleted, life.successor)
            for memory, life in self.lives.items()
        }
        assert self.engine.count() == sum(life.live for life in self.lives.values())

    def teardown(self):
        try:
            assert self.engines[self.turn].verify().problems == ()
        finally:
            for each in self.engines:
                each.close()
            shutil.rmtree(self.folder)


TestEngineAgainstAModel = pytest.mark.timeout(240)(EngineMachine.TestCase)
TestEngineAgainstAModel.settings = settings(
    max_examples=60,
    stateful_step_count=20,
    deadline=None,
    # Explaining a failure would run the machine some hundred times more.
    phases=[phase for phase in Phase if phase is not Phase.explain],
)


# What a program would else ask the store


def test_a_memory_says_where_it_is_and_whether_it_may_be_written(tmp_path):
    path = str(tmp_path / "logbook.db")
    with open_memory(path) as memory:
        memory.remember("The lamp was lit at dusk")
        assert (memory.database, memory.read_only) == (path, False)
    with open_memory(path, read_only=True) as memory:
        assert (memory.database, memory.read_only) == (path, True)


def test_a_memory_that_is_abandoned_keeps_what_was_written_and_logs_nothing(tmp_path):
    path = str(tmp_path / "logbook.db")
    memory = open_memory(path)
    memory.remember("The lamp was lit at dusk")
    assert memory.search("lamp").hits
    memory.abandon()
    with open_memory(path) as memory:
        assert memory.get(1).content == "The lamp was lit at dusk"
        assert memory.stats()["queries"] == 0


def test_the_wanted_model_is_the_active_one_when_its_vectors_are_made(tmp_path):
    with open_memory(tmp_path / "logbook.db") as memory:
        assert (memory.wanted_model, memory.active_model) == ("static", None)
        memory.remember("The lamp was lit at dusk")
        assert (memory.wanted_model, memory.active_model) == ("static", "static")
        memory.use_model("none")
        assert (memory.wanted_model, memory.active_model) == ("none", "static")


def test_a_model_that_is_missing_is_noticed(tmp_path):
    with open_memory(tmp_path / "logbook.db", model="minilm") as memory:
        assert memory.embedding_notice == ""
        memory.remember("The lamp was lit at dusk")
        assert "minilm" in memory.embedding_notice


def test_labels_are_memories_in_short(memory):
    old = memory.remember("Light the lamp at dusk", title="Lamp")
    new = memory.remember("Light the lamp an hour before dusk", kind="rule")
    memory.supersede(old.id, new.id)
    assert memory.labels([old.id, new.id, 99]) == {
        old.id: ("learning", "Lamp", new.id),
        new.id: ("rule", "Light the lamp an hour before dusk", None),
    }


def test_dependents_are_the_tasks_that_wait(memory):
    memory.add_task("Mend the lamp", id="t-1")
    memory.add_task("Light the lamp", id="t-2", depends_on=["t-1"])
    assert [task.id for task in memory.dependents("t-1")] == ["t-2"]
    assert memory.dependents("t-2") == []
    with pytest.raises(NotFound):
        memory.dependents("t-3")


def test_book_keeping_is_written_like_everything_else(memory):
    with memory.bookkeeping(0.1):
        kept = memory.remember("The lamp was lit at dusk")
    assert memory.get(kept.id).content == "The lamp was lit at dusk"
