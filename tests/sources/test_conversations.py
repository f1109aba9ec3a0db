"""What was said in sessions is kept turn by turn, redacted, and found on request alone."""

from __future__ import annotations

import json

import pytest

from tests.sources.test_transcripts import claude, rollout

TOKEN = "ghp_" + "0123456789abcdefghijABCDEFGHIJ456789"


def says(role, words, second):
    return claude([{"type": "text", "text": words}], second, role, cwd="")


NIGHT = [
    says("user", "Why does the lamp at pier 4 flicker in fog?", 1),
    says("assistant", "Salt on the relay: clean it with vinegar.", 2),
    claude([{"type": "tool_result", "content": "vinegar, 3 litres"}], 3, cwd=""),
    says("assistant", "The relay is the grey box on the left.", 4),
    says("user", "<system-reminder>vinegar</system-reminder>\nWhich oil for the hinges?", 5),
    says("assistant", f"Colza oil. The order token is {TOKEN}", 6),
    claude([{"type": "tool_use", "name": "Bash", "input": {"command": "vinegar"}}], 7, "assistant"),
]


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "night.jsonl"
    write(path, NIGHT)
    return path


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def turns(memory):
    """(who, what) of the one conversation."""
    ((document, _),) = memory.documents(transcripts=True)
    return [(each.fields["heading"], each.content) for each in memory.document_chunks(document)]


def test_the_turns_of_both_sides_are_kept_in_their_order_and_redacted(memory, transcript):
    (done,) = memory.import_from(transcript)
    assert done.besides["conversation"] == 1
    assert turns(memory) == [
        ("person", "Why does the lamp at pier 4 flicker in fog?"),
        (
            "agent",
            "Salt on the relay: clean it with vinegar.\n\nThe relay is the grey box on the left.",
        ),
        ("person", "Which oil for the hinges?"),
        ("agent", "Colza oil. The order token is ghp_[REDACTED]"),
    ]


def item(kind, said):
    return {"type": kind, "id": "i-1", "content": [{"type": "text", "text": said}]}


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (
            {"type": "user_message", "message": "Which oil for the hinges?"},
            {"type": "agent_message", "message": "Colza oil."},
        ),
        (
            {
                "type": "item_completed",
                "item": item("UserMessage", "Which oil for the hinges?"),
            },
            {"type": "item_completed", "item": item("AgentMessage", "Colza oil.")},
        ),
    ],
    ids=["before", "0.166"],
)
def test_codex_says_it_in_its_own_way(memory, tmp_path, asked, answered):
    path = tmp_path / "rollout-1.jsonl"
    write(
        path,
        [
            rollout("session_meta", id="w-1", cwd="/gone/puffin"),
            rollout("event_msg", 1, **asked),
            rollout("event_msg", 2, **answered),
            rollout("event_msg", 3, type="token_count", message="Colza"),
        ],
    )
    memory.import_from(path)
    found = memory.search("oil for the hinges", transcripts=True, all_projects=True).hits
    assert [hit.memory.content for hit in found] == ["Which oil for the hinges?", "Colza oil."]
    assert found[0].memory.fields["path"] == "codex/w-1"


def test_they_are_found_down_to_the_turn_and_on_request_alone(memory, transcript):
    memory.import_from(transcript)
    (hit, *_) = memory.search("which oil do the hinges need", transcripts=True).hits
    assert (hit.memory.fields["path"], hit.memory.fields["line"]) == ("claude/5e55-a", 5)
    assert memory.search("oil hinges").hits == ()
    assert memory.search("oil hinges", docs=True).hits == ()
    assert memory.search("oil hinges", kind="chunk").hits == ()
    assert memory.context(prompt="Which oil for the hinges?").text == ""
    assert memory.count() == 0
    assert memory.documents() == []


def test_a_search_in_transcripts_finds_nothing_else(memory, transcript):
    memory.import_from(transcript)
    memory.remember("Colza oil is for the hinges")
    memory.add_text(b"Colza oil is for the hinges", "oil.md")
    found = memory.search("colza oil hinges", transcripts=True).hits
    assert {hit.memory.source_type for hit in found} == {"transcript"}


def test_a_session_that_goes_on_adds_its_new_turns_alone(memory, transcript):
    memory.import_from(transcript)
    before = {each.id for each in memory.search("oil", transcripts=True, limit=50, all=True).hits}
    write(transcript, [*NIGHT, says("user", "And which oil for the lamp?", 9)])
    memory.import_from(transcript)
    assert len(turns(memory)) == 5
    after = {each.id for each in memory.search("oil", transcripts=True, limit=50, all=True).hits}
    assert before < after
    (again,) = memory.import_from(transcript)
    assert "conversation" not in again.besides


def test_a_dry_run_counts_them_and_keeps_none(memory, transcript):
    (done,) = memory.import_from(transcript, dry_run=True)
    assert done.besides["conversation"] == 1
    assert memory.documents(transcripts=True) == []


def test_a_long_answer_is_kept_in_pieces_between_its_paragraphs(memory, transcript):
    long = "\n\n".join(f"Step {number}: " + "polish the lens well. " * 9 for number in range(30))
    write(transcript, [says("user", "How?", 1), says("assistant", long, 2)])
    memory.import_from(transcript)
    pieces = [words for who, words in turns(memory) if who == "agent"]
    assert len(pieces) > 2
    assert all(piece.startswith("Step ") and len(piece) <= 2000 for piece in pieces)


def test_a_short_question_lifts_the_turn_that_answers_it(memory, transcript):
    memory.import_from(transcript)
    found = memory.search("which oil do the hinges need", transcripts=True).hits
    assert [hit.memory.fields["position"] for hit in found[:2]] == [2, 3]
    assert "reply" in found[1].terms
    assert found[1].score <= found[0].score


def test_long_answers_and_turns_that_are_no_questions_lift_nothing(memory, transcript):
    for question, answer in (
        ("Tell me which oil the hinges need", "Colza."),
        ("Which oil do the hinges need?", "It depends. " * 60),
        ("Which oil do the hinges need, given " + "a long story, " * 40 + "?", "Colza."),
    ):
        write(transcript, [says("user", question, 1), says("assistant", answer, 2)])
        memory.import_from(transcript)
        found = memory.search("which oil do the hinges need", transcripts=True).hits
        assert [hit.memory.fields["position"] for hit in found] == [0]


def test_no_score_is_lifted_beyond_one(memory, transcript):
    same = "Which oil for the hinges?"
    write(
        transcript,
        [
            line
            for number in range(20)
            for line in (says("user", same, number), says("assistant", f"{same} {number}", number))
        ],
    )
    memory.import_from(transcript)
    found = memory.search(same, transcripts=True).hits
    assert found
    assert all(0.0 < hit.score <= 1.0 for hit in found)


def test_a_conversation_can_be_removed_and_travels_in_an_export(memory, transcript, tmp_path):
    from tests.corpus import opened

    memory.import_from(transcript)
    write(tmp_path / "all.jsonl", memory.export_records())
    with opened(tmp_path / "other.db") as other:
        other.import_from(tmp_path / "all.jsonl")
        assert other.search("oil hinges", transcripts=True).hits
        assert other.search("oil hinges", docs=True).hits == ()
    memory.remove_documents(["claude/5e55-a"])
    assert memory.search("oil hinges", transcripts=True).hits == ()
