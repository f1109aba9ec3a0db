"""What ranking knows of the past and of the repository."""

from __future__ import annotations

from tests.corpus import opened


def test_a_search_as_of_then_shows_the_words_of_then(tmp_path, clock):
    with opened(tmp_path / "m.db", clock=clock) as memory:
        one = memory.remember("The radio listens on port 7331").id
        then = clock()
        clock.advance(60_000)
        memory.edit(one, content="The radio listens on port 9000")
        assert [hit.memory.content for hit in memory.search("radio port", as_of=then).hits] == [
            "The radio listens on port 7331"
        ]
        assert [hit.memory.content for hit in memory.search("radio port").hits] == [
            "The radio listens on port 9000"
        ]


def test_what_no_longer_stands_in_the_repository_ranks_lower(tmp_path, clock):
    with opened(tmp_path / "m.db", clock=clock) as memory:
        gone = memory.remember("The fog horn driver lives in src/horn.py").id
        kept = memory.remember("The fog horn driver lives in src/siren.py", force=True).id
        assert [hit.id for hit in memory.search("fog horn driver").hits] == [gone, kept]
        clock.advance(1000)
        with memory.store.transaction():
            memory.store.put_staleness([(gone, clock(), "deleted", 1.0, "src/horn.py")])
        first, second = memory.search("fog horn driver").hits
        assert (first.id, second.id) == (kept, gone)
        assert second.terms["standing"].value == 0.0
