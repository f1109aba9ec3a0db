"""`recairn bench`: a tiny question set by hand, as text and as JSON."""

from __future__ import annotations

import json
import os

import pytest

from recairn.ranking.profiles import PROFILES
from tests.surfaces.bench.questions import written


@pytest.fixture
def harbour(tmp_path):
    return str(written(tmp_path / "sets"))


def test_bench_prints_our_row_beside_plain_bm25(recairn, harbour):
    ran = recairn("bench", harbour)
    assert (ran.status, ran.err) == (0, "")
    title, heads, plain, ours, evidence, compared = ran.out.splitlines()
    assert title == "harbour: 6 documents, 3 questions"
    assert heads.split()[:5] == ["ndcg@10", "recall@5", "recall@10", "recall@20", "mrr"]
    assert plain.split()[:6] == ["BM25", *["1.0000"] * 5]
    assert ours.startswith("  default, static, hybrid")
    assert ours.split()[3:8] == ["1.0000"] * 5
    assert "2/2" in ours
    assert "all 1.0000 1.0000, any 1.0000 1.0000; false silence 0.0%" in evidence
    assert compared == (
        "  default, static, hybrid - BM25: +0.0000 [+0.0000, +0.0000], won 0, lost 0"
    )


def test_bench_as_json_has_every_figure(recairn, harbour):
    found = recairn("bench", harbour, "--json").json
    (one,) = found["sets"]
    assert (one["set"], one["documents"]) == ("harbour", 6)
    plain, ours = one["runs"]
    assert (plain["label"], ours["label"]) == ("BM25", "default, static, hybrid")
    assert plain["questions"] == ours["questions"] == 3
    assert set(plain) == set(ours)
    assert (ours["unanswerable"], ours["kept_silent"]) == (2, 2)
    assert ours["p50_ms"] > 0
    (compared,) = one["differences"]
    assert (compared["of"], compared["to"]) == ("default, static, hybrid", "BM25")
    assert found["means"] == {
        "BM25": pytest.approx(1.0),
        "default, static, hybrid": ours["ndcg@10"],
    }


def test_a_reranker_is_compared_with_search_without_it(recairn, harbour, tmp_path, monkeypatch):
    from tests.embed.tiny_rerankers import install_loving

    monkeypatch.setenv("RECAIRN_MODELS", str(tmp_path / "models"))
    install_loving("gulls", tmp_path / "models")
    ran = recairn("bench", harbour, "--compare", "cross-mini", "--model", "none", "--json")
    labels = [run["label"] for run in ran.json["sets"][0]["runs"]]
    assert labels[1:] == ["default, none, hybrid", "default, none, hybrid, cross-mini"]


def test_profiles_and_models_are_compared_question_by_question(recairn, harbour):
    found = recairn(
        "bench", harbour, "--compare", "tx", "--compare", "none", "--mode", "keyword", "--json"
    ).json
    (one,) = found["sets"]
    assert [run["label"] for run in one["runs"]] == [
        "BM25",
        "default, static, keyword",
        "tx, static, keyword",
        "default, none, keyword",
    ]
    assert [(pair["of"], pair["to"]) for pair in one["differences"]] == [
        ("default, static, keyword", "BM25"),
        ("tx, static, keyword", "default, static, keyword"),
        ("default, none, keyword", "default, static, keyword"),
    ]


def test_several_sets_have_a_mean(recairn, harbour, tmp_path):
    other = written(tmp_path / "others", packed=True)
    out = recairn("bench", harbour, str(other), "--model", "none").out
    assert out.splitlines()[-1] == (
        "mean nDCG@10 over 2 sets: BM25 1.0000   default, none, hybrid 1.0000"
    )


def test_without_the_floor_nothing_is_kept_silent(recairn, harbour):
    (one,) = recairn("bench", harbour, "--all", "--json").json["sets"]
    assert one["runs"][1]["kept_silent"] == 0


def test_filled_databases_are_kept_and_used_again(recairn, harbour, tmp_path):
    work = tmp_path / "work"
    first = recairn("bench", harbour, "--work", str(work), "--model", "none", "--json").json
    assert os.listdir(work) == ["harbour-none.db"]
    written_at = (work / "harbour-none.db").stat().st_mtime_ns
    again = recairn("bench", harbour, "--work", str(work), "--model", "none", "--json").json
    assert (work / "harbour-none.db").stat().st_mtime_ns == written_at
    assert again["means"] == first["means"]


def test_bench_does_not_touch_ones_own_memories(recairn, harbour, own_home):
    recairn("bench", harbour, "--model", "none")
    assert not (own_home / "memories.db").exists()


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["nowhere"], 1, "there is no nowhere/qrels.tsv"),
        (["SET", "--compare", "defalt"], 1, "'defalt' is neither a profile nor a model"),
        (["SET", "--profile", "defalt"], 2, "did you mean 'default'"),
    ],
)
def test_what_cannot_be_measured_is_an_error(recairn, harbour, words, status, said):
    ran = recairn("bench", *[harbour if word == "SET" else word for word in words])
    assert said in ran.err
    assert ran.status == status
    assert ran.out == ""


# Old and new together


@pytest.fixture
def mixed(tmp_path):
    """Documents of which two are a year old, beside new ones about the same things."""
    old = [
        "The fog horn of the north pier sounds twice a minute in thick weather",
        "Replace the anode of the tide gauge before the first frost of the year",
    ]
    new = [f"Note {number}: the fog horn, the pier and the tide gauge" for number in range(12)]
    rows = [
        *(
            {"id": f"old{at}", "text": text, "timestamp": "2025-01-02T00:00:00Z"}
            for at, text in enumerate(old)
        ),
        *({"id": f"new{at}", "text": text} for at, text in enumerate(new)),
    ]
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder)


def test_verbatim_asks_every_profile_for_what_is_old(recairn, mixed):
    ran = recairn("bench", mixed, "--verbatim")
    assert (ran.status, ran.err) == (0, "")
    title, heads, *rows = ran.out.splitlines()
    assert title.startswith(f"{mixed}: 2 of 14 memories are older than 30 days")
    assert heads.split() == ["first", "of", "three", "silent", "highest", "score"]
    assert [row.split()[:4] for row in rows] == [[name, "2", "2", "0"] for name in PROFILES]


def test_verbatim_as_json_and_of_one_profile(recairn, mixed):
    (found,) = recairn("bench", mixed, "--verbatim", "--profile", "lore", "--json").json["folders"]
    assert (found["folder"], found["memories"], found["asked"]) == (mixed, 14, 2)
    (lore,) = found["profiles"]
    assert {name: lore[name] for name in ("profile", "first", "among_three", "silent")} == {
        "profile": "lore",
        "first": 2,
        "among_three": 2,
        "silent": 0,
    }
    assert 0.5 < lore["highest"] <= 1.0


def test_verbatim_takes_a_folder_that_can_be_imported(recairn, tmp_path):
    store = tmp_path / "lore" / "journal" / "data"
    store.mkdir(parents=True)
    (tmp_path / "lore" / "patterns" / "data").mkdir(parents=True)
    (store / "decisions.jsonl").write_text(
        json.dumps(
            {
                "id": "dec-1",
                "timestamp": "2025-01-02T00:00:00Z",
                "decision": "Keep the tide tables in one file for every harbour",
            }
        )
        + "\n"
    )
    (tmp_path / "lore" / "CLAUDE.md").write_text("- Tide tables are made anew each winter\n")
    (found,) = recairn("bench", str(tmp_path / "lore"), "--verbatim", "--json").json["folders"]
    assert (found["memories"], found["asked"]) == (2, 1)
    assert [profile["first"] for profile in found["profiles"]] == [1] * len(PROFILES)


def test_verbatim_says_so_when_nothing_is_old(recairn, tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "CLAUDE.md").write_text("- Tide tables are made anew each winter\n")
    ran = recairn("bench", str(tmp_path / "new"), "--verbatim")
    assert ran.status == 1
    assert "has no memory older than 30 days" in ran.err


# Prompts through the hook


@pytest.fixture
def prompts(tmp_path):
    """One project of three memories, and prompts of both halves."""
    folder = tmp_path / "prompts" / "lantern"
    folder.mkdir(parents=True)
    memories = [
        {"key": "deploy", "kind": "learning", "content": "Deploy with make release from main"},
        {
            "key": "old",
            "kind": "learning",
            "content": "Deploy to Heroku",
            "superseded_by": "deploy",
        },
        {"key": "rule", "kind": "rule", "content": "Commit messages are imperative"},
    ]
    asked = [
        {"id": "a", "shape": "short", "prompt": "how do we deploy?", "helps": ["deploy"]},
        {"id": "b", "shape": "talk", "prompt": "thanks a lot", "helps": []},
        {"id": "c", "shape": "short", "prompt": "commit this", "helps": ["rule"]},
        {"id": "d", "shape": "short", "prompt": "so how do we deploy", "helps": [], "after": "a"},
    ]
    for name, rows in (("memories", memories), ("prompts", asked)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines)
    return folder.parent


def test_bench_hooks_tells_what_helps_from_what_disturbs(recairn, prompts):
    found = recairn("bench", "hooks", str(prompts), "--json").json
    both = [half["all"] for half in found["halves"].values()]
    assert (found["model"], found["memories"]) == ("static", 3)
    assert sum(half["prompts"] for half in both) == 4
    # What came when the session began is no answer that a prompt lacks.
    assert sum(half["answerable"] for half in both) == 1
    assert [half["precision"] for half in both if half["injected"]] == [1.0]
    assert [half["answered"] for half in both if half["answerable"]] == [1.0]
    assert {half["disturbed"] for half in both if half["unrelated"]} == {0.0}
    told = recairn("bench", "hooks", str(prompts), "--model", "none").out.splitlines()
    assert told[0] == "4 prompts, 3 memories of 1 projects, none"
    assert [line.split()[0] for line in told if not line.startswith(" ")][1:] == [
        "tuning",
        "unseen",
    ]


def test_a_set_of_prompts_that_is_wrong_is_named(recairn, prompts, tmp_path):
    wrong = recairn("bench", "hooks", str(tmp_path / "none"))
    assert (wrong.status, "no folder with memories.jsonl" in wrong.err) == (1, True)
    file = prompts / "lantern" / "prompts.jsonl"
    file.write_text('{"id": "a", "shape": "short", "prompt": "x", "helps": ["nobody"]}\n')
    assert "'nobody', which is no memory there" in recairn("bench", "hooks", str(prompts)).err
    file.write_text("{}\n")
    assert "line 1 is not a record" in recairn("bench", "hooks", str(prompts)).err
