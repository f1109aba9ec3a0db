"""A text that nothing in it announces a secret skips the rules: whatever a rule begins with must
stop it at the gate."""

from __future__ import annotations

import random

import pytest

from recairn.core.guard.contexts import ALL_SIGNS, CONTEXTS, find_in_context, signs_in
from recairn.core.guard.names import NAME_WORDS
from recairn.core.guard.redaction import is_announced
from recairn.core.guard.values import LONG_BASE64
from recairn.core.words import words
from tests.core.guard.canaries import canaries
from tests.core.guard.samples import samples

ANNOUNCING = {
    *(row[1] for _, rows in CONTEXTS for row in rows),
    *NAME_WORDS,
    *LONG_BASE64,
}


@pytest.mark.parametrize("word", sorted(ANNOUNCING))
def test_every_word_that_announces_a_secret_stops_a_text_at_the_gate(word: str):
    assert is_announced(f"once {word} more")
    assert is_announced(f"once {word.upper()} more")


def test_whatever_the_rules_find_the_gate_has_stopped():
    planted = [one.text for one in canaries(random.Random(5), rounds=4)]
    planted += [one.text for one in samples(random.Random(6), 2)]
    caught = [text for text in planted if text.isascii() and find_in_context(text, ALL_SIGNS)]

    assert len(caught) > 200
    assert [text for text in caught if not is_announced(text)] == []


def test_plain_prose_passes_the_gate():
    assert not is_announced("The lock gate sticks at low water, so open the sluice before")
    assert not is_announced("tx-aaaaaa")


def test_a_rule_is_asked_wherever_the_word_that_announces_it_and_its_group_stand():
    for planted in (
        "mysql -h db -phunter2hunter2",
        "xfreerdp /v:host /p:hunter2hunter2",
        "echo hunter2hunter2 | docker login --password-stdin",
        "requirepass hunter2hunter2",
        "rootpw hunter2hunter2",
        'login("ann", "hunter2!hunter2")',
    ):
        assert find_in_context(planted, signs_in(planted, words(planted))), planted


def test_the_words_of_a_text_leave_out_no_sign_that_stands_in_it():
    # A name is none in the middle of a word, unless rules know other secrets by it, too.
    for sign in sorted(ALL_SIGNS.difference(NAME_WORDS) | {"auth", "credential"}):
        for text in (f"once {sign} more", f"x{sign.upper()}x more", f"é x{sign}x more"):
            plain = text.encode("ascii", "replace").decode()
            assert sign in signs_in(text, words(plain)), text


def test_rules_find_the_same_where_words_say_which_of_them_are_asked():
    planted = [one.text for one in canaries(random.Random(7), rounds=2)]
    planted += [one.text for one in samples(random.Random(8), 2)]
    planted += [
        "name: pass\nvalue: Hunter2!hunter2",
        "name: DB_PASSWORDvalue = Hunter2!hunter2",
        "pass12value: Hunter2!hunter2",
        'mapping = "Hunter2!hunter2"',
        "server.logcredentialin('bot@example.org', 'Summer2022')",
        "le mot de passe est Hunter2!hunter2, hasło: Hunter2!hunter2",
    ]
    draw = random.Random(9)
    for text in planted:
        for piece in ("", "s", "value", "x", "é", "1", "_2", " key "):
            at = draw.randrange(len(text) + 1)
            glued = text[:at] + piece + text[at:]
            plain = glued.encode("ascii", "replace").decode()
            signs = signs_in(glued, words(plain))
            assert sorted(find_in_context(glued, signs)) == sorted(
                find_in_context(glued, ALL_SIGNS)
            ), glued
