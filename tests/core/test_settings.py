"""The one table of settings: what each takes, and which of them only a person may set."""

import pytest

from recairn.core.settings import PERSONAL, SETTINGS, is_personal
from tests.repository import ROOT


@pytest.mark.parametrize(
    "key",
    [
        "redaction.allow",
        "compaction.command",
        "consolidate.command",
        "embedding.model",
        "embedding.external.url",
        "embedding.external.allow_remote",
        "mirror.folders",
        "documents.folders",
        "pin.files.puffin",
        "pin.files.north/puffin",
        "tune.before",
        "hooks.unverified",
        "puffin/hooks.unverified",
        "north/puffin/hooks.unverified",
        "context.include_unverified",
        "retrieval.all_projects",
        "compaction.something_newer",
    ],
)
def test_what_names_programs_addresses_folders_guards_or_trust_is_a_persons(key):
    assert is_personal(key)


@pytest.mark.parametrize(
    "key",
    [
        "retrieval.profile",
        "retrieval.vector_weight",
        "bm25_weight",
        "team.motto",
        "brain.hooks.x",
        "",
    ],
)
def test_weights_and_keys_of_ones_own_are_everybodys(key):
    assert not is_personal(key)


@pytest.mark.parametrize(
    "key",
    [
        "redaction.allow ",
        "\tredaction.allow",
        "redaction.\u200ballow",
        "redaction\uff0eallow",
        "Redaction.Allow",
        "\uff52edaction.allow",
        "x\u2060/hooks.unverified",
    ],
)
def test_a_key_that_cleaning_would_turn_into_a_persons_is_one(key):
    assert is_personal(key)


def test_no_setting_is_offered_that_a_command_writes():
    assert all(not row.command for row in SETTINGS.values())
    assert "mirror.folders" not in SETTINGS


def test_the_page_lists_exactly_what_only_a_person_may_set():
    listed = [
        line.split("`")[1]
        for line in (ROOT / "docs" / "security.md").read_text().splitlines()
        if line.startswith("| `") and " | `recairn " in line
    ]
    assert listed == [row.name + "PROJECT" * row.name.endswith(".") for row in PERSONAL]
