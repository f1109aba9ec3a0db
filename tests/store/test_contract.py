"""What every store promises, said through the methods of the contract alone."""

import math

import pytest

from recairn.core.author import Writer
from recairn.core.draft import prepare
from recairn.core.errors import NotFound, RecairnError, StoreBusy
from recairn.core.model import Draft, Edge, Event, Facts, Filter, Vectors
from recairn.core.record import as_dict, replace
from recairn.core.words import snippet, understand
from recairn.store.memory_rows import NewMemory
from recairn.store.rows import QueryVector
from tests.corpus import MEMORIES, NOW, PROJECT, keys_of, logged_search

HERE = Filter(project=PROJECT, now=NOW)
EVERYWHERE = Filter(now=NOW)


def prepared(content, **fields):
    """A row and its look-alike keys, as the write door makes them."""
    project = fields.pop("project", PROJECT)
    draft = Draft(content=content, project=project, **fields)
    ready = prepare(draft, project=project, session=None, allow=(), now=NOW)
    return NewMemory(ready.row, ready.keys)


def keep(store, *contents, **fields):
    """Puts texts into the store; their ids."""
    with store.transaction():
        return store.put([prepared(content, **fields) for content in contents])


# A uid is letters and digits by chance; in this one no digits stand together that are of a date.
UID = "01kbuoybuoybuoybuoybuoybuo"


def keep_under(uid, store, **fields):
    """Puts a text under that uid; its id."""
    row, keys = prepared("fog horn", **fields)
    with store.transaction():
        return store.put([NewMemory({**row, "uid": uid}, keys)])[0]


def event(memory, name="updated", at=NOW, session=None, undo_of=None):
    return Event(0, memory, at, name, "", {}, {}, session, undo_of)


def change(store, memory, changes, name="updated"):
    with store.transaction():
        store.change(memory, changes, event(memory, name))


def rewrite(store, memory, content):
    """New text for a memory."""
    with store.transaction():
        store.change(memory, {"content": content}, event(memory))


def found(store, query, filter=HERE, limit=50):
    return [memory for memory, _ in store.match_text(understand(query), filter, limit)]


def store_model(store, dim=64):
    """The number of a model that nobody has heard of."""
    return store.add_model(
        {"fingerprint": "made up", "name": "made up", "revision": "1", "dim": dim}, at=NOW
    )


def matches_of(store, query, filter=HERE):
    """Where the terms of a question stand in the memories it finds."""
    return store.candidates(understand(query), None, filter, 200).matches


def listed(store, filter=HERE, order="id", limit=100, offset=0):
    return [each.id for each in store.listing(filter, order=order, limit=limit, offset=offset)]


# Put and get


def test_a_stored_memory_comes_back_as_it_was_put(store):
    row, keys = prepared(
        "Batch uplink packets",
        kind="pattern",
        title="Uplink",
        fields={"solution": "flushUplinkBatch", "validations": 3},
        keywords=["radio", "budget"],
        category="radio",
        scope="buoy/*",
        importance=0.7,
        confidence=0.9,
        pinned=True,
        source_type="import",
        source_ref="notes.md",
        external_id="pat-5741815d",
        expires_at=NOW + 1,
    )
    with store.transaction():
        (memory,) = store.put([(row, keys)])
    stored = as_dict(store.get(memory))
    for column in stored.keys() & row.keys():
        assert stored[column] == row[column], column
    assert stored["salience"] == 1.0
    assert (stored["usage_count"], stored["last_used_at"]) == (0, None)
    assert (stored["helpful"], stored["harmful"], stored["outcome_score"]) == (0.0, 0.0, None)


def test_ids_grow_and_are_never_given_twice(store):
    first, second = keep(store, "gulls on the pier", "tar on the antenna")
    assert second > first
    with store.transaction():
        store.erase(second, event(second, "erased"))
    (third,) = keep(store, "fog at the webcam")
    assert third > second


def test_putting_nothing_is_fine(store):
    with store.transaction():
        assert store.put([]) == []
    assert store.count(EVERYWHERE) == 0


def test_many_memories_in_one_put_keep_their_order(store):
    ids = keep(store, *[f"reading number {number} of the gauge" for number in range(600)])
    assert len(ids) == 600
    assert [store.get(memory).content for memory in (ids[0], ids[299], ids[599])] == [
        "reading number 0 of the gauge",
        "reading number 299 of the gauge",
        "reading number 599 of the gauge",
    ]


def test_many_memories_in_one_put_are_found_and_so_is_what_comes_after_them(store):
    ids = keep(store, *[f"reading number {number} of the gauge" for number in range(600)])
    (single,) = keep(store, "a single gauge by the weir")
    assert found(store, "299") == [ids[299]]
    assert sorted(found(store, "gauge", limit=1000)) == [*ids, single]
    rewrite(store, ids[299], "the float is stuck")
    with store.transaction():
        store.erase(ids[7], event(ids[7], "erased"))
    assert (found(store, "299"), found(store, "float"), found(store, "7")) == ([], [ids[299]], [])
    assert store.verify().problems == ()


@pytest.mark.parametrize("count", [1, 40])
def test_a_refused_put_of_any_size_leaves_later_ones_whole(store, count):
    row, keys = prepared("a barnacle on the hull")
    with store.transaction():
        store.put([(row, keys)])
    limpets = [prepared(f"limpet number {number} on the rock") for number in range(count)]
    with pytest.raises(RecairnError), store.transaction():
        store.put([*limpets, (row, keys)])
    (winkle,) = keep(store, "a winkle in the pool")
    assert (found(store, "limpet"), found(store, "winkle")) == ([], [winkle])
    assert store.verify().problems == ()


def test_many_memories_of_several_sessions_are_linked_to_their_own(store):
    rows = [prepared(f"tide {n} at the gauge", session=f"watch-{n % 3}") for n in range(60)]
    with store.transaction():
        ids = store.put(rows)
    for watch in range(3):
        used = store.used_in(f"watch-{watch}")
        assert used == [(memory, "created", NOW) for memory in ids[watch::3]]


def test_the_same_uid_is_refused_and_nothing_of_that_put_stays(store):
    row, keys = prepared("a barnacle on the hull")
    with store.transaction():
        store.put([(row, keys)])
    with pytest.raises(RecairnError), store.transaction():
        store.put([prepared("a limpet on the rock"), (row, keys)])
    assert store.count(EVERYWHERE) == 1
    assert found(store, "limpet") == []
    assert store.verify().problems == ()


def test_an_unknown_id_gives_nothing(store):
    assert store.get(4711) is None
    assert store.get_many([4711]) == {}
    assert store.history(4711) == []
    with pytest.raises(NotFound), store.transaction():
        store.change(4711, {"category": "x"}, event(4711))


def test_many_are_read_at_once(store):
    ids = keep(store, "one gull", "two gulls", "three terns")
    assert {memory: each.content for memory, each in store.get_many([*ids, 4711]).items()} == {
        ids[0]: "one gull",
        ids[1]: "two gulls",
        ids[2]: "three terns",
    }


# Change, erase


def test_a_change_is_written_with_before_and_after(store):
    (memory,) = keep(store, "the pier light is green")
    change(store, memory, {"category": "lights", "importance": 0.8})
    assert (store.get(memory).category, store.get(memory).importance) == ("lights", 0.8)
    created, updated = store.history(memory)
    assert (created.event, updated.event) == ("created", "updated")
    assert dict(updated.before) == {"category": "", "importance": 0.5}
    assert dict(updated.after) == {"category": "lights", "importance": 0.8}


def test_rewriting_replaces_the_old_text_in_every_index(store):
    (memory,) = keep(store, "the ferryman whistles at dawn")
    old_keys = keys_of(store.get(memory))
    rewrite(store, memory, "the lamplighter hums at parseDuskTime")
    assert found(store, "ferryman") == []
    assert found(store, "whistles") == []
    assert found(store, "lamplighter") == [memory]
    assert found(store, "dusk time") == [memory]
    assert store.look_alikes(old_keys, 10, now=NOW) == []
    assert [row[0] for row in store.look_alikes(keys_of(store.get(memory)), 10, now=NOW)] == [
        memory
    ]
    assert store.key_holders(old_keys) == {}
    assert store.verify().problems == ()


def test_an_unknown_column_cannot_be_changed(store):
    (memory,) = keep(store, "the pier light is green")
    with pytest.raises(RecairnError, match="colour"), store.transaction():
        store.change(memory, {"colour": "red"}, event(memory))
    with pytest.raises(RecairnError, match="uid"), store.transaction():
        store.change(memory, {"uid": "0" * 26}, event(memory))


def test_erasing_leaves_no_orphan(store):
    memory, other = keep(store, "smugglers met at the boathouse", "a chart of the bay")
    keys = keys_of(store.get(memory))
    with store.transaction():
        store.log_search(logged_search("boathouse", session_id="s1"), [memory])
        store.add_feedback(memory, {"score": 1.0, "at": NOW, "source": "user"})
        store.put_edges(
            [Edge(memory, other, "relates_to", 1.0, 1.0, "user", NOW, NOW, None)], replace=True
        )
    with store.transaction():
        store.erase(memory, event(memory, "erased"))
    assert store.get(memory) is None
    assert found(store, "smugglers boathouse") == []
    assert store.key_holders(keys) == {}
    assert store.shown([other])[other].related == 0
    assert store.count(Filter(in_session="s1", now=NOW)) == 0
    assert store.verify().problems == ()


def test_the_history_keeps_that_an_erased_memory_existed_but_not_what_it_said(store):
    (memory,) = keep(store, "smugglers met at the boathouse")
    rewrite(store, memory, "smugglers met behind the boathouse")
    with store.transaction():
        store.erase(memory, event(memory, "erased"))
    events = store.history(memory)
    assert [each.event for each in events] == ["created", "updated", "erased"]
    assert "smugglers" not in repr(events)


# Transactions


def test_a_failed_transaction_leaves_nothing(store):
    (kept,) = keep(store, "the gauge was painted")
    before = store.stats(NOW)

    def half_way():
        with store.transaction():
            (memory,) = store.put([prepared("a ghost ship")])
            store.change(kept, {"category": "paint"}, event(kept))
            store.put_edges(
                [Edge(memory, kept, "relates_to", 1.0, 1.0, "user", NOW, NOW, None)], replace=True
            )
            store.set_config("colour", "red", NOW)
            store.log_search(logged_search("gull", session_id="s1"), [kept])
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        half_way()
    assert store.stats(NOW) == before
    assert found(store, "ghost ship") == []
    assert store.config() == {}
    assert store.get(kept).category == ""
    assert store.key_holders(prepared("a ghost ship")[1]) == {}
    assert store.verify().problems == ()


def test_an_inner_failure_undoes_the_whole_transaction(store):
    def swallow():
        with store.transaction():
            store.put([prepared("outer")])
            try:
                with store.transaction():
                    store.put([prepared("inner")])
                    raise RuntimeError("inside")
            except RuntimeError:
                pass

    with pytest.raises(RecairnError):
        swallow()
    assert store.count(EVERYWHERE) == 0


def test_another_connection_sees_a_transaction_only_when_it_is_done(store, open_store):
    other = open_store()
    with store.transaction():
        store.put([prepared("a seal on the slipway")])
        assert found(other, "seal") == []
        assert other.count(EVERYWHERE) == 0
    assert found(other, "seal") == [1]
    assert other.get(1) == store.get(1)


def test_two_connections_write_in_turn_and_share_the_ids(store, open_store):
    other = open_store()
    ids = []
    for turn in range(10):
        ids += keep((store, other)[turn % 2], f"watch {turn} of the night")
    assert len(set(ids)) == 10
    assert ids == sorted(ids)
    assert listed(store) == listed(other) == ids
    assert other.verify().problems == ()


def test_a_second_writer_waits_only_as_long_as_its_patience(store, open_store):
    other = open_store(patience_s=0.01)
    patient = open_store()

    def write(through):
        with through.transaction():
            through.set_config("colour", "blue", NOW)

    with store.transaction():
        store.set_config("colour", "red", NOW)
        with pytest.raises(StoreBusy):
            write(other)
        with pytest.raises(StoreBusy), patient.bookkeeping(0.01):
            write(patient)
    write(other)
    assert store.config() == {"colour": "blue"}


def test_predecessors_are_those_a_memory_replaced(store):
    one, two, three = keep(store, "gull", "tern", "skua")
    for old in (one, two):
        change(store, old, {"superseded_by": three, "valid_until": NOW})
    assert store.predecessors(three) == [one, two]
    assert store.predecessors(one) == []


# References


def test_a_memory_is_found_by_number_uid_prefix_and_foreign_id(store):
    row, keys = prepared("the old breakwater", external_id="dec-5741815d")
    with store.transaction():
        (memory,) = store.put([(row, keys)])
    uid = row["uid"]
    for reference in (f"#{memory}", str(memory), uid, uid[:12], uid.upper(), "dec-5741815d"):
        assert store.find(reference) == [memory], reference
    for reference in ("", "#", "#0", "99", uid[:5], "dec-574", "zzzzzz", "' or 1=1 --"):
        assert store.find(reference) == [], reference


def test_a_reference_that_fits_several_finds_them_all(store):
    first, second = keep(store, "one gull", "two terns", external_id="bird")
    assert store.find("bird") == [first, second]
    shared = store.get(first).uid[:8]
    assert sorted(store.find(shared)) == [first, second]


# Filters


@pytest.fixture
def mixed(store):
    """Eight memories that differ in one way each, by name."""
    made = {
        "plain": prepared("harbour plain"),
        "decision": prepared("harbour decision", kind="decision"),
        "chunk": prepared("harbour chunk", kind="chunk"),
        "foreign": prepared("harbour foreign", project="kestrel"),
        "global": prepared("harbour global", project="kestrel", tier="global"),
        "session": prepared("harbour session", tier="session", session="s1"),
        "old": prepared("harbour old", created_at=NOW - 1000, category="past"),
        "hook": prepared("harbour hook", source_type="hook", source_ref="h1", sector="emotional"),
    }
    with store.transaction():
        ids = store.put(list(made.values()))
    names = dict(zip(ids, made, strict=True))
    return lambda filter: {names[memory] for memory in listed(store, filter)}


def test_what_a_session_keeps_for_itself_is_found_on_no_way_of_another(store):
    """Neither by a name, a link or a number, nor among what waits for a word."""
    (known,) = keep(store, "The pier is old")
    (secret,) = keep(store, "lamp.py smokes", tier="session", session="s1")
    unsaid = {"trust": "unverified", "tier": "session", "session": "s1"}
    (waiting,) = keep(store, "The pier may be older", **unsaid)
    (rule,) = keep(store, "Trim it", kind="rule", scope="src/**", tier="session", session="s1")
    link = Edge(known, secret, "relates_to", 1.0, 1.0, "user", NOW, NOW, None)
    with store.transaction():
        store.put_edges([link], replace=True)

    def found(session):
        filter = replace(HERE, session=session)
        return {
            *[row.memory for row in store.naming(["lamp.py"], filter, 9)],
            *[row.there for row in store.linked([known], filter, 9)],
            *listed(store, replace(filter, trust="unverified")),
            *store.passing([secret, waiting, rule], filter),
        }

    assert found("s1") == {secret, waiting, rule}
    assert found("s2") == found(None) == set()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"plain", "decision", "global", "old", "hook"}),
        ({"session": "s1"}, {"plain", "decision", "global", "old", "hook", "session"}),
        ({"session": "s2"}, {"plain", "decision", "global", "old", "hook"}),
        ({"project": "kestrel"}, {"foreign", "global"}),
        ({"project": "nowhere"}, {"global"}),
        ({"kinds": ("decision",)}, {"decision"}),
        ({"kinds": ("chunk",)}, {"chunk"}),
        ({"kinds": ("decision", "chunk")}, {"decision", "chunk"}),
        ({"include_documents": True}, {"plain", "decision", "global", "old", "hook", "chunk"}),
        ({"sector": "emotional"}, {"hook"}),
        ({"tier": "global"}, {"global"}),
        ({"category": "past"}, {"old"}),
        ({"source_types": ("hook",)}, {"hook"}),
        ({"source_types": ("hook", "run")}, {"hook"}),
        ({"source_ref": "h1"}, {"hook"}),
        ({"trust": "unverified"}, {"hook"}),
        ({"in_session": "s1", "session": "s1"}, {"session"}),
        ({"before": NOW}, {"old"}),
        ({"since": NOW}, {"plain", "decision", "global", "hook"}),
        ({"since": NOW - 1000, "before": NOW, "category": "past"}, {"old"}),
        ({"kinds": ("decision",), "category": "past"}, set()),
        ({"tier": "global", "project": "nowhere"}, {"global"}),
    ],
)
def test_a_filter_lets_through_exactly_what_it_names(store, mixed, given, expected):
    filter = replace(HERE, **given)
    assert mixed(filter) == expected
    assert store.count(filter) == len(expected)
    assert sorted(found(store, "harbour", filter)) == sorted(listed(store, filter))


def test_memories_may_be_asked_for_or_left_out_one_by_one(store, mixed):
    first, second, *rest = sorted(listed(store, HERE))
    for filter, expected in (
        (replace(HERE, among=(first, second)), [first, second]),
        (replace(HERE, among=()), []),
        (replace(HERE, apart=(first, second)), rest),
        (replace(HERE, among=(first, second), apart=(first,)), [second]),
    ):
        assert sorted(listed(store, filter)) == expected
        assert store.count(filter) == len(expected)
        assert sorted(found(store, "harbour", filter)) == expected


def test_without_a_project_every_project_is_seen(mixed):
    seen = mixed(EVERYWHERE)
    assert {"plain", "foreign", "global", "old"} <= seen
    assert "chunk" not in seen


def test_where_no_word_is_known_its_letters_inside_others_are(store):
    japanese, host = keep(store, "いこうはとりひきのなかでうごく", "db7harbour holds 100_percent")
    (elsewhere,) = keep(store, "とりひき", project="nowhere")
    assert found(store, "とりひき") == [japanese]
    assert sorted(found(store, "とりひき", EVERYWHERE)) == [elsewhere]
    assert found(store, "いこう とりひき") == [japanese]
    assert found(store, "いこう とうだい") == []
    assert found(store, "arbour") == [host]
    assert found(store, "arbour %") == [host]
    # Letters that are in many words by chance, and questions too long to be a piece of a name.
    assert found(store, "bou") == []
    assert found(store, "arbour rbour erce ercent olds") == []


def test_a_sign_that_stands_in_no_index_is_found_by_itself(store):
    launched, _ = keep(store, "🚀 means that a release went out", "No sign of a release here")
    assert found(store, "🚀") == [launched]
    assert found(store, "🦔") == []


def test_ideographs_are_found_in_pairs_also_inside_a_run(store):
    (inside,) = keep(store, "迁移必须在事务中运行")
    (alone,) = keep(store, "事务", project="nowhere")
    assert found(store, "事务") == [inside]
    assert sorted(found(store, "事务", EVERYWHERE)) == [inside, alone]
    assert found(store, "灯塔", EVERYWHERE) == []


def test_salience_below_the_floor_is_filtered(store):
    weak, strong = keep(store, "harbour weak", "harbour strong")
    change(store, weak, {"salience": 0.2})
    assert listed(store, replace(HERE, min_salience=0.5)) == [strong]
    assert found(store, "harbour", replace(HERE, min_salience=0.5)) == [strong]


def test_deleted_superseded_and_expired_memories_are_hidden_until_asked_for(store):
    deleted, ended, expired, plain = keep(
        store, "harbour one", "harbour two", "harbour three", "harbour four"
    )
    change(store, deleted, {"deleted_at": NOW})
    change(store, ended, {"valid_until": NOW, "superseded_by": plain})
    change(store, expired, {"expires_at": NOW})
    for seen in (listed, lambda s, f: sorted(found(s, "harbour", f))):
        assert seen(store, HERE) == [plain]
        assert seen(store, replace(HERE, include_superseded=True)) == [ended, plain]
        assert seen(store, replace(HERE, include_deleted=True)) == [deleted, expired, plain]


def test_as_of_shows_what_was_believed_then(store):
    (old,) = keep(store, "harbour depth four", created_at=NOW - 100)
    (new,) = keep(store, "harbour depth five", created_at=NOW - 50)
    change(store, old, {"valid_until": NOW - 50, "superseded_by": new})
    change(store, new, {"deleted_at": NOW - 10})
    believed = {
        at: listed(store, replace(HERE, as_of=NOW + at)) for at in (-101, -100, -51, -50, -11, -10)
    }
    assert believed == {-101: [], -100: [old], -51: [old], -50: [new], -11: [new], -10: []}
    assert found(store, "harbour", replace(HERE, as_of=NOW - 60)) == [old]


def test_a_memory_that_begins_later_is_not_believed_before(store):
    (memory,) = keep(store, "harbour toll", created_at=NOW - 100, valid_from=NOW - 20)
    assert listed(store, replace(HERE, as_of=NOW - 30)) == []
    assert listed(store, replace(HERE, as_of=NOW - 20)) == [memory]


# Listing


def test_every_order_of_a_listing_is_stable(store):
    ids = keep(store, "gull one", "gull two", "gull three", "gull four")
    change(store, ids[1], {"created_at": NOW - 5, "salience": 0.3})
    change(store, ids[2], {"last_used_at": NOW, "updated_at": NOW + 5})
    one, two, three, four = ids
    assert listed(store, order="id") == [one, two, three, four]
    assert listed(store, order="newest") == [four, three, one, two]
    assert listed(store, order="oldest") == [two, one, three, four]
    assert listed(store, order="used") == [three, four, two, one]
    assert listed(store, order="salient") == [four, three, one, two]
    assert listed(store, order="changed") == [three, four, two, one]


def test_limit_and_offset_page_through_everything_once(store):
    ids = keep(store, *[f"page {number} of the log" for number in range(7)])
    pages = [listed(store, limit=3, offset=offset) for offset in (0, 3, 6, 9)]
    assert pages == [ids[:3], ids[3:6], ids[6:], []]


# Text


def test_matches_come_best_first_with_finite_positive_scores(store):
    keep(store, *[each["content"] for each in MEMORIES])
    answers = store.match_text(understand("buoy battery tide harbour sensor"), HERE, 50)
    assert len(answers) >= 6
    scores = [score for _, score in answers]
    assert scores == sorted(scores, reverse=True)
    assert all(math.isfinite(score) and score > 0 for score in scores)


def test_equal_matches_are_ordered_by_id(store):
    ids = keep(store, *["seal at the slipway"] * 5)
    assert found(store, "seal slipway") == ids
    assert found(store, "seal slipway", limit=3) == ids[:3]


def test_a_scoped_match_is_not_starved_by_other_projects(store):
    keep(store, *[f"cormorant cormorant {number}" for number in range(60)], project="kestrel")
    (mine,) = keep(store, "one cormorant among many other words about the harbour and its boats")
    assert found(store, "cormorant", limit=5) == [mine]


def test_words_of_the_bookkeeping_are_not_found(store):
    memory = keep_under(UID, store, category="sound", scope="pier/*", source_ref="run-1")
    reach = prepared("x").row["reach"]
    for query in (reach, "everyone0", store.get(memory).uid, "verified", "manual"):
        assert found(store, query) == [], query


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        '"',
        '""',
        "\"'",
        "*",
        "^fog",
        "fog AND",
        "OR",
        "NOT fog",
        "NEAR(fog horn, 2",
        "NEAR/3",
        "title:fog",
        "{title content}: fog",
        "- fog",
        "fog + horn",
        "(fog",
        "fog) OR (1",
        "what's C++ foo-bar?",
        "fog; drop table memories; --",
        "f\x00og",
        "\ud800",
        "\U0001f32b",
        "%_\\",
        "fog" * 4000,
        "fog " * 4000,
        '"fog horn" ' * 300,
    ],
)
def test_hostile_text_is_a_question_never_syntax(store, query):
    keep(store, "fog horn", "title content near and or not")
    plan = understand(query)
    candidates = store.candidates(plan, None, HERE, 10)
    assert list(candidates.by_words) == [match.memory for match in store.match_text(plan, HERE, 10)]
    assert set(candidates.by_words) == set(candidates.facts)
    matches = candidates.matches
    assert (matches is None) == (not candidates.by_words)
    if matches is not None:
        assert set(matches.frequencies) == {*matches.terms, *matches.extra}
        assert set(candidates.by_words) <= set(matches.places)
        by_term = [term for places in matches.places.values() for term in places.values()]
        fields = {field for term in by_term for field in term}
        assert fields <= set(range(len(matches.weights)))
    words = " ".join(plan.words)
    assert all(term.end <= len(words.encode()) for term in store.terms(words))
    assert store.count(EVERYWHERE) == 2


def snippet_of(store, query, text):
    """The piece of a text around the words asked for, by the terms the store sees in both."""
    wanted = {term.term for term in store.terms(query)}
    return snippet(text, store.terms(text), wanted, understand(query).prefix)


def test_a_snippet_marks_the_words_asked_for(store):
    text = "the fog horn of the north pier sounds twice"
    assert (
        snippet_of(store, "horn pier", text)
        == "the fog \ue000horn\ue001 of the north \ue000pier\ue001 sounds twice"
    )


def test_a_snippet_of_a_long_memory_is_short_and_holds_the_match(store):
    text = "word " * 1500 + "albatross " + "word " * 1500
    shown = snippet_of(store, "albatross", text)
    assert "\ue000albatross\ue001" in shown
    assert len(shown) < 400


def test_places_say_where_each_term_stands(store):
    first, second, other = keep(
        store, "the horn, then the fog, then the horn", "fogs over the pier", "a quiet day"
    )
    matches = matches_of(store, "fog horn")
    assert (matches.terms, matches.extra, matches.prefix) == (("fog", "horn"), (), "horn*")
    content = next(iter(matches.places[second]["fog"]))
    assert matches.places[first] == {"fog": {content: [4]}, "horn": {content: [1, 7]}}
    assert matches.places[second] == {"fog": {content: [0]}}
    assert other not in matches.places
    assert matches.weights[content] == 1.0


def test_places_keep_repeated_words_and_the_parts_of_names(store):
    (memory,) = keep(store, "parseHTTPHeader is slow")
    matches = matches_of(store, "tide tide parseHTTPHeader ")
    assert matches.terms == ("tide", "tide", "parsehttphead")
    assert matches.extra == ("pars", "http", "header")
    assert set(matches.places[memory]) == {"parsehttphead", "pars", "http", "header"}


def test_a_hit_in_the_title_weighs_more(store):
    (memory,) = keep(store, "a long meeting", title="Siren")
    matches = matches_of(store, "siren meeting.")
    weigh = {
        term: [matches.weights[column] for column in at]
        for term, at in matches.places[memory].items()
    }
    assert weigh == {"siren": [2.0], "meet": [1.0]}


def test_an_unfinished_word_has_places_of_its_own_unless_the_whole_word_is_there(store):
    begun, whole = keep(store, "authentication of users", "auth and authorisation")
    matches = matches_of(store, "auth")
    assert set(matches.places[begun]) == {"auth*"}
    assert set(matches.places[whole]) == {"auth"}


def test_a_last_word_that_a_hundred_memories_hold_is_finished(store):
    whole = keep(store, *[f"auth of user number {number}" for number in range(99)])
    (begun,) = keep(store, "authentication of users")
    assert set(matches_of(store, "auth").places[begun]) == {"auth*"}
    whole += keep(store, "auth at last")
    assert set(matches_of(store, "auth").places) == set(whole)


def test_what_other_projects_hold_finishes_no_word(store):
    keep(store, *[f"auth of user number {number}" for number in range(300)], project="elsewhere")
    (begun,) = keep(store, "authentication of users")
    assert set(dict(store.match_text(understand("auth"), HERE, 200))) == {begun}


def test_a_whole_word_counts_once_also_when_the_index_stems_it(store):
    (memory,) = keep(store, "gulls over the pier")
    assert set(matches_of(store, "gulls").places[memory]) == {"gull"}


def test_how_common_a_word_is_is_counted_in_the_scope_of_the_asker(store):
    keep(store, *[f"cormorant {number}" for number in range(10)], project="kestrel")
    keep(store, "one cormorant", "no bird", "a gull")
    keep(store, "a cormorant for all", project="kestrel", tier="global")
    here = matches_of(store, "cormorant")
    assert (here.total, here.frequencies) == (4, {"cormor": 2})
    everywhere = matches_of(store, "cormorant", EVERYWHERE)
    assert (everywhere.total, everywhere.frequencies) == (14, {"cormor": 12})


def test_words_of_the_bookkeeping_have_no_places(store):
    memory = keep_under(UID, store, source_ref="run-1")
    reach = prepared("x").row["reach"]
    for query in (reach, "everyone0", store.get(memory).uid):
        assert memory not in store.candidates(understand(query), None, HERE, 10).facts, query


# Vectors


def test_codes_are_those_that_were_put_piece_by_piece(store):
    gull, tern, bare = keep(store, "gull", "tern", "no vector yet")
    model = store.add_model(
        {
            "fingerprint": "made up",
            "name": "made up",
            "revision": "1",
            "dim": 64,
            "quantization": 8,
        },
        at=NOW,
    )
    one, two, three = bytes(range(64)), bytes(range(64, 128)), bytes(range(128, 192))
    reach = prepared("x")[0]["reach"]
    with store.transaction():
        store.put_vectors(
            model,
            [
                Vectors(gull, reach, store.get(gull).content_hash, [one, two]),
                Vectors(tern, reach, store.get(tern).content_hash, [three]),
            ],
        )
    assert {
        memory: list(pieces) for memory, pieces in store.codes(model, [tern, gull, bare]).items()
    } == {
        gull: [one, two],
        tern: [three],
    }
    assert list(store.codes(model, [tern])) == [tern]
    assert store.codes(model, []) == {}
    assert store.codes(model + 1, [gull]) == {}


def test_codes_after_a_scan_are_those_of_now_not_those_that_were_scored(store):
    gull, tern = keep(store, "gull", "tern")
    made_up = {"fingerprint": "made up", "name": "made up", "revision": "1", "dim": 64}
    model = store.add_model(made_up, at=NOW)
    one, two, three = bytes(range(64)), bytes(range(64, 128)), bytes(range(128, 192))
    reach = prepared("x")[0]["reach"]
    store.put_vectors(model, [Vectors(gull, reach, "hash", [one, two])])
    store.put_vectors(model, [Vectors(tern, reach, "hash", [three])])
    assert {memory for memory, _ in store.match_vector(model, one, HERE, 5)} == {gull, tern}
    assert store.codes(model, [tern, gull]) == {gull: [one, two], tern: [three]}
    store.put_vectors(model, [Vectors(gull, reach, "hash", [three])])
    assert store.codes(model, [tern, gull]) == {gull: [three], tern: [three]}
    store.match_vector(model, one, HERE, 5)
    store.drop_vectors([gull])
    assert store.codes(model, [tern, gull]) == {tern: [three]}


# Facts, use, sessions, edges


def test_candidates_come_with_the_facts_about_them(store):
    first, second = keep(
        store, "the gull of the harbour", "a gull", importance=0.25, source_ref="run-1"
    )
    keep(store, "tern")
    facts = store.candidates(understand("gull"), None, HERE, 10).facts
    # two telling words and one, and four of the date
    assert {memory: row.words for memory, row in facts.items()} == {first: 6, second: 5}
    for row in facts.values():
        known = (row.importance, row.project, row.created_at, row.source_ref)
        assert known == (0.25, PROJECT, NOW, "run-1")
    assert [Facts(*row).id for row in facts.values()] == sorted(facts)
    nothing = store.candidates(understand("albatross"), None, HERE, 10)
    assert (nothing.facts, nothing.matches) == ({}, None)


def test_candidates_are_found_by_words_by_meaning_or_by_both(store):
    model = store_model(store)
    east, north = bytes([127, *[0] * 63]), bytes([0, 127, *[0] * 62])
    gull, tern, skua = keep(store, "gull", "tern", "skua")
    with store.transaction():
        reach = prepared("x")[0]["reach"]
        for memory, codes in ((gull, east), (tern, east), (skua, north)):
            text = store.get(memory).content_hash
            store.put_vectors(model, [Vectors(memory, reach, text, [codes])])
    asked = QueryVector(model, "made up", east, ())
    both = store.candidates(understand("gull"), asked, HERE, 2)
    assert (set(both.by_words), set(both.by_meaning)) == ({gull}, {gull, tern})
    assert set(both.facts) == set(both.codes) == {gull, tern}
    assert both.scope == 3
    alone = store.candidates(None, asked, HERE, 3)
    assert (alone.by_words, alone.matches) == ({}, None)
    assert list(alone.by_meaning) == [gull, tern, skua]


def test_the_length_of_a_memory_counts_every_text_it_is_found_by(store):
    plain, titled = keep(store, "tern") + keep(store, "tern", title="Birds of the pier")
    (named,) = keep(store, "sync_clock")

    def length(query, memory):
        return store.candidates(understand(query), None, HERE, 10).facts[memory].words

    short = length("tern", plain)
    assert length("tern", titled) == short + 2
    # sync and clock, and once more as the parts of a name
    assert length("clock", named) == short + 3
    rewrite(store, plain, "tern and gull over the pier")
    assert length("tern", plain) == short + 2


def test_a_scope_counts_what_its_project_sees_and_nothing_that_was_erased(store):
    asked = QueryVector(store_model(store), "made up", bytes([127, *[0] * 63]), ())

    def sizes():
        return [store.candidates(None, asked, seen, 1).scope for seen in (HERE, EVERYWHERE)]

    first, *_ = keep(store, "gull", "tern", "tide")
    keep(store, "buoy", tier="global")
    keep(store, "fog", project="kestrel")
    assert sizes() == [4, 5]
    with store.transaction():
        store.erase(first, event(first, "erased"))
    assert sizes() == [3, 4]
    keep(store, *(f"gull number {number}" for number in range(200)))
    assert sizes() == [203, 204]


def test_a_use_counts_and_lifts_salience_a_little(store):
    used, other = keep(store, "gull", "tern")
    change(store, used, {"salience": 0.5})
    with store.transaction():
        store.log_search(logged_search("gull", at=NOW + 7), [used])
    after = store.get(used)
    assert (after.usage_count, after.last_used_at) == (1, NOW + 7)
    assert after.salience == pytest.approx(0.51)
    assert store.get(other).usage_count == 0
    assert store.verify().problems == ()


def test_what_a_session_made_and_recalled_belongs_to_it(store):
    (made,) = keep(store, "gull", session="s1")
    (recalled,) = keep(store, "tern")
    with store.transaction():
        store.log_search(logged_search("tern", at=NOW + 1, session_id="s1"), [recalled])
    assert listed(store, replace(HERE, in_session="s1")) == [made, recalled]
    session = store.shown([made])[made].session
    assert (session["id"], session["project"], session["started_at"]) == ("s1", PROJECT, NOW)


def test_what_is_shown_names_successor_and_number_of_links(store):
    old, new, lone = keep(store, "gull", "tern", "skua")
    change(store, old, {"superseded_by": new, "valid_until": NOW})
    with store.transaction():
        store.put_edges(
            [Edge(new, old, "supersedes", 1.0, 1.0, "system", NOW, NOW, None)], replace=True
        )
        store.put_edges(
            [Edge(new, lone, "relates_to", 1.0, 1.0, "user", NOW, NOW, None)], replace=True
        )
    shown = store.shown([old, new, lone, 99])
    assert {memory: row.related for memory, row in shown.items()} == {old: 1, new: 2, lone: 1}
    assert shown[old].successor == {"id": new, "content": "tern", "created_at": NOW}
    assert shown[new].successor is None
    assert shown[lone].memory == store.get(lone)
    assert store.shown([]) == {}


def test_an_edge_is_renewed_not_doubled(store):
    one, two = keep(store, "gull", "tern")
    with store.transaction():
        for weight in (0.5, 0.9):
            store.put_edges(
                [Edge(one, two, "relates_to", weight, 1.0, "user", NOW, NOW, None)], replace=True
            )
    assert store.stats(NOW)["edges"] == 1
    with store.transaction():
        assert store.remove_edge(one, two, "relates_to") == 1
        assert store.remove_edge(one, two, "relates_to") == 0
    assert store.stats(NOW)["edges"] == 0


def test_a_source_is_a_reference_or_a_type(store):
    (by_ref,) = keep(store, "gull", source_ref="run-17")
    (by_type,) = keep(store, "tern", source_type="import")
    (gone,) = keep(store, "skua", source_ref="run-17")
    change(store, gone, {"deleted_at": NOW})
    assert store.from_source("run-17") == [by_ref]
    assert store.from_source("import") == [by_type]
    assert store.from_source("") == []


def test_events_are_found_by_time_and_by_session(store):
    (memory,) = keep(store, "gull", session="s1")
    with store.transaction():
        store.change(memory, {"category": "bird"}, event(memory, at=NOW + 10, session="s2"))
    assert [each.event for each in store.events(since=NOW, session=None)] == ["created", "updated"]
    assert [each.event for each in store.events(since=NOW + 10, session=None)] == ["updated"]
    assert [each.event for each in store.events(since=None, session="s1")] == ["created"]
    assert [each.event for each in store.events(since=None, session="s2")] == ["updated"]


# Look-alikes


def test_look_alikes_come_most_shared_first_and_alive(store):
    words = ("anchor", "beacon", "capstan", "davit", "ensign")
    (all_five,) = keep(store, " ".join(words))
    (some,) = keep(store, " ".join(words[:4]))
    (dead,) = keep(store, " ".join((*words, "harbour")))
    change(store, dead, {"deleted_at": NOW})
    keys = keys_of(store.get(all_five))
    assert next(row[0] for row in store.look_alikes(keys, 10, now=NOW)) == all_five
    assert {row[0] for row in store.look_alikes(keys, 10, now=NOW)} <= {all_five, some}
    _, uid, title, content, details, content_hash = store.look_alikes(keys, 1, now=NOW)[0]
    assert (uid, title, content, details) == (
        store.get(all_five).uid,
        "",
        "anchor beacon capstan davit ensign",
        "",
    )
    assert content_hash == store.get(all_five).content_hash
    ended = keep(store, "a beacon that was put out")[0]
    change(store, ended, {"valid_until": NOW})
    found = store.alike([some, all_five, dead, ended, 999], now=NOW)
    assert {row.id: row.content for row in found} == {
        some: "anchor beacon capstan davit",
        all_five: content,
    }
    assert store.alike([], now=NOW) == []


def test_keys_of_what_was_forgotten_unverified_are_known(store):
    (captured,) = keep(store, "Always wear boots", trust="unverified")
    (known,) = keep(store, "Never wear sandals")
    keys = [prepared(text)[1][-1] for text in ("Always wear boots", "Never wear sandals")]
    assert store.dropped_keys(keys) == set()
    for memory in (captured, known):
        change(store, memory, {"deleted_at": NOW}, "forgotten")
    assert store.dropped_keys(keys) == {keys[0]}
    assert store.dropped_keys([]) == set()


def test_look_alike_keys_of_other_projects_do_not_collide(store):
    keep(store, "anchor beacon capstan", project="kestrel")
    _, keys = prepared("anchor beacon capstan")
    assert store.look_alikes(keys, 10, now=NOW) == []
    assert store.key_holders(keys) == {}


# Upkeep


def test_settings_are_stored_replaced_and_removed(store):
    with store.transaction():
        store.set_config("a", "1", NOW)
        store.set_config("b", "2", NOW)
        store.set_config("a", "3", NOW)
    assert store.config() == {"a": "3", "b": "2"}
    with store.transaction():
        store.set_config("a", None, NOW)
        store.set_config("never", None, NOW)
    assert store.config() == {"b": "2"}


def test_a_seal_is_kept_beside_the_settings(store):
    assert store.seal() == ""
    with store.transaction():
        store.set_seal("first")
        store.set_seal("second")
    assert store.seal() == "second"
    assert store.config() == {}


def test_stats_count_what_is_there(store):
    live, gone, ended = keep(store, "gull", "tern", "skua")
    change(store, gone, {"deleted_at": NOW})
    change(store, ended, {"valid_until": NOW, "superseded_by": live})
    with store.transaction():
        store.log_search(logged_search("gull", project=None), [])
    stats = store.stats(NOW)
    counts = ("memories", "forgotten", "superseded", "events", "queries", "edges", "sessions")
    assert [stats[name] for name in counts] == [1, 1, 1, 5, 1, 0, 0]
    assert stats["by"]["kind"] == {"learning": 1}
    assert stats["by"]["project"] == {PROJECT: 1}


def test_a_healthy_store_has_no_problems(store):
    keep(store, *[each["content"] for each in MEMORIES])
    report = store.verify()
    assert report.problems == ()
    assert report.memories == len(MEMORIES)
    assert len(report.checks) >= 5


def test_rebuilt_indexes_find_the_same(store):
    keep(store, *[each["content"] for each in MEMORIES])
    before = store.match_text(understand("harbour tide buoy"), HERE, 50)
    store.rebuild_indexes()
    assert store.match_text(understand("harbour tide buoy"), HERE, 50) == before
    assert store.verify().problems == ()


def test_what_was_written_is_there_after_closing_and_opening(store, open_store):
    ids = keep(store, *[each["content"] for each in MEMORIES])
    store.scrub()
    everything = store.get_many(ids)
    store.close()
    again = open_store()
    assert again.get_many(ids) == everything
    assert again.verify().problems == ()


def test_an_event_that_names_nobody_is_that_of_who_writes(store):
    (one,) = keep(store, "fog horn")
    assert store.writer() == "person"
    store.author = "agent:codex"
    assert store.writer() == "agent:codex"
    change(store, one, {"category": "fog"})
    with store.transaction():
        store.change(one, {"category": "horn"}, replace(event(one), author="repository:docs"))
    assert [each.author for each in store.history(one)][1:] == ["agent:codex", "repository:docs"]


def test_a_memory_is_created_by_its_author(store):
    writer = Writer("agent:codex", is_own=False)
    ready = prepare(
        Draft(content="fog horn"), writer=writer, project=PROJECT, session=None, allow=(), now=NOW
    )
    with store.transaction():
        (one,) = store.put([NewMemory(ready.row, ready.keys)])
    assert store.get(one).author == "agent:codex"
    assert [each.author for each in store.history(one)] == ["agent:codex"]


def test_the_newest_of_several_kinds_come_at_once(store):
    keep(store, "fog horn", "tide table", "lamp")
    rules = keep(store, "log every ship", "count every gull", kind="rule")
    rule, anything, nothing = store.newest_of(
        (
            replace(HERE, kinds=("rule",)),
            HERE,
            replace(HERE, kinds=("handoff",)),
        ),
        (1, -1, 5),
    )
    assert [each.id for each in rule] == rules[-1:]
    assert [each.id for each in anything] == listed(store, order="newest")
    assert nothing == []
