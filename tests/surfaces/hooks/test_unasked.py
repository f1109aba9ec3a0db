"""What an agent reads unasked: what bears on the prompt, what it does not hold already, once."""

from __future__ import annotations

import pytest

from recairn.store.memory_rows import StalenessRow

RETRY = "Failed card payments are retried after 1, 3 and 7 days; then the account is paused"
DEPLOY = "Deploy with `make release ENV=prod` from main only; it rolls back by itself"
VAT = "Round VAT per invoice line, not on the total"
TESTS = "Run the tests with `make test`; it starts PostgreSQL in docker"
COMMIT = "Commit messages are imperative, with the ticket in brackets"
OTHERS = (
    "WeasyPrint renders the invoices as PDF; wkhtmltopdf broke page footers",
    "Due dates are dates of the company's own time zone, never UTC",
    "The public API allows 100 requests a minute for each key, counted in Redis",
    "List views of invoices prefetch their lines: the page made 600 queries",
    "Stripe's sandbox keys are in the password safe, never in the example file",
    "Invoice numbers come from a table per company and year, without gaps",
    "CSV exports for accountants are in Windows-1252 with semicolons",
)


@pytest.fixture
def lantern(store, monkeypatch):
    """A small project with the model that ships."""
    monkeypatch.setenv("RECAIRN_MODEL", "static")
    with store(model="static") as memory:
        for text in (RETRY, DEPLOY, VAT, TESTS, COMMIT, *OTHERS):
            memory.remember(text, force=True)
    return lambda **options: store(model="static", **options)


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("how do we retry payments?", RETRY),
        ("how do we retry", RETRY),
        ("how do we deploy?", DEPLOY),
        ("what about VAT?", VAT),
        ("commit this", COMMIT),
        ("how do I run the tests?", TESTS),
    ],
)
def test_short_questions_are_answered(hook, lantern, prompt, answer):
    assert answer in hook("UserPromptSubmit", prompt=prompt).context


@pytest.mark.parametrize(
    "prompt",
    [
        "yes",
        "ok, go ahead please",
        "continue",
        "write a haiku about autumn leaves",
        "what is the difference between a list and a tuple",
        "center the logo on the login page",
        "explain how git rebase --onto works",
        "thanks, that was quick!",
        "mach mal weiter bitte",
    ],
)
def test_nothing_is_said_to_small_talk_and_to_what_nothing_is_known_of(hook, lantern, prompt):
    assert hook("UserPromptSubmit", prompt=prompt) == (0, "", "")


def test_once_the_answer_was_given_weaker_ones_do_not_take_its_place(hook, lantern):
    first = hook("UserPromptSubmit", prompt="how do we retry payments?").context
    assert RETRY in first
    for prompt in ("how do we retry payments?", "so how do we retry a payment then?"):
        assert hook("UserPromptSubmit", prompt=prompt) == (0, "", "")


def test_of_what_was_found_each_that_is_left_out_has_a_reason(lantern):
    with lantern() as memory:
        seen = memory.context(prompt="how do we retry payments?", relevant=True, exclude=[1])
        silent = memory.context(prompt="refactor the settings form", relevant=True)
    assert (seen.text, seen.silence) == ("", "the agent has all of it already")
    assert (1, "the agent has it already") in seen.left_out
    assert (silent.text, silent.silence) == ("", "nothing relevant")
    assert all(why.startswith("bears ") for _, why in silent.left_out)


def test_what_is_to_be_avoided_is_marked_with_its_risk_and_fix(hook, lantern):
    with lantern() as memory:
        memory.remember(
            "Passing model instances to Celery tasks",
            kind="pattern",
            fields={
                "anti_pattern": True,
                "symptom": "tasks see old values. " * 12,
                "risk": "overwrites newer data",
                "fix": "pass the primary key",
            },
        )
    said = hook("UserPromptSubmit", prompt="pass the invoice instance to a celery task").context
    assert "anti-pattern" in said
    assert "> Avoid: Passing model instances" in said
    assert "overwrites newer data" in said
    assert "pass the primary key" in said


def test_what_may_be_stale_says_why_and_what_is_contradicted_by_what(hook, lantern):
    with lantern() as memory:
        row = StalenessRow(2, memory._clock(), "deleted", 1.0, "Makefile was deleted")
        memory.store.put_staleness([row])
        other = memory.remember("Deploy by pushing the tag to the server", force=True).id
        memory.link(other, 2, "contradicts")
    said = hook("UserPromptSubmit", prompt="how do we deploy?").context
    assert "may be stale: Makefile was deleted" in said
    assert f"contradicted by #{other}" in said


# What the agent's program reads by itself


@pytest.fixture
def imported(lantern, checkout):
    """A CLAUDE.md that was imported, one line of it a rule that was accepted."""
    (checkout / "CLAUDE.md").write_text(
        "# Lantern\n\n- Refunds are booked by the nightly ledger job\n\n@docs/style.md\n"
    )
    (checkout / "docs").mkdir()
    (checkout / "docs" / "style.md").write_text("- Docstrings are written in the present tense\n")
    (checkout / "web").mkdir()
    (checkout / "web" / "CLAUDE.md").write_text("- Widgets are styled with vanilla extract\n")
    with lantern() as memory:
        for name in ("CLAUDE.md", "docs/style.md", "web/CLAUDE.md"):
            memory.import_from(str(checkout / name), "claude-md")
    return lantern


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("when are refunds booked in the ledger?", "nightly ledger job"),
        ("in which tense are docstrings written?", "present tense"),
    ],
)
def test_claude_is_not_told_what_its_own_file_says_and_codex_is(hook, imported, prompt, text):
    assert hook("UserPromptSubmit", "--agent", "claude", prompt=prompt) == (0, "", "")
    assert text in hook("UserPromptSubmit", "--agent", "codex", prompt=prompt).context


def test_what_its_own_file_says_too_is_not_told_whichever_file_it_came_from(
    hook, imported, checkout
):
    asked = {"prompt": "when are refunds booked in the ledger?"}
    (checkout / "AGENTS.md").write_text(
        "# Agents\n- Refunds are booked by the\n  nightly ledger job\n"
    )
    assert hook("UserPromptSubmit", "--agent", "codex", **asked) == (0, "", "")
    (checkout / "AGENTS.md").write_text("# Agents\n- Refunds are nobody's job\n")
    said = hook("UserPromptSubmit", "--agent", "codex", session_id="b", **asked)
    assert "nightly ledger job" in said.context


def test_what_is_left_out_is_told_once(hook, imported, checkout):
    with imported() as memory:
        told = "Refunds are never booked by hand"
        rule = memory.remember(told, kind="rule", source_ref="CLAUDE.md:3").id
    hook("UserPromptSubmit", "--agent", "claude", prompt="when are refunds booked in the ledger?")
    with imported() as memory:
        left = [each.memory for turn in memory.last_turns() for each in turn.left_out]
    assert rule in left
    assert len(left) == len(set(left))


def test_a_file_below_the_agents_folder_is_not_read_by_itself(hook, imported):
    said = hook("UserPromptSubmit", "--agent", "claude", prompt="how are widgets styled?")
    assert "vanilla extract" in said.context


@pytest.mark.parametrize(
    ("agent", "name", "told"),
    [
        ("claude", "CLAUDE.md", False),
        ("cursor", "AGENTS.md", False),
        ("opencode", "AGENTS.md", False),
        ("opencode", "CLAUDE.md", False),
        ("gemini", "GEMINI.md", False),
        ("codex", "AGENTS.md", True),
        ("claude", "AGENTS.md", True),
    ],
)
def test_who_opens_a_file_is_told_of_its_folder_what_the_program_does_not_read(
    hook, lantern, checkout, agent, name, told
):
    (checkout / "packages" / "till").mkdir(parents=True)
    (checkout / "AGENTS.md").write_text("- Answers are JSON\n")
    (checkout / "packages" / "till" / name).write_text("- Never round a price in the till\n")
    with lantern() as memory:
        memory.import_from(str(checkout / "packages" / "till" / name), as_mine=True)
    edit = {"tool_name": "Edit", "tool_response": {}}
    for file in ("web/page.py", "packages/till/sum.py"):
        edit["tool_input"] = {"file_path": str(checkout / file)}
        said = hook("PostToolUse", "--agent", agent, **edit)
        assert ("round a price" in said.out) is (told and file.startswith("packages"))
    asked = {"prompt": "may packages/till/sum.py round a price?", "session_id": "another"}
    assert "round a price" in hook("UserPromptSubmit", "--agent", agent, **asked).out
    hook("PostToolUse", "--agent", agent, **edit, session_id="third")
    again = {**asked, "session_id": "third"}
    # Told at the edit, or read by the program at the edit: either way the agent has it.
    assert "round a price" not in hook("UserPromptSubmit", "--agent", agent, **again).out


def test_once_the_file_is_gone_its_lines_are_handed_out(hook, imported, checkout):
    (checkout / "CLAUDE.md").unlink()
    said = hook("UserPromptSubmit", "--agent", "claude", prompt="when are refunds booked?")
    assert "nightly ledger job" in said.context


def test_a_rule_that_was_pinned_into_claudes_file_comes_to_others_alone(hook, lantern, checkout):
    (checkout / "CLAUDE.md").write_text("# Lantern\n")
    with lantern() as memory:
        memory.remember("Never push to main without a review", kind="rule")
        memory.pin_into(str(checkout / "CLAUDE.md"))
    start = {"source": "startup"}
    assert hook("SessionStart", "--agent", "claude", **start).out == ""
    assert "Never push" in hook("SessionStart", "--agent", "codex", session_id="b", **start).context


# Rules at scale


def topics(number):
    return f"Rule {number}: topic{number} is always handled with tool{number} before step{number}"


def rules_in(text):
    return sum(line.startswith("#") and " rule, " in line for line in text.splitlines())


@pytest.mark.parametrize("count", [60, 500])
def test_rules_beyond_the_budget_are_counted_and_found_by_what_they_are_about(hook, store, count):
    with store() as memory:
        for number in range(count):
            memory.remember(topics(number), kind="rule", force=True)
        memory.remember("Never deploy on Fridays", kind="rule", importance=1.0)
    start = hook("SessionStart", source="startup").context
    assert len(start) <= 4000
    assert "Never deploy on Fridays" in start
    shown = rules_in(start)
    assert f"\n{count + 1 - shown} more rules are in force: recairn list -k rule" in start
    assert shown > 20
    late = next(number for number in range(count) if topics(number) not in start)
    asked = hook(
        "UserPromptSubmit", prompt=f"how do we handle topic{late} with tool{late}?"
    ).context
    assert topics(late) in asked
    assert rules_in(asked) <= 2


def test_more_rules_than_are_read_are_counted_all_the_same(store):
    with store() as memory:
        drafts = [{"content": topics(number), "kind": "rule"} for number in range(1010)]
        memory.remember_many(drafts, on_similar="add")
        text = memory.context(max_chars=2000).text
    assert f"\n{1010 - rules_in(text)} more rules are in force" in text


def test_asked_for_a_context_the_rules_that_fit_come_first(store):
    with store() as memory:
        for number in range(60):
            memory.remember(topics(number), kind="rule", force=True)
        found = memory.context(prompt="handle topic7 with tool7", max_chars=1500)
    assert found.rules[0].content == topics(7)
    assert "more rules are in force" in found.text
    assert len(found.text) <= 1500
