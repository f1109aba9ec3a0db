"""Silence in a store of a few memories, which is what most people have."""

import pytest

from tests.corpus import opened

WORKSHOP = (
    "Replaced ESLint and Prettier by Biome, one tool for both.",
    "CI/CD runs on GitHub Actions (GHA); secrets live in the organisation, not in the repository.",
    "Deployment to the cluster uses Helm charts in deploy/.",
    "Redis holds sessions only; losing it logs people out and nothing more.",
    "The invoice PDF is rendered by WeasyPrint because the customer checks the fonts.",
    "Playwright tests run against the staging build every night.",
    "Feature flags come from Unleash and default to off.",
    "Terraform state is kept in the bucket of the platform team.",
)

NAMES = (
    ("how do I set up Prettier with tabs?", "Prettier"),
    ("GHA secrets config", "GHA"),
    ("Add a Helm value for the log level", "Helm"),
    ("why does our bundle still ship an ESLint config file?", "ESLint"),
    ("bump the version of Redis in docker compose to eight", "Redis"),
    ("upgrade to the newest WeasyPrint and look whether anything breaks", "WeasyPrint"),
    ("write me a Playwright fixture that logs a user in", "Playwright"),
    ("remove the dead toggles that Unleash reports as stale", "Unleash"),
    ("import an existing DNS zone into Terraform please", "Terraform"),
    ("format the whole tree with Biome in one commit", "Biome"),
)

STRANGE = (
    "what is the weather going to be in Lisbon?",
    "Who won the match against Brazil yesterday?",
    "translate this poem by Rilke for me",
    "book a table for Saturday evening",
    "how do plants turn sunlight into sugar",
)


@pytest.fixture
def workshop(tmp_path):
    with opened(tmp_path / "m.db", project="workshop", model="static") as memory:
        memory.remember_many([{"content": text} for text in WORKSHOP], on_similar="add")
        yield memory


@pytest.mark.parametrize(("question", "held"), NAMES)
def test_a_name_that_one_of_eight_memories_holds_is_answered(workshop, question, held):
    hits = workshop.search(question, track=False).hits
    assert hits
    assert held in hits[0].memory.content


@pytest.mark.parametrize("question", STRANGE)
def test_what_none_of_them_is_about_is_met_with_silence(workshop, question):
    assert workshop.search(question, track=False).hits == ()


def test_both_hold_after_a_second_look(workshop):
    for question, held in NAMES:
        assert any(
            held in hit.memory.content
            for hit in workshop.search(question, track=False, deep=True).hits
        )
    for question in STRANGE:
        assert workshop.search(question, track=False, deep=True).hits == ()
