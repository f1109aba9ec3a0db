"""What every request passes first. Each rule of docs/security.md meets the request it is for."""

from __future__ import annotations

import json
import socket

import pytest

from recairn.surfaces.web.border import HEADERS, MOST_BYTES, MOST_REQUESTS
from recairn.surfaces.web.keys import KEY_LASTS_S, WRONG_KEYS, Keys, TooManyWrongKeys
from tests.surfaces.web.serving import Answer, Served

pytestmark = pytest.mark.thorough

DATA = "/api/overview"
POLICY = dict(HEADERS)[b"content-security-policy"].decode()


def asked(page: Served, *headers: tuple[str, str], path: str = DATA) -> Answer:
    """A request with our token and these headers alone."""
    return page.send("GET", path, [("Authorization", f"Bearer {page.token}"), *headers])


def ours(page: Served) -> tuple[str, str]:
    return "Host", page.host


# 1. Only this machine


def test_nothing_listens_but_the_two_addresses_of_loopback(lighthouse):
    with socket.socket() as probe:  # every address of 127/8 reaches whoever listens on all
        assert probe.connect_ex(("127.0.0.2", lighthouse.port)) != 0
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", lighthouse.port)) == 0


# 2. The name is ours


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:{port}.evil.example",
        "127.0.0.1:1",
        "0.0.0.0:{port}",
        "127.1:{port}",
        "LOCALHOST.:{port}",
        "",
    ],
)
def test_another_name_for_this_machine_is_not_answered(lighthouse, host):
    answer = asked(lighthouse, ("Host", host.format(port=lighthouse.port)))
    assert answer.status == 421
    assert b"lantern" not in answer.body


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}"])
def test_our_own_names_are_answered(lighthouse, host):
    assert asked(lighthouse, ("Host", host.format(port=lighthouse.port))).status == 200


@pytest.mark.parametrize(
    "twice",
    [
        ("Host", "evil.example"),
        ("Authorization", "Bearer x"),
        ("Sec-Fetch-Site", "same-origin"),
    ],
    ids=lambda header: header[0],
)
def test_a_header_that_counts_may_not_stand_there_twice(lighthouse, twice):
    extra = [twice] if twice[0] in ("Host", "Authorization") else [twice, twice]
    assert asked(lighthouse, ours(lighthouse), *extra).status == 400


def test_two_origins_or_two_content_types_are_refused(lighthouse):
    own = ("Origin", f"http://{lighthouse.host}")
    assert asked(lighthouse, ours(lighthouse), own, own).status == 400
    json_type = ("Content-Type", "application/json")
    headers = [ours(lighthouse), json_type, ("Content-Type", "text/plain"), ("Content-Length", "2")]
    assert lighthouse.send("POST", "/api/undo", headers, b"{}").status == 400


# 3. Data needs a token


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic {token}", "{token}"]
)
def test_without_the_token_no_data_is_told(lighthouse, authorization):
    header = ("Authorization", authorization.format(token=lighthouse.token))
    for path in (DATA, "/api/search?q=lamp", "/api/changes", "/api/nothing"):
        answer = lighthouse.send("GET", path, [ours(lighthouse), *([header] if header[1] else [])])
        assert answer.status == 401, path
        assert b"lamp" not in answer.body


def test_a_cookie_or_a_parameter_is_no_token(lighthouse):
    cookie = ("Cookie", f"token={lighthouse.token}; recairn.token={lighthouse.token}")
    for path in (DATA, f"{DATA}?token={lighthouse.token}&access_token={lighthouse.token}"):
        assert lighthouse.send("GET", path, [ours(lighthouse), cookie]).status == 401


def test_the_shell_and_its_files_hold_no_data_and_set_no_cookie(lighthouse):
    for path in ("/", "/app.js", "/page.css"):
        answer = lighthouse.send("GET", path, [ours(lighthouse)])
        assert answer.status == 200
        assert b"lantern" not in answer.body
        assert lighthouse.key.encode() not in answer.body
        assert "set-cookie" not in answer.headers


def test_the_key_works_once(lighthouse):
    assert lighthouse.token
    again = lighthouse.ask("POST", "/api/key", {"key": lighthouse.key}, token="")
    assert again.status == 403


def test_a_key_that_is_no_text_is_a_wrong_key(lighthouse):
    answer = lighthouse.ask("POST", "/api/key", {"key": "\ud800"}, token="")
    assert answer.status == 403
    assert answer.headers["content-security-policy"] == POLICY


def test_a_key_is_too_old_after_ten_minutes():
    now = [0.0]
    keys = Keys(clock=lambda: now[0])
    now[0] = KEY_LASTS_S + 1
    assert keys.exchange(keys.key) is None


def test_a_key_in_time_brings_a_token_that_no_other_text_equals():
    keys = Keys(clock=lambda: 0.0)
    token = keys.exchange(keys.key)
    assert token is not None
    assert keys.knows(token)
    assert not keys.knows(token + "x")
    assert not keys.knows("\ud800")


# 4. The page that asks is ours


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://{host}", "http://127.0.0.1:1", "http://{host}.evil"],
)
def test_another_origin_is_refused_even_with_the_token(lighthouse, origin):
    header = ("Origin", origin.format(host=lighthouse.host))
    assert asked(lighthouse, ours(lighthouse), header).status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_another_site_is_refused_for_every_path(lighthouse, site):
    for path in ("/", "/app.js", DATA):
        answer = asked(lighthouse, ours(lighthouse), ("Sec-Fetch-Site", site), path=path)
        assert answer.status == 403


def test_no_other_origin_is_ever_allowed_in(lighthouse):
    preflight = [
        ours(lighthouse),
        ("Origin", "http://evil.example"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization"),
    ]
    answer = lighthouse.send("OPTIONS", DATA, preflight)
    assert answer.status == 403
    assert [name for name in answer.headers if name.startswith("access-control")] == []


# 5. Writes are JSON


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_what_a_form_of_another_page_can_send_is_not_taken(lighthouse, kind):
    body = json.dumps({"reason": "x"}).encode()
    headers = [ours(lighthouse), ("Authorization", f"Bearer {lighthouse.token}")]
    headers += [("Content-Type", kind)] if kind else []
    headers.append(("Content-Length", str(len(body))))
    assert lighthouse.send("POST", "/api/tasks/t-oil/block", headers, body).status == 415
    assert lighthouse.get("/api/tasks/t-oil")["status"] == "open"


def test_more_than_a_megabyte_is_not_taken_announced_or_not(lighthouse):
    token = ("Authorization", f"Bearer {lighthouse.token}")
    common = [ours(lighthouse), token, ("Content-Type", "application/json")]
    announced = [*common, ("Content-Length", str(MOST_BYTES + 1))]
    assert lighthouse.send("POST", "/api/undo", announced, b"{").status == 413
    piece = b"x" * 65_536
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for _ in range(17)) + b"0\r\n\r\n"
    chunked = [*common, ("Transfer-Encoding", "chunked")]
    assert lighthouse.send("POST", "/api/undo", chunked, chunks).status == 413


@pytest.mark.parametrize("body", [b"[1]", b"nonsense", b"[" * 100_000, b'"x"', b"\xff"])
def test_a_body_that_is_no_object_is_refused(lighthouse, body):
    headers = [ours(lighthouse), ("Authorization", f"Bearer {lighthouse.token}")]
    headers += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    assert lighthouse.send("POST", "/api/undo", headers, body).status == 400


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"])
def test_other_methods_are_not_known(lighthouse, method):
    assert lighthouse.ask(method, "/api/memories/1").status == 405


# 6. The policy stands on every answer


@pytest.mark.parametrize(
    ("method", "path", "host"),
    [
        ("GET", "/", ""),
        ("GET", "/page.css", ""),
        ("GET", DATA, ""),
        ("GET", "/api/memories/999", ""),
        ("GET", "/no/such/file", ""),
        ("GET", "/", "evil.example"),
        ("DELETE", "/", ""),
        ("POST", "/", ""),
    ],
)
def test_every_answer_forbids_what_is_not_ours(lighthouse, method, path, host):
    answer = lighthouse.send(
        method,
        path,
        [("Host", host or lighthouse.host), ("Authorization", f"Bearer {lighthouse.token}")],
    )
    told = {name: answer.headers.get(name.decode()) for name, _ in HEADERS}
    assert told == {name: value.decode() for name, value in HEADERS}
    assert "server" not in answer.headers


@pytest.mark.parametrize(
    "request_",
    [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: {host}\r\nX: {long}",
        "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}x",
        "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: +2\r\n\r\n{{}}",
        "nonsense\r\n\r\n",
    ],
    ids=["no name", "too long", "two lengths", "odd length", "no HTTP"],
)
def test_what_is_no_http_is_refused_under_the_same_policy(lighthouse, request_):
    sent = request_.format(host=lighthouse.host, long="x" * 100_000)
    with socket.create_connection(("127.0.0.1", lighthouse.port), timeout=10) as line:
        line.sendall(sent.encode())
        answer = line.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert POLICY.encode() in answer


def test_the_policy_lets_nothing_in_and_makes_text_of_everything():
    for rule in (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "form-action 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
    ):
        assert rule in POLICY
    assert "unsafe" not in POLICY


# 8. Limits


def test_who_guesses_keys_is_stopped_and_so_is_the_right_key():
    now = [0.0]
    keys = Keys(clock=lambda: now[0])
    for _ in range(WRONG_KEYS):
        assert keys.exchange("guess") is None
    with pytest.raises(TooManyWrongKeys):
        keys.exchange(keys.key)
    now[0] = 61.0
    assert keys.exchange(keys.key)


def test_a_very_long_address_is_refused(lighthouse):
    assert lighthouse.ask("GET", f"/api/search?q={'x' * 9_000}").status == 414


def test_more_streams_than_allowed_are_refused_and_the_rest_goes_on(lighthouse):
    from recairn.surfaces.web.pulse import MOST_STREAMS

    head = (
        f"GET /api/changes HTTP/1.1\r\nHost: {lighthouse.host}\r\n"
        f"Authorization: Bearer {lighthouse.token}\r\n\r\n"
    ).encode()
    open_ones = []
    try:
        for _ in range(MOST_STREAMS):
            stream = socket.create_connection(("127.0.0.1", lighthouse.port), timeout=10)
            open_ones.append(stream)
            stream.sendall(head)
            assert b" 200 " in stream.recv(65_536)
        assert lighthouse.ask("GET", "/api/changes").status == 503
        assert lighthouse.get(DATA)["project"] == "lantern"
        assert MOST_STREAMS < MOST_REQUESTS
    finally:
        for stream in open_ones:
            stream.close()


# 9. No files, no settings


@pytest.mark.parametrize(
    "path",
    [
        "/../keys.py",
        "/%2e%2e/keys.py",
        "/..%2fkeys.py",
        "//etc/passwd",
        "/page/index.html",
        "/lit-html-3.3.3/LICENSE",
        "/lit-html-3.3.3/SHA-256",
        "/index.html/",
        "/app.js%00.html",
        "/api/overview/",
        "//evil.example/api/overview",
    ],
)
def test_nothing_is_served_but_the_files_of_the_page(lighthouse, path):
    answer = lighthouse.ask("GET", path)
    assert answer.status == 404
    assert b"def " not in answer.body
    assert b"root:" not in answer.body


@pytest.mark.parametrize(
    "changes", [{"immutable": False}, {"author": "person"}, {"trust": "verified"}, {"uid": "x"}]
)
def test_what_the_page_may_not_change_is_refused(lighthouse, changes):
    answer = lighthouse.ask("POST", "/api/memories/1/edit", {"changes": changes})
    assert answer.status == 400


def test_no_address_sets_a_setting_or_runs_anything():
    from recairn.surfaces.web.answers import ROUTES

    named = {path for method, path, _ in ROUTES if method == "POST"}
    assert named == {
        "/api/misses",
        "/api/memories/bulk",
        "/api/memories/{id}/{act}",
        "/api/undo",
        "/api/sessions/{id}/undo",
        "/api/try",
        "/api/tasks/{id}/{act}",
        "/api/projects/rename",
        "/api/projects/merge",
    }


# 10. Looking is no use


def test_looking_counts_as_no_use(lighthouse):
    before = lighthouse.get("/api/memories/1")
    for path in (
        "/api/search?q=lamp",
        "/api/memories/1",
        "/api/memories",
        "/api/memories/1/similar",
    ):
        lighthouse.get(path)
    lighthouse.post("/api/try", {"prompt": "why does the lamp turn with a motor?"})
    after = lighthouse.get("/api/memories/1")
    assert (after["usage_count"], after["last_used_at"]) == (0, None)
    assert after["handed_out"] == before["handed_out"] == []
