"""Which characters may be stored and shown."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.guard import clean_text, safe_for_terminal

FORBIDDEN = frozenset(
    [
        *(chr(code) for code in range(0x20) if chr(code) not in "\n\t"),
        *(chr(code) for code in range(0x7F, 0xA0)),
        *(chr(code) for code in range(0xD800, 0xE000)),
        *"\u061c\u200b\u200e\u200f\u2028\u2029\u2060\ufeff\u00ad",
        *(chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))),
        *(chr(code) for code in range(0xFDD0, 0xFDF0)),
        *(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF)),
    ]
)
NASTY = (
    "\x1b[]\x07\x9b\x9d\x9c\r\n\t\0\u200b\u200c\u200d\ufe0f\ufe01\u202e\u2066\ufeff\u2028\u00ad"
    "\U0001f3f4\U000e0067\U000e0062\U000e007f\U0001f469\u2695\u0645\u06cc\u0915\u094de\u0301"
    "\u0338\u2adc\u064b a;31m8"
)
ANY_TEXT = st.text(
    alphabet=st.characters(exclude_categories=()) | st.sampled_from(NASTY), max_size=60
)


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\u2028b\u2029c\x85d\x0ce", "a\nb\nc\nd\ne"),
        ("nul\0 bell\x07 del\x7f", "nul bell del"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil\x07link\x1b]8;;\x1b\\ text", "link text"),
        ("\x1b]0;title without end\nnext line", "\nnext line"),
        ("\x9b31mred", "red"),
        ("â\x80\x9dquoted", "âquoted"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("invoice\u202egpj.exe", "invoicegpj.exe"),
        ("zero\u200bwidth\u2060\ufeff", "zerowidth"),
        ("pass\u200dword", "password"),
        ("hid\U000e0068\U000e0069den", "hidden"),
        ("\U0001f600\ufe0f\ufe00\ufe01", "\U0001f600\ufe0f"),
        ("e\u0301", "é"),
        ("non\ufdd0char\U0001ffff", "nonchar"),
    ],
)
def test_what_hides_or_controls_is_removed(dirty, clean):
    assert clean_text(dirty) == clean


@pytest.mark.parametrize(
    "text",
    [
        "plain ASCII\n\twith a tab",
        "Grüße, naïve café, 日本語\u3000です, Ω ﬁ ½",
        "\U0001f469\u200d\u2695\ufe0f \u2764\ufe0f\u200d\U0001f525 \U0001f468\u200d\U0001f469",
        "\U0001f3f3\ufe0f\u200d\U0001f308 \U0001f408\u200d\u2b1b 1\ufe0f\u20e3",
        "\U0001f1e9\U0001f1ea",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937 \u0d28\u0d4d\u200d",
    ],
)
def test_what_writing_needs_survives(text):
    assert clean_text(text) == text
    assert safe_for_terminal(text) == text


def test_output_keeps_the_stored_spelling():
    assert safe_for_terminal("e\u0301\x1b[2J\u202e\tx\n") == "e\u0301\tx\n"


@given(ANY_TEXT)
def test_cleaned_text_is_free_of_forbidden_characters_normal_and_stable(text):
    cleaned = clean_text(text)
    assert not FORBIDDEN & set(cleaned)
    assert unicodedata.is_normalized("NFC", cleaned)
    assert clean_text(cleaned) == cleaned
    cleaned.encode()


@given(ANY_TEXT)
def test_shown_text_is_free_of_forbidden_characters_and_stable(text):
    shown = safe_for_terminal(text)
    assert not FORBIDDEN & set(shown)
    assert safe_for_terminal(shown) == shown


def test_no_code_point_smuggles_a_control_past_the_terminal():
    for code in (*range(0x3000), *range(0xE0000, 0xE0200)):
        shown = safe_for_terminal(f"a{chr(code)}b")
        assert not FORBIDDEN & set(shown)
        assert not any(0xE0000 <= ord(char) <= 0xE007F for char in shown)
