"""Questions that say more than words: phrases, words nobody wants, times."""

import subprocess

import pytest

from recairn.core.kinds import KIND_WORDS, KINDS
from recairn.core.times import DAY, date_words, day
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


@pytest.mark.parametrize(
    "question",
    [
        "retries --full -payment",
        "curl -X retries -payment",
        "DO NOT payment retries",
        "retries of the broker\n-payment gateway",
        "retries " + "of the broker and whatever it says besides " * 7 + "-payment",
    ],
)
def test_a_command_a_shout_and_a_paste_leave_nothing_out(memory, question):
    assert "payment" in found(memory, question)
    assert notices(memory, question) == ()


def test_what_nothing_holds_leaves_nothing_out_and_is_not_told(memory):
    assert set(found(memory, "retries -xvf")) == {"jitter", "payment"}
    assert notices(memory, "retries -xvf") == ()


@pytest.mark.parametrize("quoted", ["“full jitter”", "„full jitter“", "«full jitter»"])
def test_printed_quotes_are_quotes(memory, quoted):
    assert found(memory, f"retries {quoted}") == ["jitter"]


def test_a_question_that_only_points_finds_nothing(memory):
    assert found(memory, "what is it?") == found(memory, "where was that") == []


@pytest.mark.parametrize("question", ["#3", " #3 "])
def test_the_number_of_a_memory_finds_that_memory(memory, question):
    assert found(memory, question) == ["option"]
    assert notices(memory, question) == ("memory #3 by its number",)


def test_the_number_of_another_project_finds_nothing(memory):
    memory.remember("Sea charts are printed in Brest", project="charts", external_id="brest")
    hidden = memory.listing(project="charts")[0].id
    assert found(memory, f"#{hidden}") == []


@pytest.mark.parametrize("question", ["what's new?", "anything new", "the latest 4", "everything"])
def test_who_asks_what_is_new_is_shown_the_newest(memory, question):
    assert found(memory, question) == ["piper", "jitter", "payment", "option"]


def test_who_asks_for_so_many_gets_so_many(memory):
    assert found(memory, "the 2 newest memories") == ["piper", "jitter"]
    assert found(memory, "oldest memories")[0] == "option"


def test_a_long_list_says_how_long_it_is(memory):
    result = memory.search("anything new?", limit=3, track=False)
    assert result.meta.notices == ("the newest", "3 of 4")


def test_an_empty_time_is_not_filled_with_words(memory):
    result = memory.search("what changed today?", track=False)
    assert result.hits == ()
    assert result.meta.searched == 4
    newest = memory.search("piper", track=False).hits[0].memory
    told = f"nothing is of that time; the newest memory is #{newest.id}, {day(NOW - DAY)}"
    assert told in result.meta.notices


@pytest.mark.parametrize("question", ["retries -Payment", "retries NOT Payment"])
def test_a_name_may_be_unwanted_too(memory, question):
    assert found(memory, question) == ["jitter"]


@pytest.mark.parametrize("words", ["before the release", "since v9.9"])
def test_a_release_without_a_tag_narrows_nothing_and_that_is_told(
    memory, tmp_path, monkeypatch, words
):
    monkeypatch.chdir(tmp_path)
    question = f"what did we learn about retries {words}?"
    assert set(found(memory, question)) == {"jitter", "payment"}
    assert notices(memory, question)[0].startswith(f"“{words}”: no tag")


@pytest.mark.parametrize(
    "question", ["what did we do in {} {}", "from {} {}", "in {} {}, what did we do?"]
)
def test_a_month_of_a_year_lists_it_where_no_subject_is_named(memory, question):
    name, year = date_words(NOW - 60 * DAY).split()[1:3]
    assert found(memory, question.format(name, year)) == ["payment"]
    assert notices(memory, f"retries of {name} {year}") == ()


def test_a_quote_in_a_whole_sentence_names_a_thing(memory):
    question = 'why do the retries of our "payment" broker hit it at once?'
    assert found(memory, question)[0] == "jitter"
    assert notices(memory, question) == ()


def test_and_asks_for_both_words(memory):
    assert found(memory, "retries AND gateway") == ["payment"]
    assert set(found(memory, "gateway OR broker")) >= {"payment", "piper"}


def test_a_phrase_that_another_word_would_do_for_is_not_asked_for(memory):
    assert set(found(memory, '"full jitter" OR gateway')) >= {"jitter", "payment"}
    assert set(found(memory, 'gateway OR "full jitter"')) >= {"jitter", "payment"}
    assert set(found(memory, "full AND jitter OR gateway")) >= {"jitter", "payment"}


@pytest.mark.parametrize(
    "time",
    [
        "before {}",
        "between 2020-01-01 and {}",
        "from 2020-01-01 to {}",
        "(before {})",
        "before {}!",
    ],
)
def test_a_date_narrows_the_answer_whatever_stands_beside_it(memory, time):
    question = "retries " + time.format(day(NOW - 30 * DAY))
    assert found(memory, question) == ["payment"]
    assert found(memory, f"retries on {day(NOW - 7 * DAY)}") == ["jitter"]


def test_a_time_before_a_comma_is_a_time(memory):
    assert found(memory, "retries in the last 10 days, please") == ["jitter"]


@pytest.mark.parametrize("question", ["what did we say", "what changed", "anything"])
def test_who_names_no_subject_is_shown_all_of_that_day(memory, question):
    assert found(memory, f"{question} on {day(NOW - 7 * DAY)}") == ["jitter"]


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


@pytest.fixture
def kinds(tmp_path, clock):
    with opened(tmp_path / "k.db", clock=clock, project="pier", model="static") as memory:
        drafts = [
            ("postgres", "decision", "The tides are kept in PostgreSQL", 5),
            ("queue", "decision", "The horn is fed by a queue", 2),
            ("stampede", "failure", "A fixed backoff stampeded the broker", 3),
            ("jitter", "learning", "Full jitter keeps retries from hitting the broker at once", 1),
        ]
        for name, kind, text, age in drafts:
            memory.remember(text, kind=kind, external_id=name, created_at=NOW - age * DAY)
        yield memory


@pytest.mark.parametrize(
    "question",
    [
        "which decisions did we take?",
        "recent decisions",
        "show me all the decisions of this project",
        "what did we decide in the last 10 days?",
    ],
)
def test_a_question_that_names_a_kind_and_nothing_else_lists_it_newest_first(kinds, question):
    assert found(kinds, question) == ["queue", "postgres"]
    assert "every decision, newest first" in notices(kinds, question)


def test_a_kind_and_a_time_list_what_is_of_both(kinds):
    assert found(kinds, "what did we decide in the last 3 days?") == ["queue"]
    assert found(kinds, "what failed in the last 4 days?") == ["stampede"]


def test_a_kind_beside_a_subject_leaves_the_subject_in_charge(kinds):
    assert found(kinds, "what did we learn about the broker?")[0] in ("jitter", "stampede")
    assert notices(kinds, "what did we learn about the broker?") == ()
    assert found(kinds, "decisions about the horn")[0] == "queue"


def test_a_kind_alone_is_first_looked_for_as_a_word(kinds):
    assert found(kinds, "failures") == ["stampede"]
    kinds.remember("Failures of the horn are reported by bell", external_id="bell")
    assert found(kinds, "failures")[0] == "bell"


def test_what_is_listed_claims_no_chance_and_its_score_adds_up(kinds):
    hits = kinds.search("recent decisions", track=False).hits
    assert [(hit.match, hit.chance) for hit in hits] == [("listed", None)] * 2
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("kind:decision", ["queue", "postgres"]),
        ("kind:decisions horn", ["queue"]),
        ("type:failure broker", ["stampede"]),
        ("Kind:learning broker", ["jitter"]),
        ("kind:decision since:4d", ["queue"]),
        ("since:4d before:1d", ["queue", "stampede"]),
        ("tier:project kind:failure", ["stampede"]),
    ],
)
def test_a_field_with_a_value_narrows_as_its_option_does(kinds, question, expected):
    assert found(kinds, question) == expected


@pytest.mark.parametrize("question", ["kind:broker", "tier:broker", "error:broker", "host:broker"])
def test_what_is_no_field_or_no_value_of_it_is_words(kinds, question):
    assert set(found(kinds, question)) >= {"stampede", "jitter"}
    assert notices(kinds, question) == ()


def test_a_field_that_nothing_has_is_told_and_left(kinds):
    assert found(kinds, "broker category:boats")
    assert "of category:boats answers this" in notices(kinds, "broker category:boats")[0]


@pytest.mark.parametrize("question", ["decision about tides", "are there any decisions on tides?"])
def test_a_kind_and_its_subject_are_answered_by_that_kind(kinds, question):
    kinds.remember("The tides come twice a day, no decision changes that", external_id="twice")
    assert found(kinds, question) == ["postgres"]
    assert "of the kind decision alone" in notices(kinds, question)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what broke in the broker in the last 4 days", ["stampede"]),
        ("broker failures in the last 4 days", ["stampede"]),
        ("what did we decide about the horn in the last 4 days", ["queue"]),
    ],
)
def test_a_kind_a_subject_and_a_time_all_count(kinds, question, expected):
    assert found(kinds, question) == expected
    assert "alone" in notices(kinds, question)[1]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Welche Entscheidungen haben wir diesen Monat getroffen?", ["queue", "postgres"]),
        ("Was ist gestern passiert?", ["jitter"]),
        ("¿Qué decidimos este mes?", ["queue", "postgres"]),
        ("¿Qué errores hay?", ["stampede"]),
        ("Quelles décisions avons-nous prises ce mois-ci ?", ["queue", "postgres"]),
        ("que s'est-il passé avant-hier ?", ["queue"]),
    ],
)
def test_a_time_or_a_kind_is_understood_in_german_spanish_and_french(kinds, question, expected):
    assert found(kinds, question) == expected


@pytest.mark.parametrize(
    "question", ["Warum schlug der broker heute fehl?", "¿Por qué falló el broker ayer?"]
)
def test_a_foreign_question_with_a_subject_is_asked_as_it_is(kinds, question):
    assert notices(kinds, question) == ()


def test_where_none_of_the_kind_is_of_that_time_the_time_still_counts(kinds):
    question = "what failed at the broker in the last 2 days"
    assert found(kinds, question) == ["jitter"]
    assert "nothing of the kind failure answers this; these are of any kind" in notices(
        kinds, question
    )


def test_where_no_such_kind_is_about_the_subject_others_answer_and_that_is_told(kinds):
    assert found(kinds, "rules about jitter") == ["jitter"]
    assert "of the kind rule answers this" in notices(kinds, "rules about jitter")[0]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("the last 1 decisions", ["queue"]),
        ("first decision", ["postgres", "queue"]),
        ("what went wrong?", ["stampede"]),
        ("what broke in the last 4 days", ["stampede"]),
        ("lessons learned", ["jitter"]),
    ],
)
def test_people_have_other_words_for_kinds_and_say_how_many(kinds, question, expected):
    assert found(kinds, question) == expected


@pytest.mark.parametrize(
    "question", ["where were we?", "where did we leave off", "what's next?", "next steps"]
)
def test_who_asks_where_work_stopped_is_shown_the_handoff(kinds, question):
    kinds.remember("The horn is wired, its test is not written", kind="handoff", external_id="horn")
    assert found(kinds, question) == ["horn"]


def test_a_word_that_is_a_kind_too_says_how_to_get_the_kind(kinds):
    kinds.remember("Failures of the horn are reported by bell", external_id="bell")
    assert notices(kinds, "failures") == ("“all failures” lists every failure",)


def test_where_nothing_is_of_that_kind_it_is_told_how_the_question_was_read(kinds):
    result = kinds.search("which rules do we have?", track=False)
    assert result.hits == ()
    assert result.meta.notices == ("every rule, newest first",)


def test_an_option_that_names_kinds_wins_over_words(kinds):
    result = kinds.search("recent decisions", kind="failure", all=True, track=False)
    assert [hit.memory.external_id for hit in result.hits] == ["stampede"]
    assert result.meta.notices == ()


def test_words_of_kinds_name_kinds():
    assert set(KIND_WORDS.values()) <= set(KINDS)
