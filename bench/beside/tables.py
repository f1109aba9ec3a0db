"""From the figures of a run to tables, and to the list of where recairn loses. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

Run = dict[str, Any]

# Processor times that differ by less are a tie.
TIE = 1.5
# Of nDCG: less is no difference that a table shows.
_LEAST = 0.0005


class Measure(NamedTuple):
    """A column: where its figure is, how it is written, and which way is better."""

    key: str
    title: str
    form: str
    unit: str
    about: str


COSTS = (
    Measure("start_ms", "start, ms", "{:,.0f}", "ms", "server start to `initialize`"),
    Measure("cold_ms", "cold search, ms", "{:,.0f}", "ms", "server start to the first answer"),
    Measure("search_ms", "warm search, ms", "{:,.1f}", "ms", "a search in a running server"),
    Measure("add_ms", "add, ms", "{:,.1f}", "ms", "adding one memory in a running server"),
    Measure("bulk_s", "bulk, s", "{:,.1f}", "s", "filling the store"),
    Measure("mb_start", "memory, MB", "{:,.0f}", "MB", "memory of the server once it has started"),
    Measure("mb_used", "after use, MB", "{:,.0f}", "MB", "memory of the server after use"),
    Measure("bytes", "disk, bytes a memory", "{:,.0f}", "bytes a memory", "disk"),
    Measure("installed_mb", "installed, MB", "{:,.0f}", "MB", "installed size"),
    Measure("packages", "packages", "{:,.0f}", "packages", "installed packages"),
    Measure("tools", "tools", "{:,.0f}", "tools", "tools that an agent is told of"),
    Measure("schema_tokens", "schema, tokens", "{:,.0f}", "tokens", "tokens of the tools' schemas"),
)
TIMES = frozenset(("start_ms", "cold_ms", "search_ms", "add_ms", "bulk_s"))


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """A table of Markdown, aligned so that it reads in a terminal too; the first column is text."""
    grid = [list(heads), *map(list, rows)]
    widths = [max(len(row[place]) for row in grid) for place in range(len(grid[0]))]
    lines = []
    for row in grid:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append(f"| {' | '.join(cells)} |")
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return [lines[0], f"| {' | '.join(rule)} |", *lines[1:]]


def quality_table(run: Run) -> list[str]:
    """nDCG@10 by set, and the mean of the sets."""
    names = [each["name"] for each in run["sets"]]
    rows = []
    for system in [*run["systems"], run["bm25"]]:
        means = [system["quality"].get(name, {}).get("mean") for name in names]
        rows.append([system["name"], *map(_share, means), _share(mean_of(means))])
    return table(["nDCG@10", *names, "mean"], rows)


def cost_table(run: Run, measures: Iterable[Measure]) -> list[str]:
    chosen = list(measures)
    return table(
        ["", *(each.title for each in chosen)],
        [
            [
                system["name"],
                *(_written(system["figures"].get(each.key), each.form) for each in chosen),
            ]
            for system in run["systems"]
        ],
    )


def conduct_table(run: Run) -> list[str]:
    """What each does when things go wrong."""
    heads = [
        "",
        "lost of acknowledged, kill -9",
        "errors of odd questions",
        "token in clear on disk",
        "deleted is found",
        "deleted is on disk",
        "silent off-topic",
        "silent on answerable",
    ]
    asked = sum(each["questions"] for each in run["sets"])
    return table(heads, [_conduct(system, asked) for system in run["systems"]])


def _conduct(system: Run, asked: int) -> list[str]:
    figures = system["figures"]
    quality = system["quality"].values()
    return [
        system["name"],
        _of(figures.get("lost"), figures.get("acknowledged")),
        _of(figures.get("odd_errors"), figures.get("odd")),
        _yes(figures.get("secret_on_disk")),
        _yes(figures.get("deleted_is_found")),
        _yes(figures.get("deleted_on_disk")),
        _of(sum(each["quiet"] for each in quality), sum(each["off_topic"] for each in quality)),
        _of(sum(each["silent"] for each in quality), asked),
    ]


def losses(run: Run) -> list[str]:
    """Every figure in which another system is ahead of ours, by the run and nothing else."""
    ours = [each for each in run["systems"] if each["ours"]]
    others = [each for each in run["systems"] if not each["ours"]]
    return [*_quality_losses(run), *_cost_losses(ours, others), *_conduct_losses(ours, others)]


def _quality_losses(run: Run) -> list[str]:
    """A line for each of ours and each set in which others are ahead, by question."""
    behind: dict[tuple[str, str], list[str]] = {}
    for each in sorted(run["differences"], key=lambda one: one["mean"]):
        if each["mean"] < -_LEAST:
            lead = f"{each['other']} by {_share(-each['mean'])}"
            certain = "" if each["high"] < 0 else ", within chance"
            span = f"[{_share(-each['high'])}, {_share(-each['low'])}]{certain}"
            behind.setdefault((each["set"], each["ours"]), []).append(f"{lead} {span}")
    return [
        f"nDCG@10 of {ours} on {name}: behind {'; '.join(leads)}"
        for (name, ours), leads in behind.items()
    ]


def _cost_losses(ours: list[Run], others: list[Run]) -> list[str]:
    lines = []
    for measure in COSTS:
        for own in ours:
            mine = own["figures"].get(measure.key)
            ahead = [
                (other["figures"][measure.key], other["name"])
                for other in others
                if mine is not None
                and other["figures"].get(measure.key) is not None
                and mine > other["figures"][measure.key] * (TIE if measure.key in TIMES else 1)
            ]
            if ahead:
                form = measure.form.format
                said = ", ".join(f"{name} {form(value)}" for value, name in sorted(ahead))
                mine_said = f"{own['name']} {form(mine)} {measure.unit}"
                lines.append(f"{measure.about}: {mine_said}; {said}")
    return lines


# Of all of these less is better.
_CONDUCT: tuple[tuple[str, Callable[[Run], Any]], ...] = (
    ("acknowledged memories lost after kill -9", lambda run: run["figures"].get("lost")),
    ("odd questions that end in an error", lambda run: run["figures"].get("odd_errors")),
    ("a token in clear on disk", lambda run: run["figures"].get("secret_on_disk")),
    (
        "a deleted memory on disk after the server's own deletion",
        lambda run: run["figures"].get("deleted_on_disk"),
    ),
    (
        "answers to off-topic questions",
        lambda run: sum(each["off_topic"] - each["quiet"] for each in run["quality"].values()),
    ),
    (
        "silence on questions that have an answer",
        lambda run: sum(each["silent"] for each in run["quality"].values()),
    ),
)


def _conduct_losses(ours: list[Run], others: list[Run]) -> list[str]:
    lines = []
    for about, figure in _CONDUCT:
        for own in ours:
            mine = figure(own)
            ahead = [
                f"{other['name']} {_plain(figure(other))}"
                for other in others
                if mine is not None and figure(other) is not None and figure(other) < mine
            ]
            if ahead:
                lines.append(f"{about}: {own['name']} {_plain(mine)}; {', '.join(ahead)}")
    return lines


def _plain(value: Any) -> str:
    return _yes(value) if isinstance(value, bool) else str(value)


def mean_of(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) and known else None


def _share(value: float | None) -> str:
    # Adding nothing makes a plain zero of what rounds to minus nothing.
    return "–" if value is None else f"{round(value, 3) + 0:.3f}".replace("0.", ".", 1)


def _written(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)


def _of(part: int | None, whole: int | None) -> str:
    return "–" if part is None or not whole else f"{part} of {whole}"


def _yes(value: bool | None) -> str:
    return "–" if value is None else "yes" if value else "no"
