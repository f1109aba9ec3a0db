"""A set through the shipped search, and through the yardstick beside it."""

import pytest

from recairn.core.record import replace
from recairn.surfaces.bench.bm25 import bm25
from recairn.surfaces.bench.datasets import read
from recairn.surfaces.bench.run import ask, database_for, fill, summary
from tests.corpus import opened
from tests.surfaces.bench.questions import written


@pytest.fixture
def harbour(tmp_path):
    return read(str(written(tmp_path / "sets")))


@pytest.fixture
def filled(tmp_path, harbour, clock):
    with opened(tmp_path / "bench.db", project="", clock=clock, model="static") as memory:
        fill(memory, harbour, lambda done, total: None)
        yield memory


def test_every_document_is_a_memory_of_its_scope_and_twins_are_one(filled):
    assert filled.count(project="north") == 3
    assert filled.count(project="south") == 2
    assert sorted(each.source_ref for each in filled.listing(all_projects=True)) == [
        "d1",
        "d2",
        "d3",
        "d5",
        "d6",
    ]


def test_filling_reports_how_far_it_is_and_leaves_a_filled_database_alone(filled, harbour):
    reports = []
    before = filled.count(all_projects=True)
    fill(filled, harbour, lambda done, total: reports.append((done, total)))
    assert reports == []
    assert filled.count(all_projects=True) == before


def test_a_run_scores_what_can_be_answered_and_counts_silence(filled, harbour):
    run = ask(filled, harbour, "ours")
    assert run.ndcg == pytest.approx([1.0, 1.0, 1.0])
    assert run.reciprocal == [1.0, 1.0, 1.0]
    assert dict(run.recall) == {5: [1.0] * 3, 10: [1.0] * 3, 20: [1.0] * 3}
    assert len(run.milliseconds) == 5
    assert (run.answered, run.silent) == (0, 2)
    assert filled.stats()["queries"] == 0


def test_the_kept_twin_stands_for_both(filled, harbour):
    """q2 wants d3 and d4, which say the same; only d3 is in the database."""
    assert ask(filled, harbour, "ours").recall[5][1] == 1.0


def test_without_a_floor_nothing_is_silent(filled, harbour):
    run = ask(filled, harbour, "ours", all=True)
    assert (run.answered, run.silent) == (2, 0)


def test_the_yardstick_ranks_each_scope_on_its_own(harbour):
    run = bm25(harbour)
    assert run.label == "BM25"
    assert run.reciprocal == [1.0, 1.0, 1.0]
    assert run.ndcg == pytest.approx([1.0, 1.0, 1.0])
    assert (run.answered, run.silent) == (0, 0)


def test_a_summary_holds_means_interval_silence_and_times(filled, harbour):
    found = summary(ask(filled, harbour, "ours"))
    assert found.pop("p50_ms") <= found.pop("p95_ms")
    assert found == {
        "label": "ours",
        "questions": 3,
        "ndcg@10": pytest.approx(1.0),
        "ndcg@10_low": pytest.approx(1.0),
        "ndcg@10_high": pytest.approx(1.0),
        "recall@5": 1.0,
        "recall@10": 1.0,
        "recall@20": 1.0,
        "mrr": 1.0,
        **{f"recall_{name}@{depth}": 1.0 for name in ("all", "any") for depth in (5, 10)},
        "false_silence": 0.0,
        "calibration_error": pytest.approx(found["calibration_error"]),
        "calibration_error_of_all": pytest.approx(found["calibration_error_of_all"]),
        "unanswerable": 2,
        "kept_silent": 2,
    }


def test_a_question_with_an_answer_that_meets_silence_is_counted(filled, harbour):
    deaf = replace(harbour, questions=[replace(each, text="zzz") for each in harbour.questions])
    run = ask(filled, deaf, "ours")
    assert (run.unanswered, summary(run)["false_silence"]) == (3, 1.0)


def test_each_model_has_a_database_of_its_own(harbour):
    assert database_for("work", harbour, "static") == "work/harbour-static.db"
    assert database_for("work", harbour, "none") != database_for("work", harbour, "static")
