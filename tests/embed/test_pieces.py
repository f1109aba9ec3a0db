from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recairn.core.token_estimate import word_pieces
from recairn.embed.pieces import Piece, split, split_for

SENTENCES = [f"Sentence number {n} says something short." for n in range(60)]


def count_words(text: str) -> int:
    return len(text.split())


def rejoined(pieces: list[Piece]) -> str:
    whole = ""
    for piece in pieces:
        whole += piece.text[len(whole) - piece.start :]
    return whole


def test_a_text_that_fits_is_one_piece():
    assert split("Short enough.", max_tokens=10) == [Piece("Short enough.", 0, 13)]


def test_an_empty_text_is_one_empty_piece():
    assert split("", max_tokens=10) == [Piece("", 0, 0)]


def test_pieces_fit_overlap_and_rejoin_to_the_source():
    text = " ".join(SENTENCES)
    pieces = split(text, max_tokens=60, count=count_words)
    assert max(count_words(piece.text) for piece in pieces) <= 60
    repeated = [before.end - after.start for before, after in pairwise(pieces)]
    shared = [count_words(p.text[:r]) for p, r in zip(pieces[1:], repeated, strict=True)]
    assert set(shared) == {6}
    assert rejoined(pieces) == text


def test_a_piece_begins_with_a_whole_sentence():
    pieces = split(" ".join(SENTENCES), max_tokens=60, count=count_words)
    assert all(piece.text.startswith("Sentence number") for piece in pieces)


def test_a_heading_begins_a_piece_and_repeats_nothing():
    section = "word " * 30
    text = f"# One\n\n{section}\n\n## Two\n\n{section}\n\n## Three\n\n{section}\n"
    pieces = split(text, max_tokens=50, count=count_words)
    assert [piece.text.split("\n")[0] for piece in pieces] == ["# One", "## Two", "## Three"]
    assert [piece.start for piece in pieces[1:]] == [piece.end for piece in pieces[:-1]]


def test_a_heading_is_not_left_at_the_end_of_a_piece():
    text = "word " * 20 + "\n\n## Title\n\n" + "more " * 40
    first, second = split(text, max_tokens=50, count=count_words)
    assert "## Title" not in first.text
    assert second.text.startswith("## Title")


def test_a_hash_inside_a_fence_is_not_a_heading():
    code = "```sh\n# not a heading\nmake all\n```\n"
    text = "word " * 30 + "\n\n" + code + "\n" + "more " * 30
    pieces = split(text, max_tokens=45, count=count_words)
    assert not any(piece.text.startswith("# not") for piece in pieces)
    assert sum(code in piece.text for piece in pieces) >= 1


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_a_fence_that_fits_is_never_cut(fence):
    lines = "\n".join(f"line {n} of code" for n in range(11))
    block = f"{fence}python\n\n{lines}\n\n# comment\n{fence}\n"
    text = "Some words before it. " * 9 + "\n\n" + block + "\n" + "And words after it. " * 20
    assert any(block in piece.text for piece in split(text, max_tokens=50, count=count_words))


def test_a_fence_that_does_not_fit_is_cut_between_lines():
    block = "```\n" + "\n".join(f"a.b({n}); c! d" for n in range(100)) + "\n```\n"
    pieces = split(block, max_tokens=40, count=count_words)
    assert len(pieces) > 5
    assert all(piece.text.endswith("\n") for piece in pieces)


def test_an_endless_word_is_cut_anyway():
    text = "x" * 5000
    pieces = split(text, max_tokens=100)
    assert max(word_pieces(piece.text) for piece in pieces) <= 100
    assert rejoined(pieces) == text


def test_text_without_spaces_between_words_is_cut_at_its_full_stops():
    pieces = split("这是一个句子。" * 60, max_tokens=100)
    assert all(piece.text.startswith("这") and piece.text.endswith("。") for piece in pieces)


class Windowed:
    name, revision, dim = "windowed", "1", 1
    window_tokens: int | None = 12

    def count_tokens(self, text):
        return count_words(text)

    def embed_query(self, text):
        raise NotImplementedError

    embed_documents = embed_query


def test_an_embedder_gets_pieces_that_leave_room_for_its_two_end_tokens():
    pieces = split_for(Windowed(), "word " * 100)
    assert max(count_words(piece.text) for piece in pieces) == 10


def test_an_embedder_without_a_window_gets_the_whole_text():
    unlimited = Windowed()
    unlimited.window_tokens = None
    assert split_for(unlimited, "word " * 100) == [Piece("word " * 100, 0, 500)]


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# H\n",
            "## Two\n\n",
            "```\n",
            "~~~\n",
            "\n",
            "\n\n",
            "A b c. ",
            "d! ",
            "e\n",
            "字。",
            "x" * 30,
        ]
    ),
    max_size=80,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(MARKDOWN, st.text()), st.integers(4, 40))
def test_every_text_is_covered_in_order_by_pieces_that_fit(text, most):
    pieces = split(text, max_tokens=most)
    assert pieces[0].start == 0
    assert pieces[-1].end == len(text)
    assert all(piece.text == text[piece.start : piece.end] for piece in pieces)
    assert all(word_pieces(piece.text) <= most for piece in pieces)
    for before, after in pairwise(pieces):
        assert before.start < after.start <= before.end < after.end


class Summing:
    """A model without a window that wants long texts in pieces."""

    window_tokens = None
    in_pieces = (100, 10)


def test_a_model_without_a_window_may_want_long_texts_in_pieces():
    summing: Any = Summing()
    short, long = " ".join(SENTENCES)[:100], " ".join(SENTENCES)
    assert split_for(summing, short) == [Piece(short, 0, 100)]
    pieces = split_for(summing, long)
    assert rejoined(pieces) == long
    assert len(pieces) > 20
    assert all(word_pieces(piece.text) <= 10 for piece in pieces)


def test_a_very_long_text_has_larger_pieces_and_not_ever_more():
    summing: Any = Summing()
    assert 40 <= len(split_for(summing, " ".join(SENTENCES * 40))) <= 90
