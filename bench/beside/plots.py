"""Plots of a run as SVG: bars that need no colour to be read, and text that is text."""

from __future__ import annotations

from .tables import Run, mean_of

_LEFT, _WIDTH, _ROW, _TOP = 170, 640, 26, 44
_OURS, _THEIRS, _INK = "#1f6feb", "#9aa4b2", "#1f2328"


def bars(title: str, values: list[tuple[str, float, str, bool]]) -> str:
    """Horizontal bars: name, length, what is written beside it, and whether it is ours."""
    most = max((value for _, value, _, _ in values), default=1.0) or 1.0
    height = _TOP + _ROW * len(values) + 14
    room = _WIDTH - _LEFT - 110
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img"'
        f' font-family="system-ui, sans-serif" font-size="13" fill="{_INK}">',
        f"<title>{_escaped(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" rx="6" fill="#ffffff"/>',
        f'<text x="14" y="26" font-size="15" font-weight="600">{_escaped(title)}</text>',
    ]
    for place, (name, value, said, ours) in enumerate(values):
        y = _TOP + place * _ROW
        length = max(1.0, room * value / most)
        weight = ' font-weight="600"' if ours else ""
        parts += [
            f'<text x="{_LEFT - 8}" y="{y + 15}" text-anchor="end"{weight}>{_escaped(name)}</text>',
            f'<rect x="{_LEFT}" y="{y + 2}" width="{length:.1f}" height="18" rx="2"'
            f' fill="{_OURS if ours else _THEIRS}"/>',
            f'<text x="{_LEFT + length + 6:.1f}" y="{y + 15}"{weight}>{_escaped(said)}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def plots(run: Run) -> dict[str, str]:
    """The files of a page, by name."""
    names = [each["name"] for each in run["sets"]]
    found = []
    for system in [*run["systems"], run["bm25"]]:
        mean = mean_of([system["quality"].get(name, {}).get("mean") for name in names])
        if mean is not None:
            found.append((system["name"], mean, f"{mean:.3f}", system["ours"]))
    return {
        "quality.svg": bars(
            f"Answers found: nDCG@10, mean of {len(names)} question sets (more is better)",
            sorted(found, key=lambda row: -row[1]),
        ),
        "cold.svg": _costs(run, "cold_ms", "Start to first answer: CPU", "{:,.0f} ms"),
        "search.svg": _costs(run, "search_ms", "A search in a running server: CPU", "{:,.1f} ms"),
        "add.svg": _costs(run, "add_ms", "Adding one memory: CPU", "{:,.1f} ms"),
        "memory.svg": _costs(run, "mb_used", "Memory of the server after use: MB", "{:,.0f} MB"),
        "installed.svg": _costs(run, "installed_mb", "Installed size: MB", "{:,.0f} MB"),
    }


def _costs(run: Run, key: str, title: str, form: str) -> str:
    rows = [
        (
            system["name"],
            system["figures"][key],
            form.format(system["figures"][key]),
            system["ours"],
        )
        for system in run["systems"]
        if system["figures"].get(key) is not None
    ]
    return bars(f"{title} (less is better)", sorted(rows, key=lambda row: row[1]))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
