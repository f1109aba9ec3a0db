"""Handler of the command that imports."""

from __future__ import annotations

from recairn.render.imports import found_json, found_text, import_json, import_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.cli.call import Call


def import_(call: Call) -> int:
    from recairn.cli.progress import Bar
    from recairn.ingest import SOURCES

    given = call.given
    if given["format"] is None:
        return _tell_what_there_is(call)
    named = given["format"] in SOURCES
    source, path = (given["format"], given["file"]) if named else (None, given["format"])
    if not named and given["file"] is not None:
        from recairn.kinds import one_of

        one_of("format", given["format"], tuple(SOURCES))
    with call.open() as memory, Bar(call.screen, "imported, MB", unit=1_000_000) as bar:
        done = memory.import_from(
            path, source, dry_run="dry_run" in given, restore="restore" in given, report=bar
        )
        notice = memory.meaning.notice
    if call.json:
        call.screen.document({"imports": [import_json(each) for each in done]})
    else:
        for each in done:
            call.screen.write(import_text(each))
            for warning in each.warnings:
                call.screen.note(f"warning: {warning}")
    for each in done:
        for error in () if call.json else each.errors:
            call.screen.note(f"recairn: {' '.join(error.place.split())}: {error.why}")
    if notice:
        call.screen.note(f"note: {notice}")
    return 1 if any(each.failed for each in done) else 0


def _tell_what_there_is(call: Call) -> int:
    """Names what could be imported, each with its command; which of it, is not ours to choose."""
    import os

    from recairn.ingest import SOURCES
    from recairn.ingest.found import importable
    from recairn.projects import root_of

    folder = root_of(os.getcwd()) or os.getcwd()
    found = importable(folder)
    if call.json:
        call.screen.document({"imports": [], "found": [found_json(each) for each in found]})
    else:
        call.screen.write(found_text(found, folder, tuple(SOURCES)))
    return 0
