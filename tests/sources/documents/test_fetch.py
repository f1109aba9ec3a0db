"""Pages are fetched on request, within limits, and never from where nobody asked to look."""

import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from recairn.core.errors import BadInput, Refused
from recairn.sources.documents.fetch import fetch


class Harbour(BaseHTTPRequestHandler):
    def do_GET(self):
        port = self.headers["Host"].rpartition(":")[2]
        leads = {
            "/here": "/page",
            "/file": "file:///etc/passwd",
            "/name": f"http://localhost:{port}/page",
            "/round": "/round",
        }
        if self.path in leads:
            self.send_response(302)
            self.send_header("Location", leads[self.path])
            self.end_headers()
            return
        self.send_response(200 if self.path != "/none" else 404)
        kind = "image/png" if self.path == "/picture" else "text/html; charset=utf-8"
        self.send_header("Content-Type", kind)
        self.end_headers()
        size = 6_000_000 if self.path == "/large" else 1
        self.wfile.write(b"<h1>Harbour</h1><p>Boats rest here.</p>" + b" " * size)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def harbour():
    server = HTTPServer(("127.0.0.1", 0), Harbour)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_page_is_read_with_its_format(harbour):
    page = fetch(f"{harbour}/here")
    assert (page.format, page.raw.strip()) == ("html", b"<h1>Harbour</h1><p>Boats rest here.</p>")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/large", "larger than 5 MB"),
        ("/picture", "image/png, no text"),
        ("/none", "answered 404"),
        ("/round", "from one address to the next"),
    ],
)
def test_what_is_no_page_is_told(harbour, path, why):
    with pytest.raises(BadInput, match=why):
        fetch(harbour + path)


@pytest.mark.parametrize("path", ["/file", "/name"])
def test_a_redirect_leads_neither_to_another_scheme_nor_to_a_private_place(harbour, path):
    with pytest.raises(Refused):
        fetch(harbour + path)


def test_a_name_that_means_a_private_address_is_refused(monkeypatch):
    place = [(2, 1, 6, "", ("10.0.0.7", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: place)
    with pytest.raises(Refused, match="private network"):
        fetch("http://harbour.example/")


@pytest.mark.parametrize("url", ["ftp://harbour.example/", "http:///x", "http://me@127.0.0.1/"])
def test_only_plain_addresses_are_fetched(url):
    with pytest.raises(Refused):
        fetch(url)


def test_a_page_is_only_added_on_request_and_read_again_on_request(memory, harbour):
    url = f"{harbour}/page"
    with pytest.raises(Refused, match="was not fetched"):
        memory.add_documents([url])
    assert memory.add_documents([url], fetch=True).documents == (("added", url),)
    assert memory.refresh_documents(prune=True).documents == ()
    assert memory.refresh_documents(fetch=True).documents == (("unchanged", url),)
    (hit,) = memory.search("where do boats rest", docs=True).hits
    assert hit.memory.fields["path"] == url
