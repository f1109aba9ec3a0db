"""Handler of the command that imports."""

from __future__ import annotations

from recairn.core.errors import RecairnError, StoreError
from recairn.surfaces.render.imports import import_json, import_text, offer_json, offers_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.sources.format import ImportSummary
    from recairn.surfaces.cli.call import Call


def import_(call: Call) -> int:
    from recairn.sources.format import ImportStopped
    from recairn.surfaces.cli.call import Bar

    if call.arguments["format"] is None:
        return _tell_what_there_is(call)
    source, paths = _format_and_files(call)
    summaries: list[ImportSummary] = []
    troubles: list[RecairnError] = []
    with call.open() as memory, Bar(call.screen, "imported, MB", unit=1_000_000) as bar:
        for path in paths:
            try:
                summaries += memory.import_from(
                    path,
                    source,
                    dry_run="dry_run" in call.arguments,
                    restore="restore" in call.arguments,
                    prune="prune" in call.arguments,
                    as_mine="as_mine" in call.arguments,
                    report=bar,
                )
            except RecairnError as trouble:
                if len(paths) == 1 or isinstance(trouble, StoreError):
                    raise
                troubles.append(trouble)
            except KeyboardInterrupt as stop:
                kept = stop.kept if isinstance(stop, ImportStopped) else 0
                before = sum(summary.added for summary in summaries if not summary.dry_run)
                return _stopped(call, path, before + kept)
        notice = memory.embedding_notice
    _say(call, summaries)
    for error in troubles:
        call.screen.note(f"recairn: {error.message}")
    if notice:
        call.screen.note(f"note: {notice}")
    return 1 if troubles or any(one.failed for one in summaries) else 0


def _stopped(call: Call, path: str | None, added: int) -> int:
    """Says what an interrupted run has left; its status is that of any interrupted program."""
    from recairn.sources.jsonl import is_export
    from recairn.surfaces.cli import INTERRUPTED
    from recairn.surfaces.render.text import memories

    if path is not None and is_export(path):
        kept = f"an export comes whole or not at all: nothing of {path} was taken in"
    else:
        kept = f"{memories(added)} came in and stay; the same command goes on from there"
    call.screen.note(f"recairn: stopped; {kept}")
    return INTERRUPTED


def _format_and_files(call: Call) -> tuple[str | None, list[str | None]]:
    """The format, where one was named, and the files; none for what the project holds of it."""
    from os.path import lexists

    from recairn.core.kinds import one_of
    from recairn.sources import SOURCES

    first, rest = call.arguments["format"], call.arguments["file"]
    if first in SOURCES:
        return first, list(rest) or [None]
    if rest and not lexists(first):
        one_of("format", first, tuple(SOURCES))
    return None, [first, *rest]


def _say(call: Call, summaries: list[ImportSummary]) -> None:
    if call.json:
        call.screen.document({"imports": [import_json(summary) for summary in summaries]})
        return
    for summary in summaries:
        call.screen.write(import_text(summary))
        call.screen.warn(summary.warnings)
    for summary in summaries:
        for error in summary.errors:
            call.screen.note(f"recairn: {' '.join(error.place.split())}: {error.reason}")


def _tell_what_there_is(call: Call) -> int:
    """Names what could be imported, each with its command; which of it, is not ours to choose."""
    import os

    from recairn.host.project import root_of
    from recairn.sources import SOURCES
    from recairn.sources.discovery import importable

    folder = root_of(os.getcwd()) or os.getcwd()
    offers = importable(folder)
    if call.json:
        call.screen.document({"imports": [], "found": [offer_json(offer) for offer in offers]})
    else:
        call.screen.write(offers_text(offers, folder, tuple(SOURCES)))
    return 0
