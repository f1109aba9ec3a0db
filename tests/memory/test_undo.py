"""Taking changes back, by memory, source, session or time."""

import pytest

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.record import as_dict
from recairn.core.times import HOUR
from tests.corpus import NOW, opened

# Columns that say when something happened rather than what is so.
MOVING = ("updated_at",)


def state(memory, reference):
    row = as_dict(memory.get(reference))
    return {name: value for name, value in row.items() if name not in MOVING}


def alive(memory):
    return [each.id for each in memory.listing(order="id")]


@pytest.fixture
def gull(memory):
    return memory.remember("one gull", kind="decision", fields={"rationale": "hungry"}).id


CHANGES = {
    "edit": lambda memory, one: memory.edit(one, content="two terns", category="birds"),
    "fields": lambda memory, one: memory.edit(one, fields={"lesson": "feed it"}),
    "project": lambda memory, one: memory.edit(one, project="kestrel"),
    "forget": lambda memory, one: memory.forget(one),
    "supersede": lambda memory, one: memory.supersede(one, "all gulls have gone away"),
    "merge": lambda memory, one: memory.remember("and its chick", merge=one),
    "reinforce": lambda memory, one: memory.deemphasize(one, 0.3),
    "again": lambda memory, one: memory.remember("one gull\nhungry"),
    "feedback": lambda memory, one: memory.feedback(one, 0.0),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_last_change_of_a_memory_is_taken_back(memory, gull, clock, name):
    before = state(memory, gull)
    clock.advance(10)
    CHANGES[name](memory, gull)
    clock.advance(10)
    (undone,) = memory.undo(gull)
    assert undone.memory == gull
    assert state(memory, gull) == before
    assert memory.search("gull hungry", track=False).hits[0].id == gull
    assert memory.verify().problems == ()


# A new value for everything of a memory that an edit can change.
EDITS = {
    "title": "A gull on the pier",
    "content": "two terns",
    "fields": {"rationale": "full"},
    "sector": "emotional",
    "tier": "global",
    "trust": "unverified",
    "expires_at": NOW + 9 * HOUR,
    "valid_from": NOW - HOUR,
    "valid_until": NOW + 8 * HOUR,
    "pinned": True,
    "immutable": True,
    "kind": "pattern",
    "project": "kestrel",
    "category": "birds",
    "keywords": ("pier",),
    "scope": "src/*.py",
    "importance": 0.9,
    "confidence": 0.9,
    "branch": "feat/pier",
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_any_part_is_taken_back(memory, gull, clock, name):
    before = state(memory, gull)
    clock.advance(10)
    memory.edit(gull, **{name: EDITS[name]})
    assert state(memory, gull)[name] != before[name]
    clock.advance(10)
    memory.undo(gull)
    assert state(memory, gull) == before


def test_no_part_that_can_be_edited_is_left_out_here(memory, gull):
    with pytest.raises(BadInput) as refusal:
        memory.edit(gull, colour="grey")
    assert set(refusal.value.hint.partition("editable: ")[2].split(", ")) == set(EDITS)


def test_undoing_twice_takes_back_two_changes(memory, gull):
    memory.edit(gull, content="two terns")
    memory.edit(gull, content="three auks")
    memory.undo(gull)
    assert memory.get(gull).content == "two terns"
    memory.undo(gull)
    assert memory.get(gull).content == "one gull"
    memory.undo(gull)
    assert alive(memory) == []
    with pytest.raises(Refused, match="nothing left to undo"):
        memory.undo(gull)


def test_undoing_the_creation_forgets_and_can_be_restored(memory, gull):
    (undone,) = memory.undo(gull)
    assert undone.what == "created"
    assert alive(memory) == []
    memory.restore(gull)
    assert alive(memory) == [gull]


def test_an_undone_edit_is_undone_in_every_index(memory, gull):
    memory.edit(gull, content="parseDuskTime", project="kestrel")
    memory.undo(gull)
    assert [hit.id for hit in memory.search("gull").hits] == [gull]
    assert memory.search("dusk", all_projects=True).hits == ()
    assert memory.remember("one gull\nhungry").id == gull
    assert memory.verify().problems == ()


def test_undoing_a_replacement_brings_the_old_one_back(memory, gull):
    new = memory.remember("all gulls have gone away", supersede=gull).id
    memory.undo(gull)
    old = memory.get(gull)
    assert (old.superseded_by, old.valid_until) == (None, None)
    assert alive(memory) == [gull, new]
    assert memory.stats()["edges"] == 0


def test_undoing_the_successor_brings_the_old_one_back_too(memory, gull):
    new = memory.remember("all gulls have gone away", supersede=gull).id
    assert {(each.memory, each.what) for each in memory.undo(new)} == {
        (new, "created"),
        (gull, "superseded"),
    }
    assert alive(memory) == [gull]


def test_the_history_keeps_what_was_undone(memory, gull, clock):
    memory.edit(gull, content="two terns")
    clock.advance(5)
    memory.undo(gull)
    created, updated, restored = memory.history(gull)
    assert (created.event, updated.event) == ("created", "updated")
    assert (restored.undo_of, restored.at) == (updated.id, NOW + 5)
    assert restored.reason == "undo of updated"


def test_undo_cannot_close_a_circle_of_successors(memory):
    one, two, three, four = (
        memory.remember(text).id for text in ("one gull", "two terns", "three auks", "four skuas")
    )
    memory.supersede(one, two)
    memory.supersede(one, three)
    memory.supersede(two, one)
    with pytest.raises(Refused):
        memory.undo(one)
    assert memory.get(one).superseded_by == three
    assert memory.supersede(four, one).superseded_by == one


def test_undoing_survives_that_an_earlier_successor_was_erased(memory):
    one, two, three = (memory.remember(text).id for text in ("one gull", "two terns", "three auks"))
    memory.supersede(one, two)
    memory.supersede(one, three)
    memory.forget(two, hard=True)
    memory.undo(one)
    assert memory.get(one).superseded_by is None
    assert one in alive(memory)
    assert memory.verify().problems == ()


def test_what_was_erased_stays_erased(memory, gull):
    other = memory.remember("a tern").id
    memory.forget(gull, hard=True)
    with pytest.raises(NotFound):
        memory.undo(gull)
    memory.undo(since=NOW)
    assert memory.get(gull) is None
    assert memory.get(other).deleted_at is not None


# By source


def test_everything_of_a_source_is_forgotten(memory):
    kept = memory.remember("mine").id
    memory.remember_many([{"content": f"import {n}", "source_ref": "notes.md"} for n in range(3)])
    undone = memory.undo(source="notes.md")
    assert [each.what for each in undone] == ["created"] * 3
    assert alive(memory) == [kept]
    assert memory.undo(source="notes.md") == []


def test_a_source_may_be_a_type(memory):
    kept = memory.remember("mine").id
    memory.remember("captured", source_type="hook")
    memory.undo(source="hook")
    assert alive(memory) == [kept]


def test_what_a_source_replaced_comes_back(memory, gull):
    memory.remember("all gulls have gone away", supersede=gull, source_ref="import-1")
    memory.undo(source="import-1")
    assert alive(memory) == [gull]
    assert memory.verify().problems == ()


# By session


def test_everything_a_session_did_is_taken_back(tmp_path, clock):
    path = tmp_path / "s.db"
    options = {"clock": clock}
    with opened(path, **options) as memory:
        edited = memory.remember("one gull").id
        forgotten = memory.remember("two terns").id
        replaced = memory.remember("three auks").id
        reinforced = memory.remember("four skuas").id
        memory.deemphasize(reinforced, 0.5)
        before = {each: state(memory, each) for each in (edited, forgotten, replaced, reinforced)}
    clock.advance(10)
    with opened(path, session="s1", **options) as memory:
        memory.edit(edited, content="one gannet")
        memory.forget(forgotten)
        memory.remember("the auks have left for good", supersede=replaced)
        memory.remember("four skuas")
        memory.remember("five puffins")
    clock.advance(10)
    with opened(path, **options) as memory:
        memory.edit(edited, category="birds")
        memory.undo(edited)
        undone = memory.undo(session="s1")
        assert len(undone) == 6
        assert {each: state(memory, each) for each in before} == before
        assert alive(memory) == [edited, forgotten, replaced, reinforced]
        assert memory.undo(session="s1") == []
        assert memory.verify().problems == ()


def test_what_others_changed_since_stays(tmp_path, clock):
    path = tmp_path / "s.db"
    with opened(path, clock=clock, session="s1") as memory:
        one = memory.remember("one gull", session="s0").id
        memory.edit(one, content="two terns", category="birds")
    clock.advance(10)
    with opened(path, clock=clock) as memory:
        memory.edit(one, content="three auks")
        memory.feedback(one, 1.0)
        memory.undo(session="s1")
        after = memory.get(one)
        assert (after.content, after.category, after.helpful) == ("three auks", "", 1.0)
        assert memory.verify().problems == ()


# By time


def test_everything_since_a_time_is_taken_back(memory, gull, clock):
    old = memory.remember("an older memory about ropes").id
    before = state(memory, gull), state(memory, old)
    clock.advance(2 * HOUR)
    memory.edit(gull, content="two terns")
    memory.forget(gull)
    memory.remember("something new")
    memory.supersede(old, "ropes are chains now")
    clock.advance(10)
    memory.undo(since="1h")
    assert (state(memory, gull), state(memory, old)) == before
    assert alive(memory) == [gull, old]
    assert memory.verify().problems == ()


def test_a_time_may_be_a_number(memory, gull, clock):
    clock.advance(100)
    new = memory.remember("something new").id
    assert [each.memory for each in memory.undo(since=NOW + 100)] == [new]
    assert alive(memory) == [gull]


# Asking only


@pytest.mark.parametrize("how", [{}, {"source": "run-1"}, {"session": "s1"}, {"since": NOW}])
def test_a_dry_run_says_the_same_and_changes_nothing(memory, how):
    one = memory.remember("one gull", source_ref="run-1", session="s1").id
    target = (one,) if not how else ()
    before = memory.get(one), memory.history(one)
    planned = memory.undo(*target, dry_run=True, **how)
    assert (memory.get(one), memory.history(one)) == before
    assert [(each.memory, each.what) for each in planned] == [(one, "created")]
    assert memory.undo(*target, **how) == planned


def test_a_dry_run_needs_no_right_to_write(memory, gull, tmp_path):
    memory.close()
    with opened(tmp_path / "puffin.db", read_only=True) as reader:
        assert [each.what for each in reader.undo(gull, dry_run=True)] == ["created"]


@pytest.mark.parametrize(
    "options", [{}, {"source": "a", "session": "b"}, {"since": "1h", "source": "a"}]
)
def test_one_must_say_what_to_undo_in_one_way(memory, options):
    with pytest.raises(BadInput, match="say what to undo"):
        memory.undo(**options)


def test_an_unknown_option_or_memory_is_an_error(memory):
    with pytest.raises(BadInput, match="did you mean 'session'"):
        memory.undo(sesion="s1")
    with pytest.raises(NotFound):
        memory.undo(4711)
