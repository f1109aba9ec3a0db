"""Questions that say more than words: phrases, words nobody wants, times."""

import subprocess

import pytest

from recairn.core.times import DAY
from tests.corpus import NOW, opened


@pytest.fixture
def memory(tmp_path, clock):
    with opened(tmp_path / "m.db", clock=clock, project="pier", model="static") as memory:
        drafts = [
            ("jitter", "Full jitter keeps retries from hitting the broker at once", 7),
            ("payment", "Retries of the payment gateway back off to ninety seconds", 60),
            ("option", "find -name compares the base of a path only", 90),
            ("piper", "The name of the broker is piper", 1),
        ]
        for name, text, age in drafts:
            memory.remember(text, external_id=name, created_at=NOW - age * DAY)
        yield memory


def found(memory, question, **options):
    hits = memory.search(question, track=False, **options).hits
    return [hit.memory.external_id for hit in hits]


def notices(memory, question):
    return memory.search(question, track=False).meta.notices


def test_a_quoted_phrase_must_stand_there_word_for_word(memory):
    assert set(found(memory, "retries")) == {"jitter", "payment"}
    assert found(memory, 'retries "full jitter"') == ["jitter"]
    assert found(memory, 'retries "payment"') == ["payment"]


def test_where_nobody_says_the_phrase_its_words_are_answered_and_that_is_told(memory):
    assert found(memory, 'retries "jitter full"')[0] == "jitter"
    assert "“jitter full”" in notices(memory, 'retries "jitter full"')[0]


def test_a_word_with_a_dash_before_it_is_not_wanted(memory):
    assert found(memory, "retries -payment") == ["jitter"]
    assert found(memory, "retries NOT payment") == ["jitter"]
    assert "without “payment”" in notices(memory, "retries -payment")[0]


def test_an_option_of_a_command_is_still_found(memory):
    assert found(memory, "find -name")[0] == "option"


def test_a_quote_in_a_whole_sentence_names_a_thing(memory):
    question = 'why do the retries of our "payment" broker hit it at once?'
    assert found(memory, question)[0] == "jitter"
    assert notices(memory, question) == ()


def test_and_asks_for_both_words(memory):
    assert found(memory, "retries AND gateway") == ["payment"]
    assert set(found(memory, "gateway OR broker")) >= {"payment", "piper"}


def test_a_time_narrows_the_answer_to_what_was_stored_then(memory):
    assert found(memory, "retries in the last 10 days") == ["jitter"]
    told = notices(memory, "retries in the last 10 days")
    assert "“in the last 10 days”" in told[0]


def test_a_time_that_belongs_to_the_subject_narrows_nothing(memory):
    question = "find broker retries that were tried again in the last 10 days"
    assert set(found(memory, question)) >= {"jitter", "payment"}
    assert notices(memory, question) == ()
    assert notices(memory, "which retries must be tested before the next release today") == ()


def test_where_nothing_is_of_that_time_the_rest_is_answered_and_that_is_told(memory):
    assert set(found(memory, "retries today")) == {"jitter", "payment"}
    assert "“today”" in notices(memory, "retries today")[0]


def test_a_time_alone_shows_what_is_of_it(memory):
    assert set(found(memory, "in the last 10 days")) == {"jitter", "piper"}


def test_options_that_say_a_time_win_over_words(memory):
    assert found(memory, "retries today", since=NOW - 70 * DAY, before=NOW - 50 * DAY) == [
        "payment"
    ]


def test_the_question_is_logged_as_it_was_asked(memory):
    result = memory.search("retries -payment")
    assert result.meta.query == "retries -payment"
    assert [each["query"] for each in memory.query_stats()["data"]] == ["retries -payment"]


def test_before_the_release_is_before_the_newest_tag(memory, tmp_path, monkeypatch):
    work = tmp_path / "checkout"
    work.mkdir()
    at = f"@{(NOW - 30 * DAY) // 1000} +0000"
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "x"), ("tag", "v1.0")):
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(
            ("git", *who, *words), cwd=work, check=True, env={"PATH": "/usr/bin:/bin", **dates}
        )
    monkeypatch.chdir(work)
    assert found(memory, "what did we learn about retries before the release?") == ["payment"]
    assert found(memory, "what did we learn about retries since v1.0?") == ["jitter"]


@pytest.mark.parametrize(
    "question", ['"', '""', "-", " - ", "NOT ", "AND AND", '"-x" NOT NOT', "-a"]
)
def test_any_string_is_a_question(memory, question):
    memory.search(question, track=False)
