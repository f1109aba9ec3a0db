"""MiniLM without numpy, as a cold process asks it one short question."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from recairn.embed.minilm import SHORT_TOKENS, MiniLM

# The first test of a fresh machine fetches the weights.
pytestmark = pytest.mark.timeout(600)

HERE = Path(__file__).parent
QUESTION = "Which retry policy did Marisol's uploader-service get?"
WORDS = ["retry", "policy", "uploader", "marisol"]


def run_cold(script: str, *arguments: str) -> str:
    """What a process says in which nobody has imported numpy, and at the end nobody has."""
    beginning = (
        "import json, sys\nfrom recairn.embed.minilm import MiniLM, SHORT_TEXTS, SHORT_TOKENS\n"
    )
    ended = 'assert "numpy" not in sys.modules\n'
    done = subprocess.run(
        [sys.executable, "-c", beginning + script + "\n" + ended, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_short_texts_have_the_reference_vectors(minilm_dir):
    script = """
model = MiniLM(sys.argv[1])
texts = json.load(open(sys.argv[2], encoding="utf-8"))
short = [at for at, text in enumerate(texts) if 0 < model.count_tokens(text) <= SHORT_TOKENS - 2]
some = short[::4]
print(json.dumps({at: list(MiniLM(sys.argv[1]).embed_query(texts[at])) for at in some}))
"""
    vectors = json.loads(run_cold(script, minilm_dir, str(HERE / "minilm_reference.json")))
    with np.load(HERE / "minilm_reference.npz", allow_pickle=False) as stored:
        reference = stored["vectors"] * stored["scale"]
    assert len(vectors) >= 40
    for at, vector in vectors.items():
        wanted = reference[int(at)] / np.linalg.norm(reference[int(at)])
        assert np.dot(vector, wanted) >= 0.99999, at


def test_the_words_of_a_question_add_what_they_add_with_numpy(minilm_dir):
    script = """
vector, shares = MiniLM(sys.argv[1]).embed_question(sys.argv[2], set(sys.argv[3:]))
print(json.dumps([list(vector), [(word, list(own), size) for word, own, size in shares]]))
"""
    vector, shares = json.loads(run_cold(script, minilm_dir, QUESTION, *WORDS))
    wanted, own = MiniLM(minilm_dir).embed_question(QUESTION, set(WORDS))
    assert np.abs(np.array(vector) - wanted).max() < 1e-6
    assert [(word, size) for word, _, size in shares] == [(word, size) for word, _, size in own]
    for (_, part, _), (_, other, _) in zip(shares, own, strict=True):
        assert np.abs(np.array(part) - other).max() < 1e-6


def test_a_text_without_tokens_and_none_at_all_need_no_numpy(minilm_dir):
    script = """
model = MiniLM(sys.argv[1])
print(any(model.embed_query("  ")), model.embed_documents([]), model.embed_question("", {"a"})[1])
"""
    assert run_cold(script, minilm_dir) == "False [] []\n"


def test_none_keeps_its_references(minilm_dir):
    """simsimd 6.5 takes one for each result that it writes into a buffer of ours."""
    script = """
model = MiniLM(sys.argv[1])
model.embed_query("warm up")
before = sys.getrefcount(None)
model.embed_query("the tide sensor at pier 4 does not answer")
print(abs(sys.getrefcount(None) - before) < 50)
"""
    assert run_cold(script, minilm_dir) == "True\n"


@pytest.mark.parametrize(
    "texts", [["data " * SHORT_TOKENS], ["two of", "them"]], ids=["long", "several"]
)
def test_a_long_text_and_several_are_numpys(minilm_dir, texts):
    script = """
import json, sys
from recairn.embed.minilm import MiniLM
model = MiniLM(sys.argv[1])
model.embed_query("one short question")
assert "numpy" not in sys.modules
print(json.dumps([list(each) for each in model.embed_documents(sys.argv[2:])]))
assert "numpy" in sys.modules
"""
    command = [sys.executable, "-c", script, minilm_dir, *texts]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wanted = MiniLM(minilm_dir).embed_documents(texts)
    for vector, own in zip(json.loads(done.stdout), wanted, strict=True):
        assert np.abs(np.array(vector) - own).max() < 1e-5


def test_who_asks_again_and_again_gets_numpy(minilm_dir):
    script = """
import sys
from recairn.embed.minilm import SHORT_TEXTS, MiniLM
model = MiniLM(sys.argv[1])
for number in range(SHORT_TEXTS):
    model.embed_query(f"question {number}")
    assert "numpy" not in sys.modules
model.embed_query("one more")
assert "numpy" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script, minilm_dir], check=True)


def test_damaged_weights_are_refused_with_the_way_out(damaged_dir):
    script = """
from recairn.core.errors import ModelFailed
try:
    MiniLM(sys.argv[1])
except ModelFailed as error:
    print(error.hint)
"""
    assert run_cold(script, damaged_dir) == "recairn model pull minilm\n"
