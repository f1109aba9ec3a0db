"""The planted faults stand ready: their texts are still there, once each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants.faults import FAULTS

ROOT = Path(__file__).resolve().parent.parent.parent
AREAS = set("durability guard visibility ranking undo import mirror word hooks mcp".split())


@pytest.mark.parametrize(
    "fault", [fault for faults in FAULTS.values() for fault in faults], ids=lambda fault: fault.what
)
def test_the_text_of_a_planted_fault_stands_once_in_its_file(fault):
    text = (ROOT / "src/recairn" / fault.path).read_text()
    assert text.count(fault.before) == 1, "let the fault in tests/mutants/faults.py follow the code"
    assert fault.before != fault.after
    for path in [word for word in fault.tests.split() if word.startswith("tests/")]:
        assert (ROOT / path).exists()


def test_every_area_of_promises_has_planted_faults():
    assert set(FAULTS) == AREAS
    assert sum(map(len, FAULTS.values())) >= 60
