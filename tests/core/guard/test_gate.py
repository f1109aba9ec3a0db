"""A text that nothing in it announces a secret skips the rules: whatever a rule begins with must
stop it at the gate."""

from __future__ import annotations

import random

import pytest

from recairn.core.guard.contexts import CONTEXTS, find_in_context
from recairn.core.guard.names import NAME_WORDS
from recairn.core.guard.redaction import is_announced
from recairn.core.guard.values import LONG_BASE64
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
    caught = [text for text in planted if text.isascii() and find_in_context(text, text.lower())]

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
        assert find_in_context(planted, planted.lower()), planted
