"""A healthy database is called healthy, whoever else has written to it meanwhile."""

from __future__ import annotations

import recairn
from tests.corpus import PROJECT


def test_what_another_connection_rewrote_is_no_damage(tmp_path, clock):
    path = tmp_path / "shared.db"
    options = {"project": PROJECT, "clock": clock, "model": "none"}
    with recairn.open(path, **options) as one, recairn.open(path, **options) as other:
        one.remember("one gull on the mast")
        assert len(one.search("gull").hits) == 1
        one.settle()
        other.edit(1, content="two terns on the rope")
        assert one.verify().problems == ()
