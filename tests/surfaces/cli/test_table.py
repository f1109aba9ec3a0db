"""The table keeps its promises: help, examples, completion, docs and a test for every command."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from recairn.core.kinds import KINDS
from recairn.surfaces.cli.completion import script
from recairn.surfaces.cli.fields import ALL_FIELDS, FIELD_OF
from recairn.surfaces.cli.help import command_help, overview
from recairn.surfaces.cli.parse import choices, options_of, parse, resolve, words_of
from recairn.surfaces.cli.reference import markdown
from recairn.surfaces.cli.table import FAMILIES, commands, spellings
from tests.repository import DOCS

HERE = Path(__file__).resolve().parent
REFERENCE = DOCS / "cli.md"
ROWS = commands()

every_command = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)


@every_command
def test_a_command_has_help_and_three_examples(row):
    assert row.about
    assert not row.about.endswith(".")
    assert len(row.examples) == 3
    for argument in row.arguments:
        assert len(argument) == 1 or argument[1], f"{row.name} {argument[0]} has no help"


@every_command
def test_a_command_has_a_handler(row):
    module, _, name = row.handler.partition(":")
    assert callable(getattr(importlib.import_module(module), name))


@every_command
def test_every_example_is_a_command_line_recairn_understands(row):
    for example in row.examples:
        words = shlex.split(example)
        start = words.index("recairn") + 1
        end = next((i for i, word in enumerate(words) if word == ">"), len(words))
        found, typed, _ = resolve(words[start:end])
        if found is not None:  # `recairn --version` names no command
            parse(found, typed)


@every_command
def test_a_command_is_used_in_a_test(row):
    used = "".join(path.read_text() for path in HERE.glob("test_*.py") if path.stem != "test_table")
    called = ", ".join(f'"{word}"' for word in row.name.split())
    assert f"({called}" in used, f"no test calls {row.name}"


@every_command
def test_short_help_begins_with_use_and_examples_and_fits_the_width(row):
    text = command_help(row, whole=False)
    assert text.startswith(f"recairn {row.name}")
    assert text.index("Examples") < 200
    too_wide = [line for line in text.splitlines() if len(line) > 80 and "recairn" not in line]
    assert too_wide == []


@every_command
def test_whole_help_names_every_option(row):
    text = command_help(row, whole=True)
    for option in options_of(row.arguments):
        assert f"  {', '.join(option.names)}" in text


def test_no_two_commands_share_a_spelling():
    names = [name for row in ROWS.values() for name in (row.name, *row.aliases)]
    assert len(names) == len(set(names))
    assert not set(FAMILIES) & set(names)


def test_the_overview_fits_one_screen_and_names_every_command():
    text = overview(ROWS)
    assert len(text.splitlines()) <= 45
    assert max(map(len, text.splitlines())) <= 80
    for name in ROWS:
        assert re.search(rf"^  (.* )?{name.partition(' ')[0]}\b", text, re.MULTILINE)


def test_every_field_of_every_kind_can_be_given_or_is_reached_by_field():
    options = {option.key for option in options_of(ROWS["add"].arguments)}
    reached = {FIELD_OF.get(key, key) for key in options}
    left = {
        name for kind, each in KINDS.items() if kind != "chunk" for name in each.fields
    } - reached
    assert left == {"type", "note_type", "source", "mentions", "validations", "notes", "rating"}
    assert "field" in options
    assert left <= set(ALL_FIELDS)


def test_help_fits_80_columns(recairn):
    for name in ROWS:
        for asked in ("-h", "--help"):
            lines = recairn(*name.split(), asked).out.splitlines()
            assert [line for line in lines if len(line) > 80] == []


def test_the_reference_page_is_up_to_date(update_golden):
    if update_golden:
        REFERENCE.write_text(markdown())
    assert REFERENCE.read_text() == markdown(), "run: pytest tests/surfaces/cli --update-golden"


def test_bash_parses_its_completion_script():
    done = subprocess.run(["bash", "-n"], input=script("bash"), text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_parse_theirs(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-n"], input=script(shell), text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")


def completed(*words: str) -> list[str]:
    """What bash offers for the last of the words."""
    line = " ".join(shlex.quote(word) for word in words)
    program = (
        f"{script('bash')}\nCOMP_WORDS=({line}) COMP_CWORD={len(words) - 1}\n"
        '_recairn; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", program], text=True, capture_output=True, check=True)
    return done.stdout.split()


def test_bash_completes_commands_members_options_and_values():
    assert completed("recairn", "sear") == ["search"]
    assert completed("recairn", "learning", "he") == ["helpful"]
    assert completed("recairn", "config", "") == ["list", "get", "set", "unset"]
    assert completed("recairn", "search", "x", "--inc") == [
        "--include-superseded",
        "--include-deleted",
    ]
    assert completed("recairn", "--db", "x", "add", "-k", "pa") == ["pattern"]
    assert completed("recairn", "config", "get", "red") == ["redaction.allow"]
    assert completed("recairn", "completion", "f") == ["fish"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_knows_every_command_and_kind(shell):
    text = script(shell)
    for name in {spelling.partition(" ")[0] for spelling in spellings(ROWS)}:
        assert name in text
    assert " ".join(choices("KIND")) in text


def test_words_without_a_dash_are_few():
    for row in ROWS.values():
        # A link is two memories and a relation: no order of options would be easier to remember.
        most = 3 if row.name in ("link", "unlink") else 2
        assert len(words_of(row.arguments)) <= most
