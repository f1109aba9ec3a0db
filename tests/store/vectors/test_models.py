"""Which model answers, switching between models, and models that fail."""

from __future__ import annotations

import shutil
import threading
from typing import Any

import pytest

import recairn
from recairn.core.errors import BadInput, ModelFailed, ModelMissing, RecairnError, Refused
from recairn.core.memory_text import whole_text
from recairn.embed.models import fingerprint, load
from recairn.ranking.codes import codes_of
from tests.store.vectors.made_up import DIM, Listening, configure, made_up_vector

# The discard port: nothing listens there.
NOBODY = "http://127.0.0.1:9/v1"
TEXTS = (
    "Wipe the lens after every storm",
    "Run migrations in one transaction",
    "The tide table is wrong in March",
    "Retry with full jitter and a limit",
)


@pytest.fixture
def server():
    listening = Listening()
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
    thread.start()
    yield listening.url
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "models.db"


@pytest.fixture
def memory(path, clock):
    with recairn.open(path, project="p", clock=clock) as opened:
        yield opened


@pytest.fixture
def filled(memory):
    memory.remember_many([{"content": text} for text in TEXTS])
    return memory


def states(memory):
    return {each.name: (each.state, each.done) for each in memory.models() if each.state}


def codes_by_model(memory):
    """(model name, memory) → codes, for every stored vector of a single piece."""
    rows = memory.store._c.rows(
        "select d.name, v.memory, v.codes from vectors v join models d on d.id = v.model"
    )
    return {(name, number): codes for name, number, codes in rows}


def assert_unmixed(memory, model="first"):
    """Every vector is the one its own model makes of the memory's present text."""
    static = load("static", models_dir="")
    for (name, number), codes in codes_by_model(memory).items():
        text = whole_text(memory.get(number))
        vector = (
            static.embed_documents([text])[0] if name == "static" else made_up_vector(text, model)
        )
        near = zip(codes, codes_of(vector), strict=True)
        assert all((one - other + 1) % 256 <= 2 for one, other in near), (name, number)


def test_a_new_database_searches_by_meaning_at_once(filled):
    found = filled.semantic_search("clean the optics", limit=1)
    assert (found.hits[0].id, found.meta.model) == (1, "static")
    assert states(filled) == {"static": ("active", 4)}


def test_a_semantic_score_is_the_cosine_and_orders_the_hits(filled):
    static = load("static", models_dir="")
    asked = static.embed_query("clean the optics")
    hits = filled.semantic_search("clean the optics", limit=4).hits
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    for hit in hits:
        vector = static.embed_documents([hit.memory.content])[0]
        exact = sum(a * b for a, b in zip(asked, vector, strict=True))
        assert abs(hit.score - max(0.0, exact)) < 0.01


def test_the_old_model_answers_until_the_new_one_is_complete(filled, server):
    configure(filled, server)
    chosen = filled.use_model("external")
    assert (chosen.state, chosen.done, chosen.total) == ("building", 0, 4)
    assert filled.batch_embed(3).remaining == 1
    assert states(filled) == {"static": ("active", 4), "external": ("building", 3)}
    assert filled.semantic_search("optics").meta.model == "static"
    assert_unmixed(filled)
    assert filled.batch_embed(3).remaining == 0
    assert states(filled) == {"external": ("active", 4)}
    assert filled.semantic_search("optics").meta.model == "external"
    assert_unmixed(filled)
    assert filled.verify().problems == ()


def test_what_is_written_during_a_switch_is_found_at_once_and_taken_along(filled, server):
    configure(filled, server)
    filled.use_model("external")
    filled.embed(limit=2)
    filled.remember("Polish the brass of the clockwork")
    assert filled.semantic_search("brass clockwork", limit=1).hits[0].id == 5
    filled.edit(1, content="Dry the glass after every storm")
    assert states(filled) == {"static": ("active", 5), "external": ("building", 1)}
    assert filled.embed() == 4
    assert states(filled) == {"external": ("active", 5)}
    assert_unmixed(filled)


def test_a_switch_goes_on_where_another_process_left_it(filled, server, path, clock):
    configure(filled, server)
    filled.use_model("external")
    filled.embed(limit=3)
    with recairn.open(path, project="p", clock=clock) as other:
        assert other.meaning.wanted == "external"
        assert other.embed() == 1
        assert states(other) == {"external": ("active", 4)}
    assert filled.semantic_search("optics").meta.model == "external"


def test_two_models_of_the_same_server_and_dimension_are_never_mixed(filled, server, path):
    configure(filled, server, "first")
    filled.use_model("external")
    filled.embed()
    configure(filled, server, "second")
    with recairn.open(path, project="p") as other:
        found = other.search("storm lens")
        assert "the vectors are of external@first/256/l2" in found.meta.notices[0]
        assert [hit.id for hit in found.hits] == [1]
        other.remember("Count the gulls")
        assert other.embed() == 4
        assert other.semantic_search("Count the gulls", limit=1).hits[0].score > 0.99
        assert_unmixed(other, "second")
        assert other.verify().problems == ()


def test_a_new_revision_of_the_shipped_model_is_noticed_and_repaired(filled):
    with filled.store.transaction():
        filled.store._c.run("update models set fingerprint = 'static@old/256/l2', revision = 'old'")
    found = filled.search("storm lens")
    assert [hit.id for hit in found.hits] == [1]
    assert found.meta.model is None
    assert "recairn embed makes new ones" in found.meta.notices[0]
    filled.remember("Polish the brass of the clockwork")
    assert filled.search("storm lens").meta.model is None
    assert filled.embed() == 4
    assert filled.search("storm lens").meta.notices == ()
    current = fingerprint(load("static", models_dir=""))
    assert [each.fingerprint for each in filled.store.models()] == [current]
    assert states(filled) == {"static": ("active", 5)}


def test_switching_back_before_the_end_leaves_the_old_model_in_place(filled, server):
    configure(filled, server)
    filled.use_model("external")
    filled.embed(limit=1)
    assert filled.use_model("static").state == "active"
    assert filled.remove_model("external") is True
    assert states(filled) == {"static": ("active", 4)}
    assert filled.verify().problems == ()


def test_the_model_that_answers_is_not_removed(filled, server):
    configure(filled, server)
    filled.use_model("external")
    filled.embed()
    with pytest.raises(Refused, match="external answers"):
        filled.remove_model("external")
    assert filled.semantic_search("optics").meta.model == "external"


def test_the_shipped_model_is_not_removed(filled):
    with pytest.raises(Refused, match="the static model is part of recairn"):
        filled.remove_model("static")
    assert filled.semantic_search("optics").meta.model == "static"


def beside(memory) -> None:
    memory.embed(limit=64)


def test_two_processes_embedding_at_once_make_each_vector_once(path, clock):
    with recairn.open(path, project="p", clock=clock, model="none") as memory:
        memory.remember_many([{"content": f"note number {n} of many"} for n in range(300)])
    with (
        recairn.open(path, project="p", clock=clock, model="static") as one,
        recairn.open(path, project="p", clock=clock, model="static") as other,
    ):
        # Between every two batches of the one, the other does one of its own.
        one.embed(report=lambda done, total: beside(other))
        assert states(one) == {"static": ("active", 300)}
        assert one.verify().problems == ()
        assert_unmixed(one)


def test_a_memory_forgotten_for_good_while_it_is_embedded_is_left_out(path, clock):
    with recairn.open(path, project="p", clock=clock, model="none") as memory:
        memory.remember_many([{"content": text} for text in TEXTS])
    with (
        recairn.open(path, project="p", clock=clock, model="static") as one,
        recairn.open(path, project="q", clock=clock, model="none") as other,
    ):
        embedder: Any = one.meaning.embedder("static")
        ids = one.store.without_vectors(0, 10)
        original = embedder.directions

        def while_it_works(texts):
            embedder.directions = original
            other.forget("p/1", hard=True)
            other.edit("p/2", content="Another text by now")
            other.edit("p/3", project="q")
            return original(texts)

        embedder.directions = while_it_works
        assert one.embed() == 3
        assert ids == [1, 2, 3, 4]
        assert one.verify().problems == ()
        assert_unmixed(one)
        assert states(one) == {"static": ("active", 3)}
        moved = one.semantic_search("tide table", project="q").hits
        assert [hit.id for hit in moved] == [3]


def test_edit_undo_and_merge_renew_the_vector(filled):
    filled.edit(1, content="Feed the lighthouse cat")
    assert filled.semantic_search("lighthouse cat", limit=1).hits[0].id == 1
    assert_unmixed(filled)
    filled.undo(1)
    assert filled.semantic_search("wipe the lens", limit=1).hits[0].id == 1
    assert_unmixed(filled)
    filled.remember("and feed the cat", merge=2)
    assert_unmixed(filled)
    assert states(filled) == {"static": ("active", 4)}
    assert filled.verify().problems == ()


def test_moving_to_another_project_or_tier_moves_the_vector(filled):
    filled.edit(1, project="other")
    assert 1 not in [hit.id for hit in filled.semantic_search("wipe the lens").hits]
    assert filled.semantic_search("wipe the lens", project="other").hits[0].id == 1
    filled.edit("other/1", tier="global")
    assert filled.semantic_search("wipe the lens").hits[0].id == 1
    assert filled.verify().problems == ()


def test_forgetting_for_good_drops_the_vectors_and_forgetting_keeps_them(filled):
    filled.forget(1)
    filled.forget(2, hard=True)
    assert {number for _, number in codes_by_model(filled)} == {1, 3, 4}
    filled.restore(1)
    assert filled.semantic_search("wipe the lens", limit=1).hits[0].id == 1


def test_a_memory_restored_after_a_switch_has_a_vector_of_the_new_model(filled, server):
    filled.forget(1)
    configure(filled, server)
    filled.use_model("external")
    assert filled.embed() == 3
    filled.restore(1)
    filled.settle()
    assert states(filled) == {"external": ("active", 4)}
    assert_unmixed(filled)


def test_a_server_that_is_down_loses_no_write_and_stops_no_search(filled, server):
    configure(filled, server)
    filled.use_model("external")
    filled.embed()
    configure(filled, NOBODY)
    added = filled.remember("Polish the brass of the clockwork")
    assert added.status == "added"
    assert filled.meaning.notice.startswith("stored without a vector: cannot reach")
    assert filled.edit(1, content="Dry the lens after every storm").id == 1
    many = filled.remember_many([{"content": "Oil the hinge of the gallery door"}])
    assert many[0].status == "added"
    found = filled.search("lens storm")
    assert [hit.id for hit in found.hits] == [1]
    assert found.meta.notices[0].startswith("searching by words only: cannot reach")
    with pytest.raises(ModelFailed):
        filled.embed()
    configure(filled, server)
    assert filled.embed() == 3
    assert filled.verify().problems == ()


def test_missing_weights_lose_no_write(path, tmp_path, monkeypatch):
    monkeypatch.setenv("RECAIRN_MODELS", str(tmp_path / "none"))
    with recairn.open(path, project="p", model="minilm") as memory:
        assert memory.remember("Wipe the lens").status == "added"
        assert memory.remember_many([{"content": "Oil the hinge"}])[0].status == "added"
        assert "recairn model pull minilm" in memory.meaning.notice
        assert [hit.id for hit in memory.search("lens").hits] == [1]
        with pytest.raises(ModelMissing):
            memory.embed()
        with pytest.raises(ModelMissing):
            memory.use_model("minilm")
        assert memory.config() == {}


def test_a_failed_choice_of_model_changes_nothing(filled):
    configure(filled, NOBODY)
    filled.set_config("embedding.external.dim", None)
    with pytest.raises(ModelFailed):
        filled.use_model("external")
    assert "embedding.model" not in filled.config()
    assert filled.meaning.wanted == "static"
    with pytest.raises(BadInput):
        filled.use_model("nothing")


def test_without_a_model_everything_works_by_words_and_says_so_when_asked(path):
    with recairn.open(path, project="p", model="none") as memory:
        memory.remember("Wipe the lens")
        assert memory.search("lens").meta.notices == ()
        found = memory.semantic_search("lens")
        assert found.hits == ()
        assert found.meta.notices == ("No embedding model configured; recairn model use static",)
        assert (memory.batch_embed().model, memory.batch_embed().remaining) == (None, 1)


def test_semantic_search_without_any_vector_says_how_to_mend_it(path):
    with recairn.open(path, project="p", model="none") as memory:
        memory.remember("Wipe the lens")
    with recairn.open(path, project="p") as memory:
        found = memory.search("lens", mode="semantic")
        assert found.meta.notices == ("no memory has a vector yet; recairn embed makes them",)
        memory.embed()
        assert memory.search("lens", mode="semantic").meta.notices == ()


def test_a_notice_is_gone_once_its_reason_is(filled, server):
    configure(filled, server)
    filled.meaning.notice = "of an operation before"
    assert filled.search("lens").meta.notices == ()


def test_a_copy_of_the_database_searches_by_meaning_too(filled, path, tmp_path):
    filled.close()
    shutil.copy(path, tmp_path / "copy.db")
    with recairn.open(tmp_path / "copy.db", project="p", read_only=True) as copy:
        assert copy.semantic_search("optics lens", limit=1).hits[0].id == 1


def test_a_long_text_is_found_by_each_of_its_parts(filled, server):
    configure(filled, server)
    filled.set_config("embedding.external.window_tokens", "40")
    filled.use_model("external")
    filled.embed()
    parts = [f"Paragraph {n} tells of {'gull ' * 12}number {n}." for n in range(6)]
    known = filled.remember("\n\n".join(parts)).id
    rows = filled.store._c.rows("select piece from vectors where memory = ?", (known,))
    assert [row[0] for row in rows] == list(range(len(rows)))
    assert len(rows) >= 3
    assert filled.verify().problems == ()
    assert DIM == 256


def test_the_numbers_of_models_are_used_again(filled, server):
    configure(filled, server)
    for name in ("external", "static", "external"):
        filled.use_model(name)
        filled.embed()
    assert [each.id for each in filled.store.models()] == [2]
    assert_unmixed(filled)
    assert filled.verify().problems == ()


def test_a_model_chosen_elsewhere_counts_at_once(filled, path):
    assert filled.semantic_search("optics").meta.model == "static"
    with recairn.open(path, project="p") as other:
        other.use_model("none")
        assert filled.semantic_search("optics").hits == ()
        other.use_model("static")
    assert filled.semantic_search("optics").meta.model == "static"


def test_progress_is_told_of_a_model_that_is_not_to_be_reached(filled):
    filled.set_config("embedding.external.url", "http://127.0.0.1:9")
    filled.set_config("embedding.external.model", "away")
    filled.set_config("embedding.model", "external")
    assert filled.batch_left() == 4
    with pytest.raises(RecairnError):
        filled.embed()
