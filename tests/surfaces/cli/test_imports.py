"""`recairn import`."""

import json
import os

import apsw
import pytest

from recairn import open as open_memory


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Puffin\n\n## Radio\n\n- Call the harbour on channel 12\n- Log every call\n")
    return path


def test_import_tells_what_it_did_and_a_second_run_adds_nothing(recairn, notes):
    ran = recairn("import", "CLAUDE.md")
    assert (ran.status, ran.out) == (0, "CLAUDE.md: 2 added, 0 unchanged\n")
    assert recairn("import", "claude-md").out == "CLAUDE.md: 0 added, 2 unchanged\n"
    assert "[Radio] Call the harbour" in recairn("search", "harbour channel").out


def test_the_seeds_spelling_imports_the_instruction_files(recairn, notes):
    assert recairn("learning:import").out == "CLAUDE.md: 2 added, 0 unchanged\n"
    assert recairn("learning", "import", "CLAUDE.md").out == "CLAUDE.md: 0 added, 2 unchanged\n"


def test_a_dry_run_writes_nothing(recairn, notes):
    ran = recairn("import", "CLAUDE.md", "--dry-run")
    assert ran.out == "CLAUDE.md (dry run): 2 added, 0 unchanged\n"
    assert recairn("list", "--json").json["meta"]["total"] == 0


def test_what_is_gone_from_the_file_is_told_with_the_way_to_let_go(recairn, notes):
    recairn("import", "CLAUDE.md")
    notes.write_text("## Radio\n\n- Log every call\n")
    assert recairn("import", "CLAUDE.md").out == (
        "CLAUDE.md: 0 added, 1 unchanged\n"
        "  no longer there: #1 Call the harbour on channel 12\n"
        "  recairn forget 1 lets go of them\n"
    )


def test_what_is_gone_from_the_file_is_forgotten_on_request(recairn, notes):
    recairn("import", "CLAUDE.md")
    notes.write_text("## Radio\n\n- Log every call\n")
    assert recairn("import", "CLAUDE.md", "--prune").out == (
        "CLAUDE.md: 0 added, 1 unchanged, 1 forgotten now\n"
        "  no longer there: #1 Call the harbour on channel 12\n"
    )
    assert recairn("list", "--json").json["meta"]["total"] == 1


def test_the_json_answer_has_counts_memories_and_errors(recairn, notes):
    notes.write_text(f"- fine\n- {'x' * 100_001}\n")
    ran = recairn("import", "claude-md", "CLAUDE.md", "--json")
    assert ran.status == 1
    assert ran.json == {
        "imports": [
            {
                "source": "claude-md",
                "path": "CLAUDE.md",
                "dry_run": False,
                "added": 1,
                "changed": 0,
                "unchanged": 0,
                "known": 0,
                "forgotten": 0,
                "restored": 0,
                "linked": 0,
                "pruned": 0,
                "failed": 1,
                "besides": {},
                "memories": [1],
                "gone": [],
                "errors": [
                    {
                        "place": "CLAUDE.md:2",
                        "error": "content has 100,001 characters, 100,000 at most",
                    }
                ],
                "warnings": [],
                "unverified": 0,
                "besides_unchanged": 0,
                "settings_left_out": [],
                "left_out": [],
                "projects": {},
            }
        ]
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("import", "claude-md"), "holds nothing that claude-md reads"),
        (("import", "shopping.txt"), "there is no file or folder shopping.txt, and no format"),
        (("import", "claud-md"), "did you mean 'claude-md'? formats: transcripts,"),
        (("import", "home"), "home holds nothing that can be imported"),
        (("import", "CLAUDE.md"), "there is no file CLAUDE.md"),
        (("import", "cluade-md", "x.md"), "did you mean 'claude-md'?"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_a_way_out(recairn, words, said):
    ran = recairn(*words)
    assert ran.status == 1
    assert said in ran.err


def test_a_file_of_no_known_format_is_refused_with_their_names(recairn, tmp_path):
    (tmp_path / "shopping.txt").write_text("eggs")
    ran = recairn("import", str(tmp_path / "shopping.txt"))
    assert ran.status == 1
    assert f"cannot tell what {tmp_path}/shopping.txt is\n  hint: name the format:" in ran.err


def test_without_a_name_it_says_what_there_is_and_imports_nothing(
    recairn, notes, own_home, tmp_path
):
    (tmp_path / ".tx").mkdir()
    (tmp_path / ".beads").mkdir()
    sessions = own_home / ".codex" / "sessions" / "2026"
    sessions.mkdir(parents=True)
    (sessions / "rollout.jsonl").write_text('{"type": "session_meta", "payload": {"cwd": "/x"}}\n')
    ran = recairn("import", "--dry-run")
    assert (ran.status, ran.out) == (
        0,
        "Nothing was named. This can be imported:\n"
        "  recairn import claude-md                      CLAUDE.md\n"
        "  recairn import tx                             .tx\n"
        "  recairn import beads                          .beads\n"
        "  recairn import transcripts ~/.codex/sessions  of all projects\n"
        "With --dry-run it only says what it would do.\n",
    )
    assert recairn("import", "--json").json["found"][1] == {
        "source": "tx",
        "paths": [".tx"],
        "command": "recairn import tx",
    }
    assert recairn("list", "--json").json["meta"]["total"] == 0


def test_where_there_is_nothing_to_import_it_says_so(recairn, tmp_path):
    ran = recairn("import")
    assert (ran.status, ran.out.splitlines()[0]) == (
        0,
        f"Found nothing to import in {tmp_path}, nor where agents keep their memory.",
    )
    assert recairn("import", "--json").json == {"imports": [], "found": []}


def test_a_folder_is_imported_by_every_format_that_finds_something_in_it(recairn, notes, tmp_path):
    assert recairn("import", ".").out == "CLAUDE.md: 2 added, 0 unchanged\n"
    decisions = tmp_path / "docs" / "adr"
    decisions.mkdir(parents=True)
    text = "# 1. Burn oil\n\n## Status\n\nAccepted\n\n## Decision\n\nWe burn whale oil.\n"
    (decisions / "0001-oil.md").write_text(text)
    ran = recairn("import", ".")
    assert (ran.status, ran.err) == (0, "")
    assert [line.partition(":")[0] for line in ran.out.splitlines()] == ["CLAUDE.md", "docs/adr"]
    assert "CLAUDE.md: 0 added, 2 unchanged" in ran.out
    assert "docs/adr: 1 added" in ran.out


@pytest.mark.files("imports one by its path")
def test_a_database_of_its_own_is_no_other_programs_and_it_says_how_to_take_it_in(recairn, notes):
    recairn("import", "CLAUDE.md")
    for words in (("home/memories.db",), ("ccmemory", "home/memories.db")):
        ran = recairn("import", *words)
        assert (ran.status, ran.err) == (
            1,
            "recairn: home/memories.db is a database of recairn\n"
            "  hint: recairn export memories.jsonl --db home/memories.db,"
            " then recairn import memories.jsonl\n",
        )


def test_where_only_tasks_come_in_they_alone_are_told(recairn, tmp_path):
    (tmp_path / ".beads").mkdir()
    assert recairn("import", "beads").out == ".beads: nothing to import\n"
    issue = '{"id": "bd-1", "title": "Buy tar", "created_at": "2026-02-02T02:40:00Z"}\n'
    (tmp_path / ".beads" / "issues.jsonl").write_text(issue)
    assert recairn("import", "beads").out == ".beads: 1 task\n"
    assert recairn("import", "beads").out == ".beads: nothing new, 1 unchanged\n"
    assert recairn("import", "beads", "--json").json["imports"][0]["besides_unchanged"] == 1


@pytest.mark.parametrize("name", ["log.jsonl", "mem0.json", "CLAUDE.md", "core.db"])
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(recairn, tmp_path, name):
    os.mkfifo(tmp_path / name)
    for words in ((name,), ("jsonl", name), ("claude-md", name), ("brain", name)):
        assert recairn("import", *words).status == 1


def test_the_name_of_a_file_cannot_write_lines_of_its_own(recairn, tmp_path):
    rules = tmp_path / ".claude" / "rules"
    rules.mkdir(parents=True)
    (rules / "a\nb: 9 added.md").write_text(f"- {'x' * 100_001}\n- fine\n")
    ran = recairn("import", "claude-md")
    assert ran.out == ".claude/rules/a b: 9 added.md: 1 added, 0 unchanged, 1 not readable\n"
    assert len(ran.err.splitlines()) == 1


def test_several_files_are_taken_in_and_one_that_cannot_be_stops_no_other(recairn, notes, tmp_path):
    (tmp_path / "rules.mdc").write_text("- Knock twice\n")
    (tmp_path / "GEMINI.md").write_bytes(b"\x00\x01")
    ran = recairn("import", "CLAUDE.md", "GEMINI.md", "nowhere.md", "rules.mdc")
    assert (ran.status, ran.out) == (
        1,
        "CLAUDE.md: 2 added, 0 unchanged\nrules.mdc: 1 added, 0 unchanged\n",
    )
    assert ran.err == (
        "recairn: GEMINI.md is not text\n"
        "recairn: there is no file or folder nowhere.md, and no format of that name\n"
    )
    again = recairn("import", "claude-md", "CLAUDE.md", "rules.mdc")
    assert again.out == "CLAUDE.md: 0 added, 2 unchanged\nrules.mdc: 0 added, 1 unchanged\n"


def test_one_unreadable_file_of_a_project_stops_no_other(recairn, notes, tmp_path):
    (tmp_path / "AGENTS.md").write_bytes(b"\x00\x01")
    (tmp_path / "GEMINI.md").write_text("- Knock twice\n")
    ran = recairn("import", "claude-md")
    assert (ran.status, ran.err) == (1, "recairn: AGENTS.md: is not text\n")
    assert ran.out == (
        "CLAUDE.md: 2 added, 0 unchanged\n"
        "AGENTS.md: 0 added, 0 unchanged, 1 not readable\n"
        "GEMINI.md: 1 added, 0 unchanged\n"
    )


@pytest.mark.parametrize(
    ("source", "table"),
    [
        ("brain", "memories"),
        ("engram", "Memory"),
        ("ccmemory", "memory_relationships"),
        ("tx", "tasks"),
    ],
)
def test_a_database_of_another_program_is_not_taken_for_one_of_the_format(
    recairn, tmp_path, source, table
):
    connection = apsw.Connection(str(tmp_path / "other.db"))
    connection.execute("create table songs(id integer primary key, content text)")
    connection.close()
    ran = recairn("import", source, "other.db")
    assert ran.status == 1
    assert f"has no table {table}" in ran.err


# Values with which a file would switch guards off, name programs, addresses and folders, or widen
# what is shown.
HOSTILE = {
    "redaction.allow": "re:.*",
    "compaction.command": "touch ran",
    "consolidate.command": "touch ran",
    "embedding.model": "external",
    "embedding.external.url": "http://collector.example/",
    "embedding.external.allow_remote": "true",
    "mirror.folders": '{"/tmp/out": "puffin"}',
    "hooks.unverified": "on",
    "puffin/hooks.unverified": "on",
    "context.include_unverified": "yes",
    "retrieval.all_projects": "on",
    "tune.before": "redaction.allow\tre:.*\tx",
}


def hostile_export(path, settings):
    lines = [{"type": "recairn", "version": 1}]
    lines += [
        {"type": "setting", "key": key, "value": value, "updated_at": "2026-01-01T00:00:00Z"}
        for key, value in settings.items()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_file_sets_nothing_that_only_a_person_may_set(recairn, tmp_path):
    hostile_export(tmp_path / "theirs.jsonl", {**HOSTILE, "retrieval.vector_weight": "0.4"})
    ran = recairn("import", "theirs.jsonl")
    assert ran.status == 0
    assert ran.out.startswith(
        "theirs.jsonl: 1 setting\n"
        "  12 settings left out: only a person may set redaction.allow, compaction.command,"
    )
    assert recairn("config", "list", "--json").json == {"retrieval.vector_weight": "0.4"}
    token = "ghp_" + "a8Kq2ZxW0bT6" * 3
    recairn("add", f"the deploy token is {token}")
    assert token not in recairn("list", "--json").out
    dry = recairn("import", "theirs.jsonl", "--dry-run", "--json").json["imports"][0]
    assert dry["settings_left_out"] == list(HOSTILE)


def test_a_file_does_not_change_what_a_person_set(recairn, tmp_path):
    recairn("config", "set", "redaction.allow", "sk-example-0000")
    hostile_export(tmp_path / "theirs.jsonl", {"redaction.allow": "re:.*"})
    assert "1 setting left out: only a person may set redaction.allow\n" in (
        recairn("import", "theirs.jsonl").out
    )
    assert recairn("config", "get", "redaction.allow").out == "sk-example-0000\n"


def test_a_key_that_cleaning_makes_a_persons_is_left_out_too(recairn, tmp_path):
    odd = [
        "redaction.\u200ballow",
        " redaction.allow",
        "redaction.allow\u0000",
        "redaction.al\rlow",
    ]
    hostile_export(tmp_path / "theirs.jsonl", dict.fromkeys(odd, "re:.*"))
    recairn("import", "theirs.jsonl")
    assert recairn("config", "list", "--json").json == {}


def test_an_export_holds_no_setting_that_only_a_person_may_set(recairn):
    for key, value in {**HOSTILE, "team.motto": "calm", "retrieval.fts_weight": "0.3"}.items():
        with open_memory() as memory:
            memory.set_config(key, value)
    for form in ("jsonl", "json"):
        said = recairn("export", "--format", form).out
        kept = [line for line in said.splitlines() if '"type": "setting"' in line]
        assert [json.loads(line.strip(","))["key"] for line in kept] == [
            "retrieval.fts_weight",
            "team.motto",
        ]
