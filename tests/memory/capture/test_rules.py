"""What is captured and what is not, over a corpus of invented prompts."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.memory.capture import MOST_CANDIDATES, candidates, worth_reading
from recairn.memory.capture.candidate import Candidate
from tests.memory.capture.daily_prompts import (
    IN_PASSING,
    LATER_IN_PASSING,
    LATER_MEANT_TO_LAST,
    MEANT_TO_LAST,
)
from tests.memory.capture.prompts import (
    KEPT,
    MORE_KEPT,
    MORE_ORDINARY,
    ORDINARY,
    UNSEEN_KEPT,
    UNSEEN_ORDINARY,
    YET_MORE_KEPT,
    YET_MORE_ORDINARY,
)
from tests.memory.capture.tempting_prompts import LATER_PLAIN, LATER_TEMPTING, PLAIN, TEMPTING

MEANT = [*KEPT, *MORE_KEPT, *YET_MORE_KEPT, *PLAIN]
OTHERS = [*ORDINARY, *MORE_ORDINARY, *YET_MORE_ORDINARY, *TEMPTING, *IN_PASSING]


@pytest.mark.parametrize(("text", "kind"), MEANT, ids=[text for text, _ in MEANT])
def test_what_is_meant_to_last_is_captured(text, kind):
    assert [each.kind for each in candidates(text)] == [kind]


@pytest.mark.parametrize(("text", "kind"), MEANT_TO_LAST, ids=[text for text, _ in MEANT_TO_LAST])
def test_so_is_what_is_said_in_a_day_of_work(text, kind):
    assert {each.kind for each in candidates(text)} == {kind}


@pytest.mark.parametrize("text", OTHERS)
def test_ordinary_talk_is_not_captured(text):
    assert candidates(text) == []


def test_prompts_the_rules_were_not_written_for_are_mostly_judged_well():
    found = [
        text for text, kind in UNSEEN_KEPT if [each.kind for each in candidates(text)] == [kind]
    ]
    wrong = [text for text in UNSEEN_ORDINARY if candidates(text)]
    assert (len(UNSEEN_KEPT), len(found)) == (34, 33)
    assert (len(UNSEEN_ORDINARY), len(wrong)) == (45, 3)


def test_so_are_prompts_written_to_be_misread():
    found = [
        text for text, kind in LATER_PLAIN if [each.kind for each in candidates(text)] == [kind]
    ]
    wrong = [text for text in LATER_TEMPTING if candidates(text)]
    assert (len(LATER_PLAIN), len(found)) == (20, 20)
    assert (len(LATER_TEMPTING), len(wrong)) == (30, 3)


def test_and_prompts_of_a_day_of_work():
    found = [
        text
        for text, kind in LATER_MEANT_TO_LAST
        if {each.kind for each in candidates(text)} == {kind}
    ]
    wrong = [text for text in LATER_IN_PASSING if candidates(text)]
    assert (len(LATER_MEANT_TO_LAST), len(found)) == (40, 40)
    assert (len(LATER_IN_PASSING), len(wrong)) == (42, 3)


def test_points_below_please_remember_are_kept_each():
    said = (
        "Please remember:\n\n- staging uses Postgres 14\n- prod uses Postgres 16\n\n- fix the login"
    )
    assert [each.content for each in candidates(said)] == [
        "Staging uses Postgres 14",
        "Prod uses Postgres 16",
    ]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("We chose Fly.io over Heroku because of the price", "the price"),
        ("We decided to keep Redis as the clients know it", "the clients know it"),
        ("We decided to store money as numeric(20,4)", None),
    ],
)
def test_a_reason_is_what_was_given_as_one(said, why):
    assert candidates(said)[0].fields.get("rationale") == why


def test_words_that_are_to_be_written_somewhere_end_at_a_blank_line():
    said = (
        "Add a section to the README: Never commit to main.\nAlways open a pull request.\n\n"
        "And never touch the changelog by hand."
    )
    assert [each.content for each in candidates(said)] == ["Never touch the changelog by hand"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("ok, remember that the bay floods at 4.2 m.", "The bay floods at 4.2 m"),
        ("no, use pnpm not npm!", "Use pnpm not npm"),
        ("I told you not to reformat unrelated files", "Do not reformat unrelated files"),
        ("From now on, please write tests first", "Write tests first"),
        ("Thanks. And never push to `main` directly.", "Never push to `main` directly"),
        ("- Always sign commits\n- fix the build", "Always sign commits"),
        ("You’ll see. Don’t ever edit generated files", "Don't ever edit generated files"),
    ],
)
def test_the_words_that_only_lead_to_it_are_left_out(said, kept):
    assert [each.content for each in candidates(said)] == [kept]


def test_a_decision_names_its_reason_and_what_was_not_chosen():
    said = "Let's go with msgpack instead of protobuf because the devices are tiny."
    assert candidates(said) == [
        Candidate(
            "decision",
            "Let's go with msgpack instead of protobuf because the devices are tiny",
            {"rationale": "the devices are tiny", "alternatives": ["protobuf"]},
            "decision",
        )
    ]


def test_several_sentences_give_several_candidates_in_their_order():
    said = "Never deploy on Friday. The build is green. We decided to keep two replicas."
    assert [each.kind for each in candidates(said)] == ["rule", "decision"]


def test_a_sentence_wrapped_over_two_lines_is_one():
    said = (
        "Always regenerate the API client after you have changed a schema file,\nwith make client"
    )
    assert [each.content for each in candidates(said)] == [
        "Always regenerate the API client after you have changed a schema file, with make client"
    ]


def test_the_same_words_twice_are_one_candidate():
    assert len(candidates("Always sign commits. ALWAYS sign commits!")) == 1


def test_of_a_pasted_document_only_the_ends_are_the_persons_own():
    guide = "\n".join(f"Always do step {number} of the guide with care." for number in range(200))
    said = f"Here is our guide.\n\n{guide}\n\nFrom now on, follow it and never skip the review."
    found = candidates(f"{guide}\n{said}")
    assert len(found) <= MOST_CANDIDATES
    assert not any("step 100 " in each.content for each in found)


def test_what_recairn_injected_is_not_captured_even_when_it_was_cut_off():
    said = 'add the column\n<recairn-context project="shop">\nAlways use transactions\nNever lo'
    assert candidates(said) == []


def test_a_text_without_any_sign_is_put_aside_at_once():
    assert not worth_reading("Fix the failing login test and push")
    assert worth_reading("ALWAYS lint")


@pytest.mark.parametrize("piece", ["<a>", "`", '"', "always ", "we decided ", "no, ", "\n- ", "[("])
def test_repetitive_text_is_read_in_reasonable_time(piece):
    assert len(candidates("never " + piece * 15_000)) <= MOST_CANDIDATES


@given(st.text(max_size=300))
def test_no_text_is_too_strange(text):
    for each in candidates(f"Remember that {text}\nalways {text}"):
        assert each.kind in ("rule", "preference", "decision", "learning")
        assert each.content


_COUNTED = """
import re, sys
compile, made = re.compile, []
re.compile = lambda *said: made.append(said) or compile(*said)
from recairn.memory.capture import candidates
candidates(sys.argv[1])
print(len(made))
"""


@pytest.mark.parametrize(
    ("said", "most"),
    [
        ("the socket returns a wrong address, look into it", 8),
        ("Find out why the policy is missing, then mend it", 12),
        ("Never commit to main", 16),
    ],
)
def test_a_cold_process_compiles_the_patterns_that_may_fit(said, most):
    done = subprocess.run(
        [sys.executable, "-c", _COUNTED, said], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) <= most
