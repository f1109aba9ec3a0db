"""Chunks: what stays together, what is repeated, and where each stands."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recairn.core.token_estimate import estimate
from recairn.sources.documents.chunking import BUDGET, LONGEST_FENCE, chunks_of
from recairn.sources.documents.code import code_blocks
from recairn.sources.documents.formats import numbered
from recairn.sources.documents.prose import markdown_blocks, plain_blocks, rst_blocks

PARAGRAPH = "The keeper trims the lamp at dusk and writes the hour into the book of the tower. " * 3


def markdown(text):
    return chunks_of(markdown_blocks(numbered(text)))


def test_a_section_keeps_its_headings_as_a_path_and_its_lines():
    text = f"# Lamp\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n## Oil\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n"
    lamp, oil = markdown(text)
    assert (lamp.heading, lamp.line, lamp.end_line) == (("Lamp",), 1, 5)
    assert (oil.heading, oil.line, oil.end_line) == (("Lamp", "Oil"), 7, 11)
    assert oil.text.startswith("## Oil\n\nThe keeper")


def test_a_heading_is_never_parted_from_what_it_announces():
    first, second = markdown(f"{PARAGRAPH}\n\n# Fog\n\n{PARAGRAPH * 6}\n")
    assert first.text == PARAGRAPH
    assert second.text.startswith("# Fog\n\nThe keeper")


def test_small_sections_share_a_chunk():
    (only,) = markdown("# Oil\n\nWhale.\n\n# Wick\n\nCotton.\n")
    assert only.text == "# Oil\n\nWhale.\n\n# Wick\n\nCotton."


def test_underlined_headings_are_headings():
    (only,) = markdown("Oil\n===\n\nWhale.\n")
    assert only.heading == ("Oil",)


def test_a_fence_longer_than_the_budget_stays_whole():
    code = "\n".join(f"lamp.turn({number})" for number in range(120))
    text = f"{PARAGRAPH}\n\n```python\n{code}\n```\n\n{PARAGRAPH}\n"
    (fenced,) = [chunk for chunk in markdown(text) if "lamp.turn" in chunk.text]
    assert fenced.text == f"```python\n{code}\n```"
    assert estimate(fenced.text) > BUDGET


def test_a_cut_text_repeats_a_tenth_of_what_came_before():
    lines = [
        f"Line {number} tells of the storm and of the boats that came home." for number in range(90)
    ]
    chunks = chunks_of(plain_blocks(numbered("\n".join(lines))))
    assert len(chunks) > 2
    for before, after in pairwise(chunks):
        shared = before.end_line - after.line + 1
        assert 1 <= shared <= 5
        assert before.text.split("\n")[-shared:] == after.text.split("\n")[:shared]


def test_code_is_split_at_definitions_and_named_by_them():
    body = "\n".join(f"    total += weigh({number}, 'barrel of oil')" for number in range(20))
    text = f"import os\n\n\n@cached\ndef load():\n{body}\n\n\n"
    text += f"class Store:\n    def put(self):\n{body}\n"
    load, store = chunks_of(code_blocks(numbered(text)))[-2:]
    assert (load.heading, load.line) == (("load",), 1)
    assert (store.heading[0], store.line) == ("Store", 28)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("pub(crate) async fn trim(lamp: &Lamp) {", "trim"),
        ("export default class Tower {", "Tower"),
        ("func (k *Keeper) Watch() error {", "Watch"),
        ("const signal = async (ship) => {", "signal"),
        ("public static final class Oil {", "Oil"),
        ("CREATE TABLE IF NOT EXISTS ships (", "ships"),
        ("light_up() {", "light_up"),
        ("class Store:", "Store"),
        ("namespace sea::bay {", "sea::bay"),
        ("classify = 3", ""),
    ],
)
def test_definitions_of_many_languages_are_seen(line, name):
    from recairn.sources.documents.code import defined_in

    assert defined_in(line) == name


def test_rst_levels_follow_the_order_of_their_marks():
    text = "=====\nTower\n=====\n\nStone.\n\nStairs\n------\n\nIron.\n"
    assert [block.heading for block in rst_blocks(numbered(text))] == [
        ("Tower",),
        ("Tower",),
        ("Tower", "Stairs"),
        ("Tower", "Stairs"),
    ]


WORDS = st.text(st.sampled_from("ab é字\t.#-`~>|= "), max_size=60)
LINES = st.one_of(
    WORDS,
    st.sampled_from(["", "# Oil", "## Wick", "```", "~~~~", "---", "def lamp():", "    x = 1"]),
    st.integers(1, 3000).map(lambda length: "w" * length),
    st.integers(1, 400).map(lambda count: "oil lamp " * count),
)
TEXTS = st.lists(LINES, max_size=60).map("\n".join)
READERS = st.sampled_from([markdown_blocks, plain_blocks, code_blocks, rst_blocks])


@settings(max_examples=60)
@given(TEXTS, READERS)
def test_chunks_hold_every_line_in_order_and_keep_the_budget(text, reader):
    lines = numbered(text)
    blocks = reader(lines)
    chunks = chunks_of(blocks)
    squeezed = {number: re.sub(r"\s", "", line) for number, line in lines}
    for number, said in squeezed.items():
        holding = "".join(c.text for c in chunks if c.line <= number <= c.end_line)
        held = re.sub(r"\s", "", holding)
        assert said in held or (len(said) > 500 and len(held) >= len(said))
    whole = [block for block in blocks if block.whole]
    for chunk in chunks:
        fits = estimate(chunk.text) <= BUDGET
        assert fits or any(block.lines[0][0] == chunk.line for block in whole)
    assert [chunk.line for chunk in chunks] == sorted(chunk.line for chunk in chunks)


@settings(max_examples=60)
@given(TEXTS)
def test_no_fence_is_ever_cut(text):
    blocks = markdown_blocks(numbered(text))
    chunks = chunks_of(blocks)
    for block in blocks:
        said = "\n".join(line for _, line in block.lines)
        if block.whole and estimate(said) + len(block.lines) < LONGEST_FENCE:
            assert any(
                c.line <= block.lines[0][0] and block.lines[-1][0] <= c.end_line for c in chunks
            )
