"""Whether a text names a file or a symbol of the work."""

from __future__ import annotations

import pytest

from recairn.core.naming import definitions_in, is_symbol, names_file, names_symbol, symbols_in


@pytest.mark.parametrize(
    ("text", "path", "named"),
    [
        ("The wick in lamp.py burns", "/home/puffin/src/lamp.py", True),
        ("see `src/lamp.py:42`.", "/home/puffin/src/lamp.py", True),
        ("see /home/puffin/src/lamp.py", "/home/puffin/src/lamp.py", True),
        ("see web/lamp.py", "/home/puffin/src/lamp.py", False),
        ("see oldlamp.py", "/home/puffin/src/lamp.py", False),
        ("see lamp.pyi and clamp.py", "/home/puffin/src/lamp.py", False),
        ("never edit __init__.py by hand", "/home/puffin/src/__init__.py", False),
        ("never edit src/__init__.py by hand", "/home/puffin/src/__init__.py", True),
    ],
)
def test_a_file_is_named_by_its_path_or_by_a_name_that_is_its_own(text, path, named):
    assert names_file(text, path) is named


def test_a_symbol_is_named_whole_and_as_it_is_written():
    assert names_symbol("call retry_payment() twice", "retry_payment")
    assert names_symbol("re_retry_payment, then retry_payment", "retry_payment")
    assert not names_symbol("retry_payments and my_retry_payment", "retry_payment")
    assert not names_symbol("Retry_Payment", "retry_payment")


def test_only_what_can_be_nothing_else_is_a_symbol():
    assert [name for name in ("retry_payment", "TideGauge", "tideGauge") if is_symbol(name)]
    assert not any(map(is_symbol, ("retry", "Retry", "RETRIES", "a_b", "_private", "3_tides")))


def test_the_names_of_code_are_read_off_it():
    code = "export async function drawTideChart() {\n  return draw(tide_table, other)\n}\n"
    assert definitions_in(code, 9) == ["drawTideChart"]
    assert symbols_in(code, 9) == ["drawTideChart", "tide_table"]
    assert symbols_in(code, 1) == ["drawTideChart"]
    assert definitions_in("    def turn_lens(self):\nclass LensMotor:\nx = def_lens", 9) == [
        "turn_lens",
        "LensMotor",
    ]
