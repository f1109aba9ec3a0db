"""Entities link themselves to the memories that name them: exactly, and with a way back."""

from __future__ import annotations

import pytest

from recairn.memory.mentions import entity_names


def mentions(memory):
    """(source, target) of all edges that were made because of a mention."""
    _, edges = memory.graph(all_projects=True)
    return sorted((edge.source, edge.target) for edge in edges if edge.created_by == "mention")


def entity(memory, title, *aliases, **options):
    fields = {"aliases": list(aliases)}
    told = memory.remember(f"What {title} is", kind="entity", title=title, fields=fields, **options)
    return told.id


def test_a_new_memory_is_linked_to_the_entity_it_names(memory):
    redis = entity(memory, "Redis")
    told = memory.remember("Sessions live in redis for an hour").id
    assert mentions(memory) == [(told, redis)]
    (found,) = memory.related(told)
    assert (found.memory.id, found.path.count("relates_to")) == (redis, 1)


def test_aliases_count_and_phrases_match_word_by_word(memory):
    gauge = entity(memory, "TideGauge", "tide gauge", "pegel")
    yes = [
        memory.remember(text, force=True).id
        for text in ("The tide-gauge froze", "Read the Tide Gauge at noon", "Der Pegel steigt")
    ]
    memory.remember("The tide broke the gauge", force=True)
    memory.remember("Tide gauges are expensive", force=True)
    assert mentions(memory) == [(told, gauge) for told in yes]


def test_titles_and_fields_are_text_too(memory):
    redis = entity(memory, "Redis")
    told = memory.remember("It was slow", kind="failure", fields={"cause": "Redis was full"}).id
    other = memory.remember("It is fast", title="Redis behind the cache").id
    assert mentions(memory) == [(told, redis), (other, redis)]


def test_a_new_entity_is_linked_to_the_memories_that_name_it_already(memory):
    first = memory.remember("Sessions live in redis for an hour").id
    memory.remember("The ferry leaves at seven")
    third = memory.remember("Flush Redis before a release").id
    redis = entity(memory, "Redis")
    assert mentions(memory) == [(first, redis), (third, redis)]


def test_in_bulk_entities_and_memories_find_one_another(memory):
    memory.remember_many(
        [
            {"content": "Sessions live in redis for an hour"},
            {"content": "Redis", "kind": "entity"},
            {"content": "Flush Redis before a release"},
            {"content": "The ferry leaves at seven"},
        ]
    )
    assert mentions(memory) == [(1, 2), (3, 2)]


def test_an_entity_of_another_project_is_not_linked_but_a_global_one_is(memory):
    entity(memory, "Redis", project="bakery")
    everywhere = entity(memory, "Postgres", tier="global")
    told = memory.remember("Redis and Postgres share a disk").id
    far = memory.remember("Postgres is slow on Mondays", project="bakery").id
    assert mentions(memory) == [(told, everywhere), (far, everywhere)]


def test_an_entity_added_later_is_linked_only_in_its_own_project(memory):
    memory.remember("Redis is slow on Mondays", project="bakery")
    here = memory.remember("Flush Redis before a release").id
    assert entity(memory, "Redis") == 3
    assert mentions(memory) == [(here, 3)]


def test_entities_that_name_one_another_are_linked_and_none_to_itself(memory):
    redis = entity(memory, "Redis")
    cache = memory.remember("Our Redis in front of the shop", kind="entity", title="Cache").id
    assert mentions(memory) == [(cache, redis)]


def test_an_entity_of_a_session_links_nothing(memory):
    memory.remember("Sessions live in redis for an hour", tier="session", session="s1")
    entity(memory, "Redis", tier="session", session="s1")
    memory.remember("Flush Redis before a release", tier="session", session="s1")
    assert mentions(memory) == []


def test_pieces_of_documents_are_not_linked(memory):
    memory.remember("Chapter on Redis", kind="chunk", fields={"document": 1})
    entity(memory, "Redis")
    memory.remember("Another chapter on Redis", kind="chunk", fields={"document": 1})
    assert mentions(memory) == []


def test_undoing_the_memory_hides_its_links_and_undoing_the_entity_too(memory):
    redis = entity(memory, "Redis")
    told = memory.remember("Sessions live in redis for an hour").id
    memory.undo(told)
    assert mentions(memory) == []
    memory.restore(told)
    assert mentions(memory) == [(told, redis)]
    memory.undo(redis)
    assert mentions(memory) == []


def test_erasing_the_entity_removes_its_links(memory):
    redis = entity(memory, "Redis")
    memory.remember("Sessions live in redis for an hour")
    memory.forget(redis, hard=True)
    assert memory.stats()["edges"] == 0
    assert memory.verify().problems == ()


def test_an_edit_that_no_longer_names_the_entity_unlinks_it_and_undo_links_it_again(memory):
    redis = entity(memory, "Redis")
    told = memory.remember("Sessions live in redis for an hour").id
    memory.edit(told, content="Sessions live in memory for an hour")
    assert mentions(memory) == []
    memory.undo(told)
    assert mentions(memory) == [(told, redis)]


def test_an_edit_that_names_the_entity_links_it(memory):
    redis = entity(memory, "Redis")
    told = memory.remember("Sessions live in memory for an hour").id
    memory.edit(told, content="Sessions live in Redis for an hour")
    assert mentions(memory) == [(told, redis)]


def test_merged_text_is_linked_too(memory):
    redis = entity(memory, "Redis")
    told = memory.remember("Sessions live for an hour").id
    memory.remember("They live in Redis", merge=told)
    assert mentions(memory) == [(told, redis)]


def test_an_unlinked_mention_stays_away_at_the_next_edit(memory):
    redis = entity(memory, "Redis")
    told = memory.remember("Sessions live in redis for an hour").id
    memory.unlink(told, redis)
    memory.edit(told, content="Sessions live in redis for two hours")
    memory.edit(redis, fields={"aliases": ["redis cluster"]})
    assert mentions(memory) == []
    memory.undo(told)
    memory.undo(told)
    assert mentions(memory) == [(told, redis)]


def test_a_new_alias_links_and_a_dropped_one_unlinks(memory):
    redis = entity(memory, "Redis")
    told = memory.remember("The cache box is full").id
    memory.edit(redis, fields={"aliases": ["cache box"]})
    assert mentions(memory) == [(told, redis)]
    memory.edit(redis, fields={"aliases": ["memory box"]})
    assert mentions(memory) == []


def test_a_link_made_by_hand_is_left_as_it_is(memory):
    redis = entity(memory, "Redis")
    told = memory.remember("Sessions live for an hour").id
    memory.link(told, redis, "relates_to", weight=0.3)
    memory.edit(told, content="Sessions live in Redis for an hour")
    memory.edit(told, content="Sessions live for two hours")
    _, (edge,) = memory.graph()
    assert (edge.created_by, edge.weight) == ("user", 0.3)


def test_a_forgotten_entity_is_not_linked_until_it_is_back(memory):
    redis = entity(memory, "Redis")
    memory.forget(redis)
    told = memory.remember("Sessions live in redis for an hour").id
    assert mentions(memory) == []
    memory.restore(redis)
    assert mentions(memory) == [(told, redis)]


@pytest.mark.parametrize(
    ("title", "content", "aliases", "names"),
    [
        ("Redis", "An in-memory store", (), [["redis"]]),
        ("", "Redis", (), [["redis"]]),
        ("", "The harbour master's office", (), [["the", "harbour", "master", "s", "office"]]),
        ("", "A store that keeps everything in memory", ("Redis",), [["redis"]]),
        ("Go", "A language", ("golang",), [["golang"]]),
        ("C++", "A language", (), []),
        ("The Who", "A band", (), []),
        ("What is it", "A question", (), []),
        ("src/auth.py", "A file", (), [["src", "auth", "py"]]),
    ],
)
def test_names_are_titles_short_contents_and_aliases_that_say_something(
    title, content, aliases, names
):
    assert entity_names(title, content, aliases) == names
