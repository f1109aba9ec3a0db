"""What a few memories answer and what they do not, by the real weights of MiniLM."""

from __future__ import annotations

import os

import pytest

import recairn
from tests.small_stores import NAMES, PLAIN, SHOP, STRANGE, WORKSHOP

# The first test of a fresh machine fetches the weights.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def filled(tmp_path, minilm_dir, monkeypatch):
    """Opens a store of some texts, with minilm."""
    monkeypatch.setenv("RECAIRN_MODELS", os.path.dirname(minilm_dir))
    opened = []

    def fill(texts):
        memory = recairn.open(tmp_path / "m.db", project="workshop", model="minilm")
        opened.append(memory)
        memory.remember_many([{"content": text} for text in texts], on_similar="add")
        memory.batch_embed()
        return memory

    yield fill
    for memory in opened:
        memory.close()


@pytest.mark.parametrize(("texts", "asked"), [(WORKSHOP, NAMES), (SHOP, PLAIN)])
def test_what_one_of_eight_memories_holds_comes_first(filled, texts, asked):
    memory = filled(texts)
    for question, held in asked:
        result = memory.search(question, track=False)
        assert result.meta.model == "minilm"
        assert [held in hit.memory.content for hit in result.hits[:1]] == [True], question


def test_what_none_of_them_is_about_is_met_with_silence(filled):
    memory = filled(WORKSHOP)
    assert [memory.search(question, track=False).hits for question in STRANGE] == [()] * 5
