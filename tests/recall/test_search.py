"""Searching by words: what is found, in which order, and what a search leaves behind."""

import random
import time

import pytest

from recairn.core.errors import BadInput
from recairn.core.model import total
from recairn.core.times import DAY
from tests.corpus import MEMORIES, NOW, PROJECT, Clock, kept_at, opened

ON, OFF = "\ue000", "\ue001"


def ids(result):
    return [hit.id for hit in result.hits]


def contents(result):
    return [hit.memory.content for hit in result.hits]


def keep(memory, *texts, **options):
    drafts = [{"content": text, **options} for text in texts]
    return [answer.id for answer in memory.remember_many(drafts, on_similar="add")]


# Words


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("authentication", "The authentication module handles user login and JWT tokens"),
        ("auth", "The authentication module handles user login and JWT tokens"),
        (
            "what drains the battery?",
            "Polling the barometer in a busy loop drains the battery overnight",
        ),
        ("how are migrations run", "Database migrations are run with the migrate command"),
        ("QueueFull", "The November gale crashed the ingest worker with a full queue"),
        ("37 constituents", "A primer on harmonic tide prediction"),
        ("sync_clock", "Call `sync_clock` from server/clock.py before the first reading"),
        ("server/clock.py", "Call `sync_clock` from server/clock.py before the first reading"),
        ("7331", "The buoy radio listens on port 7331"),
        ("gridline", "Ines likes small commits and charts without gridlines"),
    ],
)
def test_the_right_memory_of_the_corpus_comes_first(puffin, query, first):
    assert contents(puffin.search(query, limit=3))[0] == first


def test_an_identifier_is_found_by_its_parts_and_the_other_way_round(memory):
    camel, plain = keep(memory, "parseHTTPHeader is slow", "the http header is parsed twice")
    assert set(ids(memory.search("http header"))) == {camel, plain}
    assert set(ids(memory.search("parseHTTPHeader"))) == {camel, plain}
    assert ids(memory.search("parseHTTPHeader"))[0] == camel
    assert camel in ids(memory.search("parsehttpheader"))


def test_snake_case_and_paths_are_found_by_their_parts(memory):
    (snake,) = keep(memory, "max_retry_count lives in conf/limits.toml")
    for query in ("retry count", "max_retry_count", "limits", "conf/limits.toml", "retry"):
        assert ids(memory.search(query)) == [snake], query


def test_only_the_last_word_may_be_unfinished(puffin):
    assert contents(puffin.search("harbour auth"))[0].startswith("The authentication")
    assert "The authentication module handles user login and JWT tokens" not in contents(
        puffin.search("auth harbour")
    )


def test_the_exact_phrase_comes_before_nearness_before_scattered_words(memory):
    filler = " ".join(f"filler{number}" for number in range(30))
    scattered, near, phrase = keep(
        memory,
        f"rusty {filler} anchor {filler} chain",
        f"chain of the rusty old anchor {filler} {filler}",
        f"rusty anchor chain {filler} {filler} tail",
    )
    assert ids(memory.search("rusty anchor chain")) == [phrase, near, scattered]


def test_the_three_tiers_of_tx(memory):
    keep(
        memory,
        "transactions are useful for operations",
        "use for transactions",
        "use transactions for operations",
    )
    found = contents(memory.search("use transactions for operations", limit=5))
    assert found[0] == "use transactions for operations"
    assert len(found) == 3


def test_a_quoted_phrase_is_found_where_its_words_stand_together(memory):
    apart, together = keep(
        memory,
        "loop the rope, then be busy with the busy winch loop",
        "a busy loop in the driver code",
    )
    assert ids(memory.search('"busy loop"')) == [together]
    assert ids(memory.search("busy loop")) == [together, apart]


def test_a_word_in_the_title_counts_more_than_one_in_the_text(memory):
    memory.remember("the siren meeting was long", title="Notes")
    memory.remember("the notes meeting was long", title="Siren", force=True)
    assert ids(memory.search("siren")) == [2, 1]


def test_words_of_category_and_keywords_are_found(memory):
    (one,) = keep(memory, "oil it", category="winch", keywords=["grease"])
    assert ids(memory.search("winch")) == ids(memory.search("grease")) == [one]


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
@pytest.mark.parametrize(("query", "expected"), [("事务", 1), ("火曜日", 2), ("eyspace", 3)])
def test_letters_inside_words_are_found_where_no_word_is_known(memory, mode, query, expected):
    """Project Brain: LIKE '%query%' when the full-text index has nothing."""
    memory.remember("数据库迁移必须在事务中运行")
    memory.remember("デプロイは火曜日に行います")
    memory.remember("notify-keyspace-events must be on")
    (hit,) = memory.search(query, mode=mode).hits
    assert (hit.id, hit.match) == (expected, "keyword")
    assert hit.score == total(hit.terms)


@pytest.mark.parametrize("model", ["none", "static"])
def test_a_number_with_a_point_comes_before_its_parts(tmp_path, model):
    with opened(tmp_path / "m.db", model=model) as memory:
        keep(memory, *[f"Valve {n} of pump {n % 7}.{n} is shut" for n in range(40, 60)])
        keep(memory, "Line 1 of chapter 8 explains the pump")
        _, taxed = keep(memory, "The 1 of 8", "The VAT on books is 8.1 % here")
        (image,) = keep(memory, "Images are built with python3.11")
        assert ids(memory.search("8.1 %"))[0] == taxed
        assert ids(memory.search("3.11"))[0] == image


@pytest.mark.parametrize("model", ["none", "static"])
def test_a_sign_that_is_all_of_a_question_is_found(tmp_path, model):
    with opened(tmp_path / "m.db", model=model) as memory:
        launched, _ = keep(memory, "🚀 means that a release went out", "Boats leave at noon")
        assert ids(memory.search("🚀")) == [launched]
        assert ids(memory.search("🦔")) == []


def test_a_known_word_is_never_looked_for_inside_others(memory):
    memory.remember("The lighthouse is painted")
    light = memory.remember("Light the lamp").id
    assert memory.search("light lamp").hits[0].id == light
    assert memory.search("house ", mode="keyword").hits[0].id == 1
    memory.remember("A house by the pier")
    assert [hit.id for hit in memory.search("house ", mode="keyword").hits] == [3]


def test_accents_case_and_endings_do_not_matter(memory):
    keep(memory, "Crêpes for the Harbour crews")
    for query in ("crepes", "CRÊPES", "crepe", "crew"):
        assert len(memory.search(query).hits) == 1, query


@pytest.mark.parametrize("query", ["", "   ", "?", "\x00", "xyzzyx", "the of and"])
def test_a_question_without_answer_says_what_was_searched(puffin, query):
    result = puffin.search(query)
    assert result.hits == () or query == "the of and"
    if not result.hits:
        assert result.meta.returned == 0
        assert result.meta.searched == len(MEMORIES) - 1


# Snippets


def test_the_words_asked_for_are_marked(puffin):
    hit = puffin.search("authentication").hits[0]
    assert f"{ON}authentication{OFF}" in hit.snippet


def test_a_long_memory_is_shown_around_the_match(memory):
    keep(memory, "word " * 1000 + "albatross " + "word " * 1000)
    snippet = memory.search("albatross").hits[0].snippet
    assert f"{ON}albatross{OFF}" in snippet
    assert len(snippet) < 400


def test_text_that_looks_like_markup_stays_text(memory):
    keep(memory, "<mark>storm</mark> & <script>alert(1)</script>")
    snippet = memory.search("storm").hits[0].snippet
    assert f"<mark>{ON}storm{OFF}</mark>" in snippet


# Order


def test_the_same_question_gives_the_same_answer(puffin):
    results = [puffin.search("harbour tide buoy", track=False) for _ in range(3)]
    assert len({tuple(ids(result)) for result in results}) == 1
    assert len(results[0].hits) >= 5


def test_equal_memories_are_ordered_by_id(memory):
    keep(memory, *[f"seal {number}" for number in range(10, 18)])
    assert ids(memory.search("seal")) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert ids(memory.search("seal", limit=3)) == [1, 2, 3]


def test_scores_fall_and_each_is_recomputed_from_its_terms(puffin):
    hits = puffin.search("harbour tide buoy sensor").hits
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    for hit in hits:
        assert hit.score == total(hit.terms)
        assert all(0.0 <= term.value <= 1.0 for term in hit.terms.values())
        assert hit.match == "keyword"


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_scores_are_recomputed_from_their_terms_in_every_mode(tmp_path, clock, mode):
    with opened(tmp_path / "m.db", clock=clock, model=None) as memory:
        memory.remember_many(MEMORIES)
        for query in ("harbour tide buoy", "the water is rising", "parseHTTPHeader", "\ud800 ?"):
            hits = memory.search(query, mode=mode).hits
            order = [(-hit.score, hit.id) for hit in hits]
            assert order == sorted(order)
            for hit in hits:
                assert hit.score == total(hit.terms)
                assert all(0.0 <= term.value <= 1.0 for term in hit.terms.values())
                assert hit.match in ("keyword", "semantic", "both")
        assert memory.search("harbour tide buoy", mode=mode).meta.mode == mode
        assert memory.verify().problems == ()


def test_an_old_memory_with_the_better_match_is_not_buried(memory):
    memory.remember(
        "the keel of the rescue boat cracked", created_at=NOW - 3000 * DAY, importance=0.0
    )
    memory.remember(
        "a boat with a long list of other words about paint, ropes and lunch", importance=1.0
    )
    assert ids(memory.search("cracked keel of the rescue boat"))[0] == 1


def test_what_helped_comes_before_what_did_not(memory):
    keep(memory, "seal 10", "seal 11", "seal 12")
    memory.feedback(1, 0.0)
    memory.feedback(3, 1.0)
    assert ids(memory.search("seal")) == [3, 2, 1]


def test_meta_says_how_it_was_found(puffin):
    meta = puffin.search("harbour", limit=2).meta
    assert (meta.query, meta.profile, meta.project, meta.returned) == (
        "harbour",
        "default",
        PROJECT,
        2,
    )
    assert meta.candidates >= 3
    assert meta.weights
    assert meta.duration_ms >= 0
    assert meta.searched is None


def test_min_score_cuts_the_tail(puffin):
    hits = puffin.search("harbour tide buoy", track=False).hits
    floor = hits[1].score
    assert ids(puffin.search("harbour tide buoy", min_score=floor, track=False)) == [
        hit.id for hit in hits if hit.score >= floor
    ]


# Filters


@pytest.fixture
def harbour(memory):
    """One memory for each thing a filter may ask for; all say harbour."""
    memory.remember_many(
        [
            {"content": "harbour one", "kind": "fact", "category": "depth"},
            {"content": "harbour two", "kind": "decision", "sector": "emotional"},
            {"content": "harbour three", "kind": "chunk"},
            {"content": "harbour four", "project": "kestrel"},
            {"content": "harbour five", "project": "kestrel", "tier": "global"},
            {"content": "harbour six", "tier": "session", "session": "s1"},
            {"content": "harbour seven", "created_at": NOW - 10 * DAY, "source_ref": "run-17"},
            {"content": "harbour eight", "source_type": "hook", "kind": "fact"},
        ]
    )
    return memory


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {1, 2, 5, 7, 8}),
        ({"kind": "fact"}, {1, 8}),
        ({"kind": ["fact", "decision"]}, {1, 2, 8}),
        ({"sector": "emotional"}, {2}),
        ({"category": "depth"}, {1}),
        ({"docs": True}, {1, 2, 3, 5, 7, 8}),
        ({"kind": "chunk"}, {3}),
        ({"project": "kestrel"}, {4, 5}),
        ({"tier": "global"}, {5}),
        ({"session": "s1"}, {1, 2, 5, 6, 7, 8}),
        ({"session": "s2"}, {1, 2, 5, 7, 8}),
        ({"session": "s1", "tier": "session"}, {6}),
        ({"in_session": "s1", "session": "s1"}, {6}),
        ({"since": "7d"}, {1, 2, 5, 8}),
        ({"before": "7d"}, {7}),
        ({"since": "11d", "before": "9d"}, {7}),
        ({"source_type": "hook"}, {8}),
        ({"source_type": ["hook", "run"]}, {8}),
        ({"source_type": ["hook", "manual"]}, {1, 2, 5, 7, 8}),
        ({"source_ref": "run-17"}, {7}),
        ({"trust": "unverified"}, {8}),
        ({"kind": "fact", "trust": "unverified"}, {8}),
        ({"kind": "fact", "category": "depth", "since": "1d"}, {1}),
        ({"kind": "decision", "category": "depth"}, set()),
    ],
)
def test_filters_alone_and_together(harbour, options, expected):
    result = harbour.search("harbour", **options)
    assert set(ids(result)) == expected
    assert {each.id for each in harbour.listing(**options)} == expected
    assert harbour.count(**options) == len(expected)


def test_all_projects_shows_the_others_too(harbour):
    assert {1, 2, 4, 5, 7, 8} <= set(ids(harbour.search("harbour", all_projects=True)))
    assert 4 not in ids(harbour.search("harbour"))


def test_low_salience_can_be_left_out(harbour):
    harbour.deemphasize(1, 0.9)
    assert set(ids(harbour.search("harbour", min_salience=0.5, track=False))) == {2, 5, 7, 8}


def test_many_matches_elsewhere_do_not_starve_a_project(memory):
    keep(memory, *[f"lantern lantern {n}" for n in range(150)], project="kestrel")
    (mine,) = keep(memory, "one lantern in a long sentence about quite different things entirely")
    assert ids(memory.search("lantern", limit=1)) == [mine]


def test_forgotten_superseded_and_expired_memories_are_not_found(memory, clock):
    forgotten, old, expired, alive = keep(memory, "tern a", "tern b", "tern c", "tern d")
    memory.forget(forgotten)
    memory.supersede(old, alive)
    memory.edit(expired, expires_at=NOW + 5)
    clock.advance(10)
    assert ids(memory.search("tern")) == [alive]
    assert set(ids(memory.search("tern", include_superseded=True))) == {old, alive}
    assert set(ids(memory.search("tern", include_deleted=True))) == {forgotten, expired, alive}


def test_a_superseded_hit_names_its_successor_and_comes_after_it(memory):
    old, new = keep(memory, "the lamp is red", "the lamp is green now")
    memory.supersede(old, new)
    hits = {hit.id: hit for hit in memory.search("lamp red", include_superseded=True).hits}
    assert hits[old].superseded_by["id"] == new
    assert hits[old].terms["current"].value == 0.0
    assert hits[new].superseded_by is None
    assert hits[new].related_count == 1


def test_as_of_answers_as_one_would_have_then(memory, clock):
    old = memory.remember("the harbour toll is three coins").id
    clock.advance(DAY)
    new = memory.remember("the harbour toll is five coins", supersede=old).id
    clock.advance(DAY)
    memory.forget(new)
    clock.advance(DAY)
    assert ids(memory.search("toll")) == []
    then = memory.search("toll", as_of=NOW + 10)
    assert ids(then) == [old]
    assert then.hits[0].terms["current"].value == 1.0
    assert ids(memory.search("toll", as_of=NOW + DAY + 10)) == [new]
    assert ids(memory.search("toll", as_of=NOW - 10)) == []


# Hostile questions

PIECES = (
    "harbour tide buoy sensor radio parseHTTPHeader sync_clock auth AND OR NOT NEAR near( "
    "NEAR( ) ( "
    '" "" \' * ^ : + - -- ; , . / \\ { } [ ] < > = ~ ! @ # $ % & | ? title: content: {title}: '
    'reach: "harbour tide" NEAR("a" "b",2) harbour* ^harbour -harbour '
    "\x00 \x1a \ud800 \udfff \ufffe \ufeff \u202e \u200b \ue000 \ue001 \U0001f426 "
    "\U0001f468\u200d\U0001f469 "
    "é ß İ ﬁ ½ ² 漢字 ไทย हिन्दी עברית "
    "drop table select 1=1 % _ a aa 0 00 1e9 -1 everyone0 p123 rowid rank memories_fts"
).split(" ")


def hostile(draw):
    """A question nobody would ask."""
    kind = draw.random()
    if kind < 0.7:
        return draw.choice((" ", "", "\t")).join(draw.choices(PIECES, k=draw.randint(1, 5)))
    if kind < 0.9:
        return "".join(chr(draw.randrange(1, 0x3000)) for _ in range(draw.randint(0, 16)))
    if kind < 0.999:
        return "".join(chr(draw.randrange(0x110000)) for _ in range(draw.randint(0, 12)))
    return draw.choice(PIECES) * 9000


def test_twenty_thousand_hostile_questions_are_answered(tmp_path):
    draw = random.Random(20261115)
    with opened(tmp_path / "f.db", project="p0", clock=Clock()) as memory:
        memory.remember_many(
            [
                {"content": " ".join(draw.choices(PIECES, k=4)) + f" w{n}", "project": f"p{n % 20}"}
                for n in range(200)
            ],
            on_similar="add",
        )
        before = memory.count(all_projects=True)
        assert before == 200
        answered = 0
        for number in range(20_000):
            query = hostile(draw)
            answered += bool(memory.search(query, limit=1, track=number % 50 == 0).hits)
        assert answered > 5000
        assert memory.count(all_projects=True) == before
        assert memory.stats()["queries"] == 400
        assert memory.verify().problems == ()


def test_a_question_that_cannot_be_written_down_is_still_answered(memory):
    keep(memory, "hello gull")
    for _ in range(70):  # more than wait to be logged at once
        assert len(memory.search("\ud800 gull \x00").hits) == 1
    memory.close()


@pytest.mark.parametrize("query", [None, 5, b"gull", ["gull"]])
def test_a_question_must_be_text(memory, query):
    with pytest.raises(BadInput, match="a query is text"):
        memory.search(query)


# What a search leaves behind


def test_a_search_counts_the_use_of_what_it_found_after_the_answer(memory, clock):
    found, other = keep(memory, "one gull", "one tern")
    memory.deemphasize(found, 0.5)
    clock.advance(10)
    result = memory.search("gull")
    assert result.hits[0].memory.usage_count == 0
    after = memory.get(found)
    assert (after.usage_count, after.last_used_at) == (1, NOW + 10)
    assert after.salience == pytest.approx(0.5 + 0.02 * 0.5)
    assert memory.get(other).usage_count == 0
    assert memory.stats()["queries"] == 1


def test_every_search_is_logged_also_one_that_found_nothing(memory):
    keep(memory, "one gull")
    for query in ("gull", "walrus", ""):
        memory.search(query)
    assert memory.stats()["queries"] == 3


def test_a_session_recalls_what_it_found(tmp_path, clock):
    options = {"clock": clock}
    with opened(tmp_path / "s.db", session="s1", **options) as memory:
        made, found = keep(memory, "one gull", session="s0") + keep(
            memory, "one tern", session="s0"
        )
        memory.search("tern")
        assert [each.id for each in memory.listing(in_session="s1")] == [found]
        assert len(memory.listing(in_session="s0")) == 2
        assert memory.search("gull").hits[0].source_session["id"] == "s0"
        assert made != found


def test_closing_writes_what_is_left_to_log(tmp_path, clock):
    path = tmp_path / "c.db"
    with opened(path, clock=clock) as memory:
        keep(memory, "one gull")
        memory.search("gull")
    with opened(path, clock=clock) as memory:
        assert memory.get(1).usage_count == 1
        assert memory.stats()["queries"] == 1


def test_untracked_searches_leave_no_trace(memory):
    keep(memory, "one gull")
    before = memory.get(1)
    memory.search("gull", track=False)
    assert memory.get(1) == before
    assert memory.stats()["queries"] == 0


def test_a_read_only_search_leaves_no_trace(tmp_path, clock):
    path = tmp_path / "r.db"
    with opened(path, clock=clock) as memory:
        keep(memory, "one gull")
    written = kept_at(path)
    assert b"one gull" in written
    with opened(path, clock=clock, read_only=True) as memory:
        assert len(memory.search("gull").hits) == 1
    assert kept_at(path) == written


def test_a_search_does_not_wait_for_a_writer(tmp_path, clock):
    path = tmp_path / "w.db"
    options = {"clock": clock}
    with opened(path, **options) as writer:
        keep(writer, "one gull")
        memory = opened(path, **options)
        with writer.store.transaction():
            writer.store.set_config("busy", "yes", NOW)
            started = time.monotonic()
            assert len(memory.search("gull").hits) == 1
            memory.close()
            assert time.monotonic() - started < 1.5
        assert writer.get(1).usage_count == 0
        assert writer.config() == {"busy": "yes"}


def test_use_is_not_an_edit(memory):
    keep(memory, "one gull")
    memory.search("gull")
    assert memory.get(1).updated_at == NOW
    assert [event.event for event in memory.history(1)] == ["created"]
    assert memory.verify().problems == ()


# Long texts

STEPS = (
    "The harbour crane lifts yachts out of the water before the storms",
    "Invoices are written at night by a job that reads the ledger",
    "The queue tries three times and then parks the message",
    "Login tokens expire after fifteen minutes and are renewed by a cookie",
)


def test_the_end_of_a_long_note_is_found_by_its_meaning_with_the_shipped_model(tmp_path):
    """16,000 characters about other things, then one sentence that shares no word with these."""
    steps = [f"{STEPS[number % 4]}, step {number}." for number in range(250)]
    end = "Patients allergic to penicillin receive another antibiotic from the pharmacy."
    with opened(tmp_path / "long.db", model="static") as memory:
        note = memory.remember("\n\n".join([*steps, end]), kind="note", force=True).id
        keep(memory, *(" ".join(steps[at : at + 3]) for at in range(0, 108, 3)))
        for asked in ("medicine for people with drug allergies", "what the doctor prescribes"):
            assert ids(memory.search(asked, mode="semantic"))[0] == note
        assert memory.verify().problems == ()


def test_a_short_text_is_one_vector_and_a_long_one_several(tmp_path):
    with opened(tmp_path / "long.db", model="static") as memory:
        short = memory.remember("A note. " * 400, force=True).id
        long = memory.remember(" ".join(STEPS) * 30, force=True).id
        model = memory.store.active_model().id
        codes = memory.store.codes(model, [short, long])
        assert (len(codes[short]), len(codes[long]) > 8) == (1, True)


def test_a_look_into_the_past_names_no_successor_that_was_not_there_then(memory, clock):
    memory.remember("The chart is blue")
    then = clock.now
    clock.now += 86_400_000
    memory.supersede(1, "The chart is green")
    (past,) = memory.search("chart", as_of=then).hits
    assert (past.memory.content, past.superseded_by) == ("The chart is blue", None)
    now = memory.search("chart blue", include_superseded=True).hits
    assert {hit.id: bool(hit.superseded_by) for hit in now} == {1: True, 2: False}
