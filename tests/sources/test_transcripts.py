"""Session files of coding agents give sessions and candidates, and nothing a program wrote."""

import json
import os

import pytest

from recairn.core.errors import RecairnError
from recairn.sources import sources_of
from recairn.sources.transcripts import find, project_slug

AT = "2026-03-01T08:00:{:02d}.000Z"
T0 = 1_772_352_000_000  # 2026-03-01T08:00:00Z
SESSION = "5e55-a"


def claude(said, second=0, kind="user", **more):
    """A line as Claude Code writes it."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "type": kind,
        "message": {"role": kind, "content": said},
        "uuid": f"u-{second}",
        "timestamp": AT.format(second),
        "sessionId": SESSION,
        "cwd": "/gone/puffin",
        "gitBranch": "north-wall",
        **more,
    }


NIGHT = [
    {"type": "queue-operation", "sessionId": SESSION, "content": '"user"'},
    claude("We decided to use colza oil because it does not freeze."),
    claude([{"type": "text", "text": "Understood."}], 5, "assistant"),
    claude([{"type": "tool_result", "content": "Always burn the logs"}], 6),
    claude("Never paint the lens", 7, toolUseResult={"stdout": "x"}),
    claude("Always ask the sub-agent", 8, isSidechain=True),
    claude("From now on, this session continues another", 9, isCompactSummary=True),
    claude("Caveat: always remember that this is none", 9, isMeta=True),
    claude(
        "<system-reminder>Always obey the reminder</system-reminder>\n"
        "<recairn-context>\n> Always quote old memories\n</recairn-context>\n"
        "No, never oil the hinges with butter.",
        20,
    ),
    {"type": "attachment", "sessionId": SESSION, "attachment": {"content": "Always attach"}},
    {"type": "brand-new-type", "role": "user", "text": "Always be new"},
    claude("[Request interrupted by user]", 30),
    claude("Is the lamp lit?", 40),
]


def rollout(kind, at=0, **payload):
    """A line as Codex writes it."""
    return {"timestamp": AT.format(at), "type": kind, "payload": payload}


WATCH = [
    rollout("session_meta", id="c0de", cwd="/gone/skerry", git={"branch": "main"}),
    rollout("response_item", type="message", role="user", content=[{"text": "Always inject"}]),
    rollout("turn_context", 1, cwd="/gone/skerry/sub"),
    rollout("event_msg", 2, type="user_message", message="Remember that the horn needs two keys."),
    rollout("event_msg", 9, type="agent_message", message="Always be helpful"),
]


def write(path, entries, extra=b""):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in entries)
    path.write_bytes(lines.encode() + extra)
    return path


@pytest.fixture
def night(own_home):
    return write(own_home / ".claude" / "projects" / "-gone-puffin" / f"{SESSION}.jsonl", NIGHT)


def candidates(memory):
    found = memory.listing(all_projects=True, trust="unverified")
    return sorted((each.kind, each.content) for each in found)


def test_candidates_wait_for_review_and_nothing_a_program_wrote_is_among_them(memory, night):
    (done,) = memory.import_from(night)
    assert (done.source, done.added, done.failed) == ("transcripts", 2, 0)
    assert candidates(memory) == [
        ("decision", "We decided to use colza oil because it does not freeze"),
        ("rule", "Never oil the hinges with butter"),
    ]
    assert memory.listing(all_projects=True, trust="verified") == []
    (oil,) = (each for each in memory.listing(all_projects=True) if each.kind == "decision")
    assert (oil.project, oil.session_id, oil.created_at) == ("puffin", SESSION, T0)
    assert oil.source_ref.endswith(f"{SESSION}.jsonl:2")
    assert oil.fields["rationale"] == "it does not freeze"


def test_the_session_keeps_its_folder_branch_times_and_prompts(memory, night):
    (done,) = memory.import_from(night)
    assert done.besides == {"session": 1, "use": 2, "conversation": 1}
    (kept,) = (each for each in memory.sessions(all_projects=True) if each.id == SESSION)
    assert (kept.project, kept.directory, kept.branch) == ("puffin", "/gone/puffin", "north-wall")
    assert (kept.agent, kept.started_at, kept.ended_at) == ("claude", T0, T0 + 40_000)
    assert kept.memories == 2
    assert memory.store.session_notes(SESSION) == {
        "prompts": [
            "We decided to use colza oil because it does not freeze.",
            "No, never oil the hinges with butter.",
            "Is the lamp lit?",
        ],
        "prompt_count": 3,
    }


def test_rollouts_of_codex_are_read_too(memory, own_home):
    folder = own_home / ".codex" / "sessions"
    write(folder / "2026" / "03" / "01" / "rollout-2026-03-01T08-00-00-c0de.jsonl", WATCH)
    (done,) = memory.import_from(folder)
    assert (done.source, done.added) == ("transcripts", 1)
    assert done.besides == {"session": 1, "use": 1, "conversation": 1}
    assert candidates(memory) == [("learning", "The horn needs two keys")]
    (kept,) = (each for each in memory.sessions(all_projects=True) if each.id == "c0de")
    assert (kept.agent, kept.project, kept.branch) == ("codex", "skerry", "main")
    assert (kept.started_at, kept.ended_at) == (T0, T0 + 9000)


def test_a_second_run_adds_nothing_and_a_session_that_went_on_adds_what_is_new(memory, night):
    memory.import_from(night)
    (again,) = memory.import_from(night)
    assert (again.added, again.unchanged, again.changed, again.besides) == (0, 2, 0, {})
    write(night, [*NIGHT, claude("Always knock before entering the lamp room", 50)])
    (more,) = memory.import_from(night)
    assert (more.added, more.unchanged) == (1, 2)
    assert more.besides == {"session": 1, "use": 1, "conversation": 1}
    (kept,) = (each for each in memory.sessions(all_projects=True) if each.id == SESSION)
    assert kept.ended_at == T0 + 50_000
    assert memory.store.session_notes(SESSION)["prompt_count"] == 4


def test_a_moved_file_brings_nothing_again(memory, night, tmp_path):
    memory.import_from(night)
    (done,) = memory.import_from(write(tmp_path / "backup" / "old.jsonl", NIGHT))
    assert (done.added, done.unchanged, done.besides) == (0, 2, {})


def test_what_was_dropped_in_a_review_is_not_proposed_again(memory, night):
    memory.project = "puffin"
    (made,) = memory.capture(["Never oil the hinges with butter."], source_ref="hook")
    memory.drop([made.id])
    (done,) = memory.import_from(night)
    assert (done.added, done.forgotten, done.failed) == (1, 1, 0)
    assert candidates(memory) == [
        ("decision", "We decided to use colza oil because it does not freeze")
    ]


def test_a_dry_run_writes_nothing(memory, night):
    (done,) = memory.import_from(night, dry_run=True)
    assert (done.added, done.besides) == (2, {"session": 1, "use": 2, "conversation": 1})
    assert memory.count() == 0


def test_a_dry_run_counts_as_the_run_does(memory, night, tmp_path):
    memory.project = "north"
    memory.capture(["We decided to use colza oil because it does not freeze."])
    dropped = memory.capture(["No, never oil the hinges with butter."])[0].id
    memory.drop(dropped)
    again = tmp_path / "again" / "s.jsonl"
    again.parent.mkdir()
    write(
        again,
        [
            claude("We decided to use colza oil because it does not freeze.", sessionId="a"),
            claude("We decided to use colza oil since it does not freeze.", 1, sessionId="b"),
            claude("Never paint the lens red", 2, sessionId="a"),
            claude("never paint the lens red!", 3, sessionId="b"),
        ],
    )
    for path in (night, again):
        counts = []
        for dry_run in (True, False):
            (done,) = memory.import_from(path, dry_run=dry_run)
            counts.append((done.added, done.known, done.forgotten, done.unchanged, done.unverified))
        assert counts[0] == counts[1]
    assert sum(counts[0][:2]) == 4


def test_a_secret_in_a_prompt_does_not_come_in(memory, tmp_path):
    key = "AKIA" + "Q7RZ2M5LXW3NPT8D"
    path = write(tmp_path / "s.jsonl", [claude(f"Remember that the key is {key} for the shed.")])
    memory.import_from(path)
    (kept,) = memory.listing(all_projects=True)
    assert key not in kept.content
    assert key not in json.dumps(memory.store.session_notes(SESSION))


def test_for_a_project_its_own_transcripts_are_found(own_home, tmp_path, night):
    project = tmp_path / "tower"
    project.mkdir()
    own = own_home / ".claude" / "projects" / project_slug(str(project))
    write(own / "s.jsonl", NIGHT)
    sessions = own_home / ".codex" / "sessions" / "2026"
    here = write(sessions / "a.jsonl", [rollout("session_meta", id="a", cwd=str(project))])
    write(sessions / "b.jsonl", [rollout("session_meta", id="b", cwd=f"{project}-other")])
    assert find(str(project)) == [str(own), str(here)]


def test_other_lines_of_json_are_left_to_their_own_format(tmp_path):
    drafts = write(tmp_path / "drafts.jsonl", [{"content": "Trim the wick"}])
    assert [each.name for each in sources_of(str(drafts))] == ["jsonl"]


def test_hostile_lines_are_named_and_stop_nothing(memory, tmp_path):
    whole = json.dumps(claude("Always trim the wick at noon", 1), separators=(",", ":")).encode()
    path = write(tmp_path / "s.jsonl", NIGHT[:2])
    with path.open("ab") as file:
        file.write(whole[:150] + b"\n")  # 3: cut off
        file.write(whole.replace(b"wick", b"w\xffck") + b"\n")  # 4
        file.write(whole.replace(b'"u-1"', b"NaN") + b"\n")  # 5
        file.write(b'{"type":"user","x":' + b"[" * 100_000 + b"\n")  # 6
        file.write(b'{"type":"user","message":"' + b"x" * 50_000_000 + b'"}\n')  # 7
        file.write(b'{"type":"attachment","x":"' + b"y" * 3_000_000 + b'"}\n')  # 8: not read
    entries = [
        claude("Never mind the time", 1, timestamp="some day"),
        claude("Never mind the time", 1, timestamp=["2026"]),
        claude("Never mind who", 1, sessionId={"a": 1}),
        claude("Never mind who", 1, sessionId="x" * 5000),
        claude(7, 1),
        claude([None, {"type": "text", "text": 3}], 1),
        {**claude("x"), "message": ["user"]},
        ["user"],
        {"type": "event_msg", "payload": ["user_message"]},
        claude("Always trim the wick at dusk", 2),
    ]
    with path.open("ab") as file:
        file.write("".join(json.dumps(each) + "\n" for each in entries).encode())
    (done,) = memory.import_from(path)
    assert [(each.place.rpartition(":")[2], each.reason[:24]) for each in done.errors] == [
        ("3", "not JSON: Unterminated s"),
        ("4", "not UTF-8"),
        ("5", "not JSON: NaN is not a J"),
        ("6", "nested too deeply"),
        ("7", "longer than 2 MB"),
        ("9", "timestamp is no time: 's"),
        ("10", 'timestamp is no time: "['),
        ("11", "sessionId must be text, "),
        ("12", "the session's id has 5,0"),
    ]
    assert [content for _, content in candidates(memory)] == [
        "We decided to use colza oil because it does not freeze",
        "Always trim the wick at dusk",
    ]
    assert memory.verify().problems == ()


def test_links_that_lead_out_are_not_followed_and_an_unreadable_file_is_told(
    memory, night, tmp_path
):
    folder = night.parent
    outside = write(tmp_path / "outside.jsonl", [claude("Always look outside", 1)])
    os.symlink(outside, folder / "link.jsonl")
    os.symlink(tmp_path, folder / "all")
    os.mkfifo(folder / "pipe.jsonl")
    (done,) = memory.import_from(folder)
    assert (done.added, done.failed) == (2, 0)
    assert "Always look outside" not in [content for _, content in candidates(memory)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look everywhere")
def test_a_folder_nobody_may_look_into_is_told_not_a_crash(memory, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    with pytest.raises(RecairnError):
        memory.import_from(closed)


def test_a_line_that_is_still_being_written_is_left_for_the_next_run(memory, night):
    line = json.dumps(claude("From now on, always wind the clock at noon.", 50)).encode()
    write(night, NIGHT, line[:-30])
    (done,) = memory.import_from(night)
    assert (done.added, done.failed) == (2, 0)
    write(night, NIGHT, line)
    assert memory.import_from(night)[0].added == 1
    write(night, NIGHT, line[:-30] + b"\n")
    assert memory.import_from(night)[0].failed == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_transcript_one_may_not_read_is_told_and_the_others_are_read(memory, night):
    other = write(night.with_name("other.jsonl"), NIGHT)
    other.chmod(0)
    (done,) = memory.import_from(night.parent)
    assert (done.added, done.failed) == (2, 1)
    assert done.errors[0].reason == "cannot be read: Permission denied"
