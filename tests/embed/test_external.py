"""The external embedder against a real HTTP server on loopback."""

from __future__ import annotations

import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from recairn.core.errors import BadInput, ModelFailed
from recairn.embed.external import External
from recairn.embed.models import fingerprint, load

KEY = "sk-very-secret-0123456789"


class Server:
    """Answers with [length of the text, 1, 0]; a test may put another answer in its place."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], dict]] = []
        self.reply = None
        self.connections: set[tuple[str, int]] = set()
        self.released = threading.Event()
        self.url = ""

    def vectors(self, body):
        entries = [
            {"object": "embedding", "index": index, "embedding": [float(len(text)), 1.0, 0.0]}
            for index, text in enumerate(body["input"])
        ]
        return 200, {}, {"object": "list", "data": entries[::-1], "model": body["model"]}


@pytest.fixture
def server():
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append((self.path, dict(self.headers), body))
            state.connections.add(self.client_address)
            status, headers, answer = (state.reply or state.vectors)(body)
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            pass

    class Listening(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *args):
            """Clients that give up are part of the tests."""

    listening = Listening(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
    thread.start()
    state.url = f"http://127.0.0.1:{listening.server_port}/v1"
    yield state
    state.released.set()
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.fixture
def make(server):
    made = []

    def embedder(**options):
        made.append(External({"url": server.url, "model": "tiny", **options}))
        return made[-1]

    yield embedder
    for each in made:
        each.close()


def answers(status, answer, **headers):
    return lambda body: (status, headers, answer)


def with_rows(*rows):
    return answers(200, {"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]})


def test_vectors_are_scaled_to_length_one_and_kept_in_the_order_of_the_texts(make):
    first, second = make().embed_documents(["abc", "a"])
    assert list(first) == pytest.approx([3 / math.sqrt(10), 1 / math.sqrt(10), 0])
    assert list(second) == pytest.approx([1 / math.sqrt(2), 1 / math.sqrt(2), 0])


def test_a_query_is_asked_like_any_text(make, server):
    make().embed_query("why jitter")
    path, headers, body = server.requests[0]
    assert path == "/v1/embeddings"
    assert body == {"model": "tiny", "input": ["why jitter"], "encoding_format": "float"}
    assert "Authorization" not in headers


def test_questions_and_texts_get_the_words_their_model_wants_before_them(make, server):
    model = make(query_prefix="search_query: ", document_prefix="search_document: ")
    model.embed_query("why jitter")
    model.embed_documents(["because", " "])
    assert [body["input"] for _, _, body in server.requests] == [
        ["search_query: why jitter"],
        ["search_document: because"],
    ]
    assert {body["model"] for _, _, body in server.requests} == {"tiny"}


def test_other_words_before_the_texts_make_another_space_those_before_questions_do_not(make):
    plain, asked, told = make(), make(query_prefix="q: "), make(document_prefix="d: ")
    assert fingerprint(plain) == fingerprint(asked) == "external@tiny/3/l2"
    assert fingerprint(told) == "external@tiny after 'd: '/3/l2"


def test_words_before_a_text_take_their_part_of_the_window(make):
    assert make().window_tokens == 512
    assert 490 < make(document_prefix="task: search result | text: ").window_tokens < 506
    assert make(document_prefix="d: ", window_tokens=0).window_tokens is None
    with pytest.raises(BadInput, match="document_prefix leaves 0 of 20 tokens"):
        make(document_prefix="a long introduction " * 10, window_tokens=20)


def test_many_texts_go_in_batches_over_one_connection(make, server):
    vectors = make(batch_size=2).embed_documents(["a", "b", "c", "d", "e"])
    assert [body["input"] for _, _, body in server.requests] == [["a", "b"], ["c", "d"], ["e"]]
    assert len(vectors) == 5
    assert len(server.connections) == 1


def test_blank_texts_are_not_sent_and_become_the_zero_vector(make, server):
    blank, full = make().embed_documents([" \n", "abc"])
    assert list(blank) == [0.0, 0.0, 0.0]
    assert full[0] > 0.9
    assert server.requests[0][2]["input"] == ["abc"]


def test_a_zero_vector_from_the_server_stays_zero(make, server):
    server.reply = with_rows([0, 0, 0])
    assert list(make().embed_query("x")) == [0.0, 0.0, 0.0]


def test_the_dimension_is_asked_for_when_it_was_not_given(make, server):
    assert make(dim=3).dim == 3
    assert server.requests == []
    assert fingerprint(make()) == "external@tiny/3/l2"


def test_another_dimension_than_expected_is_refused(make):
    with pytest.raises(ModelFailed, match="answered with 3 dimensions instead of 768"):
        make(dim=768).embed_query("x")


def test_a_dimension_that_changes_between_answers_is_refused(make, server):
    embedder = make()
    embedder.embed_query("x")
    server.reply = with_rows([1.0, 2.0])
    with pytest.raises(ModelFailed, match="2 dimensions instead of 3"):
        embedder.embed_query("x")


def test_the_key_comes_from_the_named_variable(make, server, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    make(api_key_env="MY_KEY").embed_query("x")
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("value", ["", "with\nnewline", "käse"])
def test_an_unusable_key_is_reported_by_the_name_of_its_variable(make, monkeypatch, value):
    monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(ModelFailed, match="MY_KEY holds no usable API key") as caught:
        make(api_key_env="MY_KEY").embed_query("x")
    assert not value or value not in str(caught.value)


def test_the_key_is_never_repeated_in_an_error(make, server, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    server.reply = answers(401, {"error": f"invalid key {KEY}"})
    with pytest.raises(ModelFailed, match="answered 401") as caught:
        make(api_key_env="MY_KEY").embed_query("x")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "hint"),
    [(404, "check url and model"), (500, "server's log"), (503, "still be loading its model")],
)
def test_a_refusal_quotes_the_server_and_gives_a_hint(make, server, status, hint):
    server.reply = answers(status, {"error": "no such thing"})
    with pytest.raises(ModelFailed, match=f'answered {status}: {{"error": "no such') as caught:
        make().embed_query("x")
    assert hint in caught.value.hint


def test_a_redirect_is_not_followed(make, server):
    server.reply = answers(307, b"", Location="http://192.0.2.1/v1/embeddings")
    with pytest.raises(ModelFailed, match=r"redirects to http://192\.0\.2\.1.*not followed"):
        make().embed_query("x")
    assert len(server.requests) == 1


def test_proxies_of_the_environment_are_not_used(make, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert len(make().embed_query("x")) == 3


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"<html>", "Expecting value"),
        (b'{"\xff"}', "decode"),
        ([], "not 1 entries under 'data'"),
        ({"data": []}, "not 1 entries under 'data'"),
        ({"data": [7]}, "entry 0 is not an object"),
        ({"data": [{"embedding": "AAAA"}]}, "has no 'embedding' list"),
        ({"data": [{"embedding": [1, "2"]}]}, "not a number"),
        ({"data": [{"embedding": [1, True]}]}, "not a number"),
        ({"data": [{"index": 5, "embedding": [1.0]}]}, "indexes do not fit"),
        ({"data": [{"index": "0", "embedding": [1.0]}]}, "has the index '0'"),
        (b"[" * 100_000, "recursion"),
    ],
)
def test_an_answer_of_another_shape_is_refused(make, server, answer, problem):
    server.reply = answers(200, answer)
    with pytest.raises(ModelFailed, match=problem):
        make().embed_query("x")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "1" + "0" * 400])
def test_numbers_that_are_not_finite_are_refused(make, server, number):
    server.reply = answers(200, f'{{"data": [{{"embedding": [{number}, 1.0]}}]}}'.encode())
    with pytest.raises(ModelFailed, match="not finite"):
        make().embed_query("x")


def test_a_server_that_does_not_answer_runs_into_the_time_out(make, server):
    def hang(body):
        server.released.wait()
        return 500, {}, b""

    server.reply = hang
    with pytest.raises(ModelFailed, match=r"did not answer within 0\.2 s"):
        make(timeout_s=0.2).embed_query("x")


def test_a_connection_that_the_server_closed_is_opened_again(make, server):
    embedder = make()
    server.reply = lambda body: (200, {"Connection": "close"}, server.vectors(body)[2])
    embedder.embed_query("x")
    embedder.embed_query("y")
    assert len(server.connections) == 2


def test_a_server_that_is_not_there_is_reported(make):
    with pytest.raises(ModelFailed, match=r"cannot reach http://127\.0\.0\.1:9/v1/embeddings"):
        make(url="http://127.0.0.1:9/v1").embed_query("x")


@pytest.mark.parametrize(
    "url",
    [
        "http://192.0.2.1/v1",
        "https://api.example.org/v1",
        "http://localhost.example.org/v1",
        "http://127.0.0.1.example.org/v1",
        "http://0.0.0.0:8080/v1",
        "http://[2001:db8::1]/v1",
    ],
)
def test_another_machine_needs_the_explicit_opt_in(make, url):
    with pytest.raises(BadInput, match="is not on this machine") as caught:
        make(url=url)
    assert "allow_remote=true" in caught.value.hint
    assert make(url=url, allow_remote=True).name == "external"


@pytest.mark.parametrize("url", ["http://localhost:1/v1", "http://[::1]:1/v1", "http://127.9.9.9"])
def test_loopback_addresses_need_no_opt_in(make, url):
    assert make(url=url).name == "external"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"url": ""}, "must be http or https"),
        ({"url": "file:///etc/passwd"}, "must be http or https"),
        ({"url": "http://127.0.0.1:port/"}, "cannot be used"),
        ({"url": "http://me:secret@127.0.0.1/"}, "more than an address"),
        ({"model": ""}, "needs the name of a model"),
        ({"api_key": KEY}, "has no option 'api_key'"),
        ({"allow_remote": "yes"}, "allow_remote must be bool"),
        ({"timeout_s": 0}, "timeout_s must be at least"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"window_tokens": 3}, "window_tokens must be at least 16, or 0 for no limit, not 3"),
    ],
)
def test_options_that_cannot_work_are_refused(make, options, problem):
    with pytest.raises(BadInput, match=problem):
        make(**options)


def test_load_passes_the_options_on(server, tmp_path):
    options = {"url": f"{server.url}/embeddings", "model": "tiny", "dim": 3, "window_tokens": 0}
    embedder = load("external", models_dir=tmp_path, options=options)
    assert (embedder.name, embedder.revision, embedder.dim) == ("external", "tiny", 3)
    assert embedder.window_tokens is None
