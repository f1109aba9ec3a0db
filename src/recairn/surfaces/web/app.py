"""The application: files of the page, the answers of the API, and the live stream."""

from __future__ import annotations

import json
import traceback
from functools import partial

from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from recairn.core import errors
from recairn.surfaces.web.answers import ROUTES
from recairn.surfaces.web.files_of_page import page_files
from recairn.surfaces.web.parameters import Parameters
from recairn.surfaces.web.pulse import Pulse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any

    from starlette.requests import Request
    from starlette.types import Scope

    from recairn.engine import Recairn
    from recairn.surfaces.web.desk import Desk

    Work = Callable[[Recairn, Parameters], dict[str, Any]]
    Endpoint = Callable[[Request], Awaitable[Response]]

# From the most special error to the most general one.
_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (errors.BadInput, 400),
    (errors.NotFound, 404),
    (errors.Ambiguous, 400),
    (errors.Refused, 409),
    (errors.StoreBusy, 503),
    (errors.StoreFull, 507),
    (errors.StoreReadOnly, 403),
    (errors.StoreAbsent, 404),
)
_SERVER_TROUBLE = 500
_NAMED_BY_AGENTS = ("/api/sessions/", "/api/tasks/")


def application(
    desk_of: Callable[[Scope], Desk],
    pulse: Pulse,
    offered: Sequence[tuple[str, str, Work]] = ROUTES,
) -> Starlette:
    """What answers behind the border, at the desk of who asks."""
    routes = [Route(path, _file(*file), methods=["GET"]) for path, file in page_files().items()]
    routes += [Route(_way(path), _api(desk_of, work), methods=[how]) for how, path, work in offered]
    routes.append(Route("/api/changes", _changes(pulse), methods=["GET"]))
    made = Starlette(routes=routes, exception_handlers={404: _nothing, 405: _nothing})
    made.router.redirect_slashes = False  # an address is ours or not; none leads elsewhere
    return made


def _way(path: str) -> str:
    """An address as the router reads it: ids that agents make up may hold a slash."""
    return path.replace("{id}", "{id:path}") if path.startswith(_NAMED_BY_AGENTS) else path


def _file(body: bytes, media_type: str) -> Endpoint:
    async def answer(request: Request) -> Response:
        return Response(body, media_type=media_type)

    return answer


def _api(desk_of: Callable[[Scope], Desk], work: Work) -> Endpoint:
    async def answer(request: Request) -> Response:
        parameters = Parameters(
            request.path_params, dict(request.query_params), request.scope.get("recairn.body")
        )
        try:
            call = partial(_work, work, parameters)
            desk = desk_of(request.scope)
            return _document(await desk.call(parameters.text("project"), call))
        except errors.RecairnError as error:
            return _trouble(error)
        except Exception as error:
            return _fault(error)

    return answer


def _work(work: Work, parameters: Parameters, memory: Recairn) -> dict[str, Any]:
    return work(memory, parameters)


def _changes(pulse: Pulse) -> Endpoint:
    async def answer(request: Request) -> Response:
        if pulse.is_full:
            return _trouble(errors.StoreBusy("too many pages listen", "close one of them"))
        return StreamingResponse(pulse.stream(), media_type="text/event-stream")

    return answer


async def _nothing(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return _document(_error("NotFound", "there is nothing here", "/ is the page"), status)


def _trouble(error: errors.RecairnError) -> Response:
    from recairn.surfaces.web.answers.acts import conflict_json

    statuses = [status for kind, status in _STATUS if isinstance(error, kind)]
    document = _error(type(error).__name__, error.message, error.hint)
    theirs = conflict_json(error)
    if theirs is not None:
        document["conflict"] = theirs
    return _document(document, statuses[0] if statuses else _SERVER_TROUBLE)


def _fault(error: Exception) -> Response:
    """A mistake of ours: the page gets a sentence, the terminal of `serve` the whole of it."""
    traceback.print_exception(error)
    words = f"recairn made a mistake ({type(error).__name__})"
    hint = "the terminal of `recairn serve` shows where"
    return _document(_error("Fault", words, hint), _SERVER_TROUBLE)


def _error(kind: str, message: str, hint: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": message, "hint": hint}}


def _document(document: Any, status: int = 200) -> Response:
    # Text from elsewhere may hold half a character (a lone surrogate): it is shown as such.
    body = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return Response(body, status, media_type="application/json")
