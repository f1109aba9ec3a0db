"""Dialogue that was stored turn by turn, each a memory: the answer follows the question."""

import pytest

from recairn.core.model import total
from tests.corpus import opened

QUESTION = "which oil do the hinges of the big lamp need"
ASKED = "Ann: Which oil do the hinges of the big lamp need?"
TALK = ("Ann: Good morning!", ASKED, "Bo: Colza, as ever.", "Ann: Thanks, I will order some.")
OTHERS = tuple(f"The lamp of pier {number} was painted." for number in range(60))


@pytest.fixture
def harbour(tmp_path):
    with opened(tmp_path / "m.db", model="static") as memory:
        yield memory


def found(memory, *texts, **options):
    memory.remember_many([{"content": text, **options} for text in texts], on_similar="add")
    memory.remember_many([{"content": text} for text in OTHERS], on_similar="add")
    return memory.search(QUESTION, track=False).hits


def test_the_turn_after_a_question_that_was_found_is_lifted(harbour):
    hits = found(harbour, *TALK)
    assert [hit.memory.content for hit in hits[:2]] == [ASKED, "Bo: Colza, as ever."]
    assert hits[1].score == total(hits[1].terms) < hits[0].score
    assert "reply" in hits[1].terms
    assert len(hits) == 10


def test_it_is_found_where_nothing_but_the_question_was(harbour):
    harbour.remember_many([{"content": text} for text in TALK], on_similar="add")
    contents = [hit.memory.content for hit in harbour.search(QUESTION, track=False).hits]
    assert contents[:2] == [ASKED, "Bo: Colza, as ever."]


def test_in_a_session_no_speaker_need_be_named(harbour):
    hits = found(harbour, ASKED[5:], "Colza, as ever.", session="talk")
    assert hits[1].memory.content == "Colza, as ever."


@pytest.mark.parametrize(
    "turns",
    [
        (ASKED[5:], "Colza, as ever."),  # nobody said that these are of one dialogue
        (ASKED, "Ann: Or shall I ask Bo about colza?"),  # the same person goes on
        (ASKED.replace("?", "."), "Bo: Colza, as ever."),
        (ASKED, "Bo: It depends. " + "First of all there is the season. " * 20),
        (ASKED.replace("need?", "need" + ", given a long story" * 20 + "?"), "Bo: Colza."),
    ],
)
def test_what_is_no_short_answer_to_a_short_question_is_not(harbour, turns):
    assert not any("reply" in hit.terms for hit in found(harbour, *turns))


def test_another_days_turn_is_no_answer(harbour):
    harbour.remember(ASKED, created_at="2026-03-01")
    harbour.remember("Bo: Colza, as ever.", created_at="2026-03-05")
    assert not any("reply" in hit.terms for hit in found(harbour, "Bo: No idea."))


def test_a_lifted_turn_passes_the_filter_and_is_one_that_the_asker_sees(harbour):
    harbour.remember(ASKED, category="lamps")
    harbour.remember("Bo: Colza, as ever.", category="oil")
    harbour.remember(ASKED.replace("big", "old"), category="lamps", force=True)
    harbour.remember("Bo: Rape-seed.", project="elsewhere")
    hits = harbour.search(QUESTION, category="lamps", track=False).hits
    assert {hit.memory.category for hit in hits} == {"lamps"}
    assert not any("Rape-seed" in hit.memory.content for hit in found(harbour))
