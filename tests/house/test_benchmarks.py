"""What `bench peers` says of where recairn loses is all that its figures say."""

from __future__ import annotations

from typing import Any

from bench.beside.plots import plots
from bench.beside.tables import Run, losses, quality_table


def system(name: str, mean: float = 0.5, *, ours: bool = False, **figures: Any) -> Run:
    quality = {"mean": mean, "quiet": 5, "off_topic": 10, "silent": 0}
    return {"name": name, "ours": ours, "figures": figures, "quality": {"bugs": quality}}


def run(*systems: Run, **differences: float) -> Run:
    ours = next(each["name"] for each in systems if each["ours"])
    return {
        "sets": [{"name": "bugs", "questions": 4, "documents": 9}],
        "systems": list(systems),
        "bm25": {"name": "BM25", "ours": False, "quality": {"bugs": {"mean": 0.25}}},
        "differences": [
            {"set": "bugs", "ours": ours, "other": name, "mean": mean, "low": -0.3, "high": -0.1}
            for name, mean in differences.items()
        ],
    }


def test_what_another_does_better_is_named_and_what_is_level_is_not():
    ours = system("recairn", ours=True, cold_ms=100.0, bytes=900.0, tools=8, lost=0)
    twice = system("twice", cold_ms=50.0, bytes=901.0, tools=40, lost=1)
    level = system("level", cold_ms=70.0, bytes=899.0, tools=8)
    assert losses(run(ours, twice, level)) == [
        "server start to the first answer: recairn 100 ms; twice 50",
        "disk: recairn 900 bytes a memory; level 899",
    ]


def test_a_lead_in_quality_comes_with_its_interval():
    found = losses(run(system("recairn", ours=True), system("other"), other=-0.2))
    assert found == ["nDCG@10 of recairn on bugs: behind other by .200 [.100, .300]"]
    assert losses(run(system("recairn", ours=True), system("other"), other=0.2)) == []


def test_worse_conduct_is_a_loss_too():
    ours = system("recairn", ours=True, secret_on_disk=True, odd_errors=2)
    careful = system("careful", secret_on_disk=False, odd_errors=0)
    careful["quality"]["bugs"]["quiet"] = 9
    assert losses(run(ours, careful)) == [
        "odd questions that end in an error: recairn 2; careful 0",
        "a token in clear on disk: recairn yes; careful no",
        "answers to off-topic questions: recairn 5; careful 1",
    ]


def test_a_set_that_could_not_be_run_leaves_no_mean_behind():
    half = system("half")
    half["quality"] = {}
    table = quality_table(run(system("recairn", 0.75, ours=True), half))
    assert [line.split("|")[1:4] for line in table[2:]] == [
        [" recairn ", " .750 ", " .750 "],
        [" half    ", "    – ", "    – "],
        [" BM25    ", " .250 ", " .250 "],
    ]


def test_plots_escape_what_they_write():
    drawn = plots(run(system("a <b> & c", ours=True, cold_ms=1.0)))
    assert "a &lt;b&gt; &amp; c" in drawn["cold.svg"]
