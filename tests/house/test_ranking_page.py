"""docs/ranking.md gives the weights, shares and floors that the profiles in the code have."""

from __future__ import annotations

import re

import pytest

from recairn.ranking.profiles import DEFAULT, PROFILES, Profile, Weight, for_model
from tests.repository import DOCS

PAGE = (DOCS / "ranking.md").read_text()
TABLE = PAGE.partition("## The terms of `default`")[2].partition("\n\n")[2].partition("\n\n")[0]

# Gates of which every step between closed and open occurs.
GRADUAL = ("standing",)
# What only the profile's own signals may add; the rest of the sum is shared out by W.
AGREEMENT = DEFAULT.weights["agreement"].weight


def rows() -> dict[str, str]:
    """What the table says: term → how it enters."""
    entries: dict[str, str] = {}
    for line in TABLE.splitlines()[2:]:
        terms, _, enters = (cell.strip() for cell in line.strip("|").split("|"))
        entries |= {term.strip(): enters for term in terms.split(",")}
    return entries


def entering(term: str, weight: Weight) -> str:
    """How the page has to say that a term enters the score."""
    if term in ("keyword", "semantic"):
        share = "(1 − W)" if term == "keyword" else "W"
        return f"+ {1 - AGREEMENT:g}·{share}"
    if weight.effect == "add":
        return f"+ {weight.weight:g}"
    if weight.effect == "tilt":
        each = " each" if [*rows().values()].count(rows()[term]) > 1 else ""
        return f"× (1 ± {weight.weight / 2:.2f}){each}"
    return f"× ({1 - weight.weight:g} {'to' if term in GRADUAL else 'or'} 1)"


def decimal(number: float) -> str:
    """.40, as the page writes floors."""
    return f"{number:.2f}".removeprefix("0")


def floors(profile: Profile) -> str:
    return ", ".join(f"{model} {decimal(floor)}" for model, floor in (profile.floors or {}).items())


def test_the_table_of_terms_is_the_profile():
    assert rows() == {term: entering(term, weight) for term, weight in DEFAULT.weights.items()}


def test_words_and_meaning_share_what_agreement_leaves_by_w():
    shares = DEFAULT.shares or {}
    said = f"W is {shares['minilm']:g} with `minilm`, {shares['static']:g} with `static`, 0 without"
    assert f"{said} a model." in PAGE
    for model, share in [*shares.items(), (None, 0.0)]:
        weights = for_model(DEFAULT, model).weights
        assert weights["semantic"].weight == pytest.approx((1 - AGREEMENT) * share)
        assert weights["keyword"].weight == pytest.approx((1 - AGREEMENT) * (1 - share))


def test_the_page_names_every_profile():
    section = PAGE.partition("## Profiles")[2].partition("\n## ")[0]
    named = re.findall(r"`([a-z-]+)`", section)
    assert set(named) >= PROFILES.keys() - {"default"}


def test_the_floors_of_the_page_are_those_of_the_profiles():
    page = " ".join(PAGE.split())
    assert PROFILES["lore"].floors == PROFILES["brain"].floors
    assert f"`lore` and `brain` have lower ones ({floors(PROFILES['lore'])})" in page
    assert PROFILES["tx"].floors == PROFILES["tx-rrf"].floors == DEFAULT.floors
    assert "`tx` and `tx-rrf` have our floors" in page
    assert PROFILES["ccmemory"].floors is None
    assert "`ccmemory` none" in page
    assert DEFAULT.floors is not None
    for model, floor in DEFAULT.floors.items():
        assert f"| {model} {decimal(floor)} |" in page
