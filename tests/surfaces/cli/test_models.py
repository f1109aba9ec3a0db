"""Models and vectors from the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from recairn.embed import download


@pytest.fixture
def words_only(recairn, monkeypatch):
    monkeypatch.setenv("RECAIRN_MODEL", "none")
    recairn("add", "Wipe the lens after every storm")
    recairn("add", "Oil the hinge of the gallery door")
    monkeypatch.delenv("RECAIRN_MODEL")
    return recairn


@pytest.fixture
def weights(tmp_path, monkeypatch):
    """Files of the right size where minilm's would lie; enough to be listed and removed."""
    folder = tmp_path / "models" / "minilm"
    folder.mkdir(parents=True)
    for file in download.KNOWN["minilm"].files:
        with open(folder / file.name, "wb") as made:
            made.truncate(file.size)
    monkeypatch.setenv("RECAIRN_MODELS", str(tmp_path / "models"))
    return folder


def test_the_models_are_listed_with_their_progress(lamp):
    listed = {line.split()[0]: line for line in lamp("model", "list").out.splitlines()}
    assert listed["static"].split()[1:6] == ["yes", "answers", "1", "of", "1"]
    assert listed["minilm"].split()[1] == "no"
    assert lamp("model").out == lamp("model", "list").out
    document = lamp("model", "list", "--json").json
    assert document["wanted"] == "static"
    names = [each["name"] for each in document["models"]]
    assert names == ["static", "minilm", "external", "bge-small", "e5-small", "jina-code"]
    assert [each["name"] for each in document["rerankers"]] == ["cross-mini", "ms-marco"]


def test_a_reranker_is_chosen_listed_and_explained(lamp, tmp_path, monkeypatch):
    from tests.embed.tiny_rerankers import install_loving

    missing = lamp("model", "use-reranker", "ms-marco")
    assert (missing.status, "hint: " in missing.err) == (1, True)
    monkeypatch.setenv("RECAIRN_MODELS", str(tmp_path / "models"))
    install_loving("hinge", tmp_path / "models")
    lamp("add", "The lamp's hinge needs oil")
    assert lamp("model", "use-reranker", "cross-mini").status == 0
    assert "yes        reranks" in lamp("model", "list").out
    explained = lamp("search", "lamp", "--explain").out
    assert explained.count("reranker ") == 2
    assert lamp("model", "use-reranker", "off", "--json").json == {"reranker": "off"}
    assert "reranker" not in lamp("search", "lamp", "--explain").out
    assert "reranker " in lamp("search", "lamp", "--deep", "--explain").out


def test_an_export_in_a_folder_is_pulled_used_and_removed(lamp, tmp_path, monkeypatch):
    from tests.embed.test_exports import write

    monkeypatch.setenv("RECAIRN_MODELS", str(tmp_path / "models"))
    pulled = lamp("model", "pull", write(tmp_path / "tiny"))
    assert pulled.out.endswith("recairn model use local/tiny makes it the model of this database\n")
    assert lamp("model", "use", "local/tiny").status == 0
    assert lamp("embed").out == "Embedded 1 memory with local/tiny\n"
    assert lamp("search", "fog", "--json").json["meta"]["model"] == "local/tiny"
    assert lamp("model", "use-reranker", "local/tiny").status != 0
    assert lamp("model", "remove", "local/tiny").err.endswith("then recairn embed\n")
    lamp("model", "use", "static")
    lamp("embed")
    assert lamp("model", "remove", "local/tiny").out == "Removed local/tiny\n"
    assert "local/tiny" not in lamp("model", "list").out
    assert "MAKER/MODEL" in lamp("model", "pull", "./nothing").err


def test_using_a_model_that_was_not_pulled_says_how_to_pull_it(lamp):
    ran = lamp("model", "use", "minilm")
    assert ran.status == 1
    assert ran.err.endswith("hint: recairn model pull minilm\n")
    assert lamp("config", "list").out == ""


def test_a_pulled_model_is_listed_and_removed(lamp, weights):
    assert lamp("model", "pull", "minilm").out.startswith("minilm is installed in ")
    assert lamp("model", "list", "--json").json["models"][1]["installed"] is True
    assert lamp("model", "remove", "minilm").out == "Removed minilm\n"
    assert not weights.exists()
    assert lamp("model", "remove", "minilm").out == "minilm was not installed\n"
    assert lamp("model", "remove", "minilm", "--json").json["removed"] is False


def test_only_known_models_are_pulled_and_used(lamp):
    assert lamp("model", "pull", "static").status == 1
    assert lamp("model", "use", "mini").status == 2
    assert lamp("model", "remove", "static").status == 1


def test_without_a_model_embed_says_so_and_succeeds(words_only, monkeypatch):
    monkeypatch.setenv("RECAIRN_MODEL", "none")
    for words in (("embed",), ("learning:embed",), ("learning", "embed"), ("embed", "--all")):
        ran = words_only(*words)
        assert (ran.status, ran.out) == (0, "No embedding model configured\n")
    found = words_only("search", "lens", "--mode", "semantic")
    assert found.status == 0
    assert "No embedding model configured" in found.err


def test_embed_makes_what_is_missing_and_says_how_much(words_only):
    status = words_only("embed", "--status")
    assert status.out == "2 memories to embed with static: recairn embed\n"
    assert words_only("embed", "--limit", "1").out == (
        "Embedded 1 memory with static; 1 are left\n"
    )
    assert words_only("embed", "--json").json == {
        "model": "static",
        "embedded": 1,
        "remaining": 0,
    }
    assert words_only("embed").out == "Every memory has its vector of static\n"
    assert words_only("embed", "--all").out == "Embedded 2 memories with static\n"
    done = words_only("embed", "--status", "--json").json
    assert (done["remaining"], done["models"][0]["done"]) == (0, 2)
    found = words_only("search", "wiping the lens", "--mode", "semantic", "--json").json
    assert found["hits"][0]["id"] == 1


def test_a_terminal_sees_a_bar_and_a_pipe_does_not(words_only):
    assert words_only("embed").err == ""
    drawn = words_only("embed", "--all", tty=True)
    assert "embedding with static" in drawn.err
    assert "2/2" in drawn.err
    assert drawn.out.endswith("Embedded 2 memories with static\n")


def test_a_terminal_without_rich_sees_a_counter(words_only, monkeypatch):
    import sys

    for name in [name for name in sys.modules if name.partition(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert words_only("embed", tty=True).err == "\rembedding with static: 2 of 2\n"


def test_wrong_amounts_and_mixtures_are_refused(lamp):
    assert lamp("embed", "--limit", "0").status == 2
    assert lamp("embed", "--status", "--all").status == 2


def test_choosing_no_model_searches_by_words_alone(lamp):
    ran = lamp("model", "use", "none")
    assert ran.out == "This database is searched by words alone from now on\n"
    assert lamp("search", "lens").err == ""
    assert "No embedding model configured" in lamp("model", "list").err
    assert lamp("model", "use", "static").out == "static is the model of this database\n"
    assert lamp("model", "use", "static", "--json").json["state"] == "active"


def test_a_write_without_its_model_succeeds_with_a_note(lamp, monkeypatch, tmp_path):
    monkeypatch.setenv("RECAIRN_MODELS", str(tmp_path / "nothing"))
    monkeypatch.setenv("RECAIRN_DB", str(tmp_path / "fresh.db"))
    monkeypatch.setenv("RECAIRN_MODEL", "minilm")
    ran = lamp("add", "Oil the hinge")
    assert (ran.status, ran.out) == (0, f"Added learning #1 to project {Path.cwd().name}\n")
    assert ran.err.startswith("note: stored without a vector: minilm is not installed")
    assert ran.err.endswith("recairn model pull minilm\n")


def test_a_new_setting_is_checked(lamp):
    assert lamp("config", "set", "embedding.model", "statik").status == 1
    assert lamp("config", "set", "embedding.model", "static").status == 0


def test_every_option_of_the_external_model_is_a_setting_that_is_known_and_checked(recairn):
    from recairn.core.settings import SETTINGS
    from recairn.embed.external import DEFAULTS

    prefix = "embedding.external."
    known = {name.removeprefix(prefix) for name in SETTINGS if name.startswith(prefix)}
    assert known == {*DEFAULTS}
    assert recairn("config", "set", f"{prefix}allow_remote", "true").err == ""
    assert recairn("config", "set", f"{prefix}allow_remote", "maybe").status == 1
    recairn("config", "set", f"{prefix}query_prefix", "search_query: ")
    assert recairn("config", "get", f"{prefix}query_prefix", "--json").json == {
        "embedding.external.query_prefix": "search_query: "
    }


class Slow(BaseHTTPRequestHandler):
    """A server of embeddings: the vectors of texts, and how many texts each request had."""

    batches: ClassVar[list[int]] = []
    stop: ClassVar[Any] = None

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.batches.append(len(body["input"]))
        if self.stop is not None and sum(self.batches) > 12:
            # A person presses it once.
            stop, Slow.stop = Slow.stop, None
            stop()
        vectors = [{"index": at, "embedding": [1.0, 0.5, at]} for at in range(len(body["input"]))]
        content = json.dumps({"data": vectors}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.fixture
def slow(recairn, tmp_path):
    """Thirty memories, and a model of one's own that has to be asked for each vector."""
    Slow.batches, Slow.stop = [], None
    lines = [json.dumps({"content": f"Tide {n} was seen at jetty{n}"}) for n in range(30)]
    (tmp_path / "tides.jsonl").write_text("\n".join(lines))
    recairn("import", "jsonl", "tides.jsonl")
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
    thread.start()
    recairn(
        "config", "set", "embedding.external.url", f"http://127.0.0.1:{listening.server_port}/v1"
    )
    recairn("config", "set", "embedding.external.model", "tides")
    recairn("model", "use", "external")
    yield recairn
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_a_slow_model_is_heard_of_from_the_first_moment_on(slow):
    drawn = slow("embed", tty=True).err
    assert "0 of 30" in drawn or "0/30" in drawn
    assert max(Slow.batches[:3]) <= 8
    assert slow("embed").out == "Every memory has its vector of external\n"


def test_who_interrupts_embed_keeps_what_is_done_and_is_told_so(slow):
    command = [sys.executable, "-m", "recairn", "embed"]
    # Whoever runs the tests in the background has interrupts ignored, and its children after it.
    running = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    Slow.stop = lambda: running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    left = slow("embed", "--status", "--json").json["remaining"]
    assert 0 < left < 30
    told = f"what was embedded is kept, {left} memories are left, and recairn embed goes on"
    assert told in said
    Slow.stop = None
    assert slow("embed", "--json").json == {"model": "external", "embedded": left, "remaining": 0}


def test_a_chosen_model_that_is_gone_is_told_by_status_and_doctor(
    words_only, tmp_path, monkeypatch
):
    words_only("model", "use", "static")
    words_only("embed")
    assert words_only("status", "--json").json["model"]["trouble"] is None
    assert "words only" not in words_only("doctor").out
    monkeypatch.setenv("RECAIRN_MODELS", str(tmp_path / "models"))
    words_only("config", "set", "embedding.model", "local/lamp")
    words_only("config", "set", "retrieval.reranker", "ms-marco")
    missing = "searching by words only: the model local/lamp is not installed"
    assert missing in words_only("status").out
    assert f"trouble: {missing}; recairn model pull FOLDER" in words_only("health").out
    told = words_only("doctor").out
    assert f"warning  {missing}\n         recairn model pull FOLDER" in told
    assert "warning  searches are not reranked: the model ms-marco is not installed" in told
