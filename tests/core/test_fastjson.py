"""The small JSON reads and writes what the standard library's does."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.fastjson import dumps, loads

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(values)
def test_what_is_written_reads_the_same_everywhere(value):
    written = dumps(value)
    assert written == json.dumps(value)
    assert loads(written) == value
    assert dumps(value, ascii=False) == json.dumps(value, ensure_ascii=False)


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


def test_what_is_no_json_is_not_written():
    with pytest.raises(TypeError, match="a set has no place in JSON"):
        dumps({"a": [{1}]})


def test_values_of_sequences_and_keys_of_numbers_are_written_as_usual():
    assert dumps({"a": (1, 2.5), 3: None}) == '{"a": [1, 2.5], "3": null}'


@given(values)
def test_compact_documents_have_no_needless_spaces(value):
    assert dumps(value, compact=True) == json.dumps(value, separators=(",", ":"))


@pytest.mark.parametrize("text", ["NaN", '{"a": Infinity}', "[-Infinity]"])
def test_what_only_python_calls_a_number_is_refused_where_asked(text):
    loads(text)
    with pytest.raises(ValueError, match="is no JSON number"):
        loads(text, strict=True)


@pytest.mark.parametrize("text", ["{", "nul", "1 2"])
def test_a_process_that_never_loaded_the_package_hears_what_is_wrong_too(text):
    asked = f"from recairn.core.fastjson import loads\nloads({text!r})"
    answer = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert "json.decoder.JSONDecodeError" in answer.stderr
