"""Global ids and references."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.ids import cited_in, is_uid, looks_like_uid_prefix, new_uid, row_number
from tests.corpus import NOW


def test_a_uid_has_26_letters_of_the_alphabet_without_look_alikes():
    uid = new_uid(NOW)
    assert is_uid(uid)
    assert len(uid) == 26
    assert not set(uid) & set("ilou")
    assert uid.startswith("01m7fh87g0")


@given(st.integers(0, 2**48 - 1), st.integers(0, 2**48 - 1))
def test_uids_sort_by_time(one, other):
    first, second = new_uid(one), new_uid(other)
    if one != other:
        assert (first < second) == (one < other)
    assert first != second


def test_uids_of_one_moment_differ():
    assert len({new_uid(NOW) for _ in range(2000)}) == 2000


def test_a_time_before_1970_still_gives_a_uid():
    assert new_uid(-5).startswith("0000000000")


@pytest.mark.parametrize("text", ["", "01m7fh87g0", "I" * 26, "0" * 27, "0" * 25 + "!"])
def test_other_texts_are_no_uids(text):
    assert not is_uid(text)


@pytest.mark.parametrize(
    ("reference", "number"),
    [
        ("42", 42),
        ("#42", 42),
        ("999999999999999999", 999999999999999999),
        ("0", None),
        ("#0", None),
        ("007", None),
        ("", None),
        ("#", None),
        ("##4", None),
        ("-4", None),
        ("4.0", None),
        ("٤", None),
        ("9" * 19, None),
        ("dec-42", None),
    ],
)
def test_row_numbers_are_plain_digits_with_or_without_a_hash(reference, number):
    assert row_number(reference) == number


@pytest.mark.parametrize(
    ("reference", "fits"),
    [
        ("01m7fh", True),
        ("01M7FH", True),
        ("01m7f", False),
        ("01m7fi", False),
        ("dec-57", False),
        ("0" * 27, False),
    ],
)
def test_six_letters_may_begin_a_uid(reference, fits):
    assert looks_like_uid_prefix(reference) is fits


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("as #42 says", [42]),
        ("(#1), #2; #1 again", [1, 2]),
        ("issue#3 colour #00ff00 #0 #12px # 7 #", []),
        ("#99", [99]),
    ],
)
def test_citations_are_numbers_after_a_hash(text, cited):
    assert cited_in(text) == cited
