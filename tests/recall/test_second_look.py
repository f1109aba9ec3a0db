"""The second look of a search: a reranker's word as a term of the score."""

from __future__ import annotations

import pytest

from recairn.core.model import total
from tests.embed.tiny_rerankers import install_loving

QUESTION = "lamp hinge storm"


@pytest.fixture
def lamps(memory, tmp_path):
    """Thirty lamps, the shorter the better found, and one in the midst that speaks of brass."""
    memory.meaning.models_dir = str(tmp_path / "models")
    install_loving("brass", memory.meaning.models_dir)
    for number in range(30):
        memory.remember("Oil the lamp and hinge after a storm" + " twice" * number, force=True)
    memory.remember("Oil the lamp and hinge of brass after a storm" + " twice" * 5, force=True)
    return memory


def test_what_the_reranker_reads_best_comes_first(lamps):
    assert lamps.search(QUESTION, limit=20).hits[0].id != 31
    lamps.use_reranker("cross-mini")
    result = lamps.search(QUESTION, limit=20)
    assert result.hits[0].id == 31
    assert not result.meta.notices


def test_its_word_is_a_term_of_its_own_and_the_score_is_computed_from_the_terms(lamps):
    lamps.use_reranker("cross-mini")
    hits = lamps.search(QUESTION, limit=20).hits
    assert hits[0].terms["reranker"].value == 1.0
    assert min(hit.terms["reranker"].value for hit in hits) == 0.0
    for hit in hits:
        assert hit.score == total(hit.terms)
        assert list(hit.terms)[-1] == "reranker"


def test_a_shorter_answer_is_the_beginning_of_a_longer_one(lamps):
    lamps.use_reranker("cross-mini")
    longer = lamps.search(QUESTION, limit=31).hits
    assert [hit.id for hit in lamps.search(QUESTION, limit=3).hits] == [
        hit.id for hit in longer[:3]
    ]
    assert [hit.score for hit in longer] == sorted((hit.score for hit in longer), reverse=True)
    assert ["reranker" in hit.terms for hit in longer] == [True] * 20 + [False] * 11


def test_among_equals_the_reranker_decides(memory, tmp_path):
    memory.meaning.models_dir = str(tmp_path / "models")
    install_loving("brass", memory.meaning.models_dir)
    for metal in ("iron", "zinc", "brass", "steel"):
        memory.remember(f"Oil the lamp of {metal}", force=True)
    memory.use_reranker("cross-mini")
    assert [hit.id for hit in memory.search("oil the lamp").hits] == [3, 1, 2, 4]


def test_without_a_choice_only_who_asks_gets_a_second_look(lamps):
    lamps.set_config("retrieval.reranker", "cross-mini")
    lamps.set_config("retrieval.reranker_ms", "0")
    assert "reranker" not in lamps.search(QUESTION).hits[0].terms
    assert "reranker" in lamps.search(QUESTION, deep=True).hits[0].terms


def test_who_declines_it_a_prompt_and_meaning_alone_get_none(lamps):
    lamps.use_reranker("cross-mini")
    assert "reranker" not in lamps.search(QUESTION, deep=False).hits[0].terms
    assert "reranker" not in lamps.search(QUESTION, profile="tx").hits[0].terms
    assert "reranker" in lamps.search(QUESTION, profile="tx", deep=True).hits[0].terms
    context = lamps.context(prompt=QUESTION, relevant=True)
    assert all("reranker" not in hit.terms for hit in context.hits)


def test_one_that_is_not_there_changes_nothing_and_says_what_to_do(lamps):
    plain = lamps.search(QUESTION).hits
    lamps.set_config("retrieval.reranker", "ms-marco")
    lamps.meaning.models_dir = "/nowhere"
    result = lamps.search(QUESTION)
    assert result.hits == plain
    (notice,) = result.meta.notices
    assert notice.startswith("not reranked: ")
    assert notice.endswith("recairn model pull ms-marco")


def test_one_that_is_too_slow_changes_nothing(lamps):
    plain = lamps.search(QUESTION).hits
    lamps.set_config("retrieval.reranker", "cross-mini")
    lamps.set_config("retrieval.reranker_ms", "0.000001")
    result = lamps.search(QUESTION)
    assert result.hits == plain
    assert result.meta.notices[0].startswith("not reranked: that would have taken more than")


def test_a_process_that_stays_looks_twice_unasked_until_a_setting_says_off(lamps):
    lamps.stays = True
    assert lamps.search(QUESTION).hits[0].id == 31
    assert "reranker" not in lamps.search(QUESTION, mode="keyword").hits[0].terms
    assert "reranker" not in lamps.search(QUESTION, profile="tx").hits[0].terms
    lamps.set_config("retrieval.reranker", "off")
    assert "reranker" not in lamps.search(QUESTION).hits[0].terms


def test_a_look_that_nobody_asked_for_fails_in_silence(lamps):
    lamps.stays = True
    lamps.set_config("retrieval.reranker_ms", "0.000001")
    result = lamps.search(QUESTION)
    assert result.hits[0].id != 31
    assert not result.meta.notices
