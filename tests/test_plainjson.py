"""The small JSON reads and writes what the standard library's does."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.plainjson import dumps, loads

scalars = st.none() | st.booleans() | st.integers() | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(values)
def test_what_is_written_reads_the_same_everywhere(value):
    written = dumps(value)
    assert written == json.dumps(value)
    assert loads(written) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' {"a": [1, -2.5e3, null, true]}\n', {"a": [1, -2500.0, None, True]}),
        ('"caf\\u00e9 \\ud83d\\ude00"', "café 😀"),
        ("[]", []),
    ],
)
def test_documents_are_read(text, value):
    assert loads(text) == value


@pytest.mark.parametrize("text", ["", " ", "{", '{"a" 1}', "[1,]", "1 2", "nul", '"a\nb"', "{}x"])
def test_what_is_no_document_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the kinds of it differ
        loads(text)
