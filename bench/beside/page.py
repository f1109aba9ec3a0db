"""docs/benchmarks.md and its plots, made from the figures of one run and from nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from .plots import plots
from .tables import COSTS, TIE, Run, conduct_table, cost_table, losses, quality_table

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
FOLDER = DOCS / "benchmarks"
FIGURES = FOLDER / "peers.json"

# What the quality costs, in two tables that a page can show whole.
_RUNNING = COSTS[:7]
_KEEPING = COSTS[7:]

# The words of the page; its figures come from a run.
_WORDS = Path(__file__).with_name("page.md")


def report(run: Run) -> list[str]:
    """What the command prints."""
    return [
        _about(run),
        "",
        *(f"{each['name']} {each['version']}: {each['notes']}" for each in run["systems"]),
        *(f"not there: {each}" for each in run["absent"]),
        "",
        *quality_table(run),
        "",
        *cost_table(run, _RUNNING),
        "",
        *cost_table(run, _KEEPING),
        "",
        *conduct_table(run),
        "",
        "Where recairn loses:",
        *(f"- {line}" for line in losses(run)),
    ]


def text(run: Run) -> str:
    """The page."""
    systems = [
        f"- **{each['name']}** {each['version']}: {each['notes']}" for each in run["systems"]
    ]
    systems += [f"- Not there: {each}" for each in run["absent"]]
    return _WORDS.read_text().format(
        about=_about(run),
        systems="\n".join(systems),
        quality="\n".join(quality_table(run)),
        running="\n".join(cost_table(run, _RUNNING)),
        keeping="\n".join(cost_table(run, _KEEPING)),
        memories=run["memories"],
        tie=TIE,
        conduct="\n".join(conduct_table(run)),
        erased=_erased(run),
        losses="\n".join(f"- {line}" for line in losses(run)) or "Nowhere in this run.",
    )


def files(run: Run) -> dict[Path, str]:
    """The page and its plots."""
    drawn = {FOLDER / name: content for name, content in plots(run).items()}
    return {DOCS / "benchmarks.md": text(run), **drawn}


def write(run: Run) -> None:
    FOLDER.mkdir(exist_ok=True)
    FIGURES.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n")
    for path, content in files(run).items():
        path.write_text(content)
        print(f"wrote {path}")


def kept() -> Run:
    """The run that the page shows."""
    return json.loads(FIGURES.read_text())


def _about(run: Run) -> str:
    sets = ", ".join(
        f"{each['name']} ({each['questions']} questions, {each['documents']} documents)"
        for each in run["sets"]
    )
    return f"Run on {run['date']}; {run['machine']}. Sets: {sets}."


def _erased(run: Run) -> str:
    """What the run says of recairn's own erasure, by a person at the command line."""
    left = [each["figures"].get("erased_on_disk") for each in run["systems"] if each["ours"]]
    if not left or None in left:
        return "`recairn forget --hard`, which destroys, was not tried in this run"
    return (
        "after `recairn forget --hard` by a person the word is still there"
        if any(left)
        else "after `recairn forget --hard` by a person the word is in no file"
    )
