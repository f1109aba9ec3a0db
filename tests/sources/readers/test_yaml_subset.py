"""The YAML that is read: enough for what people write, and nothing that can do harm."""

from contextlib import suppress

import pytest

from recairn.sources.readers.frontmatter import parted
from recairn.sources.readers.yaml_items import items
from recairn.sources.readers.yaml_subset import BadYaml, load


def test_the_shapes_that_people_write():
    assert load(
        """\
---
# the keeper's list
lamps:
  - id: "l-1"   # brass
    wicks: 3
    height: 1.5
    lit: true
    owner: ~
    note: 'it''s old'
  -
    id: l-2
    tags: [red, "port, side", 7]
    at: {north: 54, east: "12"}
plain: a text: with no
""".replace("a text: with no", "12 fathoms # deep")
        + "empty:\nlist:\n- one\n- - two\n  - three\n"
    ) == {
        "lamps": [
            {
                "id": "l-1",
                "wicks": 3,
                "height": 1.5,
                "lit": True,
                "owner": None,
                "note": "it's old",
            },
            {"id": "l-2", "tags": ["red", "port, side", 7], "at": {"north": 54, "east": "12"}},
        ],
        "plain": "12 fathoms",
        "empty": None,
        "list": ["one", ["two", "three"]],
    }


def test_texts_over_several_lines():
    assert load(
        """\
kept: |
  first
    deeper

  last
folded: >-
  one
  two

  three
quoted: "goes
  on\\tand

  on"
plain: goes
  on too
flow: [a,
  b]
"""
    ) == {
        "kept": "first\n  deeper\n\nlast\n",
        "folded": "one two\nthree",
        "quoted": "goes on\tand\non",
        "plain": "goes on too",
        "flow": ["a", "b"],
    }


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("a: &x 1", 1, "an anchor is not read"),
        ("a: 1\nb: *x", 2, "an alias is not read"),
        ("a: [1, *x]", 1, "an alias is not read"),
        ("a: !!python/object 1", 1, "a tag is not read"),
        ("a:\n  <<: 1", 2, "a merge key is not read"),
        ("a: {<<: 1}", 1, "a merge key is not read"),
        ("? a\n: b", 1, "a key of more than one line is not read"),
        ("a: 1\na: 2", 2, "the key 'a' is told twice"),
        ("a: {b: 1, b: 2}", 1, "the key 'b' is told twice"),
        ("a:\n\tb: 1", 2, "a tab cannot indent"),
        ("a: 1\n---\nb: 2", 2, "only one document is read"),
        ('a: "open', 1, "a quote is not closed"),
        ("a: [1, 2", 1, "[ is not closed"),
        ("a: b: c", 1, "a colon inside a text needs quotes"),
        ("a: 1\n   b: 2", 2, "a mapping cannot begin inside a text"),
        ('a: "x" y', 1, "'y' after the end of a value"),
        ('a: "\\q"', 1, "the escape \\q is not known"),
        ("%YAML 1.1", 1, "a directive is not read"),
        ("a: " + "[" * 50 + "]" * 50, 1, "nested more than 30 deep"),
        ("\n".join(" " * n + "a:" for n in range(50)), 32, "nested more than 30 deep"),
    ],
)
def test_what_is_refused_is_told_with_its_line(text, line, why):
    with pytest.raises(BadYaml) as refused:
        load(text)
    assert why in refused.value.message
    assert refused.value.line == line


def test_an_alias_bomb_is_refused_at_its_first_fuse():
    bomb = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(30))
    with pytest.raises(BadYaml, match="an anchor is not read"):
        load(bomb)


MANY = 300_000


@pytest.mark.parametrize(
    "text",
    [
        'a: "' + "x\n  " * MANY,
        "a: x" + "\n  y" * MANY,
        "a: [" + "\n  1," * MANY,
        "a: [" + '"x",' * MANY + "]",
        "a: " + "#" * MANY,
        "a: " + " " * MANY + "b: c",
        "- " * MANY,
        "a:\n" * MANY,
        "a: |\n" + "  x\n" * MANY,
        "a: >\n" + "  x\n\n" * (MANY // 4),
    ],
    ids=("quote", "plain", "flow", "items", "signs", "blanks", "dashes", "keys", "kept", "folded"),
)
def test_a_large_file_is_read_or_refused_and_never_hangs(text):
    with suppress(BadYaml):
        load(text)


def test_no_text_makes_it_fail_otherwise():
    from hypothesis import given, settings
    from hypothesis import strategies as st

    signs = st.text(st.sampled_from("ab: -\n#'\"[]{},|>&*!?%1.\t\\~"), max_size=60)

    @settings(max_examples=400)
    @given(signs)
    def reads_or_refuses(text):
        with suppress(BadYaml):
            load(text)

    reads_or_refuses()


def test_one_bad_item_costs_only_itself():
    told = list(
        items("lamps:\n  - id: 1\n  - id: *x\n    note: y\n  - id: 3\nhorns: [{id: 4}]\nnone: []\n")
    )
    assert [(section, line) for section, line, _ in told] == [
        ("lamps", 2),
        ("lamps", 3),
        ("lamps", 5),
        ("horns", 6),
    ]
    assert told[0][2] == {"id": 1}
    assert told[1][2].message == "an alias is not read"
    assert [each for _, _, each in told[2:]] == [{"id": 3}, {"id": 4}]


def test_what_stands_outside_of_all_items_is_told():
    told = list(items("stray\nlamps:\n  a: 1\nhorns:\n  b\n  - id: 2\n"))
    assert [(section, line) for section, line, _ in told] == [
        ("", 1),
        ("lamps", 3),
        ("horns", 5),
        ("horns", 6),
    ]
    assert told[3][2] == {"id": 2}
    assert next(each for _, _, each in items("nothing but words")).message == (
        "this belongs to no section"
    )


def test_the_dash_of_an_item_may_stand_alone():
    values = list(items("lamps:\n  - id: 1\n  -\n    id: 2\n  -\n"))
    assert [value for _, _, value in values] == [{"id": 1}, {"id": 2}, None]


def test_a_line_that_only_looks_like_a_section_is_told_and_stops_nothing():
    values = list(items("seen:today\nlamps:\n  - id: 2\n"))
    assert [(section, line) for section, line, _ in values] == [("seen", 1), ("lamps", 3)]
    assert values[0][2].message == "this belongs to no section"
    assert values[1][2] == {"id": 2}


def test_fields_above_a_text():
    assert parted("---\ntags: [a]\n---\n\nBody\n") == ({"tags": ["a"]}, "\nBody\n", 4)
    assert parted("Body\n---\n") == ({}, "Body\n---\n", 1)
    assert parted("---\nnever closed") == ({}, "---\nnever closed", 1)
