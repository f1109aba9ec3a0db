"""Near-duplicates: found, shown, merged or summarised, and never confused with opposites."""

from __future__ import annotations

import json
import sys

import pytest

from recairn.core.errors import BadInput, Refused
from recairn.core.record import replace
from recairn.memory.consolidate import (
    Cluster,
    merged_text,
    summary_text,
    text_by_command,
)
from recairn.memory.joined_sentences import sentences
from tests.corpus import opened

FIRST = "Retry the queue three times with full jitter before giving up on the broker"
SECOND = "Retry the queue three times with full jitter before giving up on a broker"
THIRD = "Retry the queue three times with jitter before giving up on the broker. Then call Ines"


@pytest.fixture
def alike(memory):
    """Three that say nearly the same (#1 to #3) and one stranger."""
    for text in (FIRST, SECOND, THIRD, "The ferry leaves at seven"):
        memory.remember(text, force=True)
    return memory


def ids(found):
    return [[each.id for each in done.cluster.memories] for done in found]


def grouped(memory, **options):
    return [sorted(group) for group in ids(memory.consolidate(**options))]


def command(tmp_path, code):
    """The command line of a small program of our own."""
    script = tmp_path / "summariser.py"
    script.write_text(code)
    return f"{sys.executable} {script}"


def test_near_duplicates_form_a_cluster_and_strangers_stay_out(alike):
    assert grouped(alike) == [[1, 2, 3]]


def test_nothing_changes_without_write(alike):
    before = alike.stats()
    (done,) = alike.consolidate()
    assert (done.written, done.memory, done.text) == (None, None, "")
    assert alike.stats() == before


def test_the_threshold_decides(alike):
    assert grouped(alike, threshold=0.9) == [[1, 2]]
    assert grouped(alike, threshold=1.0) == []
    for wrong in (1.5, -0.1):
        with pytest.raises(BadInput, match="between 0 and 1"):
            alike.consolidate(threshold=wrong)


@pytest.mark.parametrize(
    "other",
    [
        "Retry the queue four times with full jitter before giving up on the broker 4",
        "Never retry the queue three times with full jitter before giving up on the broker",
        "Don't retry the queue three times with full jitter before giving up on the broker",
    ],
)
def test_what_differs_in_a_number_or_a_denial_is_not_alike(memory, other):
    memory.remember(FIRST)
    memory.remember(other, force=True)
    assert grouped(memory) == []


@pytest.mark.parametrize(
    "options",
    [{"kind": "rule"}, {"project": "bakery"}, {"tier": "global"}],
)
def test_other_kinds_projects_and_tiers_are_not_merged(memory, options):
    memory.remember(FIRST)
    memory.remember(SECOND, force=True, **options)
    assert grouped(memory) == []


@pytest.mark.parametrize("kind", ["chunk", "handoff"])
def test_pieces_of_documents_and_handoffs_are_left_alone(memory, kind):
    memory.remember(FIRST, kind=kind)
    memory.remember(SECOND, kind=kind, force=True)
    assert grouped(memory) == []


def test_a_merge_keeps_one_and_supersedes_the_others(alike):
    (done,) = alike.consolidate(write="merge")
    survivor = alike.get(done.memory)
    assert done.written == "merge"
    assert [memory.id for memory in alike.listing(order="id")] == [survivor.id, 4]
    for other in {1, 2, 3} - {survivor.id}:
        assert alike.get(other).superseded_by == survivor.id
    assert "Then call Ines" in survivor.content
    assert alike.consolidate() == []
    assert alike.verify().problems == ()


def test_the_history_of_a_merge_says_with_what_and_undo_takes_it_back(alike, clock):
    before = {each.id: each.content for each in alike.listing()}
    clock.advance(1000)
    (done,) = alike.consolidate(write="merge")
    (other, _) = (each.id for each, _ in done.cluster.others)
    assert alike.history(other)[-1].reason == f"merged into #{done.memory}"
    alike.undo(since=clock.now)
    assert {each.id: each.content for each in alike.listing()} == before
    assert grouped(alike) == [[1, 2, 3]]
    assert alike.verify().problems == ()


def test_a_merge_keeps_keywords_fields_and_the_highest_importance(memory):
    memory.remember(FIRST, kind="pattern", keywords=["queue"], importance=0.9)
    fields = {"solution": "use jitter"}
    memory.remember(
        SECOND, kind="pattern", keywords=["broker"], importance=0.3, fields=fields, force=True
    )
    (done,) = memory.consolidate(write="merge")
    kept = memory.get(done.memory)
    assert (kept.id, kept.keywords, kept.importance) == (1, ("queue", "broker"), 0.9)
    assert kept.fields == fields


def test_what_is_pinned_or_immutable_is_never_superseded(memory):
    memory.remember(FIRST, pinned=True)
    memory.remember(SECOND, immutable=True, force=True)
    assert grouped(memory) == []
    memory.remember(THIRD, force=True, importance=1.0)
    (done,) = memory.consolidate(write="merge")
    assert ids([done]) == [[2, 3]]
    assert memory.get(2).content == SECOND
    assert memory.get(3).superseded_by == 2


def test_lore_appendix_a_summary_links_the_originals_which_drop_to_importance_one_of_five(alike):
    (done,) = alike.consolidate(write="summary")
    summary = alike.get(done.memory)
    assert (summary.source_type, summary.source_ref) == ("compaction", "consolidate")
    _, edges = alike.graph()
    assert sorted((edge.source, edge.target, edge.relation) for edge in edges) == [
        (number, summary.id, "summarized_by") for number in (1, 2, 3)
    ]
    assert [alike.get(number).importance for number in (1, 2, 3, 4)] == [0.2, 0.2, 0.2, 0.5]
    assert summary.importance == 0.5
    assert alike.verify().problems == ()


def test_what_is_summarised_is_not_summarised_again(alike):
    alike.consolidate(write="summary")
    assert alike.consolidate() == []


def test_a_summary_is_undone_with_its_links(alike, clock):
    clock.advance(1000)
    (done,) = alike.consolidate(write="summary")
    alike.undo(since=clock.now)
    assert alike.get(done.memory).deleted_at == clock.now
    assert [alike.get(number).importance for number in (1, 2, 3)] == [0.5, 0.5, 0.5]
    assert alike.graph()[1] == []


def test_a_configured_command_writes_the_summary_and_gets_the_cluster_as_json(alike, tmp_path):
    told = tmp_path / "told.json"
    program = (
        "import sys, json\n"
        f"open({str(told)!r}, 'w').write(sys.stdin.read())\n"
        "print('  Jitter, always. ')\n"
    )
    alike.set_config("consolidate.command", command(tmp_path, program))
    (done,) = alike.consolidate(write="summary")
    assert alike.get(done.memory).content == "Jitter, always."
    memories = json.loads(told.read_text())["memories"]
    assert sorted(each["id"] for each in memories) == [1, 2, 3]
    assert {FIRST, SECOND, THIRD} == {each["content"] for each in memories}


@pytest.mark.parametrize(
    ("program", "complaint"),
    [
        ("import sys; sys.exit('out of tokens')", "ended with status 1: out of tokens"),
        ("pass", "wrote nothing"),
    ],
)
def test_a_command_that_fails_is_reported_and_nothing_is_written(
    alike, tmp_path, program, complaint
):
    alike.set_config("consolidate.command", command(tmp_path, program))
    before = alike.stats()
    with pytest.raises(Refused, match=complaint) as caught:
        alike.consolidate(write="summary")
    assert "config unset" in caught.value.hint
    assert alike.stats() == before


@pytest.mark.parametrize("line", ["/nowhere/at/all", "'unbalanced"])
def test_a_command_that_cannot_be_run_is_reported(alike, line):
    alike.set_config("consolidate.command", line)
    with pytest.raises(Refused, match="cannot be run"):
        alike.consolidate(write="summary")


def test_a_command_that_takes_too_long_is_stopped(memory, tmp_path):
    slow = command(tmp_path, "import time; time.sleep(30)")
    with pytest.raises(Refused, match=r"took longer than 0.2 s"):
        text_by_command(slow, cluster(memory, FIRST, SECOND), 0.2)


def test_a_command_is_not_given_to_a_shell(alike, tmp_path):
    proof = tmp_path / "proof"
    alike.set_config("consolidate.command", f"echo short; touch {proof}")
    (done,) = alike.consolidate(write="summary")
    assert not proof.exists()
    assert alike.get(done.memory).content.startswith("short; touch")


def test_secrets_in_what_a_command_wrote_are_redacted(alike, tmp_path):
    secret = "ghp_" + "a1B2" * 9
    alike.set_config("consolidate.command", command(tmp_path, f"print('the token is {secret}')"))
    (done,) = alike.consolidate(write="summary")
    assert secret not in alike.get(done.memory).content


def test_any_other_way_to_write_is_refused(alike):
    with pytest.raises(BadInput, match="unknown way to write 'delete'"):
        alike.consolidate(write="delete")


def test_the_limit_counts_clusters(memory):
    for text in (FIRST, "The lighthouse keeper wants his report before the fishing boats leave"):
        memory.remember(text)
        memory.remember(f"{text} again", force=True)
    assert len(memory.consolidate()) == 2
    assert len(memory.consolidate(limit=1)) == 1


def test_where_vectors_exist_the_same_meaning_in_other_words_is_found(tmp_path, clock):
    with opened(tmp_path / "vectors.db", clock=clock, model="static") as memory:
        memory.remember("Restart the database server after the upgrade has finished")
        memory.remember("After the upgrade has finished, restart the database servers", force=True)
        assert grouped(memory, threshold=0.95) == [[1, 2]]
        assert grouped(memory, threshold=0.95, write="merge") == [[1, 2]]


def test_where_nothing_is_visible_nothing_is_found(tmp_path, clock):
    with opened(tmp_path / "vectors.db", clock=clock, model="static") as memory:
        memory.remember(FIRST, project="bakery")
        assert memory.consolidate() == []


# Texts


def cluster(memory, *texts):
    first = memory.get(memory.remember(texts[0]).id)
    others = tuple(
        (replace(first, id=99 + at, content=text), 0.7) for at, text in enumerate(texts[1:])
    )
    return Cluster(first, others)


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        (["Wipe the lens after every storm."], "Wipe the lens after every storm."),
        (["Wipe the lens after each storm."], "Wipe the lens after every storm."),
        (
            ["Wipe the lens after every storm. Use a soft cloth.", "Use a very soft cloth."],
            "Wipe the lens after every storm.\nUse a soft cloth.",
        ),
    ],
)
def test_a_merged_text_says_everything_once(memory, others, expected):
    assert merged_text(cluster(memory, "Wipe the lens after every storm.", *others)) == expected


def test_a_summary_takes_what_most_members_say(memory):
    texts = (
        "The pump fails in frost. Paint it blue.",
        "The pump fails in hard frost.",
        "In frost the pump fails. Ask Ines for the key.",
    )
    assert summary_text(cluster(memory, *texts)).startswith("The pump fails in frost.")
    assert len(sentences(summary_text(cluster(memory, *texts)))) <= 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("port 3.5 stays whole", ["port 3.5 stays whole"]),
        ("a line\n\nand another", ["a line", "and another"]),
        ("", []),
    ],
)
def test_sentences_end_at_marks_and_lines(text, expected):
    assert sentences(text) == expected
