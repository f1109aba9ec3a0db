"""Our WordPiece against the `tokenizers` library, token by token."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer

from recairn.embed.wordpiece import VocabularyFile, WordPiece, pieces, read_vocabulary, words

# The first test of a fresh machine fetches the weights.
pytestmark = pytest.mark.timeout(600)

TEXTS = json.loads((Path(__file__).parent / "minilm_reference.json").read_text("utf-8"))

ALPHABETS = {
    "ascii": range(0x20, 0x7F),
    "control": range(0x80),
    "latin": range(0xA0, 0x250),
    "combining marks": range(0x300, 0x370),
    "greek and cyrillic": range(0x370, 0x530),
    "hebrew and arabic": range(0x590, 0x700),
    "indic": range(0x900, 0xE00),
    "jamo": range(0x1100, 0x1200),
    "odd punctuation and spaces": range(0x2000, 0x2070),
    "kana": range(0x3040, 0x3100),
    "ideographs": range(0x4E00, 0x4F00),
    "hangul": range(0xAC00, 0xAD00),
    "emoji": range(0x1F300, 0x1F700),
    "beyond the basic plane": range(0x10000, 0x30000),
    "any": range(0xD800),
}


@pytest.fixture(scope="session")
def vocabulary(minilm_dir):
    return read_vocabulary(os.path.join(minilm_dir, "vocab.txt"))


@pytest.fixture(scope="session")
def ours(vocabulary):
    return WordPiece(vocabulary)


@pytest.fixture(scope="session")
def reference(minilm_dir):
    library = BertWordPieceTokenizer(os.path.join(minilm_dir, "vocab.txt"), lowercase=True)
    return lambda text: library.encode(text, add_special_tokens=False).ids


def test_the_vocabulary_numbers_tokens_by_line(vocabulary):
    assert len(vocabulary) == 30_522
    assert [vocabulary[t] for t in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the")] == [
        0, 100, 101, 102, 1996,
    ]  # fmt: skip


def test_a_token_has_the_same_number_found_in_the_file_and_in_the_table(minilm_dir, vocabulary):
    path = os.path.join(minilm_dir, "vocab.txt")
    for token in ("[PAD]", "[UNK]", "the", "##ing", "migration", "##\uff5e", "zqxj", "##"):
        assert VocabularyFile(path).get(token) == vocabulary.get(token), token
    searched = VocabularyFile(path)
    for token, number in list(vocabulary.items())[::300]:
        assert searched.get(token) == number, token


def test_a_file_without_the_unknown_token_is_no_vocabulary(tmp_path):
    (tmp_path / "vocab.txt").write_bytes(b"a\nb\n")
    with pytest.raises(KeyError, match="UNK"):
        WordPiece(VocabularyFile(str(tmp_path / "vocab.txt")))


def test_words_are_lower_case_without_accents_and_with_punctuation_apart():
    assert words("Crème-BRÛLÉE, s'il vous plaît!") == [
        "creme", "-", "brulee", ",", "s", "'", "il", "vous", "plait", "!",
    ]  # fmt: skip


def test_ideographs_are_words_of_their_own_and_kana_are_not():
    assert words("数据库 データ") == ["数", "据", "库", "テータ"]


def test_control_and_format_characters_vanish_inside_a_word():
    assert words("a\x00b\u200bc\u00add\ufffde") == ["abcde"]


def test_a_long_word_is_taken_apart_from_the_left(vocabulary):
    spelled = {number: token for token, number in vocabulary.items()}
    found = pieces("tokenization", vocabulary.get)
    assert found is not None
    assert [spelled[number] for number in found] == ["token", "##ization"]


def test_a_word_of_more_than_100_characters_is_unknown(ours):
    assert ours.ids("x" * 101) == [100]
    assert len(ours.ids("x" * 100)) > 1


def test_a_special_token_in_the_text_is_recognised_only_as_written(ours):
    assert ours.ids("[SEP]") == [102]
    assert ours.ids("[sep]") == [1031, 19802, 1033]


def test_empty_and_blank_texts_have_no_tokens(ours):
    assert ours.ids("") == ours.ids(" \n\t\u3000\x00") == []


def test_a_lone_surrogate_is_dropped(ours):
    assert ours.ids("a\ud800b") == ours.ids("ab")


def test_the_varied_texts_agree_with_the_library(ours, reference):
    for text in TEXTS:
        assert ours.ids(text) == reference(text), text


def test_every_character_agrees_with_the_library(ours, reference):
    """Alone, and inside a word, where it may join or split; in one text per block for speed."""
    for start in range(0, 0x30000, 64):
        block = [chr(code) for code in range(start, start + 64) if not 0xD800 <= code < 0xE000]
        text = " ".join(f"{character} a{character}b" for character in block)
        assert ours.ids(text) == reference(text), hex(start)


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_random_texts_agree_with_the_library(ours, reference, alphabet):
    chance = random.Random(alphabet)
    plain = ALPHABETS["ascii"]
    for _ in range(300):
        codes = [chance.choice(ALPHABETS[alphabet]) for _ in range(chance.randrange(40))]
        codes += [chance.choice(plain) for _ in range(chance.randrange(20))]
        chance.shuffle(codes)
        text = "".join(map(chr, codes)) + chance.choice(("", "[MASK] x", "[CLS][SEP]", "[UNK"))
        assert ours.ids(text) == reference(text), text


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_whatever_text_agrees_with_the_library(ours, reference, text):
    assert ours.ids(text) == reference(text)
