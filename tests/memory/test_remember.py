"""The write door: what comes in, how it is cleaned, and what happens to look-alikes."""

import random
import string
import tempfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.kinds import KINDS, SECTORS
from recairn.core.model import Draft
from recairn.core.record import as_dict
from recairn.core.times import DAY
from tests.corpus import MEMORIES, NOW, PROJECT, Clock, kept_at, opened

# Seven long words and a number: the memories of one family share all look-alike keys but one.
FAMILY = "deployment pipeline payments production environment finished successfully migration {}"

WHOLE: dict[str, dict[str, Any]] = {
    "decision": {
        "rationale": "the office runs it",
        "alternatives": ["flat files", "a spreadsheet"],
        "outcome": "fast",
        "lesson": "ask first",
        "type": "storage",
        "git_commit": "a1b2c3d",
    },
    "pattern": {
        "context": "radio",
        "problem": "headers",
        "solution": "batches",
        "anti_pattern": False,
        "symptom": "none",
        "risk": "late data",
        "fix": "flush",
        "severity": "low",
        "good_example": "flush(12)",
        "bad_example": "flush(1)",
        "validations": 3,
    },
    "failure": {
        "error_type": "QueueFull",
        "error_message": "full",
        "tool": "ingest",
        "step": "write",
        "cause": "gale",
        "fix": "drop",
    },
    "handoff": {
        "next_steps": ["legend"],
        "blockers": ["licence"],
        "questions": ["metres?"],
        "goals": ["ship"],
        "branch": "charts",
        "commits": ["a1b2c3d"],
        "files": ["web/chart.js"],
    },
    "observation": {"source": "webcam", "status": "open"},
    "note": {"note_type": "meeting", "summary": "sirens", "key_points": ["two", "one list"]},
    "entity": {
        "entity_type": "module",
        "aliases": ["tide model"],
        "description": "predicts",
        "mentions": 4,
    },
    "resource": {
        "url": "https://tides.example/primer",
        "resource_type": "article",
        "takeaways": ["37 constituents"],
        "notes": "long",
        "rating": 4.5,
        "status": "read",
    },
    "chunk": {
        "document": "01hexample0000000000000000",
        "position": 2,
        "heading": "Mooring",
        "path": "manual.md",
        "line": 10,
        "end_line": 20,
        "page": 3,
    },
}


def canary(seed=7):
    """A value shaped like a GitHub token that never was one."""
    letters = random.Random(seed).choices(string.ascii_letters + string.digits, k=36)
    return "ghp_" + "".join(letters)


# What is stored


def test_a_text_is_remembered_and_found(memory):
    answer = memory.remember("The buoy radio listens on port 7331")
    assert (answer.id, answer.status, answer.similar, answer.warnings) == (1, "added", (), ())
    stored = memory.get(answer.id)
    assert stored.uid == answer.uid
    assert stored.content == "The buoy radio listens on port 7331"
    assert (stored.kind, stored.project, stored.tier) == ("learning", PROJECT, "project")
    assert stored.created_at == stored.updated_at == stored.valid_from == NOW
    assert (stored.source_type, stored.trust) == ("manual", "verified")
    assert [hit.id for hit in memory.search("radio").hits] == [1]


def test_the_whole_corpus_is_stored_kind_by_kind(puffin):
    stored = puffin.listing(docs=True, order="id", limit=100)
    assert [each.kind for each in stored] == [each["kind"] for each in MEMORIES]
    assert {each.kind for each in stored} == set(KINDS)
    assert puffin.verify().problems == ()


def test_every_field_of_every_kind_comes_back(memory):
    assert {kind: set(fields) for kind, fields in WHOLE.items()} == {
        kind: set(row.fields) for kind, row in KINDS.items() if row.fields
    }
    for kind, fields in WHOLE.items():
        answer = memory.remember(f"one {kind} with all its fields", kind=kind, fields=fields)
        assert memory.get(answer.id).fields == fields, kind


def test_the_words_of_the_fields_are_searched(memory):
    answer = memory.remember(
        "Use PostgreSQL", kind="decision", fields={"rationale": "harbour office"}
    )
    assert [hit.id for hit in memory.search("harbour").hits] == [answer.id]


@pytest.mark.parametrize(
    ("alias", "kind"),
    [
        ("anti-pattern", "pattern"),
        ("gotcha", "pattern"),
        ("constraint", "rule"),
        ("value", "rule"),
        ("personality", "preference"),
        ("correction", "learning"),
        ("blocker", "observation"),
        ("action", "observation"),
        (" Fact ", "fact"),
    ],
)
def test_the_kinds_of_other_systems_are_understood(memory, alias, kind):
    assert memory.get(memory.remember("x y z", kind=alias).id).kind == kind


def test_what_the_draft_leaves_open_follows_from_the_kind(memory):
    rule = memory.get(memory.remember("Oil the winch on Mondays", kind="rule").id)
    assert (rule.importance, rule.sector) == (0.8, "procedural")
    guessed = memory.get(memory.remember("Ines loves small commits").id)
    assert (guessed.importance, guessed.sector) == (0.5, "emotional")
    assert guessed.sector in SECTORS


def test_concepts_are_taken_from_title_content_and_fields(memory):
    answer = memory.remember(
        "call `sync_clock` first",
        title="TideModel",
        kind="pattern",
        fields={"solution": "see server/clock.py"},
    )
    assert set(memory.get(answer.id).concepts) == {"sync_clock", "TideModel", "server/clock.py"}


def test_given_times_and_numbers_are_kept(memory):
    answer = memory.remember(
        "a dated remark",
        created_at="2026-01-02",
        valid_until=NOW + DAY,
        expires_at="2027-01-01T00:00:00Z",
        importance=0.0,
        confidence=1,
        pinned=True,
    )
    stored = memory.get(answer.id)
    assert stored.created_at == stored.valid_from == 1_767_312_000_000
    assert (stored.valid_until, stored.expires_at) == (NOW + DAY, 1_798_761_600_000)
    assert (stored.importance, stored.confidence, stored.pinned) == (0.0, 1.0, True)


def test_what_a_hook_captured_is_unverified_until_confirmed(memory):
    for source, trust in (("hook", "unverified"), ("run", "unverified"), ("agent", "verified")):
        answer = memory.remember(f"captured by {source}", source_type=source)
        assert memory.get(answer.id).trust == trust


def test_a_session_is_linked_to_what_it_wrote(memory):
    answer = memory.remember("seen in a session", session="s-1")
    assert memory.get(answer.id).session_id == "s-1"
    assert [each.id for each in memory.listing(in_session="s-1")] == [answer.id]


# Clean-up


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("  spaces around  ", "spaces around"),
        ("nul\x00 byte", "nul byte"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("red \x1b[31malert\x1b[0m", "red alert"),
        ("left\u202eright", "leftright"),
        ("line\r\nend", "line\nend"),
        ("cafe\u0301", "café"),
    ],
)
def test_text_is_cleaned_at_the_door(memory, given, stored):
    assert memory.get(memory.remember(given).id).content == stored


def test_the_clean_up_reaches_every_text(memory):
    dirty = "di\x00r\u202et\x1b[1m"
    answer = memory.remember(
        "clean me",
        kind="decision",
        title=dirty,
        category=dirty,
        keywords=[dirty],
        scope=dirty,
        source_ref=dirty,
        project=dirty,
        session=dirty,
        external_id=dirty,
        fields={"rationale": dirty, "alternatives": [dirty]},
    )
    stored = memory.get(answer.id)
    assert {
        stored.title,
        stored.category,
        stored.scope,
        stored.source_ref,
        stored.project,
        stored.session_id,
        stored.external_id,
        *stored.keywords,
        stored.fields["rationale"],
        *stored.fields["alternatives"],
    } == {"dirt"}


@pytest.mark.parametrize("content", ["", "   ", "\x00", "\u200b\n"])
def test_nothing_is_not_remembered(memory, content):
    with pytest.raises(BadInput, match="nothing to remember"):
        memory.remember(content)
    assert memory.count() == 0


@pytest.mark.parametrize("content", ["!?", "\U0001f389", "—", "१२३", "..."])
def test_a_text_without_words_is_remembered_once(memory, content):
    assert memory.remember(content).status == "added"
    assert memory.remember(content).status == "reinforced"
    assert memory.count() == 1


# Limits


@pytest.mark.parametrize(
    ("option", "longest"),
    [
        ("title", 500),
        ("category", 200),
        ("scope", 200),
        ("project", 200),
        ("source_ref", 1000),
        ("external_id", 200),
        ("session", 200),
    ],
)
def test_a_text_over_its_limit_is_refused_with_both_numbers(memory, option, longest):
    assert memory.remember("fits", **{option: "x" * longest}).status == "added"
    with pytest.raises(BadInput, match=f"{longest + 1:,} characters, {longest:,} at most"):
        memory.remember("too long", **{option: "x" * (longest + 1)})


def test_content_ends_at_a_hundred_thousand_characters(memory):
    assert memory.remember("x" * 100_000).status == "added"
    with pytest.raises(BadInput, match="100,001 characters, 100,000 at most") as caught:
        memory.remember("x" * 100_001)
    assert "split" in caught.value.hint


def test_a_long_title_does_not_lift_the_limit_of_other_names(memory):
    memory.remember("first", title="t" * 400)
    with pytest.raises(BadInput, match="400 characters"):
        memory.remember("second", category="t" * 400)


def test_fields_together_have_the_limit_of_a_content(memory):
    half = "x" * 60_000
    with pytest.raises(BadInput, match="at most"):
        memory.remember("big", kind="decision", fields={"rationale": half, "lesson": half})


def test_fifty_keywords_are_enough(memory):
    assert memory.remember("fits", keywords=[f"k{number}" for number in range(50)]).id
    with pytest.raises(BadInput, match="51 keywords, 50 at most"):
        memory.remember("too many", keywords=[f"k{number}" for number in range(51)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "decison"}, "unknown kind 'decison'"),
        ({"tier": "planet"}, "unknown tier"),
        ({"sector": "x"}, "unknown sector"),
        ({"trust": "maybe"}, "unknown trust"),
        ({"source_type": "dream"}, "unknown source type"),
        ({"importance": 1.5}, "importance must lie between 0 and 1"),
        ({"importance": -0.1}, "importance"),
        ({"confidence": float("nan")}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"fields": {"rationale": "x"}}, "a learning has no field 'rationale'"),
        ({"kind": "decision", "fields": {"rational": "x"}}, "no field 'rational'"),
        ({"kind": "decision", "fields": {"rationale": {"a": 1}}}, "must be text"),
        ({"kind": "entity", "fields": {"mentions": "four"}}, "must be a number"),
        ({"kind": "entity", "fields": {"mentions": float("nan")}}, "mentions"),
        ({"kind": "entity", "fields": {"mentions": float("inf")}}, "mentions"),
        ({"kind": "pattern", "fields": {"anti_pattern": "yes"}}, "must be true or false"),
        ({"fields": "rationale"}, "fields"),
        ({"created_at": NOW * 1000}, "not a time in milliseconds"),
        ({"expires_at": 10**30}, "not a time in milliseconds"),
        ({"valid_until": 10**30}, "not a time in milliseconds"),
        ({"expires_at": "soon"}, "cannot read 'soon' as a time"),
        ({"valid_from": NOW, "valid_until": NOW - 1}, "end before it begins"),
        ({"category": 5}, "category must be text, got int"),
        ({"category": ["a"]}, "category must be text, got list"),
        ({"title": 7.0}, "title must be text"),
        ({"keywords": [5]}, "keyword must be text"),
        ({"tier": "session"}, "session"),
        ({"colour": "red"}, "no option 'colour'"),
    ],
)
def test_bad_input_is_refused_and_leaves_nothing(memory, options, message):
    with pytest.raises(BadInput, match=message):
        memory.remember("a proper text", **options)
    assert memory.count(all_projects=True, docs=True) == 0


def test_a_misspelled_kind_or_field_is_guessed(memory):
    with pytest.raises(BadInput, match="did you mean 'decision'"):
        memory.remember("x", kind="decison")
    with pytest.raises(BadInput, match="did you mean 'rationale'"):
        memory.remember("x", kind="decision", fields={"rational": "x"})


@pytest.mark.parametrize("content", [None, 5, b"bytes", ["list"]])
def test_content_must_be_text(memory, content):
    with pytest.raises(BadInput, match="content must be text"):
        memory.remember(content)


def test_null_means_not_given(memory):
    nothing = dict.fromkeys(("title", "category", "scope", "source_ref", "project", "session"))
    (answer,) = memory.remember_many([{"content": "from a JSON file", "keywords": None, **nothing}])
    stored = memory.get(answer.id)
    assert (stored.title, stored.category, stored.scope, stored.keywords) == ("", "", "", ())
    assert stored.project == PROJECT


# Secrets


def test_a_secret_is_redacted_and_its_kind_stays(memory):
    answer = memory.remember(f"The token is {canary()} for now")
    assert memory.get(answer.id).content == "The token is ghp_[REDACTED] for now"
    (warning,) = answer.warnings
    assert warning.startswith("redacted 1 secret (")


def test_no_secret_reaches_the_disk_by_any_way_in(memory, tmp_path):
    tokens = [canary(seed) for seed in range(30)]
    give = iter(tokens)
    answer = memory.remember(
        f"content {next(give)}",
        kind="decision",
        title=f"title {next(give)}",
        category=next(give),
        keywords=[next(give)],
        scope=next(give),
        source_ref=next(give),
        project=f"p {next(give)}",
        session=f"s {next(give)}",
        external_id=next(give),
        fields={"rationale": next(give), "alternatives": [next(give), next(give)]},
    )
    plain = memory.remember("a plain decision", kind="decision").id
    memory.edit(plain, content=f"new {next(give)}", title=next(give), category=next(give))
    memory.edit(plain, keywords=[next(give)], scope=next(give))
    memory.edit(plain, fields={"rationale": next(give), "alternatives": [next(give)]})
    memory.remember(f"added {next(give)}", merge=plain)
    memory.remember(f"in its place {next(give)}", supersede=plain)
    memory.feedback(plain, 1.0, source=next(give))
    memory.forget(plain, reason=next(give))
    memory.search(f"where is {next(give)}")
    memory.remember_many([{"content": f"bulk {next(give)}"}, {"content": "b", "title": next(give)}])
    used = tokens[: tokens.index(next(give))]
    assert len(used) >= 25
    assert answer.status == "added"
    memory.close()
    written = kept_at(tmp_path / "puffin.db")
    assert b"a plain decision" in written
    leaked = [number for number, token in enumerate(used) if token[4:].encode() in written]
    assert leaked == []


def test_the_allow_list_counts_only_in_its_own_database(memory, tmp_path):
    token = canary()
    memory.set_config("redaction.allow", token)
    assert memory.get(memory.remember("one two", category=token).id).category == token
    with opened(tmp_path / "other.db") as other:
        stored = other.get(other.remember("three four", category=token).id)
    assert stored.category == "ghp_[REDACTED]"


# Duplicates


def test_remembering_the_same_again_reinforces_it(memory, clock):
    first = memory.remember("Gulls peck the sensor")
    memory.deemphasize(first.id, 0.5)
    clock.advance(1000)
    again = memory.remember("  gulls PECK the\nsensor ")
    assert (again.status, again.id, again.uid) == ("reinforced", first.id, first.uid)
    assert memory.count() == 1
    assert memory.get(first.id).salience == pytest.approx(0.55, abs=0.001)
    assert memory.history(first.id)[-1].event == "reinforced"


def test_force_does_not_store_exactly_the_same_twice(memory):
    memory.remember("Gulls peck the sensor")
    assert memory.remember("gulls peck the sensor", force=True).status == "reinforced"


@pytest.mark.parametrize("family", [30, 200])
def test_the_same_text_is_known_again_among_many_that_look_alike(memory, family):
    answers = [memory.remember(FAMILY.format(number)) for number in range(family)]
    assert {answer.status for answer in answers} == {"added"}
    again = memory.remember(FAMILY.format(3))
    assert (again.status, again.id) == ("reinforced", answers[3].id)


def test_forgotten_twins_do_not_hide_a_live_one(memory):
    first = memory.remember("The tracker resolves circular imports lazily").id
    memory.forget(first)
    for _ in range(40):
        memory.forget(memory.remember("The tracker resolves circular imports lazily").id)
    memory.restore(first)
    again = memory.remember("The tracker resolves circular imports lazily")
    assert (again.status, again.id) == ("reinforced", first)


def test_another_project_may_say_the_same(memory):
    memory.remember("Gulls peck the sensor")
    other = memory.remember("Gulls peck the sensor", project="kestrel")
    assert (other.status, other.id) == ("added", 2)


def test_what_was_forgotten_or_replaced_can_be_remembered_anew(memory):
    first = memory.remember("The lamp is red").id
    memory.forget(first)
    second = memory.remember("The lamp is red")
    assert second.status == "added"
    memory.supersede(second.id, "Someone painted the light green")
    assert memory.remember("The lamp is red").status == "added"


def test_what_expired_can_be_remembered_anew(memory, clock):
    memory.remember("The slipway is closed", expires_at=NOW + 10)
    clock.advance(20)
    assert memory.remember("The slipway is closed").status == "added"
    assert len(memory.search("slipway").hits) == 1


def test_another_sessions_private_note_is_not_mine(memory):
    memory.remember("The flaky test is test_clock", tier="session", session="a")
    mine = memory.remember("The flaky test is test_clock", session="b")
    assert mine.status == "added"
    assert [hit.id for hit in memory.search("flaky").hits] == [mine.id]


NEAR = (
    "Always run the database migrations inside one transaction",
    "always run database migrations inside one transaction",
)


def test_a_near_duplicate_asks_and_writes_nothing(memory):
    first = memory.remember(NEAR[0]).id
    answer = memory.remember(NEAR[1])
    assert (answer.status, answer.id, answer.uid) == ("needs_decision", None, None)
    (similar,) = answer.similar
    assert (similar.id, similar.content) == (first, NEAR[0])
    assert similar.similarity == 0.875
    assert memory.count() == 1
    assert len(memory.history(first)) == 1


def test_force_stores_a_near_duplicate_beside_the_other(memory):
    first = memory.remember(NEAR[0]).id
    answer = memory.remember(NEAR[1], force=True)
    assert answer.status == "added"
    assert answer.id != first
    assert memory.count() == 2


def test_supersede_replaces_the_other(memory, clock):
    first = memory.remember(NEAR[0]).id
    clock.advance(5)
    answer = memory.remember(NEAR[1], supersede=first)
    assert answer.status == "superseded"
    old = memory.get(first)
    assert (old.superseded_by, old.valid_until) == (answer.id, NEAR and NOW + 5)
    assert [each.id for each in memory.listing()] == [answer.id]


def test_decisions_and_patterns_go_by_their_name(memory):
    first = memory.remember("Tides in UTC", kind="decision", fields={"rationale": "no gaps"}).id
    for said, fields in (
        ("Tides in UTC", {"rationale": "the office in Lisbon asked for it, at port 7331"}),
        ("tides  in UTC", {}),
    ):
        asked = memory.remember(said, kind="decision", fields=fields)
        assert (asked.status, [each.id for each in asked.similar]) == ("needs_decision", [first])
    assert memory.remember("A log", title="Tides in UTC").status == "added"


def test_a_name_that_was_edited_away_is_free_again(memory):
    first = memory.remember("Tides in UTC", kind="decision", fields={"rationale": "no gaps"}).id
    memory.edit(first, content="Tides in local time")
    again = memory.remember("Tides in UTC", kind="decision", fields={"rationale": "Lisbon"})
    assert again.status == "added"
    asked = memory.remember("Tides in local time", kind="decision", fields={"outcome": "fog"})
    assert [each.id for each in asked.similar] == [first]


def test_bulk_work_notices_names_when_asked_and_loses_nothing_otherwise(memory):
    drafts = [
        {"content": "Tides in UTC", "kind": "decision", "fields": {"rationale": why}}
        for why in ("no gaps in autumn", "the office in Lisbon asked")
    ]
    statuses = [each.status for each in memory.remember_many(drafts)]
    assert statuses == ["added", "needs_decision"]
    later = [{**each, "content": "Depths in metres"} for each in drafts]
    kept = memory.remember_many(later, on_similar="reinforce")
    assert [each.status for each in kept] == ["added", "added"]


def test_merging_what_goes_by_the_same_name_adds_only_what_is_new(memory):
    first = memory.remember("Tides in UTC", kind="decision", fields={"rationale": "no gaps"}).id
    memory.remember("Tides in UTC", kind="decision", fields={"outcome": "fast"}, merge=first)
    merged = memory.get(first)
    assert merged.content == "Tides in UTC"
    assert merged.fields == {"rationale": "no gaps", "outcome": "fast"}


def test_merge_adds_to_the_other(memory):
    first = memory.remember(
        NEAR[0], kind="decision", fields={"rationale": "locks"}, keywords=["sql"]
    ).id
    answer = memory.remember(
        "Also on the replica",
        kind="decision",
        fields={"lesson": "test it"},
        keywords=["replica"],
        merge=first,
    )
    assert (answer.status, answer.id) == ("merged", first)
    merged = memory.get(first)
    assert merged.content == f"{NEAR[0]}. Also on the replica"
    assert merged.fields == {"rationale": "locks", "lesson": "test it"}
    assert merged.keywords == ("sql", "replica")
    assert [hit.id for hit in memory.search("replica").hits] == [first]
    assert memory.history(first)[-1].event == "merged"
    assert memory.verify().problems == ()


def test_merging_over_the_limit_is_refused(memory):
    first = memory.remember("x" * 60_000).id
    with pytest.raises(BadInput, match="would grow over 100,000"):
        memory.remember("y" * 60_000, merge=first)
    assert len(memory.get(first).content) == 60_000


@pytest.mark.parametrize("how", ["supersede", "merge"])
def test_a_missing_target_is_not_found_and_nothing_is_stored(memory, how):
    with pytest.raises(NotFound):
        memory.remember("a text", **{how: 4711})
    assert memory.count() == 0


@pytest.mark.parametrize("how", ["supersede", "merge"])
def test_an_immutable_memory_is_neither_replaced_nor_merged_into(memory, how):
    first = memory.remember("Cast in stone", immutable=True).id
    with pytest.raises(Refused, match="immutable"):
        memory.remember("a different claim", **{how: first})
    assert memory.get(first).content == "Cast in stone"
    assert memory.count() == 1
    assert memory.remember("a different claim", force=True, **{how: first}).status in (
        "superseded",
        "merged",
    )


def test_a_number_makes_two_texts_different(memory):
    first = "The request timeout of the harbour gateway is 30 seconds"
    assert memory.remember(first).status == "added"
    assert memory.remember(first.replace("30", "60")).status == "added"


def test_a_contradiction_is_stored_with_a_warning(memory):
    memory.remember("Always use tabs in makefiles")
    answer = memory.remember("Never use tabs in makefiles")
    assert answer.status == "added"
    assert answer.warnings == (
        "may contradict #1 ('never' against 'always'): Always use tabs in makefiles",
    )


def test_a_denial_never_strengthens_what_it_denies(memory):
    said = "The response cache is invalidated on every deploy of the public gateway service"
    first = memory.remember(said).id
    (answer,) = memory.remember_many(
        [{"content": said.replace("is invalidated", "is not invalidated")}], on_similar="reinforce"
    )
    assert answer.id != first
    assert any("may contradict #1" in warning for warning in answer.warnings)


def test_replacing_a_statement_by_its_opposite_is_no_contradiction(memory):
    first = memory.remember("Always use tabs in makefiles").id
    assert memory.remember("Never use tabs in makefiles", supersede=first).warnings == ()


# Many at once


def test_many_are_remembered_in_order(memory):
    answers = memory.remember_many(MEMORIES)
    assert [answer.id for answer in answers] == list(range(1, len(MEMORIES) + 1))
    assert {answer.status for answer in answers} == {"added"}
    assert memory.remember_many([]) == []


def test_drafts_and_mappings_may_be_mixed(memory):
    answers = memory.remember_many([Draft("one gull"), {"content": "two terns", "kind": "fact"}])
    assert [memory.get(answer.id).kind for answer in answers] == ["learning", "fact"]


def test_a_bad_draft_among_many_stops_all_of_them(memory):
    good = [{"content": f"good number {number}"} for number in range(1500)]
    with pytest.raises(BadInput, match="draft 1501: importance must lie"):
        memory.remember_many([*good, {"content": "bad", "importance": 7}])
    assert memory.count() == 0
    assert memory.stats()["events"] == 0
    assert memory.verify().problems == ()


def test_an_error_of_the_source_stops_all_of_them(memory):
    def drafts():
        yield {"content": "first"}
        raise OSError("the disk of the source broke")

    with pytest.raises(OSError, match="broke"):
        memory.remember_many(drafts())
    assert memory.count() == 0


@pytest.mark.parametrize("bad", [{}, {"kind": "fact"}, {"content": "x", "colour": 1}, "text"])
def test_a_draft_without_content_or_with_more_is_named(memory, bad):
    with pytest.raises(BadInput, match="draft 2"):
        memory.remember_many([{"content": "first"}, bad])


def test_repetitions_inside_one_batch_are_seen(memory):
    one, two = FAMILY.format(1), FAMILY.format(2)
    answers = memory.remember_many([{"content": each} for each in (one, two, one, two, one)])
    assert [answer.status for answer in answers] == [
        "added",
        "added",
        "reinforced",
        "reinforced",
        "reinforced",
    ]
    assert [answer.id for answer in answers] == [1, 2, 1, 2, 1]


def test_a_near_duplicate_inside_one_batch_is_seen_behind_others_of_its_family(memory):
    texts = (FAMILY.format(1), FAMILY.format(2), FAMILY.format(1) + " today")
    answers = memory.remember_many([{"content": each} for each in texts])
    assert [answer.status for answer in answers] == ["added", "added", "needs_decision"]
    assert [each.id for each in answers[2].similar] == [1]


@pytest.mark.parametrize(
    ("on_similar", "status", "count"),
    [("ask", "needs_decision", 1), ("reinforce", "reinforced", 1), ("add", "added", 2)],
)
def test_imports_say_what_happens_to_near_duplicates(memory, on_similar, status, count):
    answers = memory.remember_many([{"content": text} for text in NEAR], on_similar=on_similar)
    assert [answer.status for answer in answers] == ["added", status]
    assert memory.count() == count


def test_an_unknown_way_to_treat_look_alikes_is_refused(memory):
    with pytest.raises(BadInput, match="did you mean 'reinforce'"):
        memory.remember_many([], on_similar="reinforced")


SUBJECTS = ["anchor", "beacon", "capstan", "davit", "ensign", "fender", "gunwale", "halyard"]
SENTENCES = st.one_of(
    st.builds(
        lambda polar, chosen, number: f"{polar} {' '.join(chosen)} {number}".strip(),
        st.sampled_from(["always", "never", "use", "avoid", ""]),
        st.lists(st.sampled_from(SUBJECTS), min_size=1, max_size=8, unique=True),
        st.sampled_from(["", "30", "60"]),
    ),
    st.sampled_from([*NEAR, FAMILY.format(1), FAMILY.format(2), FAMILY.format(1) + " today", "!?"]),
)


def state_of(memory):
    """Every row but its random uid, and what the history says."""
    rows = memory.listing(order="id", limit=1000, include_superseded=True)
    return [
        ({**as_dict(each), "uid": None}, [event.event for event in memory.history(each.id)])
        for each in rows
    ]


@settings(max_examples=40)
@given(
    st.lists(SENTENCES, max_size=14),
    st.sampled_from(["ask", "add"]),
)
def test_many_at_once_equal_one_after_the_other(texts, on_similar):
    with tempfile.TemporaryDirectory() as folder:
        options = {"clock": Clock()}
        with opened(f"{folder}/one.db", **options) as one:
            singly = [one.remember(text, force=on_similar == "add") for text in texts]
            expected = state_of(one)
        with opened(f"{folder}/all.db", **options) as every:
            together = every.remember_many([{"content": t} for t in texts], on_similar=on_similar)
            found = state_of(every)
            assert every.verify().problems == ()

    def outcome(answers):
        return [
            (each.id, each.status, [(s.id, s.similarity) for s in each.similar], each.warnings)
            for each in answers
        ]

    assert outcome(together) == outcome(singly)
    assert found == expected


def test_a_project_is_found_under_its_name_as_it_was_typed(memory):
    dirty = "gul\x00ls\u202e"
    memory.remember("They nest on the north pier", project=dirty)
    assert [each.project for each in memory.listing(project=dirty)] == ["gulls"]
