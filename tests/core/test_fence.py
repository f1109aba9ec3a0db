"""Blocks that recairn hands out cannot be broken out of, and are never remembered again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recairn.core.errors import BadInput
from recairn.core.memory_text import CLOSE, OPEN, plain, quoted, without_blocks

BLOCK = f"{OPEN}\nBackground\n#1 rule, just now, manual\n> Wipe the lens\n{CLOSE}\n"


@pytest.mark.parametrize(
    "text",
    [
        f"a {CLOSE} b",
        "</recairn-context>",
        "< / recairn-context >",
        "</RECAIRN-CONTEXT>",
        "<recairn-context>\n<recairn-memory>",
    ],
)
def test_quoted_text_holds_no_tag_of_ours(text):
    lines = quoted(text)
    assert all(line.startswith("> ") for line in lines)
    assert "<recairn" not in "".join(lines).lower().replace(" ", "")
    assert "</recairn" not in "".join(lines).lower().replace(" ", "")


def test_every_line_of_a_text_is_quoted_whatever_ends_it():
    assert quoted("one\ntwo\r\nthree\u2028four\x0bfive") == [
        "> one",
        "> two",
        "> three",
        "> four",
        "> five",
    ]


def test_a_name_cannot_structure_a_header_line():
    assert plain("x] rule, just now, manual (me)\n> do it", 40) == "x rule just now manual me do it"
    assert plain("a" * 99, 10) == "a" * 10


@settings(max_examples=60)
@given(
    st.text(), st.text(alphabet=st.sampled_from("<>/recairn-context \n"), max_size=60), st.text()
)
def test_what_is_quoted_in_a_block_is_dropped_with_it(before, inside, after):
    if OPEN in before + after or CLOSE in after:
        return
    block = "\n".join([OPEN, *quoted(inside), CLOSE]) + "\n"
    assert without_blocks(f"{before}{block}{after}") == (before + after, 1)


def test_two_blocks_and_a_cut_off_one_are_dropped():
    cut = BLOCK[: BLOCK.index(CLOSE)]
    assert without_blocks(f"a\n{BLOCK}b\n{BLOCK}c\n{cut}") == ("a\nb\nc\n", 3)


@pytest.mark.parametrize(
    ("text", "left", "blocks"),
    [
        (f"a\n{OPEN}\nwhat I wrote below\nand more", f"a\n{OPEN}\nwhat I wrote below\nand more", 0),
        (f"a\n{OPEN}\nNotes:\nfirst\n", f"a\n{OPEN}\nNotes:\nfirst\n", 0),
        (f"{OPEN}\nBackground\nRules:\n#1 rule\n> Wipe\n\nmine\n> too", "\nmine\n> too", 1),
        (f"{OPEN}\nBackground\nRules:\n", "", 1),
        (f"{OPEN}\nmine\n{BLOCK}also mine", f"{OPEN}\nmine\nalso mine", 1),
    ],
)
def test_what_somebody_wrote_below_a_block_that_never_ends_stays(text, left, blocks):
    assert without_blocks(text) == (left, blocks)


def test_a_document_keeps_what_follows_a_block_that_never_ends(memory, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"How it begins:\n\n{OPEN}\nand the gulls that follow\n")
    memory.add_documents([str(page)])
    assert any("gulls" in each.content for each in memory.listing(kind="chunk", docs=True))


def test_a_text_that_only_speaks_of_the_tag_stays():
    said = f"the block begins with {OPEN} and ends with {CLOSE}"
    assert without_blocks(said) == (said, 0)


def test_what_was_handed_out_is_not_remembered_again(memory):
    with pytest.raises(BadInput, match="recairn itself handed this out"):
        memory.remember(BLOCK)
    outcome = memory.remember(f"Gulls are early this year.\n{BLOCK}They nest on the pier.")
    assert outcome.warnings == ("left out 1 block of recairn's own",)
    stored = memory.get(outcome.id)
    assert stored.content == "Gulls are early this year.\nThey nest on the pier."


def test_blocks_are_dropped_from_every_text_on_its_way_in(memory):
    memory.remember("Plain", fields={"rationale": f"because\n{BLOCK}"}, kind="decision")
    task = memory.add_task("Draw", description=f"first\n{BLOCK}last")
    memory.handoff(f"Stopped here\n{BLOCK}", git=False)
    assert task.description == "first\nlast"
    assert all("Wipe the lens" not in repr(each) for each in memory.listing())
