"""What every store promises about the turns of sessions."""

from recairn.core.times import DAY
from recairn.store.work_rows import LastHook
from tests.corpus import NOW
from tests.store.test_logs import ask


def note(store, session, event, at=NOW, **columns):
    with store.transaction():
        store.put_turn({"at": at, "session_id": session, "event": event, **columns})


def test_a_turn_comes_back_as_it_was_noted_and_what_was_not_said_is_empty(store):
    terms = [[["keyword", 0.5, 0.45, "add"]], None]
    note(
        store,
        "s-1",
        "prompt",
        project="puffin",
        agent="codex",
        prompt="why?",
        injection=7,
        left_out=[(3, "much weaker than #1")],
        terms=terms,
    )
    note(store, "s-1", "stop", silence="no task is open")
    note(store, "s-2", "prompt")
    prompt, stop = store.turns("s-1")
    assert (prompt.at, prompt.event, prompt.prompt, prompt.injection) == (NOW, "prompt", "why?", 7)
    assert (prompt.agent, prompt.project, prompt.silence) == ("codex", "puffin", "")
    assert (prompt.left_out, prompt.terms) == ([(3, "much weaker than #1")], terms)
    assert (stop.silence, stop.injection, stop.left_out, stop.terms) == (
        "no task is open",
        None,
        [],
        [],
    )
    assert store.turns("s-1", after=prompt.id) == [stop]
    assert store.turns("s-1", limit=1) == [prompt]


def test_of_each_agent_and_event_the_last_report_is_known(store):
    note(store, "s-1", "prompt", agent="codex")
    note(store, "s-1", "prompt", agent="codex", at=NOW + 5)
    note(store, "s-1", "stop", agent="codex", at=NOW + 3)
    note(store, "s-2", "context", at=NOW + 9)  # a person's
    assert store.last_hooks() == [
        LastHook("codex", "prompt", NOW + 5, 2),
        LastHook("codex", "stop", NOW + 3, 1),
    ]


def test_what_was_said_last_before_a_time_is_known(store):
    note(store, "s-1", "prompt", prompt="use pence")
    note(store, "s-1", "stop", at=NOW + 1)
    note(store, "s-1", "prompt", prompt="and ship it", at=NOW + 5)
    note(store, "s-2", "prompt", prompt="elsewhere", at=NOW + 2)
    asked = [store.prompt_before("s-1", at) for at in (NOW - 1, NOW, NOW + 4, NOW + 5)]
    assert asked == ["", "use pence", "use pence", "and ship it"]


def test_turns_are_dropped_by_age_and_by_number(store):
    for day in range(5):
        note(store, "s-1", "prompt", at=NOW + day * DAY)
    with store.transaction():
        assert store.drop_turns(NOW, 10) == 0
        assert store.drop_turns(NOW + 2 * DAY, 10) == 2
        assert store.drop_turns(NOW, 2) == 1
    assert [turn.at for turn in store.turns("s-1")] == [NOW + 3 * DAY, NOW + 4 * DAY]
    with store.transaction():
        assert store.drop_turns(NOW + 9 * DAY, 10) == 2
        assert store.drop_turns(NOW + 9 * DAY, 10) == 0


def test_the_searches_of_a_session_are_found_by_time(store):
    ask(store, "which tide", at=NOW, session_id="s-1")
    ask(store, "what fog", at=NOW + 1, session_id="s-2")
    ask(store, "which gull", at=NOW + 2, session_id="s-1", tool="mcp", result_ids="[4]")
    found = store.searches_in("s-1", NOW, NOW + 2)
    assert [(row.query, row.tool, row.results) for row in found] == [
        ("which tide", "cli", [1, 2]),
        ("which gull", "mcp", [4]),
    ]
    assert store.searches_in("s-1", NOW + 1, NOW + 1) == []


def test_the_words_of_a_turn_can_be_cleared(store):
    note(store, "s-1", "prompt", prompt="the gull's password")
    (found,) = [text for text in store.log_texts() if text.log == "turns"]
    assert found.text == "the gull's password"
    with store.transaction():
        store.clear_logs({"turns": [found.key]})
    assert [turn.prompt for turn in store.turns("s-1")] == [""]
