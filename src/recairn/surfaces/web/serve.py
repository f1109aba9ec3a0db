"""`recairn serve`: one process on this machine alone, until Ctrl-C."""

from __future__ import annotations

import socket
import sys

from recairn.core.errors import BadOption, RecairnError, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from starlette.types import ASGIApp

    from recairn.surfaces.web.pulse import Pulse

# Where the page is looked for; another free one is taken when somebody else has it.
USUAL_PORT = 7440
LOOPBACK = ("127.0.0.1", "::1", "localhost")
_MOST_PORTS = 65_535
# Seconds that answers under way get after Ctrl-C.
LAST_ANSWERS_S = 1


def run(call: Any) -> int:
    """The handler of the command."""
    arguments = call.arguments
    _check_host(arguments.get("host"))
    check_extra()
    from recairn.surfaces.web.desk import Desk
    from recairn.surfaces.web.keys import KEY_LASTS_S, Keys

    sockets = _sockets(port_typed(arguments.get("port")))
    port = sockets[0].getsockname()[1]
    keys = Keys()
    desk = Desk(arguments.get("db"), arguments.get("act_in"))
    url = f"http://127.0.0.1:{port}/#key={keys.key}"
    if call.json:
        call.screen.document({"url": url, "port": port})
    else:
        call.say(f"The page is at {url}")
        call.screen.note(
            f"The key works once, within {KEY_LASTS_S / 60:.0f} minutes. Ctrl-C ends the page."
        )
    sys.stdout.flush()
    if arguments.get("open"):
        import webbrowser

        webbrowser.open(url)
    _serve(sockets, desk, keys)
    return 0


def _check_host(host: str | None) -> None:
    if host is not None and host not in LOOPBACK:
        raise Refused(
            f"the page is served on this machine alone, not on {host}",
            "leave --host out; from elsewhere: ssh -L 7440:127.0.0.1:7440 this-machine;"
            " for a team: --team",
        )


def check_extra(what: str = "the page") -> None:
    try:
        import starlette
        import uvicorn
    except ImportError as error:
        raise RecairnError(
            f"{what} needs the package {error.name}", "pip install 'recairn[web]'"
        ) from None
    del starlette, uvicorn


def port_typed(typed: str | int | None) -> int | None:
    if typed is None:
        return None
    text = str(typed)
    if not text.isascii() or not text.isdigit() or int(text[:6]) > _MOST_PORTS:
        raise BadOption(f"--port is a number up to {_MOST_PORTS}, got {typed!r}")
    return int(text)


def _sockets(port: int | None) -> list[socket.socket]:
    """127.0.0.1 and, where there is one, ::1 with the same port."""
    try:
        first = listening(socket.AF_INET, "127.0.0.1", USUAL_PORT if port is None else port)
    except OSError as error:
        if port is not None:
            raise Refused(
                f"port {port} cannot be had: {error.strerror}", "leave --port out, or name another"
            ) from None
        first = listening(socket.AF_INET, "127.0.0.1", 0)
    try:
        return [first, listening(socket.AF_INET6, "::1", first.getsockname()[1])]
    except OSError:
        return [first]  # a machine without it, or the port is somebody else's there


def listening(
    family: socket.AddressFamily, host: str, port: int, backlog: int = 64
) -> socket.socket:
    """A socket that listens; `backlog` callers may wait to be taken."""
    made = socket.create_server((host, port), family=family, backlog=backlog)
    # Those it takes inherit it, and asyncio does not set it for them. Head and body of an answer
    # are sent apart: without it the body waits 40 ms for the browser to confirm the head.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def hosts_of(sockets: list[socket.socket]) -> set[str]:
    """The names under which these sockets are ours, as a browser writes them."""
    port = sockets[0].getsockname()[1]
    hosts = {f"127.0.0.1:{port}"}
    if len(sockets) > 1:
        # `localhost` may mean either; where ::1 is not ours it could be somebody else's page.
        hosts |= {f"[::1]:{port}", f"localhost:{port}"}
    return hosts


def _serve(sockets: list[socket.socket], desk: Any, keys: Any) -> None:
    from recairn.surfaces.web.app import application
    from recairn.surfaces.web.border import Border
    from recairn.surfaces.web.pulse import Pulse
    from recairn.surfaces.web.watch import Watch

    watch = Watch(desk)
    pulse = Pulse(watch)
    app = application(lambda scope: desk, pulse)
    try:
        run_server(Border(app, hosts=hosts_of(sockets), keys=keys), sockets, pulse)
    finally:
        watch.close()
        desk.close()


def run_server(app: ASGIApp, sockets: list[socket.socket], pulse: Pulse) -> None:
    """Answers until a signal comes; the streams of a pulse are ended first."""
    import uvicorn

    from recairn.surfaces.web.strict_http import StrictHttp

    class Server(uvicorn.Server):
        """Ends the streams first: uvicorn waits for what is open."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            end_streams(pulse)
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app,
        http=StrictHttp,
        ws="none",
        loop="asyncio",
        lifespan="off",
        access_log=False,
        log_level="critical",
        server_header=False,
        h11_max_incomplete_event_size=16_384,
        timeout_graceful_shutdown=LAST_ANSWERS_S,
    )
    try:
        Server(config).run(sockets=sockets)
    except KeyboardInterrupt:
        sys.stderr.write("\n")


def end_streams(pulse: Pulse) -> None:
    """From a signal handler, which runs between two steps of the loop."""
    import asyncio

    try:
        asyncio.get_running_loop().call_soon_threadsafe(pulse.end)
    except RuntimeError:
        pulse.end()
