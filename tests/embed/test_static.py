"""The static model: the shipped file, the vectors it gives, and how its words are found."""

from __future__ import annotations

import hashlib
import math
import random
import struct
import zlib
from array import array
from pathlib import Path

import pytest

from recairn.core.errors import ModelFailed, ModelMissing
from recairn.embed import models
from recairn.embed.static import MODEL_FILE, StaticEmbedder
from recairn.ranking.codes import codes_of

REST = 65_535  # the end of the last place
SHIPPED_SHA256 = "62e6e37a88e20b3db28d311ed7f2e79c49b432fe975b0525df0d7fe518348776"


def cosine(one: array[float], other: array[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def small_model(
    folder: Path,
    rows: dict[str, tuple[list[int], int]],
    places: tuple[tuple[int, int], ...] = ((REST, 1),),
) -> StaticEmbedder:
    """A model of a few tokens, each with its codes and its scale, and of weights by place."""
    keys = [token.encode() for token in rows]
    slots = [0] * 16
    for row, key in enumerate(keys):
        at = zlib.crc32(key) % 16
        while slots[at]:
            at = (at + 1) % 16
        slots[at] = row + 1
    starts = [sum(map(len, keys[:n])) for n in range(len(keys) + 1)]
    dim = len(next(iter(rows.values()))[0])
    spelled = b"".join(keys)
    header = struct.pack(
        "<8sHHIIII16s",
        b"RCSTATIC",
        2,
        dim,
        len(keys),
        16,
        len(spelled),
        max(map(len, keys)),
        b"test",
    )
    numbers = [number for place in places for number in place]
    weights = struct.pack("<10H", *numbers, *[REST, 1] * (5 - len(places)))
    path = folder / "small.bin"
    path.write_bytes(
        header
        + weights
        + struct.pack("<16H", *slots)
        + struct.pack(f"<{len(starts)}I", *starts)
        + struct.pack(f"<{len(keys)}H", *(scale for _, scale in rows.values()))
        + spelled
        + bytes(code + 128 for codes, _ in rows.values() for code in codes)
    )
    return StaticEmbedder(str(path))


@pytest.fixture
def small(tmp_path: Path) -> StaticEmbedder:
    return small_model(
        tmp_path,
        {
            "get": ([3, 0, 0], 10),
            "user": ([0, 4, 0], 10),
            "##s": ([0, 0, -127], 255),
            "cafe": ([0, 0, 1], 1),
            "日": ([-5, 0, 0], 1),
        },
    )


@pytest.fixture(scope="module")
def shipped() -> StaticEmbedder:
    return StaticEmbedder()


def test_the_shipped_file_is_the_one_that_was_measured() -> None:
    data = Path(MODEL_FILE).read_bytes()
    assert hashlib.sha256(data).hexdigest() == SHIPPED_SHA256
    assert len(data) <= 8_000_000


def test_a_vector_is_the_sum_of_its_tokens_at_length_one(small: StaticEmbedder) -> None:
    assert small.embed_query("get user") == array("f", [0.6, 0.8, 0.0])


def test_case_and_punctuation_take_identifiers_apart(small: StaticEmbedder) -> None:
    expected = array("f", [0.6, 0.8, 0.0])
    for text in ("getUser", "get_user()", "GET-USER", "Get.User", "get\tuser\n"):
        assert small.embed_query(text) == expected, text


def test_an_unknown_word_is_read_by_its_longest_known_pieces(small: StaticEmbedder) -> None:
    vector = small.embed_query("users")
    length = math.hypot(40, 127 * 255)
    assert list(vector) == pytest.approx([0, 40 / length, -127 * 255 / length])


def test_a_word_with_an_unknown_part_counts_nothing(small: StaticEmbedder) -> None:
    assert small.embed_query("get userz") == array("f", [1, 0, 0])


def test_accents_fall_away_and_ideographs_stand_alone(small: StaticEmbedder) -> None:
    assert small.embed_query("Café") == array("f", [0, 0, 1])
    assert small.embed_query("日日") == array("f", [-1, 0, 0])


@pytest.mark.parametrize("text", ["", "   ", "?!", "zzz", "\x00\x07", "x" * 5000])
def test_text_without_a_token_is_the_zero_vector(small: StaticEmbedder, text: str) -> None:
    assert small.embed_query(text) == array("f", [0, 0, 0])


def test_very_long_text_is_summed_without_overflow(small: StaticEmbedder) -> None:
    vector = small.embed_query("users " * 60_000)
    assert list(vector) == pytest.approx(list(small.embed_query("users")), abs=1e-6)


def test_the_first_words_of_a_stored_text_weigh_what_the_file_says(tmp_path: Path) -> None:
    model = small_model(
        tmp_path, {"get": ([4, 0], 1), "user": ([0, 1], 1)}, ((1, 3), (2, 2), (REST, 1))
    )
    [stored] = model.embed_documents(["get user user user"])
    assert list(stored) == pytest.approx([12 / math.hypot(12, 4), 4 / math.hypot(12, 4)])
    assert list(model.embed_query("get user user user")) == pytest.approx([0.8, 0.6])


def test_a_long_stored_text_weighs_its_words_as_a_short_one(tmp_path: Path) -> None:
    model = small_model(
        tmp_path, {"get": ([120, 0], 255), "user": ([0, 1], 1)}, ((1, 3), (REST, 2))
    )
    repeats = 45_900
    [stored] = model.embed_documents(["get " + "user " * repeats])
    assert list(stored) == pytest.approx([0.5**0.5, 0.5**0.5])


def test_a_question_is_near_the_stored_text_of_the_same_words(shipped: StaticEmbedder) -> None:
    texts = ["restart the database", "naïve café", "def getUserName(self): ..."]
    for text, stored in zip(texts, shipped.embed_documents(texts), strict=True):
        assert cosine(shipped.embed_query(text), stored) > 0.9, text


def test_many_texts_have_the_codes_that_each_has_alone(shipped: StaticEmbedder) -> None:
    draw = random.Random(3)
    words = "harbour lamp oil keeper getUserName tide-table naïve 42 the of XMLParser zzqx".split()
    texts = [" ".join(draw.choices(words, k=draw.randrange(1, 60))) for _ in range(60)]
    # Without a known word, with sums beyond what a float holds exactly, and longer than one sum.
    texts += ["", "zz!", "lighthouse " * 3000, "beacon " * 40_000]
    texts += [" ".join(draw.choices(words, k=count)) for count in (120, 250, 255, 400, 900)]
    many = shipped.document_codes(texts)
    for text, codes in zip(texts, many, strict=True):
        alone = codes_of(shipped.embed_documents([text])[0])
        differences = [abs(one - other) for one, other in zip(codes, alone, strict=True)]
        # Half-way between two numbers either will do, as a byte tells them apart.
        assert sum(each in (1, 255) for each in differences) <= 1
        assert set(differences) <= {0, 1, 255}


def test_the_revision_is_a_hash_of_the_weights_and_of_all_rows(shipped: StaticEmbedder) -> None:
    data = Path(MODEL_FILE).read_bytes()
    assert shipped.revision == hashlib.sha256(data[44:]).hexdigest()[:12]


def test_a_text_has_the_same_vector_after_thousands_of_other_words() -> None:
    text = "unbelievable migrations of parseHTTPHeader, naïve and zzyzxian"
    fresh, busy = StaticEmbedder(), StaticEmbedder()
    busy.embed_documents([f"word{number} gull{number}ish" for number in range(4000)])
    assert busy.embed_query(text) == fresh.embed_query(text)


def test_vectors_have_length_one_and_the_promised_dimension(shipped: StaticEmbedder) -> None:
    vector = shipped.embed_query("how do I undo the last commit")
    assert len(vector) == shipped.dim == 256
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        (
            "how do I undo the last commit",
            "git reset moves the branch back",
            "bake bread at 220 degrees",
        ),
        (
            "container keeps crashing",
            "the docker process exits again and again",
            "she likes paintings",
        ),
        (
            "delete old files",
            "remove directories that are not used any more",
            "the meeting is on Monday",
        ),
        ("what pets does he have", "his dog and two cats", "the compiler prints a warning"),
    ],
)
def test_related_texts_are_nearer_than_unrelated(
    shipped: StaticEmbedder, question: str, near: str, far: str
) -> None:
    asked = shipped.embed_query(question)
    related, unrelated = shipped.embed_documents([near, far])
    assert cosine(asked, related) > cosine(asked, unrelated) + 0.1


def test_a_missing_file_says_how_to_get_it_back(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"absent\.bin") as caught:
        StaticEmbedder(str(tmp_path / "absent.bin"))
    assert caught.value.hint == "reinstall recairn to restore the file"


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.bin"
    path.write_bytes(Path(MODEL_FILE).read_bytes()[:-1])
    with pytest.raises(ModelFailed, match="not a static model"):
        StaticEmbedder(str(path))


# What each word of a question adds


def test_the_words_of_a_question_add_up_to_its_vector(shipped):
    text = "How do we retry the flaky upload, and why retry?"
    vector, shares = shipped.embed_question(text, {"retry", "flaky", "upload"})
    assert vector == shipped.embed_query(text)
    assert {word for word, _, _ in shares} == {"", "retry", "flaky", "upload"}
    assert sum(size for _, _, size in shares) == pytest.approx(1.0)
    added = [sum(values) for values in zip(*(share for _, share, _ in shares), strict=True)]
    assert added == pytest.approx(list(vector), abs=1e-6)


def test_a_word_asked_twice_pulls_twice_as_far(small):
    """get is 30 long, user 40: twice 30 beside 40 is a vector of length √5200."""
    shares = small.embed_question("get user get", {"get"})[1]
    assert [word for word, _, _ in shares] == ["get", ""]
    assert list(shares[0][1]) == pytest.approx([60 / math.sqrt(5200), 0, 0])
    assert [size for _, _, size in shares] == pytest.approx([0.6, 0.4])


def test_a_question_without_known_words_has_no_shares(small):
    vector, shares = small.embed_question("", {"get"})
    assert not any(vector)
    assert shares == []


def test_who_stays_keeps_the_model_until_another_one_is_pulled(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "_kept", None)
    assert models.load("static", models_dir=tmp_path) is not models.load(
        "static", models_dir=tmp_path
    )
    models.keep_loaded()
    kept = models.load("static", models_dir=tmp_path)
    assert models.load("static", models_dir=tmp_path) is kept
    (tmp_path / "static").mkdir()
    assert models.load("static", models_dir=tmp_path) is not kept
