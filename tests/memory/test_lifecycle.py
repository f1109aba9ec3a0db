"""What becomes of a memory: edit, forget, restore, supersede, feedback, reinforce, history."""

from pathlib import Path

import pytest

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.model import decayed
from recairn.core.times import DAY
from tests.corpus import NOW, PROJECT, kept_at, opened


def events(memory, reference):
    return [event.event for event in memory.history(reference)]


def found(memory, query, **options):
    return [hit.id for hit in memory.search(query, track=False, **options).hits]


@pytest.fixture
def lamp(memory):
    """A decision to change."""
    return memory.remember(
        "The pier lamp burns red",
        kind="decision",
        title="Pier lamp",
        category="lights",
        fields={"rationale": "seen from afar", "alternatives": ["green"]},
    ).id


# Edit


def test_an_edit_changes_what_was_given_and_keeps_the_rest(memory, lamp, clock):
    clock.advance(50)
    before = memory.get(lamp)
    after = memory.edit(lamp, content="The pier lamp burns green", importance=0.9)
    assert after == memory.get(lamp)
    assert (after.content, after.importance) == ("The pier lamp burns green", 0.9)
    assert (after.updated_at, after.created_at, after.uid) == (NOW + 50, NOW, before.uid)
    assert (after.title, after.category, after.fields) == (
        before.title,
        before.category,
        before.fields,
    )
    assert after.content_hash != before.content_hash


def test_an_edit_rewrites_every_index(memory, lamp):
    memory.edit(lamp, content="parseDuskTime decides", title="", fields={"rationale": "bats"})
    assert found(memory, "burns") == found(memory, "afar") == []
    for query in ("dusk time", "bats", "green"):
        assert found(memory, query) == [lamp], query
    assert memory.get(lamp).concepts == ("parseDuskTime",)
    assert memory.remember("the pier lamp burns red", kind="decision").status == "added"
    assert memory.verify().problems == ()


def test_an_edited_text_is_known_as_a_duplicate(memory):
    first = memory.remember("one gull on the pier").id
    memory.edit(first, content="two terns on the slipway")
    assert memory.remember("Two terns on the slipway").id == first


def test_fields_are_changed_one_by_one_and_removed_by_nothing(memory, lamp):
    memory.edit(lamp, fields={"lesson": "ask the pilots"})
    assert memory.get(lamp).fields == {
        "rationale": "seen from afar",
        "alternatives": ["green"],
        "lesson": "ask the pilots",
    }
    memory.edit(lamp, fields={"rationale": ""})
    assert set(memory.get(lamp).fields) == {"alternatives", "lesson"}


def test_moving_to_another_project_moves_the_visibility(memory, lamp):
    memory.edit(lamp, project="kestrel")
    assert found(memory, "lamp") == []
    assert found(memory, "lamp", project="kestrel") == [lamp]
    memory.edit(f"kestrel/{lamp}", tier="global")
    assert found(memory, "lamp") == [lamp]
    assert memory.verify().problems == ()


def test_an_edit_is_in_the_history_with_before_and_after(memory, lamp, clock):
    clock.advance(50)
    memory.edit(lamp, category="signals")
    created, updated = memory.history(lamp)
    assert (created.event, created.at) == ("created", NOW)
    assert (updated.event, updated.at) == ("updated", NOW + 50)
    assert (updated.before["category"], updated.after["category"]) == ("lights", "signals")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colour": "red"}, "no editable field 'colour'"),
        ({"categry": "x"}, "did you mean 'category'"),
        ({"uid": "x"}, "no editable field 'uid'"),
        ({"content": "  "}, "empty"),
        ({"content": "x" * 100_001}, "100,001 characters"),
        ({"content": 5}, "content must be text"),
        ({"title": "x" * 501}, "501 characters"),
        ({"category": "x" * 201}, "201 characters"),
        ({"kind": "decison"}, "unknown kind"),
        ({"tier": "planet"}, "unknown tier"),
        ({"tier": "session"}, "session"),
        ({"importance": 2}, "importance must lie"),
        ({"fields": {"colour": "x"}}, "no field 'colour'"),
        ({"fields": {"rationale": "x" * 100_001}}, "100,001 characters"),
        ({"keywords": ["x"] * 51}, "51 keywords"),
        ({"valid_from": NOW, "valid_until": NOW - 1}, "end before it begins"),
        ({"valid_until": NOW - 1}, "end before it begins"),
        ({"expires_at": 10**30}, "not a time in milliseconds"),
        ({"expires_at": "soon"}, "cannot read 'soon'"),
    ],
)
def test_a_bad_edit_is_refused_and_changes_nothing(memory, lamp, changes, message):
    before = memory.get(lamp)
    with pytest.raises(BadInput, match=message):
        memory.edit(lamp, **changes)
    assert memory.get(lamp) == before
    assert events(memory, lamp) == ["created"]


def test_edited_texts_pass_the_same_door(memory, lamp):
    token = "ghp_" + "qX7pL2vN9sT4bK8mR3wZ6yC1dF5gH0jA9eU2"
    after = memory.edit(
        lamp,
        content=f"red\x1b[31m {token}",
        title="two\nlines",
        keywords="http",
        fields={"rationale": f"because {token}", "alternatives": [token]},
        expires_at="2027-01-01",
    )
    assert after.content == "red ghp_[REDACTED]"
    assert after.title == "two lines"
    assert after.keywords == ("http",)
    assert after.fields == {
        "rationale": "because ghp_[REDACTED]",
        "alternatives": ["ghp_[REDACTED]"],
    }
    assert after.expires_at == 1_798_761_600_000


def test_another_kind_keeps_only_the_fields_it_has(memory, lamp):
    memory.edit(lamp, kind="fact")
    assert memory.get(lamp).kind == "fact"
    memory.edit(lamp, content="The pier lamp glows")
    assert memory.get(lamp).fields == {}
    assert found(memory, "afar") == []


def test_an_unknown_memory_cannot_be_edited(memory):
    with pytest.raises(NotFound, match="no memory 4711"):
        memory.edit(4711, category="x")


# Forget and restore


def test_a_forgotten_memory_is_hidden_and_comes_back(memory, lamp, clock):
    clock.advance(5)
    memory.forget(lamp, reason="the lamp fell into the sea")
    assert found(memory, "lamp") == []
    assert memory.count() == 0
    assert memory.get(lamp).deleted_at == NOW + 5
    assert memory.history(lamp)[-1].reason == "the lamp fell into the sea"
    memory.restore(lamp)
    assert found(memory, "lamp") == [lamp]
    assert memory.get(lamp).deleted_at is None
    assert events(memory, lamp) == ["created", "forgotten", "restored"]


def test_forgetting_twice_is_one_event(memory, lamp):
    memory.forget(lamp)
    memory.forget(lamp)
    assert events(memory, lamp) == ["created", "forgotten"]


def test_what_was_not_forgotten_cannot_be_restored(memory, lamp):
    with pytest.raises(Refused, match="was not forgotten"):
        memory.restore(lamp)


@pytest.mark.parametrize("model", [None, "none"], ids=["usual model", "words only"])
def test_forgotten_for_good_nothing_keeps_the_text(tmp_path, clock, model):
    path = tmp_path / "gone.db"
    with opened(path, clock=clock, model=model) as memory:
        memory.remember_many([{"content": f"ordinary remark {n} of the crew"} for n in range(50)])
        secret = memory.remember(
            "zanzibarquartz is the word " + "and a long tail follows it " * 300,
            title="zanzibarquartz",
            kind="decision",
            fields={"rationale": "zanzibarquartz again"},
            keywords=["zanzibarquartz"],
        ).id
        memory.edit(secret, content="zanzibarquartz in short")
        memory.remember("the zanzibarquartz tale goes on", merge=secret)
        memory.search("remark")
        memory.forget(secret, hard=True)
        beside = b"".join(each.read_bytes() for each in tmp_path.glob("gone.db-wal"))
        assert b"zanzibarquartz" not in beside
        assert memory.get(secret) is None
        assert memory.verify().problems == ()
    left = kept_at(path)
    assert b"ordinary remark 7" in left
    assert b"zanzibarquartz" not in left.lower()


def test_the_history_remembers_that_something_was_erased(memory, lamp, clock):
    uid = memory.get(lamp).uid
    clock.advance(9)
    memory.forget(lamp, hard=True)
    history = memory.store.history(lamp)
    assert [event.event for event in history] == ["created", "erased"]
    assert history[-1].at == NOW + 9
    assert history[-1].before == {"uid": uid}
    with pytest.raises(NotFound):
        memory.restore(lamp)


def test_erasing_a_successor_frees_its_predecessor(memory):
    old = memory.remember("the toll is three coins").id
    new = memory.remember("the ferry costs five coins", supersede=old).id
    memory.forget(new, hard=True)
    freed = memory.get(old)
    assert (freed.superseded_by, freed.valid_until) == (None, None)
    assert "erased" not in events(memory, old)
    assert found(memory, "toll") == [old]
    assert memory.verify().problems == ()


@pytest.mark.parametrize("how", ["edit", "forget", "erase", "supersede"])
def test_an_immutable_memory_changes_only_by_force(memory, how):
    fixed = memory.remember("Cast in stone", immutable=True).id

    def act(force):
        if how == "edit":
            memory.edit(fixed, category="stone", force=force)
        elif how == "supersede":
            memory.supersede(fixed, "carved in wood instead", force=force)
        else:
            memory.forget(fixed, hard=how == "erase", force=force)

    before = memory.get(fixed)
    with pytest.raises(Refused, match="immutable"):
        act(force=False)
    assert memory.get(fixed) == before
    act(force=True)
    assert memory.get(fixed) != before


# Supersede


def test_a_memory_is_replaced_by_a_new_text_of_the_same_sort(memory, lamp, clock):
    clock.advance(7)
    old = memory.supersede(lamp, "The harbour uses one green light")
    new = memory.get(old.superseded_by)
    assert new.content == "The harbour uses one green light"
    assert (new.kind, new.project, new.category) == ("decision", PROJECT, "lights")
    assert old.valid_until == NOW + 7
    assert found(memory, "light lamp") == [new.id]
    assert events(memory, lamp) == ["created", "superseded"]


def test_a_memory_is_replaced_by_a_known_one(memory):
    old, new = memory.remember("one gull").id, memory.remember("two terns").id
    assert memory.supersede(f"#{old}", f"#{new}").superseded_by == new
    assert memory.count() == 1


def test_a_reference_to_nothing_is_not_taken_for_a_text(memory, lamp):
    for missing in ("#4711", "4711", 4711):
        with pytest.raises(NotFound):
            memory.supersede(lamp, missing)
    assert memory.count() == 1
    assert memory.get(lamp).superseded_by is None


def test_chains_are_fine_and_circles_are_refused(memory):
    one, two, three = (memory.remember(text).id for text in ("one gull", "two terns", "three auks"))
    memory.supersede(one, two)
    memory.supersede(two, three)
    assert [memory.get(each).superseded_by for each in (one, two, three)] == [two, three, None]
    with pytest.raises(Refused):
        memory.supersede(three, one)
    with pytest.raises(Refused):
        memory.supersede(three, three)
    assert memory.get(three).superseded_by is None


def test_a_forgotten_memory_cannot_be_a_successor(memory, lamp):
    gone = memory.remember("there is no lamp").id
    memory.forget(gone)
    with pytest.raises(Refused, match="was forgotten"):
        memory.supersede(lamp, gone)
    assert memory.get(lamp).superseded_by is None


def test_a_memory_that_began_later_than_now_does_not_end_before_it_begins(memory):
    later = memory.remember("the summer toll", valid_from=NOW + DAY).id
    memory.supersede(later, "there is no toll any more")
    assert memory.get(later).valid_until == NOW + DAY
    assert memory.verify().problems == ()


# Feedback and strength


def test_feedback_adds_up(memory, lamp):
    memory.feedback(lamp)
    after = memory.feedback(lamp, 0.25, source="agent")
    assert (after.helpful, after.harmful, after.outcome_score) == (1.25, 0.75, 0.25)
    assert events(memory, lamp) == ["created", "rated", "rated"]
    assert memory.history(lamp)[-1].reason == "0.25 by agent"


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), "good", True])
def test_feedback_lies_between_0_and_1(memory, lamp, score):
    with pytest.raises(BadInput, match="between 0 and 1"):
        memory.feedback(lamp, score)
    assert memory.get(lamp).helpful == 0.0


def test_a_good_outcome_confirms_what_was_captured(memory):
    captured = memory.remember("captured by a hook", source_type="hook").id
    memory.feedback(captured, 0.2)
    assert memory.get(captured).trust == "unverified"
    memory.feedback(captured, 1.0)
    assert memory.get(captured).trust == "verified"


def test_reinforcing_and_deemphasizing_stay_within_bounds(memory, lamp):
    assert memory.deemphasize(lamp, 0.4).salience == pytest.approx(0.6)
    assert memory.reinforce(lamp, 0.5).salience == pytest.approx(0.8)
    for _ in range(10):
        memory.deemphasize(lamp, 1.0)
    assert 0.0 < memory.get(lamp).salience <= 0.05
    for _ in range(200):
        memory.reinforce(lamp, 0.5)
    assert memory.get(lamp).salience <= 1.0


def test_deemphasizing_an_old_memory_does_not_lift_it(memory, clock):
    fact = memory.remember("a fact about moons", kind="fact").id
    clock.advance(365 * DAY)
    before = decayed(memory.get(fact), clock.now)
    assert before == pytest.approx(0.161, abs=0.001)
    memory.deemphasize(fact, 0.1)
    assert decayed(memory.get(fact), clock.now) == pytest.approx(before - 0.1)
    memory.reinforce(fact, 0.1)
    assert decayed(memory.get(fact), clock.now) < 0.2


@pytest.mark.parametrize("amount", [-1, 2, "much", float("nan")])
def test_amounts_lie_between_0_and_1(memory, lamp, amount):
    for act in (memory.reinforce, memory.deemphasize):
        with pytest.raises(BadInput, match="amount"):
            act(lamp, amount)


# History


def test_the_history_tells_a_whole_life(memory, clock):
    one = memory.remember("one gull").id
    for act in (
        lambda: memory.edit(one, content="one big gull"),
        lambda: memory.remember("one big gull"),
        lambda: memory.remember("with a fish", merge=one),
        lambda: memory.deemphasize(one),
        lambda: memory.feedback(one),
        lambda: memory.forget(one),
        lambda: memory.restore(one),
        lambda: memory.supersede(one, "all gulls left the harbour"),
    ):
        clock.advance(10)
        act()
    assert events(memory, one) == [
        "created",
        "updated",
        "reinforced",
        "merged",
        "deemphasized",
        "rated",
        "forgotten",
        "restored",
        "superseded",
    ]
    assert [event.at - NOW for event in memory.history(one)] == list(range(0, 90, 10))
    assert memory.verify().problems == ()


def test_a_change_belongs_to_the_session_that_made_it(tmp_path, clock):
    with opened(Path(tmp_path) / "s.db", clock=clock, session="s1", model="none") as memory:
        one = memory.remember("one gull", session="s0").id
        memory.edit(one, category="birds")
        memory.forget(one)
        memory.restore(one)
        assert [event.session_id for event in memory.history(one)] == ["s0", "s1", "s1", "s1"]


def test_the_history_of_nothing_is_not_found(memory):
    with pytest.raises(NotFound):
        memory.history(4711)
