"""Aligned columns, and the terms of a score as such a table."""

from __future__ import annotations

from recairn.core.model import Term, total
from recairn.surfaces.render.text import without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.core.model import Hit


def term_rows(terms: Mapping[str, Term]) -> list[tuple[str, str, str, str, str]]:
    """(signal, value, weight, effect, contribution) of each term, as text."""
    return [
        (name, f"{term.value:.4f}", f"{term.weight:g}", term.effect, _contribution(term))
        for name, term in terms.items()
    ]


def _contribution(term: Term) -> str:
    if term.effect == "add":
        return f"+{term.weight * term.value:.4f}"
    return f"*{_factor(term):.4f}"


def _factor(term: Term) -> float:
    return total({"one": Term(1.0, 1.0), "factor": term})


def formula(terms: Mapping[str, Term]) -> str:
    """`score 0.2838 = 0.2677 * 1.0500 * 0.9800`; factors of 1 are left out."""
    added = [f"{term.weight * term.value:.4f}" for term in terms.values() if term.effect == "add"]
    parts = [added[0] if len(added) == 1 else f"({' + '.join(added)})"] if added else ["0"]
    factors = [f"{_factor(term):.4f}" for term in terms.values() if term.effect != "add"]
    parts += [factor for factor in factors if factor != "1.0000"]
    return f"score {total(terms):.4f} = {' * '.join(parts)}"


def chance_line(hit: Hit) -> str:
    """How the score becomes the chance that is shown, or that it does not."""
    if hit.match == "listed":
        return "no chance: it is listed by time, no subject was named"
    if hit.odds is None or hit.chance is None:
        return "no chance: on this scale nobody has measured what a score is worth"
    parts = {name: term.weight * term.value for name, term in hit.odds.items()}
    said = " ".join([f"{part:+.2f} {name}" for name, part in parts.items() if part])
    return f"chance {hit.chance:.2f} = 1 / (1 + e^-x), x = {total(hit.odds):.2f} = {said}"


def columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Plain aligned columns; those whose cells are all numbers stand to the right."""
    every = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(without_marks(row[i])) for row in every) for i in range(len(head))]
    right = numeric(rows, len(head))
    lines = []
    for row in every:
        cells = [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def numeric(rows: Sequence[Sequence[str]], count: int) -> list[bool]:
    """Which of so many columns hold nothing but numbers."""
    return [bool(rows) and all(_is_number(row[i]) for row in rows) for i in range(count)]


def _is_number(cell: str) -> bool:
    return cell.lstrip("+*-").replace(".", "", 1).replace(",", "").isdigit()
