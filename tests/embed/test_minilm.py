"""MiniLM against vectors that sentence-transformers 6.2 computed for the same weights.

`minilm_reference.npz` holds them as 16-bit integers times one scale, `minilm_reference.json` the
texts. Rounding costs less than 1e-7 of cosine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from recairn.core.errors import BadInput, ModelFailed, ModelMissing
from recairn.embed.download import KNOWN
from recairn.embed.minilm import MiniLM
from recairn.embed.models import fingerprint, load

# The first test of a fresh machine fetches the weights.
pytestmark = pytest.mark.timeout(600)

HERE = Path(__file__).parent
TEXTS = json.loads((HERE / "minilm_reference.json").read_text("utf-8"))
SENTENCE = "Retry with full jitter, never at fixed intervals."


@pytest.fixture(scope="session")
def model(minilm_dir):
    return MiniLM(minilm_dir)


@pytest.fixture(scope="session")
def reference():
    with np.load(HERE / "minilm_reference.npz", allow_pickle=False) as stored:
        vectors = stored["vectors"] * stored["scale"]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def as_rows(vectors):
    return np.array([np.frombuffer(vector, "f4") for vector in vectors], "f8")


def test_more_than_200_varied_texts_have_the_reference_vectors(model, reference):
    assert len(TEXTS) >= 200
    cosines = (as_rows(model.embed_documents(TEXTS)) * reference).sum(axis=1)
    assert cosines.min() >= 0.99999, TEXTS[cosines.argmin()]


def test_a_single_query_has_the_reference_vector(model, reference):
    rows = as_rows([model.embed_query(text) for text in TEXTS[::20]])
    assert (rows * reference[::20]).sum(axis=1).min() >= 0.99999


def test_vectors_have_length_one(model):
    lengths = np.linalg.norm(as_rows(model.embed_documents(TEXTS[:40])), axis=1)
    assert np.abs(lengths - 1).max() < 1e-6


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\x00\u200b"])
def test_text_without_tokens_becomes_the_zero_vector(model, text):
    assert list(model.embed_query(text)) == [0.0] * 384


def test_vectors_come_in_the_order_of_the_texts_with_one_thread_or_several(minilm_dir, model):
    texts = [TEXTS[index % len(TEXTS)] for index in range(0, 130, 7)] + [""]
    alone = as_rows([model.embed_query(text) for text in texts])
    for threads in (1, 2):
        together = as_rows(MiniLM(minilm_dir, threads=threads).embed_documents(texts))
        assert np.abs(together - alone).max() < 1e-5


def test_no_texts_give_no_vectors(model):
    assert model.embed_documents([]) == []


def test_only_the_first_254_tokens_are_seen(model):
    window = "data " * 254
    assert model.embed_query(window) == model.embed_query(window + "and what comes after it")
    assert model.embed_query(window) != model.embed_query("data " * 253 + "after")


def test_a_text_of_a_megabyte_has_the_vector_of_its_beginning(model):
    beginning = "Deploys happen on Tuesday. " * 60
    assert model.embed_query(beginning + "x" * 1_000_000) == model.embed_query(beginning)


def test_tokens_behind_a_long_stretch_of_nothing_are_still_found(model):
    assert model.embed_query(" " * 20_000 + SENTENCE) == model.embed_query(SENTENCE)


def test_tokens_are_counted_without_the_two_at_the_ends(model):
    assert model.count_tokens("two words") == 2
    assert model.count_tokens("") == 0


def test_the_fingerprint_names_model_weights_size_and_scaling(model):
    assert fingerprint(model) == "minilm@53aa51172d14/384/l2"


def test_the_revision_is_that_of_the_pinned_weights():
    pinned = KNOWN["minilm"]
    weights = next(file for file in pinned.files if file.name == "model.safetensors")
    assert pinned.revision == MiniLM.revision == weights.sha256[:12]


def test_load_gives_the_model_of_the_folder(minilm_dir):
    assert load("minilm", models_dir=os.path.dirname(minilm_dir)).name == "minilm"


def test_a_missing_model_says_how_to_get_it(tmp_path):
    with pytest.raises(ModelMissing) as caught:
        load("minilm", models_dir=tmp_path)
    assert caught.value.hint == "recairn model pull minilm"


def test_an_unknown_model_and_an_unknown_option_are_refused(tmp_path):
    with pytest.raises(BadInput, match="no embedding model 'word2vec'"):
        load("word2vec", models_dir=tmp_path)
    with pytest.raises(BadInput, match="no options, 'threads' was given"):
        load("minilm", models_dir=tmp_path, options={"threads": 2})


def test_damaged_weights_are_refused_with_the_way_out(damaged_dir):
    with pytest.raises(ModelFailed) as caught:
        MiniLM(damaged_dir)
    assert caught.value.hint == "recairn model pull minilm"


def run_python(script: str, *arguments: str, **environment: str) -> str:
    clean = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**clean, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def test_a_missing_numpy_names_the_extra_to_install(minilm_dir):
    script = """
import sys
sys.modules["numpy"] = None
from recairn.embed.minilm import MiniLM
from recairn.core.errors import ModelMissing
try:
    MiniLM(sys.argv[1])
except ModelMissing as error:
    print(error.hint)
"""
    assert run_python(script, minilm_dir) == "pip install 'recairn[minilm]'\n"


def test_importing_the_module_does_not_import_numpy():
    script = "import sys, recairn.embed.minilm, recairn.embed.models; print('numpy' in sys.modules)"
    assert run_python(script) == "False\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts threads in /proc")
def test_a_query_starts_no_blas_threads_and_leaves_the_environment_alone(minilm_dir):
    script = """
import os, sys
from recairn.embed.minilm import MiniLM
MiniLM(sys.argv[1]).embed_query("hello")
print(len(os.listdir("/proc/self/task")), "OPENBLAS_NUM_THREADS" in os.environ)
"""
    assert run_python(script, minilm_dir) == "1 False\n"


def test_the_blas_threads_of_a_host_that_uses_numpy_are_put_back(minilm_dir):
    script = """
import sys
import numpy
from recairn.embed.encoder import Blas
from recairn.embed.minilm import MiniLM
blas = Blas.of(numpy)
blas.limit(2)
model = MiniLM(sys.argv[1])
model.embed_documents(["hello"])
print(blas.limit(2))
"""
    assert run_python(script, minilm_dir) == "2\n"


# What each word of a question adds


def test_the_words_of_a_question_add_up_to_its_direction(model):
    text = "Which retry policy did Marisol's uploader-service get?"
    vector, shares = model.embed_question(text, {"retry", "policy", "uploader", "marisol"})
    assert vector == model.embed_query(text)
    assert {word for word, _, _ in shares} == {"", "retry", "policy", "uploader", "marisol"}
    assert sum(size for _, _, size in shares) == pytest.approx(1.0)
    added = sum(np.frombuffer(own, "f4").astype("f8") for _, own, _ in shares)
    assert np.linalg.norm(added) == pytest.approx(1.0, abs=1e-5)
    assert added @ np.frombuffer(vector, "f4") > 0.98


def test_the_size_of_a_word_is_its_share_of_the_tokens(model):
    """tide ##pool, then three words of one token."""
    sizes = {
        word: size for word, _, size in model.embed_question("tidepool in the fog", {"fog"})[1]
    }
    assert sizes == {"": pytest.approx(0.8), "fog": pytest.approx(0.2)}


def test_a_question_without_tokens_or_beyond_the_window_has_its_vector(model):
    vector, shares = model.embed_question("", {"fog"})
    assert not any(vector)
    assert shares == []
    long = "fog " * 700
    vector, shares = model.embed_question(long, {"fog"})
    assert vector == model.embed_query(long)
    assert [(word, size) for word, _, size in shares] == [("fog", 1.0)]
