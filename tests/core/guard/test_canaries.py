"""The promise of the write door: planted secrets are caught, ordinary lines are left alone."""

from __future__ import annotations

import random
from collections import Counter

from recairn.core.guard import redact
from tests.core.guard.canaries import (
    canaries,
    made_up_line,
    repository_lines,
    standard_library_lines,
    survives,
)

LEAST_CAUGHT = 0.99
MOST_FALSE_ALARMS = 0.005


def test_of_two_thousand_canaries_at_least_99_percent_are_caught():
    planted = canaries(random.Random(20240501), rounds=25)
    total = Counter(canary.kind for canary in planted)
    assert len(planted) >= 2000
    assert len(total) >= 40

    missed: Counter[str] = Counter()
    for canary in planted:
        redacted, _ = redact(canary.text)
        missed[canary.kind] += any(survives(secret, redacted) for secret in canary.secrets)

    rates = [f"{kind}: {1 - n / total[kind]:.0%}" for kind, n in missed.most_common() if n]
    assert 1 - missed.total() / len(planted) >= LEAST_CAUGHT, "\n".join(rates)
    # No kind may hide behind the others.
    assert all(n <= 0.2 * total[kind] for kind, n in missed.items()), "\n".join(rates)


def test_redacting_a_redacted_canary_changes_nothing():
    for canary in canaries(random.Random(7), rounds=2):
        once, kinds = redact(canary.text)
        assert redact(once) == (once, ()), kinds


def test_of_ten_thousand_ordinary_lines_at_most_a_two_hundredth_is_touched():
    rng = random.Random(20240502)
    lines = standard_library_lines(rng, 5000) + repository_lines()
    lines += [made_up_line(rng) for _ in range(max(4000, 10_000 - len(lines)))]
    assert len(lines) >= 10_000

    touched = [(line, redact(line)) for line in lines if redact(line)[1]]

    assert len(touched) / len(lines) <= MOST_FALSE_ALARMS, touched[:20]


def test_hashes_and_identifiers_are_never_touched():
    rng = random.Random(3)
    for line in (made_up_line(rng) for _ in range(3000)):
        assert redact(line) == (line, ())
