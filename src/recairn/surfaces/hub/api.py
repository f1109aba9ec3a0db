"""The page's API behind the gate: acts are a writer's, settings of the team an admin's."""

from __future__ import annotations

from recairn.core.members import ADMIN, WRITER, may
from recairn.surfaces.hub.gate import CALLER, HEADERS_READ
from recairn.surfaces.web.border import MOST_BYTES, Refusal, body_of, json_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from recairn.surfaces.hub.audit import Audit

# Addresses below which things of the whole team, or of the machine, are shown or changed.
_FOR_ADMINS = ("/api/projects/", "/api/health")
# What is sent with POST and changes nothing.
_QUESTIONS = ("/api/try",)


class Api:
    """The part of the server at /api."""

    def __init__(self, page: ASGIApp, audit: Audit) -> None:
        self._page, self._audit = page, audit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller, path, method = scope[CALLER], scope["path"], scope["method"]
        if path.startswith(_FOR_ADMINS) and not may(caller.role, ADMIN):
            raise Refusal(403, "this is for admins of the team")
        if method == "POST":
            headers = scope[HEADERS_READ]
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise Refusal(415, "only application/json is taken")
            if path not in _QUESTIONS and not may(caller.role, WRITER):
                raise Refusal(403, f"{caller.member} is a {caller.role} of the team, who reads")
            scope["recairn.body"] = json_object(await body_of(receive, MOST_BYTES))
            self._audit.note("api", caller, path=path)
        elif method not in ("GET", "HEAD"):
            raise Refusal(405, f"{method} is not known here")
        await self._page(scope, receive, send)
