"""Our own reranker: its file, its forward pass, and how much it reads within its time."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from recairn.core.errors import ModelFailed, ModelMissing
from recairn.embed.models import own_path
from recairn.embed.reranker import Reranker
from tests.embed.tiny_rerankers import SPECIAL, by_the_book, random_arrays
from tools.reranker_file import pack_reranker

VOCABULARY = [*SPECIAL, "fog", "horn", "lamp", "##s", "the", "why"]
ARRAYS = random_arrays(VOCABULARY)
CLS, SEP = 2, 3
SHIPPED = "fa8c0e1b62b2e939de4834e5839bbe46219a154eb65a72b4a35f793359157e4d"
# "why the fog", then "the lamps horn"
TOKENS, SECOND = [CLS, 9, 8, 4, SEP, 8, 6, 7, 5, SEP], 5


@pytest.fixture
def made(tmp_path):
    def make(arrays=ARRAYS, about=None, **kinds):
        path = tmp_path / "reranker.bin"
        path.write_bytes(pack_reranker(arrays, VOCABULARY, {"heads": 2, **(about or {})}, **kinds))
        return str(path)

    return make


@pytest.mark.parametrize("segments", [True, False])
def test_a_pair_gets_the_number_that_the_definition_gives(made, segments):
    path = made(about={"segments": segments}, matrices="f4", words="f4")
    wanted = by_the_book(ARRAYS, TOKENS, SECOND if segments else 99, heads=2)
    (number,) = Reranker(path).scores("Why the fog?"[:-1], ["the lamps horn"])
    assert number == pytest.approx(wanted, abs=1e-5)


def test_a_number_may_be_made_of_the_first_token_alone(made):
    path = made(about={"segments": True, "pooling": "first"}, matrices="f4", words="f4")
    wanted = by_the_book(ARRAYS, TOKENS, SECOND, heads=2, first=True)
    numbers = Reranker(path).scores("why the fog", ["horn", "the lamps horn", "fog the"])
    assert numbers[1] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "first"])
@pytest.mark.parametrize("kind", ["i8", "i4"])
def test_onnxruntime_says_nearly_the_same_as_numpy(made, kind, pooling):
    path = made(matrices=kind, words=kind, about={"segments": True, "pooling": pooling})
    texts = ["the lamps horn", "fog", "why lamp", "horn horn horn the"]
    by_numpy = Reranker(path, onnxruntime=False).scores("why the fog", texts)
    by_onnxruntime = Reranker(path).scores("why the fog", texts)
    assert by_onnxruntime != by_numpy
    assert by_onnxruntime == pytest.approx(by_numpy, abs=0.05)


@pytest.mark.parametrize(("kind", "off"), [("f2", 0.01), ("i8", 0.05), ("i4", 0.6)])
def test_a_smaller_file_says_nearly_the_same(made, kind, off):
    texts = ["the lamps horn", "fog", "why lamp", "horn horn horn the"]
    exact = Reranker(made(matrices="f4", words="f4")).scores("why the fog", texts)
    rounded = Reranker(made(matrices=kind, words=kind)).scores("why the fog", texts)
    assert exact != rounded
    assert rounded == pytest.approx(exact, abs=off)


def test_short_word_vectors_are_made_whole_by_their_projection(made):
    short = random_arrays(VOCABULARY, dim=4)["embeddings.word_embeddings.weight"]
    projection = np.random.default_rng(1).normal(size=(8, 4)).astype("f4")
    words = "embeddings.word_embeddings.weight"
    whole = Reranker(made({**ARRAYS, words: short @ projection.T}, matrices="f4", words="f4"))
    expected = whole.scores("why the fog", ["the lamps horn"])
    split = {**ARRAYS, words: short, "embeddings.projection.weight": projection}
    told = Reranker(made(split, matrices="f4", words="f4")).scores(
        "why the fog", ["the lamps horn"]
    )
    assert told == pytest.approx(expected, abs=1e-5)


def test_what_is_beyond_the_window_is_not_read(made):
    model = Reranker(made(about={"window": 12, "question": 3}))
    (cut, same) = model.scores("why the fog", ["lamp " * 7, "lamp " * 90])
    assert same == pytest.approx(cut, abs=1e-6)
    long, short = (model.scores(asked, ["lamp"]) for asked in ("why the fog horn", "why the fog"))
    assert long == short


FILLER = "The lamp room is swept on Mondays and nobody has to be asked. " * 40
ANSWER = "Retries of payments wait with full jitter, because fixed waits stampeded the broker. "


@pytest.mark.parametrize(
    "long",
    [
        FILLER + ANSWER,
        FILLER + ANSWER + FILLER,
        FILLER.replace(". ", ", ") + ANSWER,
        FILLER.replace(". ", "\n") + ANSWER.replace(". ", "\n") + FILLER.replace(". ", "\n"),
    ],
)
def test_of_a_long_text_the_passage_is_read_that_holds_the_question(long):
    model = Reranker(own_path(""))
    deep, without = model.scores("how do we retry payments", [long, FILLER])
    assert deep - without > 3


@pytest.mark.parametrize("empty", [" " * 5_000, "\n" * 5_000, "。" * 5_000, ". " * 5_000])
def test_a_long_text_of_nothing_is_read_without_complaint(made, empty):
    assert len(Reranker(made(about={"window": 64})).scores("why the fog", [empty, "fog"])) == 2


def test_every_text_is_read_by_itself_whatever_stands_beside_it(made):
    model = Reranker(made(about={"window": 64}))
    texts = ["fog " * n + "lamp" for n in range(1, 60)]
    texts += ["fog. " * 300 + "why lamp. " * n for n in range(60)]
    together = model.scores("why", texts)
    assert together == pytest.approx([model.scores("why", [text])[0] for text in texts], abs=1e-5)


def test_within_too_little_time_only_the_first_texts_are_read(made):
    ticks = iter(range(1000))
    model = Reranker(made(about={"window": 64}), clock=lambda: float(next(ticks)))
    texts = ["fog " * 80] * 40
    some = model.scores("why", texts, until=3.5)
    assert 0 < len(some) < 40
    assert some == model.scores("why", texts)[: len(some)]
    assert model.scores("why", texts, until=0.0) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"RCSTATIC" + content[8:],
        lambda content: content[:200],
        lambda content: content[: len(content) // 2],
        lambda content: content.replace(b'"head.bias"', b'"head.bios"'),
        lambda content: content.replace(b'"shape":[1,8]', b'"shape":[8,1]'),
    ],
)
def test_a_damaged_file_is_refused_by_name(made, damage):
    path = made()
    with open(path, "rb") as file:
        content = file.read()
    with open(path, "wb") as file:
        file.write(damage(content))
    with pytest.raises(ModelFailed, match=r"reranker"):
        Reranker(path)


def test_the_shipped_one_is_the_one_that_was_measured():
    with open(own_path(""), "rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == SHIPPED


@pytest.mark.parametrize(
    ("question", "answer", "others"),
    [
        (
            "when did the fog horn stop working?",
            "The fog horn broke on the 3rd of May after the storm.",
            ["The fog horn is painted red.", "Working hours are from nine to five."],
        ),
        (
            "where are the backups kept?",
            "Backups go to the bucket harbor-backups every night, for 30 days.",
            ["Before a release somebody checks that backups exist.", "Keep functions short."],
        ),
    ],
)
def test_the_shipped_one_knows_an_answer_from_what_only_shares_words(question, answer, others):
    numbers = Reranker(own_path("")).scores(question, [answer, *others])
    assert max(numbers) == numbers[0]


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(ModelMissing, match="not installed"):
        Reranker(str(tmp_path / "none.bin"))
