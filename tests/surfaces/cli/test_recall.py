"""Finding and showing from the command line."""

from __future__ import annotations

import math
import re

import pytest

HEAD = "signal"


@pytest.fixture
def shelf(recairn, monkeypatch):
    """Five memories of two projects."""
    monkeypatch.setenv("RECAIRN_PROJECT", "lantern")
    recairn("add", "Wipe the lens after every storm", "-c", "lamp", "--keyword", "cleaning")
    recairn("add", "Stepper motor for the lamp", "--rationale", "the clockwork was late")
    recairn("add", "Never switch the lamp off at night", "-k", "rule", "--sector", "procedural")
    recairn("add", "The horn is loud", "--session", "s1", "--source-type", "agent")
    recairn("--project", "bakery", "add", "The oven lamp blinks when the door is open")
    return recairn


def ids(ran) -> list[int]:
    document = ran.json
    return sorted(each["id"] for each in document.get("hits", document.get("memories")))


def test_hits_show_score_id_category_text_and_circumstances(shelf):
    first, blank, hit, circumstances = shelf("search", "storm").out.splitlines()
    assert (first, blank) == ("1 hit:", "")
    assert hit.endswith("%] #1 [lamp] Wipe the lens after every storm")
    assert circumstances == "      learning, just now"


def test_quotes_that_the_shell_took_from_one_of_several_words_count(shelf):
    assert ids(shelf("search", "lamp", "stepper motor", "--json")) == [2]
    assert 1 in ids(shelf("search", "stepper motor lamp", "--json"))


def test_an_empty_day_says_what_is_newest_and_how_many_there_are(shelf):
    ran = shelf("search", "which", "rules", "since", "2030-01-01")
    assert ran.out.startswith("nothing relevant among 4 memories of project lantern\n")
    assert "nothing is of that time; the newest rule is #3" in ran.err


def test_a_slip_of_the_pen_leads_to_the_command_that_finds_something(shelf):
    ran = shelf("search", "steper", "lmp")
    assert "nothing relevant" in ran.out
    assert ran.out.splitlines()[-1] == "  recairn search 'stepper lmp' finds something"


def test_the_place_of_the_match_is_shown_where_the_headline_lacks_it(shelf):
    assert (
        shelf("search", "clockwork").out.splitlines()[-1]
        == "      rationale: the clockwork was late"
    )


def test_matched_words_are_coloured_on_a_terminal(shelf, monkeypatch):
    monkeypatch.delenv("NO_COLOR")
    assert "every \x1b[33mstorm\x1b[0m" in shelf("search", "storm", tty=True).out


def test_a_setting_lets_search_look_into_every_project_unless_one_is_named(shelf):
    words = ("search", "lamp", "--json")
    assert ids(shelf(*words)) == [1, 2, 3]
    shelf("config", "set", "retrieval.all_projects", "on")
    assert ids(shelf(*words)) == [1, 2, 3, 5]
    assert ids(shelf(*words, "--project", "lantern")) == [1, 2, 3]
    assert ids(shelf(*words, "--project", "bakery")) == [5]
    assert shelf("config", "set", "retrieval.all_projects", "perhaps").status == 1


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ([], [1, 2, 3]),
        (["--all-projects"], [1, 2, 3, 5]),
        (["-k", "rule", "-k", "decision"], [2, 3]),
        (["-c", "lamp"], [1]),
        (["--sector", "procedural", "-k", "rule"], [3]),
        (["--tier", "global"], []),
        (["--since", "1h"], [1, 2, 3]),
        (["--before", "1h"], []),
        (["--as-of", "2020-01-01"], []),
        (["--min-salience", "0.1"], [1, 2, 3]),
        (["--mode", "keyword", "--profile", "default", "--no-track"], [1, 2, 3]),
        (["--min-score", "1"], []),
        (["--project", "bakery"], [5]),
    ],
)
def test_filters_narrow_the_search(shelf, options, found):
    assert ids(shelf("search", "lamp lens", *options, "--json")) == found


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--source-type", "agent"], [4]),
        (["--in-session", "s1"], [4]),
        (["--trust", "verified", "-c", "lamp"], [1]),
        (["--order", "oldest", "-n", "1"], [1]),
        (["--order", "id", "--offset", "3"], [4]),
    ],
)
def test_listing_takes_filters_order_and_extent(shelf, options, found):
    assert ids(shelf("list", *options, "--json")) == found


def test_superseded_and_forgotten_memories_show_on_request(shelf):
    shelf("supersede", "1", "Rinse the lens after every storm")
    shelf("forget", "3")
    assert 1 not in ids(shelf("search", "storm", "--json"))
    assert 1 in ids(shelf("search", "storm", "--include-superseded", "--json"))
    assert "superseded by #6" in shelf("search", "storm", "--include-superseded").out
    assert "forgotten" in shelf("list", "--include-deleted", "-k", "rule").out


@pytest.mark.parametrize(
    ("words", "step"),
    [
        (["zeppelin"], "try --all-projects"),
        (["zeppelin", "--all-projects"], "try other words; recairn recent shows what is there"),
        (["storm", "-k", "fact"], "try without --kind"),
        (["storm", "--min-score", "1"], "try without --min-score"),
    ],
)
def test_finding_nothing_is_no_failure_and_names_a_next_step(shelf, words, step):
    ran = shelf("search", *words)
    assert ran.status == 0
    first, second = ran.out.splitlines()
    assert first.startswith("nothing relevant among ")
    assert second.strip() == step


def test_an_empty_memory_says_how_to_begin(recairn, tmp_path, monkeypatch):
    (tmp_path / "shelf").mkdir()
    monkeypatch.chdir(tmp_path / "shelf")
    assert recairn("search", "x").out == (
        "nothing relevant among 0 memories of project shelf\n"
        '  recairn add "..." remembers something; try --all-projects\n'
    )
    assert "remembers something" in recairn("recent").out
    assert "remembers something" in recairn("projects").out


def test_explain_shows_terms_that_make_the_score(shelf):
    lines = shelf("search", "storm", "--explain").out.splitlines()
    head = next(line for line in lines if line.startswith(HEAD))
    assert head.split() == ["signal", "value", "weight", "effect", "contribution"]
    score, _, product = lines[-2].removeprefix("score ").partition(" = ")
    added, *factors = product.split(" * ")
    value = sum(float(part) for part in added.removeprefix("(").removesuffix(")").split(" + "))
    for factor in factors:
        value *= float(factor)
    assert value == pytest.approx(float(score), abs=0.0005)
    assert float(score) > 0.0


def test_explain_ends_with_how_the_score_becomes_the_percentage(shelf):
    out = shelf("search", "storm", "--explain").out
    form = r"chance (\S+) = 1 / \(1 \+ e\^-x\), x = \S+ = (.*)"
    [(chance, parts)] = re.findall(form, out.splitlines()[-1])
    odds = sum(float(part) for part in parts.split()[::2])
    assert float(chance) == pytest.approx(1 / (1 + math.exp(-odds)), abs=0.02)
    assert f"[{round(100 * float(chance))}%] #1" in out


def test_a_formula_of_another_system_keeps_its_scale_and_says_so(shelf):
    [hit] = shelf("search", "storm", "--json", "--no-track", "--profile", "tx").json["hits"]
    assert (hit["chance"], hit["odds"]) == (None, None)
    out = shelf("search", "storm", "--explain", "--profile", "tx").out
    assert f"[{round(100 * hit['score'])}%] #1" in out
    assert out.splitlines()[-1].startswith("no chance: ")


def test_a_chance_does_not_depend_on_how_many_hits_are_wanted(shelf):
    shelf("add", "A storm lamp stands in the hall")
    both = shelf("search", "storm lens", "--json", "--no-track").json["hits"]
    one = shelf("search", "storm lens", "--json", "--no-track", "-n", "1").json["hits"]
    assert len(both) == 2
    assert one[0]["chance"] == pytest.approx(both[0]["chance"])
    assert both[0]["chance"] >= both[1]["chance"]


def test_several_added_terms_stand_in_brackets(shelf):
    line = shelf("search", "storm", "--explain", "--profile", "brain").out.splitlines()[-2]
    score, _, product = line.removeprefix("score ").partition(" = ")
    parts = [float(part) for part in product.removeprefix("(").removesuffix(")").split(" + ")]
    assert (product[0], product[-1], len(parts)) == ("(", ")", 4)
    assert sum(parts) == pytest.approx(float(score), abs=0.0005)


def test_explain_is_drawn_by_rich_on_a_terminal(shelf):
    pytest.importorskip("rich")
    out = shelf("search", "storm", "--explain", tty=True).out
    assert "contribution" in out
    assert "keyword" in out


def test_the_question_may_come_from_standard_input(shelf):
    assert ids(shelf("search", "-", "--json", stdin="storm")) == [1]


def test_a_search_counts_as_a_use_unless_told_otherwise(shelf):
    shelf("search", "storm", "--no-track")
    assert shelf("show", "1", "--json").json["usage_count"] == 0
    shelf("search", "storm")
    assert shelf("show", "1", "--json").json["usage_count"] == 1


def test_full_shows_whole_texts(shelf):
    long = "word " * 100 + "end"
    shelf("add", long, "--title", "A long one")
    assert "end\n" not in shelf("recent", "-n", "1").out
    assert "end\n" in shelf("recent", "-n", "1", "--full").out
    assert "end\n" in shelf("search", "word", "--full").out


def test_markdown_is_a_list_of_bullets(shelf):
    assert (
        shelf("search", "storm", "--markdown").out
        == "- [lamp] Wipe the lens after every storm (#1, learning)\n"
    )
    assert shelf("recent", "-k", "rule", "--markdown").out.startswith("- Never switch")
    assert shelf("show", "1", "--markdown").out.startswith("## Learning #1\n\nWipe the lens")


def test_show_takes_several_references(shelf):
    uid = shelf("show", "1", "--json").json["uid"]
    assert [each["id"] for each in shelf("show", uid, "#2", "--json").json] == [1, 2]
    assert shelf("show", "1", "2").out.count("  Content: ") == 2


def test_show_of_an_unknown_memory_fails_with_a_hint(recairn):
    assert recairn("show", "99") == (
        1,
        "",
        "recairn: there is no memory 99\n  hint: recairn recent lists the newest\n",
    )


def test_history_shows_before_and_after(shelf):
    shelf("edit", "1", "-c", "glass")
    assert "    category: lamp -> glass\n" in shelf("history", "1").out
    (_, change) = shelf("history", "1", "--json").json["events"]
    assert change["changes"] == {"category": {"before": "lamp", "after": "glass"}}
    assert shelf("show", "1", "--history", "--json").json["history"][1] == change


def test_history_tells_what_was_changed_and_not_what_follows_from_it(shelf):
    shelf("edit", "1", "Shine")
    (_, change) = shelf("history", "1", "--json").json["events"]
    assert [*change["changes"]] == ["content"]


def test_projects_and_stats_count(shelf):
    document = shelf("projects", "--json").json
    assert document["current"] == "lantern"
    counts = [(each["name"], each["memories"]) for each in document["projects"]]
    assert counts == [("lantern", 4), ("bakery", 1)]
    assert "lantern         4  here" in shelf("projects").out
    assert shelf("stats", "--json").json["memories"] == 5
    assert "by kind: learning 3, decision 1, rule 1" in shelf("stats").out


def test_a_long_list_says_that_there_is_more(shelf):
    ran = shelf("list", "-n", "2")
    assert ran.err == "2 of 4; -n shows more\n"
    assert ran.out.count("#") == 2


# Where it matched


def test_a_snippet_marks_where_one_field_ends_and_the_next_begins(recairn):
    words = ("--risk", "they are lost with every restart", "--fix", "keep them in redis")
    recairn("add", "Store user sessions in a global dict", "--anti-pattern", *words)
    (hit,) = recairn("search", "sessions redis", "--json").json["hits"]
    plain = hit["snippet"].replace("<mark>", "").replace("</mark>", "")
    assert plain == (
        "Store user sessions in a global dict \u00b7 risk: they are lost with every restart"
        " \u00b7 fix: keep them in redis"
    )
    shown = recairn("search", "sessions redis").out
    assert "      risk: they are lost with every restart \u00b7 fix: keep them in redis\n" in shown


CODE = """def mooring(boat, quay):
    if quay.full:
        raise NoRoom(quay)
    return quay.tie(boat)
"""


def test_code_that_a_search_in_documents_finds_keeps_its_lines(recairn, tmp_path):
    (tmp_path / "mooring.py").write_text(CODE)
    recairn("doc", "add", "mooring.py")
    block = "".join(f"      {line}\n" for line in CODE.splitlines())
    assert block in recairn("search", "mooring quay", "--docs").out
    assert block in recairn("doc", "search", "mooring quay").out


@pytest.mark.parametrize("columns", [60, 40])
def test_a_narrow_terminal_breaks_lines_between_words(recairn, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    text = (
        "Migrations of the tide tables run inside one transaction, and the rollback of each is"
        " tried on a copy of the production database before anybody reviews the change"
    )
    recairn("add", text, "-c", "database")
    for words in (("search", "tide tables"), ("recent",), ("show", "1")):
        lines = recairn(*words, tty=True).out.splitlines()
        assert all(len(line) <= columns for line in lines), lines
        said = " ".join(" ".join(lines).split())
        assert text in said
    whole = recairn("search", "tide tables").out
    assert max(map(len, whole.splitlines())) > 100


def test_wide_letters_count_twice_and_long_words_stay_whole(recairn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    recairn("add", "\u6f6e\u6c50 \u8868\u683c " * 8 + "https://example.org/" + "x" * 60)
    lines = recairn("recent", tty=True).out.splitlines()
    assert all(len(line) <= 32 for line in lines if "example" not in line)
    assert any("https://example.org/" + "x" * 60 in line for line in lines)
