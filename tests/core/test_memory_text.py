"""The text of a memory: whole for machines, labelled for readers."""

from __future__ import annotations

import pytest

from recairn.core.derived import content_hash
from recairn.core.memory_text import joined_text, readable_parts, whole_text

FAILURE = {"cause": "Long wicks", "fix": "Look at them at dusk"}


@pytest.fixture
def failure(memory):
    outcome = memory.remember("The lamp went out", kind="failure", title="Lamp", fields=FAILURE)
    return memory.get(outcome.id)


def test_the_whole_text_is_title_content_and_the_words_of_the_fields(failure):
    assert whole_text(failure).splitlines() == [
        "Lamp",
        "The lamp went out",
        "Long wicks",
        "Look at them at dusk",
    ]


def test_the_whole_text_is_the_one_that_was_hashed_when_it_was_remembered(failure):
    assert content_hash(whole_text(failure)) == failure.content_hash


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("", "Trim the wick", ""), "Trim the wick"),
        (("Wick", "Trim it", ""), "Wick\nTrim it"),
        (("", "Trim it", "at dusk"), "Trim it\nat dusk"),
    ],
)
def test_a_part_that_is_empty_leaves_no_line(parts, text):
    assert joined_text(*parts) == text


def test_a_reader_sees_the_names_of_the_fields(failure):
    assert "\n".join(readable_parts(failure)).splitlines() == [
        "Lamp",
        "The lamp went out",
        "cause: Long wicks",
        "fix: Look at them at dusk",
    ]


def test_a_reader_sees_a_title_once_that_begins_the_content(memory):
    outcome = memory.remember("Lamp went out at dusk", title="Lamp")
    assert "\n".join(readable_parts(memory.get(outcome.id))) == "Lamp went out at dusk"


def test_a_reader_sees_of_a_handoff_where_it_stands_and_what_is_left_open(memory):
    fields = {"branch": "main", "next_steps": ["oil the lens", "trim the wick"]}
    fields |= {"commits": ["abc Oil"], "files": [f"lamp{number}.py" for number in range(10)]}
    outcome = memory.remember("The lamp burns", kind="handoff", fields=fields)
    assert "\n".join(readable_parts(memory.get(outcome.id))).splitlines() == [
        "The lamp burns",
        "branch: main",
        "next steps: oil the lens; trim the wick",
        f"files: {'; '.join(f'lamp{number}.py' for number in range(2, 10))}; and 2 more",
    ]
