"""Linking, walking links and consolidating from the command line."""

from __future__ import annotations

import json

import pytest

PATTERN = "Never parse HTML with regular expressions"
DECISION = "Supplier pages are parsed with regular expressions"


@pytest.fixture
def shelf(recairn, monkeypatch):
    """A pattern #1, a decision #2 of an outside id, a learning #3, all without links."""
    monkeypatch.setenv("RECAIRN_PROJECT", "shop")
    monkeypatch.setenv("RECAIRN_MODEL", "none")
    recairn("add", PATTERN, "-k", "pattern")
    recairn("add", DECISION, "-k", "decision", "--external-id", "dec-5741815d")
    recairn("add", "The ferry leaves at seven")
    return recairn


@pytest.fixture
def linked(shelf):
    shelf("link", "1", "2", "contradicts")
    shelf("link", "3", "2", "affects", "--weight", "0.5")
    return shelf


def test_link_takes_any_reference_and_any_spelling_of_a_relation(shelf):
    uid = shelf("show", "1", "--json").json["uid"]
    assert shelf("link", uid, "dec-5741815d", "CONTRADICTS").out == "Linked #1 contradicts #2\n"
    ran = shelf("link", "#3", "#1", "RELATED_TO", "--weight", "0.25", "--confidence", "0.5")
    assert ran.out == "Linked #3 relates_to #1 (weight 0.25)\n"


def test_link_answers_with_the_edge(shelf):
    edge = shelf("link", "1", "2", "contradicts", "--json").json
    assert list(edge) == [
        "source",
        "target",
        "relation",
        "weight",
        "confidence",
        "created_by",
        "created_at",
        "valid_from",
        "valid_until",
    ]
    assert (edge["source"], edge["target"], edge["relation"]) == (1, 2, "contradicts")
    assert edge["created_at"].endswith("Z")


def test_an_unknown_relation_is_a_usage_error_that_lists_the_known_ones(shelf):
    ran = shelf("link", "1", "2", "hates")
    assert ran.status == 2
    assert "unknown relation 'hates'" in ran.err
    assert "relates_to, depends_on, implements" in ran.err


@pytest.mark.parametrize(
    "words",
    [("link", "1"), ("link", "1", "2"), ("link", "1", "2", "affects", "--weight", "2")],
)
def test_a_link_needs_two_memories_a_relation_and_sane_strengths(shelf, words):
    assert shelf(*words).status == 2


def test_lores_connect_and_disconnect_are_link_and_unlink(shelf):
    assert shelf("graph", "connect", "1", "2", "derived_from").status == 0
    assert shelf("graph:related", "1", "--json").json["related"][0]["id"] == 2
    assert shelf("graph", "traverse", "1", "--depth", "2").out.startswith("#1 ")
    assert shelf("graph", "disconnect", "1", "2").out == "Unlinked #1 derived_from #2\n"


def test_lore_appendix_contradictions_are_listed_until_somebody_decides(linked):
    shelf = linked
    assert shelf("graph", "conflicts").out == (
        f"#1 [pattern] {PATTERN}\n  contradicts #2 [decision] {DECISION}\n"
    )
    shelf("link", "2", "1", "contradicts")
    shelf("link", "3", "2", "contradicts")
    found = shelf("graph", "conflicts", "--json").json
    assert found["total"] == 2
    assert [sorted(end["id"] for end in pair) for pair in found["conflicts"]] == [[2, 3], [1, 2]]
    shelf("unlink", "3", "2", "contradicts")
    shelf("supersede", "2", "Supplier pages are parsed with lxml")
    assert shelf("graph", "conflicts").out == "no memory contradicts another one\n"


def test_unlink_ends_links_and_undo_brings_them_back(linked):
    assert linked("unlink", "1", "2", "contradicts").out == "Unlinked #1 contradicts #2\n"
    assert linked("unlink", "1", "2").status == 1
    assert linked("undo", "1").out == "Took back: #1 unlinked\n"
    (edge,) = linked("unlink", "1", "2", "--json").json["unlinked"]
    assert edge["relation"] == "contradicts"


def test_history_shows_links(linked):
    out = linked("history", "1").out
    assert "linked\n    edge: none -> relation=contradicts, target=2, weight=1.0" in out


def test_related_shows_the_way_and_the_contradiction(linked):
    lines = linked("graph", "related", "1").out.splitlines()
    assert lines == [
        f"#1 {PATTERN}",
        "",
        f"[56%] #2 {DECISION}",
        "      decision, just now, contradicted by #1",
        f"      [pattern] {PATTERN} → contradicts → [decision] {DECISION}",
    ]


def test_related_goes_as_deep_as_asked(linked):
    document = linked("graph", "related", "1", "--depth", "2", "--json").json
    assert (document["id"], document["depth"]) == (1, 2)
    assert [(each["id"], each["hops"]) for each in document["related"]] == [(2, 1), (3, 2)]
    assert document["related"][0]["flags"] == ["contradicted by #1"]
    for depth in ("0", "4"):
        assert linked("graph", "related", "1", "--depth", depth).status == 2


def test_a_memory_without_links_says_how_to_make_one(shelf):
    assert shelf("graph", "related", "3").out.endswith(
        "  no links yet; recairn link 3 ID RELATION makes one\n"
    )
    for words in (("graph", "hubs"), ("graph", "clusters")):
        assert shelf(*words).out == "no links yet; recairn link A B RELATION makes one\n"


def test_path_spells_the_connection(linked):
    first, second = linked("graph", "path", "1", "3").out.splitlines()
    assert first == (
        f"[pattern] {PATTERN} → contradicts → [decision] {DECISION}"
        " ← affects ← [learning] The ferry leaves at seven"
    )
    assert second == "  2 links, 14% of a score arrives"
    document = linked("graph", "path", "1", "3", "--json").json
    assert [(step["from"], step["to"], step["forward"]) for step in document["steps"]] == [
        (1, 2, True),
        (2, 3, False),
    ]


def test_no_path_is_no_failure(shelf):
    ran = shelf("graph", "path", "1", "3")
    assert (ran.status, ran.out) == (0, "no way leads from #1 to #3\n")
    assert shelf("graph", "path", "1", "3", "--json").json["found"] is False


def test_hubs_are_the_most_linked(linked):
    assert linked("graph", "hubs", "-n", "1").out.splitlines() == [
        "memory  links",
        f"#2          2  [decision] {DECISION}",
    ]
    assert linked("graph", "hubs", "--json").json["hubs"][0]["links"] == 2


def test_lore_appendix_part_of_groups_patterns_under_a_hub(shelf):
    shelf("add", "Bash safety", "-k", "note")
    for each in ("1", "2", "3"):
        shelf("graph", "connect", each, "4", "part_of")
    assert shelf("graph", "hubs", "-n", "1", "--json").json["hubs"][0]["id"] == 4


def test_orphans_have_no_link(linked):
    assert linked("graph", "orphans").out == "every memory is linked to another one\n"
    linked("add", "Seagulls steal sandwiches near the pier")
    linked("add", "Wipe the lens after every storm")
    assert linked("graph", "orphans").out.splitlines() == [
        "#5 [learning] Wipe the lens after every storm",
        "#4 [learning] Seagulls steal sandwiches near the pier",
    ]
    assert linked("graph", "orphans", "-n", "1").err == "1 of 2; -n shows more\n"
    assert linked("graph", "orphans", "-n", "1", "--json").json["total"] == 2


def test_clusters_hang_together(linked):
    assert linked("graph", "clusters").out.splitlines()[0] == "3 memories"
    assert linked("graph", "clusters", "--json").json == {
        "clusters": [{"size": 3, "memories": [1, 2, 3]}],
        "total": 1,
    }


def test_stats_count_the_graph(linked):
    assert linked("graph", "stats", "--json").json == {
        "memories": 3,
        "edges": 2,
        "orphans": 0,
        "clusters": 1,
        "largest_cluster": 3,
        "edges_per_memory": 0.667,
        "relations": {"affects": 1, "contradicts": 1},
    }
    assert linked("graph").out.endswith("by relation: affects 1, contradicts 1\n")


def test_export_draws_mermaid_by_default(linked):
    assert linked("graph", "export").out.splitlines() == [
        "graph LR",
        '  m1["pattern 1: Never parse HTML with regular…"]',
        '  m2["decision 2: Supplier pages are parsed with regular…"]',
        '  m3["learning 3: The ferry leaves at seven"]',
        "  m1 -->|contradicts| m2",
        "  m3 -->|affects| m2",
    ]


def test_export_around_one_memory_as_dot(linked):
    assert linked("graph", "export", "1", "--format", "dot").out.splitlines() == [
        "digraph memories {",
        "  node [shape=box];",
        '  m1 [label="pattern #1: Never parse HTML with regular…"];',
        '  m2 [label="decision #2: Supplier pages are parsed with regular…"];',
        '  m1 -> m2 [label="contradicts"];',
        "}",
    ]


@pytest.mark.parametrize("words", [("--format", "json"), ("--json",)])
def test_export_as_json_has_nodes_and_edges(linked, words):
    document = linked("graph", "export", *words).json
    assert [node["id"] for node in document["nodes"]] == [1, 2, 3]
    assert [(edge["source"], edge["target"]) for edge in document["edges"]] == [(1, 2), (3, 2)]


def test_text_cannot_break_out_of_a_drawing(shelf):
    shelf("add", 'a "] --> x\\" <b>`|', "--title", 'end"]; evil [label="')
    shelf("link", "4", "1", "affects")
    mermaid = shelf("graph", "export").out
    assert '  m4["learning 4: end#quot;]; evil [label=#quot;"]' in mermaid.splitlines()
    dot = shelf("graph", "export", "--format", "dot").out
    assert '  m4 [label="learning #4: end\\"]; evil [label=\\""];' in dot.splitlines()


def test_other_projects_are_shown_on_request(linked):
    linked("--project", "bakery", "add", "The oven door is open")
    linked("link", "1", "bakery/4", "affects")
    assert linked("graph", "stats", "--json").json["edges"] == 2
    assert linked("graph", "stats", "--all-projects", "--json").json["edges"] == 3


# Searching


def test_lore_phase_3_search_to_depth_2_surfaces_jwt_and_auth_py(shelf):
    shelf("add", "Authentication uses signed tokens", "-k", "decision", "--title", "Authentication")
    shelf("add", "Signed and short-lived", "-k", "note", "--title", "JWT concept")
    shelf("add", "Holds the middleware", "-k", "fact", "--title", "auth.py")
    shelf("link", "4", "5", "relates_to")
    shelf("link", "5", "6", "implements")
    words = ("search", "authentication", "--mode", "keyword")
    assert [hit["id"] for hit in shelf(*words, "--json").json["hits"]] == [4]
    hits = shelf(*words, "--graph-depth", "2", "--json").json["hits"]
    assert [(hit["id"], hit["match"]) for hit in hits] == [
        (4, "keyword"),
        (5, "graph"),
        (6, "graph"),
    ]
    assert hits[2]["score"] == pytest.approx(hits[0]["score"] * 0.343)
    way = (
        "[decision] Authentication → relates_to → [note] JWT concept → implements → [fact] auth.py"
    )
    assert hits[2]["path"] == way
    assert f"      {way}\n" in shelf(*words, "--graph-depth", "2").out


def test_search_flags_who_contradicts_a_hit(linked):
    words = ("search", "HTML", "--mode", "keyword")
    assert linked(*words, "--json").json["hits"][0]["flags"] == ["contradicts #2"]
    assert "pattern, just now, contradicts #2\n" in linked(*words).out


@pytest.mark.parametrize("depth", ["4", "-1"])
def test_search_refuses_another_depth(shelf, depth):
    ran = shelf("search", "HTML", "--graph-depth", depth)
    assert (ran.status, ran.out) == (2, "")
    assert "the depth must be between 0 and 3" in ran.err


# Consolidating

ALIKE = "Retry the queue three times with full jitter before giving up on the broker"


@pytest.fixture
def alike(recairn, monkeypatch):
    monkeypatch.setenv("RECAIRN_MODEL", "none")
    recairn("add", ALIKE)
    recairn("add", ALIKE.replace("the broker", "a broker"), "--force")
    return recairn


def test_consolidate_only_shows_until_told_to_write(alike):
    ran = alike("consolidate")
    assert ran.out.splitlines()[1].startswith("      93%  #2 Retry the queue")
    assert ran.err == "nothing was changed; --write merge or --write summary does\n"
    assert alike("stats", "--json").json["memories"] == 2


def test_consolidate_asks_before_it_writes(alike):
    refused = alike("consolidate", "--write", "merge")
    assert refused.status == 1
    assert "this writes a merge of 1 cluster" in refused.err
    assert alike("consolidate", "--write", "merge", stdin="n\n", tty=True).status == 0
    assert alike("stats", "--json").json["memories"] == 2
    assert alike("consolidate", "--write", "merge", "--yes").out.endswith("  merged into #1\n")
    assert alike("show", "2", "--json").json["superseded_by"] == 1
    assert alike("consolidate").out == "no near-duplicates\n"


def test_consolidate_writes_a_summary(alike):
    (done,) = alike("consolidate", "--write", "summary", "--yes", "--json").json["clusters"]
    assert (done["written"], done["memory"]) == ("summary", 3)
    assert alike("show", "3", "--json").json["title"] == "Summary of #1, #2"
    assert "summarized_by" in alike("graph", "related", "3").out


def test_the_threshold_and_the_command_are_settings_of_the_command_line(alike):
    assert alike("consolidate", "--threshold", "0.99").out == "no near-duplicates\n"
    assert alike("consolidate", "--threshold", "7").status == 2
    assert alike("consolidate", "--write", "delete").status == 2
    alike("config", "set", "consolidate.command", "cat")
    (done,) = alike("consolidate", "--write", "summary", "--yes", "--json").json["clusters"]
    assert sorted(each["id"] for each in json.loads(done["text"])["memories"]) == [1, 2]


def test_the_memories_around_one_are_shown_with_the_links_between_them(recairn):
    for text in ("Tide chart", "Broker queue"):
        recairn("add", text)
    recairn("link", "1", "2", "depends_on")
    ran = recairn("graph", "around", "1")
    assert ran.out.splitlines()[:2] == [
        "#1 learning: Tide chart",
        "#2 learning: Broker queue (1 link away)",
    ]
    told = recairn("graph", "around", "1", "--relation", "relates_to", "--json").json
    assert ([node["id"] for node in told["nodes"]], told["edges"]) == ([1], [])
