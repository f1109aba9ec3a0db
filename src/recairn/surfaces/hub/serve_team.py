"""`recairn serve`: the page for who works alone, or with `--team` all that a team's server is."""

from __future__ import annotations

import os
import socket
import sys

from recairn.core.errors import BadOption, NotFound, Refused
from recairn.host.project import is_address
from recairn.surfaces.web.serve import LOOPBACK, USUAL_PORT, check_extra, listening, port_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.surfaces.hub.desks import Desks
    from recairn.surfaces.hub.gate import Gate, Part

_FOR_TEAMS = ("public_url", "audit")
# Callers that wait to be taken: a whole team comes back at once after a restart.
_BACKLOG = 2_048
# What shows what each member asked and was told: in a file nothing keeps members apart.
_OWN_ROUTES = ("/api/sessions", "/api/ledger", "/api/health", "/api/review")


def run(call: Any) -> int:
    """The handler of the command."""
    arguments = call.arguments
    if not arguments.get("team"):
        for name in _FOR_TEAMS:
            if name in arguments:
                raise BadOption(f"--{name.replace('_', '-')} is for a team's server", "add --team")
        from recairn.surfaces.web.serve import run as run_page

        return run_page(call)
    check_extra("a team's server")
    return _serve_team(call)


def _serve_team(call: Any) -> int:
    arguments = call.arguments
    address = call.database()
    if not is_address(address) and not os.path.exists(address):
        raise NotFound(
            f"there is no team at {address}", "recairn team create NAME makes one, --db names it"
        )
    bound = _bound(arguments.get("host"), port_typed(arguments.get("port")))
    port = bound.getsockname()[1]
    host = arguments.get("host") or "127.0.0.1"
    url = _public(arguments.get("public_url"), host, port)
    from recairn.surfaces.hub.desks import Desks

    desks = Desks(address)
    _check_team(desks)
    if call.json:
        call.screen.document({"url": url, "port": port})
    else:
        call.say(f"The team is served at {url}")
        call.screen.note(f"Members come in with: recairn team join {url}. Ctrl-C ends it.")
    sys.stdout.flush()
    _run(bound, desks, _gate(desks, url, port), arguments.get("audit"))
    return 0


def _bound(host: str | None, port: int | None) -> socket.socket:
    host = host or "127.0.0.1"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return listening(family, host, USUAL_PORT if port is None else port, _BACKLOG)
    except OSError as error:
        raise Refused(
            f"{host} cannot be listened on: {error.strerror}", "name another --port or --host"
        ) from None


def _public(url: str | None, host: str, port: int) -> str:
    """The address that members type. Where it leads over a network, it is https."""
    from urllib.parse import urlsplit

    if url is None:
        if host not in LOOPBACK:
            raise BadOption(
                f"{host} is reached from elsewhere, under a name that this server must know",
                "--public-url https://NAME, as your proxy shows it",
            )
        return f"http://127.0.0.1:{port}"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise BadOption(f"--public-url is https://NAME and no more, got {url!r}")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise BadOption(
            f"tokens do not travel unencrypted to {parts.hostname}",
            "put a proxy with TLS in front, and name it: --public-url https://…",
        )
    return f"{parts.scheme}://{parts.netloc}"


def _check_team(desks: Desks) -> None:
    """Trouble with the memory, or a team without members, is told before anybody asks."""
    from recairn.engine import open_as_allowed

    with open_as_allowed(desks.address, project="", create=False) as memory:
        if not memory.members():
            raise NotFound(
                "the team has no members yet", "recairn member add NAME --role admin, member token"
            )


def _gate(desks: Desks, url: str, port: int) -> Gate:
    from recairn.surfaces.hub.callers import Callers
    from recairn.surfaces.hub.gate import Gate

    name = url.partition("://")[2]
    # Who asks from this machine is a proxy that keeps its own name, or somebody who tries it.
    own = {f"127.0.0.1:{port}", f"localhost:{port}"}
    origins = {url} if name not in own else {f"http://{host}" for host in own}
    return Gate(
        hosts=frozenset({name, *own}),
        origins=frozenset(origins),
        desks=desks,
        callers=Callers(),
    )


def _run(bound: socket.socket, desks: Desks, gate: Gate, audit_file: str | None) -> None:
    from recairn.surfaces.hub import sync_door
    from recairn.surfaces.hub.api import Api
    from recairn.surfaces.hub.audit import Audit
    from recairn.surfaces.hub.counters import Metrics
    from recairn.surfaces.hub.gate import CALLER
    from recairn.surfaces.hub.mcp_door import ADDRESS, Mcp
    from recairn.surfaces.hub.news import News
    from recairn.surfaces.web.answers import ROUTES
    from recairn.surfaces.web.app import application
    from recairn.surfaces.web.desk import Desk
    from recairn.surfaces.web.pulse import Pulse
    from recairn.surfaces.web.serve import run_server
    from recairn.surfaces.web.watch import Watch

    audit = Audit(audit_file)
    watch = Watch(Desk(desks.address, "", desks.threads))
    pulse = Pulse(watch)
    apart = is_address(desks.address)
    routes = [route for route in ROUTES if apart or not route[1].startswith(_OWN_ROUTES)]
    gate.page = application(lambda scope: desks.of(scope[CALLER]), pulse, routes)
    metrics, news = Metrics(), News(desks)
    parts: dict[str, Part] = {
        "/api": Api(gate.page, audit),
        ADDRESS: Mcp(desks, audit),
        sync_door.ADDRESS: sync_door.Sync(desks, gate.callers, news, audit, metrics),
    }
    gate.open(metrics, audit, parts)
    pulse.also_ends = news.end
    try:
        run_server(gate, [bound], pulse)
    finally:
        watch.close()
        desks.close()
