"""Exported models by name: from a folder, from a hub on loopback, on real and on tiny weights."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from recairn.core.errors import BadInput, ModelFailed, ModelMissing
from recairn.embed import models
from recairn.embed.catalogue import CHOSEN, exports, is_hub_name, pulled
from recairn.embed.encoder import Encoder, Shape, Tensors
from recairn.embed.minilm import SHAPE, WINDOW_TOKENS, read_safetensors
from recairn.embed.models import fingerprint, load
from tests.embed.tiny_rerankers import SPECIAL, by_the_book, random_arrays
from tools.onnx_export import encoder_graph, mpnet_graph, write_folder

HERE = Path(__file__).parent
VOCABULARY = [*SPECIAL, "fog", "horn", "lamp", "##s", "the", "why"]
HEADED = random_arrays(VOCABULARY)
ARRAYS = {name: array for name, array in HEADED.items() if not name.startswith("head.")}
TINY = Shape(2, 8, 2, 32)


def write(folder, arrays=ARRAYS, **documents):
    """A folder as sentence-transformers would leave it, with some documents of its own."""
    write_folder(str(folder), encoder_graph(arrays, TINY), VOCABULARY, 16, 8)
    for name, document in documents.items():
        path = folder / {"pooling": "1_Pooling/config.json"}.get(name, f"{name}.json")
        path.write_text(json.dumps(document))
    return str(folder)


def states(*tokens):
    """What the network makes of some tokens, by our numpy encoder."""
    columns, _ = Encoder(np, Tensors(ARRAYS, "", ""), TINY).states([list(tokens)])
    return columns.T


def direction(row):
    return row / np.linalg.norm(row)


def vector(found):
    return np.frombuffer(found, "f4")


@pytest.mark.timeout(600)
def test_minilm_exported_gives_the_vectors_of_sentence_transformers(minilm_dir, tmp_path):
    tensors = read_safetensors(np, f"{minilm_dir}/model.safetensors")
    vocabulary = Path(minilm_dir, "vocab.txt").read_text("utf-8").rstrip("\n").split("\n")
    folder = tmp_path / "MiniLM-L6"
    write_folder(str(folder), encoder_graph(tensors, SHAPE), vocabulary, WINDOW_TOKENS, 384)
    name, _ = pulled(str(folder), models_dir=str(tmp_path / "models"))
    model = load(name, models_dir=str(tmp_path / "models"))
    texts = json.loads((HERE / "minilm_reference.json").read_text("utf-8"))[::12]
    with np.load(HERE / "minilm_reference.npz", allow_pickle=False) as stored:
        reference = (stored["vectors"] * stored["scale"])[::12]
    rows = np.array([vector(each) for each in model.embed_documents(texts)])
    cosines = (rows * reference).sum(axis=1) / np.linalg.norm(reference, axis=1)
    assert cosines.min() >= 0.99999, texts[cosines.argmin()]


MPNET = {
    "self.query": "attn.q",
    "self.key": "attn.k",
    "self.value": "attn.v",
    "output.dense": "attn.o",
    "output.LayerNorm": "LayerNorm",
}


def as_mpnet(apart):
    """The tiny weights under MPNet's names, with its numbers for how far apart two tokens stand."""
    arrays = {}
    for name, array in ARRAYS.items():
        for bert, own in MPNET.items():
            name = name.replace(f"attention.{bert}.", f"attention.{own}.")
        arrays[name] = array
    types = arrays.pop("embeddings.token_type_embeddings.weight")
    places = arrays["embeddings.position_embeddings.weight"] + types[0]
    # Its first two places are no token's.
    arrays["embeddings.position_embeddings.weight"] = np.vstack([places[:2] + 9.0, places])
    return {**arrays, "encoder.relative_attention_bias.weight": np.float32(apart)}


def first_vector(tmp_path, name, apart):
    folder = tmp_path / name
    write_folder(str(folder), mpnet_graph(as_mpnet(apart), TINY, 16), VOCABULARY, 16, 8)
    model = load(pulled(str(folder), models_dir=str(tmp_path))[0], models_dir=str(tmp_path))
    return vector(model.embed_documents(["the lamps", "why the fog horn lamp"])[0])


def test_an_mpnet_knows_how_far_apart_tokens_stand(tmp_path):
    expected = direction(states(2, 8, 6, 7, 3).mean(0))
    # The same for every distance is nothing; then it is a BERT without types.
    flat = first_vector(tmp_path, "flat", np.tile([[0.7, -3.0]], (32, 1)))
    assert flat == pytest.approx(expected, abs=1e-5)
    before, after = np.zeros((2, 32, 2))
    before[1], after[16 + 1] = 3.0, 3.0
    behind, ahead = (first_vector(tmp_path, f"t{at}", x) for at, x in enumerate((before, after)))
    assert np.abs(behind - expected).max() > 0.01
    assert np.abs(behind - ahead).max() > 0.01


@pytest.mark.parametrize(
    ("pooling", "pooled"),
    [
        ({"pooling_mode_mean_tokens": True}, lambda rows: rows.mean(0)),
        ({"pooling_mode_cls_token": True}, lambda rows: rows[0]),
        ({"pooling_mode_max_tokens": True}, lambda rows: rows.max(0)),
        ({"pooling_mode_lasttoken": True}, lambda rows: rows[-1]),
        ({"pooling_mode": "cls"}, lambda rows: rows[0]),
    ],
)
def test_a_folder_says_how_its_tokens_become_one_vector(tmp_path, pooling, pooled):
    folder = write(tmp_path / "tiny", pooling={"word_embedding_dimension": 8, **pooling})
    model = load(pulled(folder, models_dir=str(tmp_path))[0], models_dir=str(tmp_path))
    # Beside a longer one, so that it is filled up.
    found, _ = model.embed_documents(["the lamps", "why the fog horn lamp"])
    assert vector(found) == pytest.approx(direction(pooled(states(2, 8, 6, 7, 3))), abs=1e-5)
    assert (model.dim, model.window_tokens) == (8, 16)


def test_the_words_that_a_model_wants_go_before_questions_and_texts(tmp_path):
    prompts = {"prompts": {"query": "why ", "document": "the "}}
    folder = write(tmp_path / "tiny", config_sentence_transformers=prompts)
    model = load(pulled(folder, models_dir=str(tmp_path))[0], models_dir=str(tmp_path))
    asked, kept = states(2, 9, 4, 3).mean(0), states(2, 8, 4, 3).mean(0)
    assert vector(model.embed_query("fog")) == pytest.approx(direction(asked), abs=1e-5)
    assert vector(model.embed_documents(["fog"])[0]) == pytest.approx(direction(kept), abs=1e-5)
    assert model.count_tokens("fog") == 2  # type: ignore[attr-defined]
    assert list(model.embed_documents([" "])[0]) == [0.0] * 8


def test_a_layer_behind_the_pooling_is_applied(tmp_path):
    weight = np.random.default_rng(3).normal(size=(3, 8)).astype("<f4")
    layer = tmp_path / "tiny" / "2_Dense"
    layer.mkdir(parents=True)
    head = json.dumps(
        {"linear.weight": {"dtype": "F32", "shape": [3, 8], "data_offsets": [0, weight.nbytes]}}
    ).encode()
    content = len(head).to_bytes(8, "little") + head + weight.tobytes()
    (layer / "model.safetensors").write_bytes(content)
    activation = "torch.nn.modules.activation.Tanh"
    (layer / "config.json").write_text(
        json.dumps({"out_features": 3, "activation_function": activation})
    )
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense")]
    folder = write(tmp_path / "tiny", modules=[{"path": p, "type": f"a.{t}"} for p, t in modules])
    model = load(pulled(folder, models_dir=str(tmp_path))[0], models_dir=str(tmp_path))
    expected = np.tanh(weight @ states(2, 4, 3).mean(0))
    assert vector(model.embed_query("fog")) == pytest.approx(direction(expected), abs=1e-5)
    assert model.dim == 3


def test_other_words_or_other_weights_are_another_revision(tmp_path):
    made = []
    for at, prompt in enumerate(("", "passage: ", "passage: ")):
        prompts = {"prompts": {"document": prompt}}
        folder = write(tmp_path / str(at) / "tiny", config_sentence_transformers=prompts)
        models = str(tmp_path / f"models{at}")
        made.append(fingerprint(load(pulled(folder, models_dir=models)[0], models_dir=models)))
    assert made[0] != made[1] == made[2]


@pytest.mark.parametrize(
    ("documents", "complaint"),
    [
        ({"pooling": {"pooling_mode_weightedmean_tokens": True}}, "pools by"),
        ({"modules": [{"path": "", "type": "x.WeightedLayerPooling"}]}, "does not know"),
        ({"modules": {}}, "does not hold what it should"),
    ],
)
def test_what_recairn_cannot_do_is_refused_by_name(tmp_path, documents, complaint):
    folder = write(tmp_path / "tiny", **documents)
    with pytest.raises(ModelFailed, match=complaint):
        pulled(folder, models_dir=str(tmp_path / "models"))


def test_a_cross_encoder_of_a_folder_says_what_the_definition_says(tmp_path):
    classifier = {"architectures": ["BertForSequenceClassification"]}
    folder = write(tmp_path / "cross", HEADED, config=classifier)
    name, _ = pulled(folder, models_dir=str(tmp_path))
    model = models.load_reranker(name, models_dir=str(tmp_path))
    tokens = [2, 9, 8, 4, 3, 8, 6, 7, 5, 3]
    found = model.scores("why the fog", ["the lamps horn", "fog", "fog lamp " * 40])
    assert found[0] == pytest.approx(by_the_book(HEADED, tokens, 5, heads=2), abs=1e-4)
    assert len(found) == 3
    assert model.scores("why", ["fog"] * 9, until=0.0) == []
    with pytest.raises(BadInput, match="is no embedder"):
        load(name, models_dir=str(tmp_path))


@pytest.mark.parametrize("lost", ["onnx/model.onnx", "tokenizer.json"])
def test_a_model_that_lost_a_file_counts_as_not_installed(tmp_path, lost):
    name, folder = pulled(write(tmp_path / "tiny"), models_dir=str(tmp_path / "models"))
    content = Path(folder, lost).read_bytes()
    Path(folder, lost).write_bytes(content[:-1])
    assert exports(str(tmp_path / "models")) == {}
    with pytest.raises(ModelMissing):
        load(name, models_dir=str(tmp_path / "models"))


def test_a_model_that_was_never_pulled_says_how_to_pull_it(tmp_path):
    for name in ("bge-small", "maker/model"):
        with pytest.raises(ModelMissing) as raised:
            load(name, models_dir=str(tmp_path))
        assert raised.value.hint == f"recairn model pull {name}"


@pytest.mark.parametrize(
    "name", ["../x", "a/..", "a/.b", "/etc", "a/b/c", "a b/c", "a", "", "a/", "ä/b"]
)
def test_a_name_never_leads_out_of_the_models_folder(name):
    assert not is_hub_name(name)


def test_the_chosen_models_are_pinned_and_say_size_and_licence():
    for chosen in CHOSEN.values():
        names = {file.name for file in chosen.files.files}
        assert names == {chosen.export.weights, "tokenizer.json"}
        assert all(len(file.sha256) == 64 for file in chosen.files.files)
        megabytes = round(sum(file.size for file in chosen.files.files) / 1e6)
        assert f"{megabytes} MB, {chosen.export.licence}" in chosen.about


# The hub


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A hub on loopback that holds the tiny model as maker/tiny, and what was asked of it."""
    source = tmp_path / "source"
    write(source)
    (source / "pytorch_model.bin").write_bytes(b"a pickle")
    files = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in source.rglob("*")
        if path.is_file()
    }
    asked = []
    told = {
        "sha": "c0ffee",
        "cardData": {"license": "mit"},
        "siblings": [_listed(name, content) for name, content in files.items()],
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            answer = files.get(self.path.removeprefix("/maker/tiny/resolve/c0ffee/"))
            if self.path == "/api/models/maker/tiny?blobs=true":
                answer = json.dumps(told).encode()
            self.send_response(404 if answer is None else 200)
            self.end_headers()
            self.wfile.write(answer or b"")

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield files, asked
    server.shutdown()
    thread.join()
    server.server_close()


def _listed(name, content):
    if name.endswith(".onnx"):
        digest = hashlib.sha256(content).hexdigest()
        return {"rfilename": name, "lfs": {"size": len(content), "sha256": digest}}
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    return {"rfilename": name, "size": len(content), "blobId": blob}


def test_any_export_of_the_hub_is_pulled_by_its_name(hub, tmp_path):
    _, asked = hub
    models = str(tmp_path / "models")
    assert pulled("maker/tiny", models_dir=models)[0] == "maker/tiny"
    assert exports(models)["maker/tiny"].licence == "mit"
    assert not any("pickle" in path or path.endswith(".bin") for path in asked)
    expected = direction(states(2, 4, 3).mean(0))
    model = load("maker/tiny", models_dir=models)
    assert vector(model.embed_query("fog")) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", ["tokenizer.json", "onnx/model.onnx"])
def test_a_file_that_is_not_what_the_hub_said_is_not_kept(hub, tmp_path, name):
    files, _ = hub
    files[name] = files[name][:-1] + b"?"
    with pytest.raises(ModelFailed, match="wrong checksum"):
        pulled("maker/tiny", models_dir=str(tmp_path / "models"))
    assert exports(str(tmp_path / "models")) == {}


def test_without_a_network_the_way_out_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelFailed) as raised:
        pulled("maker/tiny", models_dir=str(tmp_path))
    assert "recairn model pull FOLDER" in raised.value.hint
    monkeypatch.setenv("HF_ENDPOINT", "http://example.org")
    with pytest.raises(BadInput, match="HF_ENDPOINT"):
        pulled("maker/tiny", models_dir=str(tmp_path))


def test_a_model_the_hub_does_not_know_is_named(hub, tmp_path):
    with pytest.raises(BadInput, match="knows no model maker/other"):
        pulled("maker/other", models_dir=str(tmp_path))
