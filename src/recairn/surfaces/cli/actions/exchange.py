"""Handlers of the commands that bring memories to files and back."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.surfaces.render.text import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from recairn.engine import Recairn
    from recairn.surfaces.cli.call import Call

FORMATS = ("jsonl", "json", "markdown", "csv")
_COMPLETE = ("jsonl", "json")


def export(call: Call) -> None:
    form = call.arguments.get("format", "jsonl")
    target = call.arguments.get("file") or "-"
    if form in _COMPLETE and call.arguments.get("kind"):
        raise BadInput(f"{form} is always complete", "--kind goes with --format markdown or csv")
    with call.open() as memory:
        lines = _lines(call, memory, form)
        if target == "-":
            try:
                for line in lines:
                    call.screen.out.write(line)
            finally:
                lines.close()  # whoever stopped reading left the snapshot open
            return
        from recairn.host.files import write_lines

        count = write_lines(target, lines)
    if call.json:
        call.screen.document({"path": target, "format": form, "bytes": count})
    else:
        call.screen.note(f"Wrote {target} ({count:,} bytes)")


def _lines(call: Call, memory: Recairn, form: str) -> Generator[str]:
    from recairn.surfaces.render import exports

    if form == "jsonl":
        return exports.jsonl_lines(memory.export_records())
    if form == "json":
        return exports.json_lines(memory.export_records())
    records = memory.every_memory(call.arguments.get("kind", ()))
    return exports.csv_lines(records) if form == "csv" else exports.markdown_lines(records)


def move(call: Call) -> int:
    from recairn.surfaces.cli.call import Bar

    if "to" not in call.arguments:
        raise BadInput("move needs an address", "recairn move --to ADDRESS")
    dry_run = "dry_run" in call.arguments
    with call.open() as memory, Bar(call.screen, "moved") as bar:
        done = memory.move_to(call.arguments["to"], dry_run=dry_run, report=bar)
    taken = done.taken
    counts = {
        "added": len(taken.added),
        "changed": len(taken.updated) + len(taken.joined),
        "unchanged": taken.unchanged,
    }
    if call.json:
        document = {"to": done.to, "memories": done.memories, **counts, "dry_run": dry_run}
        call.screen.document({**document, "missing": list(done.missing), "short": dict(done.short)})
    else:
        listed = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        what = "Would bring" if dry_run else "Brought"
        call.say(f"{what} {memories(done.memories)} to {done.to}: {listed}")
    for problem in taken.problems:
        call.screen.note(f"note: {problem}")
    for noun, count in done.short.items():
        call.screen.note(f"recairn: {count:,} {noun} fewer there than here; move once more")
    if done.missing:
        gone = memories(len(done.missing))
        call.screen.note(f"recairn: {gone} did not arrive; move once more")
    return 1 if done.missing or done.short or taken.problems else 0
