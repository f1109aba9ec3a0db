"""A slip of the pen in a question that nothing answers."""

import pytest

from recairn.recall.slips import respelled
from tests.corpus import opened

TEXTS = (
    "Queues moved to postgres, redis holds sessions only",
    "Deploy after the migration of invoices; postgres first",
    "Plants of the harbour office are watered on Mondays",
    "VAT is due on day 81, away from pgbouncer",
    "The W.H.O. reads a log file",
)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("postgers", "postgres"),
        ("Redus sessions?", "redis sessions?"),
        ("how do we depoly", "how do we deploy"),
        ("invioces migraton", "invoices migration"),
        ("postgress", "postgres"),
        ("invioce numbers", "invoices numbers"),
        ("postgres", ""),
        ("invoice", ""),
        ("zeppelin", ""),
        ("rdis", ""),
        ("dediploy", ""),
        ("", ""),
        ("V.A.T.", "VAT"),
        ("is the v.a.t. due?", "is the vat due?"),
        ("pg bouncer limits", "pgbouncer limits"),
        ("pg-bouncer", "pgbouncer"),
        ("logfile", "log file"),
        ("WHO", "w.h.o"),
        ("is there a way", ""),
        ("8.1", ""),
    ],
)
def test_one_slip_is_taken_back_where_a_word_is_near(question, meant):
    assert respelled(question, TEXTS) == meant


def test_of_two_words_as_near_the_more_frequent_is_meant():
    assert respelled("stagin", ["staging staging", "stagiń"]) == "staging"


@pytest.mark.parametrize("model", ["none", "static"])
def test_a_spelling_is_offered_only_where_it_finds_something(tmp_path, model):
    with opened(tmp_path / "m.db", model=model) as memory:
        for text in TEXTS:
            memory.remember(text)
        assert memory.search("postgers", track=False).hits == ()
        assert memory.meant("postgers") == "postgres"
        assert memory.meant("postgers", kind="rule") == ""
        assert memory.meant("pg bouncer") == "pgbouncer"
        assert memory.meant("WHO") == "w.h.o"
        assert memory.meant("zeppelin") == ""
