"""mem0's exports, the graph of the reference memory server, and architecture decision records."""

import json

import pytest

from recairn.sources import sources_of

T0 = 1_770_000_000_000  # 2026-02-02T02:40:00Z
TS = "2026-02-02T02:40:00Z"


# mem0


def kept(name, said, **more):
    return {"id": name, "memory": said, "hash": "h", "user_id": "ada", "created_at": TS, **more}


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "mem0-export.json"

    def write(told):
        path.write_text(told if isinstance(told, str) else json.dumps(told))
        return path

    return write


def test_mem0_memories_keep_id_time_owner_and_metadata(memory, export):
    told = kept("m-1", "Ada rows at dawn", categories=["sport"], metadata={"boat": "skiff"})
    (done,) = memory.import_from(export({"count": 1, "results": [told]}))
    only = memory.get("m-1")
    assert (done.source, done.added) == ("mem0", 1)
    assert (only.content, only.created_at, only.category) == ("Ada rows at dawn", T0, "sport")
    assert only.keywords == ("sport", "user_id:ada", "boat:skiff")


def test_mem0_twice_adds_nothing_wherever_the_export_lies(memory, export, tmp_path):
    told = [kept("m-1", "Ada rows at dawn"), kept("m-2", "Ada rows at dusk")]
    assert memory.import_from(export(told))[0].added == 2
    later = tmp_path / "later.json"
    later.write_text(json.dumps([told[0], kept("m-2", "Ada swims at dusk")]))
    (done,) = memory.import_from(later, "mem0")
    assert (done.added, done.unchanged, done.changed) == (0, 1, 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"results": [', "not JSON"),
        ('{"results": {"memory": 1}}', "there is no list of memories in it"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"id": "a", "memory": NaN}]', "NaN is not a JSON number"),
    ],
)
def test_a_mem0_file_that_is_none_is_told(memory, export, text, why):
    (done,) = memory.import_from(export(text), "mem0")
    assert (done.added, done.failed) == (0, 1)
    assert why in done.errors[0].reason


def test_bad_mem0_records_are_told_by_number(memory, export):
    huge = kept("m-9", "x" * 50_000_000)
    told = [kept("m-1", "Good"), 7, kept("", "nameless"), kept("m-2", ["no"]),
            kept("m-3", "late", created_at="soon"), kept("m-4", "odd", metadata=[1]), huge,
            kept("m-5", "Good too")]  # fmt: skip
    (done,) = memory.import_from(export(told))
    assert [each.place.rpartition(":")[2] for each in done.errors] == ["2", "3", "4", "5", "6", "7"]
    assert done.added == 2


# The reference memory server


def entity(name, kind, *observations):
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations)}


def relation(source, kind, target):
    return {"type": "relation", "from": source, "to": target, "relationType": kind}


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "memory.jsonl"

    def write(*lines):
        raw = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
        path.write_bytes(b"\n".join(raw))
        return path

    return write


ADA = entity("Ada", "person", "Rows at dawn", "Owns a skiff")
SKIFF = entity("Skiff", "boat")


def test_entities_observations_and_relations_come_in(memory, graph):
    (done,) = memory.import_from(
        graph(ADA, SKIFF, relation("Ada", "owns", "Skiff"), relation("Skiff", "part_of", "Ada"))
    )
    assert (done.source, done.added, done.linked, done.besides) == ("mcp-memory", 4, 2, {"edge": 2})
    ada, skiff = memory.get("Ada"), memory.get("Skiff")
    assert (ada.kind, ada.fields, ada.title) == ("entity", {"entity_type": "person"}, "Ada")
    facts = memory.listing(kind="fact")
    assert sorted(each.content for each in facts) == ["Owns a skiff", "Rows at dawn"]
    found = {(edge.source, edge.relation, edge.target) for edge in memory.graph()[1]}
    assert {(facts[0].id, "part_of", ada.id), (skiff.id, "part_of", ada.id)} <= found


def test_an_observation_that_is_gone_is_told_and_a_new_one_added(memory, graph):
    memory.import_from(graph(ADA, SKIFF))
    (done,) = memory.import_from(graph(entity("Ada", "person", "Rows at dawn", "Swims"), SKIFF))
    assert (done.added, done.unchanged) == (1, 3)
    assert [text for _, text in done.gone] == ["Ada"]


def test_broken_lines_of_the_graph_stop_nothing(memory, graph):
    (done,) = memory.import_from(
        graph(
            ADA,
            b'{"type": "entity", "name": "cut',
            b'{"type": "entity", "name": "\xff"}',
            {"type": "song"},
            entity(["x"], "person"),
            {**SKIFF, "observations": {"a": 1}},
            relation("Ada", "knows", "Nobody"),
            b'"' + b"x" * 50_000_000 + b'"',
            entity("Dog", "animal"),
        )
    )
    lines = sorted(int(each.place.rpartition(":")[2]) for each in done.errors)
    assert (lines, done.added) == ([2, 3, 4, 5, 6, 7, 8], 4)


# Architecture decision records

FIRST = """\
# 3. Moor by the stern

Date: 2026-02-02

## Status

Superseded by [5. Moor by the bow](0005-moor-by-the-bow.md)

## Context

The quay is short.

## Decision

We moor by the stern.

## Consequences

Boarding is easy.
"""
SECOND = """\
---
status: accepted
date: 2026-02-02
tags: [mooring]
---
# Moor by the bow

## Context and Problem Statement

Waves come from behind.

## Considered Options

* By the stern
* By the bow

## Decision Outcome

Chosen: by the bow.

### Consequences

* Drier.

## Links

* Supersedes [ADR-0003](0003-moor-by-the-stern.md)
"""


@pytest.fixture
def records(tmp_path):
    folder = tmp_path / "docs" / "adr"
    folder.mkdir(parents=True)
    (folder / "0003-moor-by-the-stern.md").write_text(FIRST)
    (folder / "0005-moor-by-the-bow.md").write_text(SECOND)
    (folder / "README.md").write_text("# Records\n")
    return folder


def test_decisions_come_with_their_sections_and_successors(memory, records):
    (done,) = memory.import_from(records)
    assert (done.source, done.added, done.warnings) == ("adr", 2, ())
    stern, bow = memory.get("ADR-0003"), memory.get("ADR-0005")
    assert (stern.title, stern.content, stern.created_at) == (
        "Moor by the stern",
        "We moor by the stern.",
        1_769_990_400_000,
    )
    assert stern.fields["rationale"] == "The quay is short."
    assert stern.fields["outcome"] == "Boarding is easy."
    assert stern.superseded_by == bow.id
    assert bow.fields["alternatives"] == ["By the stern", "By the bow"]
    assert (bow.fields["type"], bow.fields["outcome"], bow.keywords) == (
        "accepted",
        "* Drier.",
        ("mooring",),
    )


def test_records_twice_add_nothing_and_a_changed_one_supersedes(memory, records):
    memory.import_from(records)
    assert memory.import_from(records)[0].unchanged == 2
    (records / "0005-moor-by-the-bow.md").write_text(SECOND.replace("by the bow.", "at anchor."))
    assert memory.import_from(records)[0].changed == 1
    assert memory.get("ADR-0005").content == "Chosen: at anchor."


def test_sections_of_its_own_are_kept_in_the_text(memory, records):
    (records / "0006-buoy.md").write_text(
        "# Paint the buoy\n\n## Decision\n\nPaint it red.\n\n## Compliance\n\nThe pilot looks.\n"
    )
    memory.import_from(records)
    assert memory.get("ADR-0006").content == "Paint it red.\n\nCompliance:\nThe pilot looks."


def test_a_rejected_record_is_kept_and_put_away(memory, records):
    (records / "0006-sink.md").write_text(
        "# Sink it\n\n* Status: rejected\n\n## Decision\n\nSink.\n"
    )
    memory.import_from(records)
    assert memory.history("ADR-0006")[-1].reason == "rejected there"


def test_bad_records_are_told_and_stop_nothing(memory, records, tmp_path):
    (records / "0007-empty.md").write_text("no heading\n")
    (records / "0008-bomb.md").write_text("---\nstatus: &a [*a]\n---\n# Bomb\n")
    (records / "0009-large.md").write_bytes(b"# Large\n" + b"x" * 8_000_001)
    (records / "0010-bytes.md").write_bytes(b"# Odd \xff bytes\n\n## Decision\n\nRead them.\n")
    (tmp_path / "secret.md").write_text("# Secret\n")
    (records / "0011-out.md").symlink_to(tmp_path / "secret.md")
    (done,) = memory.import_from(records)
    assert [each.place.rpartition("/")[2] for each in done.errors] == [
        "0007-empty.md:1",
        "0008-bomb.md:2",
        "0009-large.md:1",
    ]
    assert done.added == 3
    assert memory.get("ADR-0011") is None


def test_a_link_to_a_record_that_is_not_there_is_told(memory, records):
    (records / "0005-moor-by-the-bow.md").unlink()
    (done,) = memory.import_from(records)
    assert [each.rpartition(": ")[2] for each in done.warnings] == ["no record 'adr:5' to link"]


def test_paths_tell_which_format_it_is(records, export, graph):
    assert [each.name for each in sources_of(str(records))] == ["adr"]
    assert [each.name for each in sources_of(str(records / "0003-moor-by-the-stern.md"))] == ["adr"]
    assert [each.name for each in sources_of(str(export([kept("m", "x")])))] == ["mem0"]
    assert [each.name for each in sources_of(str(graph(ADA)))] == ["mcp-memory"]


@pytest.mark.parametrize(
    ("said", "links"),
    [
        ("Superseded by [Use 2 anchors](0005-x.md)", [("superseded_by", "adr:5")]),
        ("Superseded by ADR-0005", [("superseded_by", "adr:5")]),
        ("superceded by 5", [("superseded_by", "adr:5")]),
        ("Accepted\n\nSupercedes [3. Old](0003-old.md)", [("supersedes", "adr:3")]),
        ("Amends [4. Other](../adr/0004-other.md)", [("relates_to", "adr:4")]),
        ("Superseded by itself, 7", []),
        ("Accepted in 2026", []),
    ],
)
def test_sentences_of_a_status_become_links(said, links):
    from recairn.sources.adr import _links

    assert _links(said, "7") == links


def test_the_successor_alone_may_say_what_it_replaces(memory, records):
    (records / "0003-moor-by-the-stern.md").write_text(
        "# Moor by the stern\n\n## Decision\n\nMoor.\n"
    )
    memory.import_from(records)
    assert memory.get("ADR-0003").superseded_by == memory.get("ADR-0005").id


def test_records_are_found_in_the_project(memory, records, tmp_path):
    assert memory.import_from(tmp_path, "adr")[0].added == 2
