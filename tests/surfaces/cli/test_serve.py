"""`recairn serve` as it is typed; tests/surfaces/web has the page itself."""

from __future__ import annotations

import socket

import pytest


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "example.org", "::"])
def test_another_host_than_this_machine_is_refused(recairn, host):
    ran = recairn("serve", "--host", host)
    assert ran.status == 1
    assert "this machine alone" in ran.err


def test_a_port_that_somebody_has_is_named(recairn):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ran = recairn("serve", "--port", str(port))
    assert ran.status == 1
    assert f"port {port} cannot be had" in ran.err


@pytest.mark.parametrize("port", ["-1", "65536", "http", "9" * 30])
def test_a_port_that_is_none_is_a_usage_error(recairn, port):
    assert recairn("serve", f"--port={port}").status == 2
