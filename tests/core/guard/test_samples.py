"""What share of realistic secrets is caught, in kinds and places that no rule was tuned on."""

from __future__ import annotations

import random
from collections import Counter

from recairn.core.guard import redact
from tests.core.guard.canaries import survives
from tests.core.guard.samples import samples

LEAST_CAUGHT = 0.99
ROUNDS = 6


def test_of_samples_held_out_from_tuning_at_least_99_percent_are_caught():
    total: Counter[bool] = Counter()
    missed: Counter[bool] = Counter()
    for sample in samples(random.Random(20250301), ROUNDS):
        redacted, _ = redact(sample.text)
        total[sample.held_out] += 1
        missed[sample.held_out] += any(survives(each, redacted) for each in sample.secrets)

    assert min(total.values()) >= 300
    for held_out in (True, False):
        caught = 1 - missed[held_out] / total[held_out]
        assert caught >= LEAST_CAUGHT, (held_out, caught)


def test_redacting_a_redacted_sample_changes_nothing():
    for sample in samples(random.Random(9), 1):
        once, kinds = redact(sample.text)
        assert redact(once) == (once, ()), kinds
