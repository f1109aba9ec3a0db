"""`helpful`, `unhelpful`, and what `show` tells of them."""


def test_show_lists_the_evidence_and_what_it_comes_to(lamp, settle):
    lamp("search", "storm lens")
    lamp("helpful", "1", "--score", "0.9", "--note", "the ferry saw us")
    lamp("unhelpful", "1", "--query", "who cooks today")
    text = settle(lamp("show", "1").out)
    assert "  Outcome Score: 0%\n" in text
    assert (
        "  Evidence: helped 0.9 of 2, so ranked as 48%\n"
        "    2026-11-15T10:30:00.000Z  user: score 0.9, the ferry saw us,"
        ' for "storm lens"\n'
        '    2026-11-15T10:30:00.000Z  user: score 0, for "who cooks today"\n'
    ) in text


def test_show_json_has_every_piece_of_evidence(lamp):
    lamp("helpful", "1")
    lamp("undo", "1")
    (said,) = lamp("show", "1", "--json").json["evidence"]
    assert (said["score"], said["weight"], said["source"]) == (1.0, 1.0, "user")
    assert said["undone"] is True


def test_a_memory_nobody_rated_has_no_evidence(lamp):
    assert "Evidence" not in lamp("show", "1").out
    assert lamp("show", "1", "--json").json["evidence"] == []
