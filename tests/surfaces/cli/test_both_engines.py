"""A life on a server answers every command as the same life in a file does."""

from __future__ import annotations

import re
import shlex

# Commands in the order of a life, each as it is typed; FOLDER is the test's own.
LIFE = """
config set audience team
add Gulls nest on the north pier --kind decision --category birds --rationale "They like height"
add "Never feed gulls by hand" --kind rule
add "The lamp burns until dawn" --tags lamp,light --importance 0.9
add "The lamp burns till the dawn" --force
add "flushUplinkBatch loses packets when the buoy rolls" --kind failure --fix "Wait for the ack"
add "Oil for the lamp comes by boat on Tuesdays" --private
add "The keeper is called Ines" --kind entity --alias keeper
add "Ines paints the tower white" --pin
search gulls
search "when does the lamp burn" --limit 3
search "flush uplink" --explain
search lamps --kind learning
search walrus
recent
list --kind rule
show 1
show 5 --history
edit 3 --category lamps
forget 4
restore 4
forget 4
supersede 3 "The lamp burns until sunrise"
correct 6 "Oil for the lamp comes by boat on Fridays"
link 1 8 relates_to
graph related 1
graph stats
helpful 1
unhelpful 5
reinforce 8
history 1
undo 8
pin 1
unpin 1
withhold 2
share 2
context "feeding gulls on the pier"
task add "Mend the lamp"
task list
session start watch-1
handoff "The tower is half white" --next "Paint the rest"
resume
session list
session end watch-1
import jsonl notes.jsonl
doc add guide.md
doc list
search "how do I climb the tower" --docs
miss "what the fog horn said"
stats
config set team.motto "light first"
config list
review
stale
project list
stats queries
ledger
export
verify
forget 4 --hard --yes
search "burns till"
verify
"""
NOTES = '{"content": "Fog comes from the west in May", "kind": "learning"}\n'
GUIDE = "# Tower\n\n## Climbing\n\nTake the iron stairs, never the rope.\n"
# What differs between two lives: uids, moments, measured times, and where the memories are.
VARYING = (
    (re.compile(r"\b01[0-9a-hjkmnp-tv-z]{24}\b"), "UID"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+Z?|\b1[789]\d{11}\b"), "MOMENT"),
    # Which database a stamp was made in.
    (re.compile(r'(?<=\[MOMENT, ")[0-9a-z]{10}(?=")'), "DATABASE"),
    (re.compile(r'"(\w*_ms|bytes|seed|score|value|chance)": [\d.e-]+'), r'"\1": N'),
    (re.compile(r"postgresql://\S+?(?=[\s\",]|$)|/\S+?/memories\.db"), "PLACE"),
    (re.compile(r"\b[0-9a-f]{16,64}\b"), "HASH"),
    (re.compile(r"\bt-[0-9a-z]+\b"), "TASK"),
    (re.compile(r'"member": "ann", '), ""),
    # Each engine has checks of its own, and says what is left of the destroyed elsewhere.
    (re.compile(r'"(checks|left)": \[[^]]*\]'), ""),
)


def plain(text):
    # Two engines add numbers up in different orders.
    text = re.sub(r"\d+\.\d+", lambda found: f"{float(found[0]):.2f}", text)
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return text


def lived(recairn, folder, monkeypatch, database):
    """What each command answered, on the screen and as JSON."""
    folder.mkdir()
    (folder / "notes.jsonl").write_text(NOTES)
    (folder / "guide.md").write_text(GUIDE)
    monkeypatch.chdir(folder)
    answers = []
    for line in LIFE.strip().splitlines():
        as_json = [] if line.startswith("export") else ["--json"]
        ran = recairn("--db", database, "--project", "tower", *shlex.split(line), *as_json)
        answers.append((line, ran.status, plain(ran.out.replace(str(folder), "FOLDER"))))
    return answers


def test_every_command_of_a_life_is_answered_alike(recairn, postgres, tmp_path, monkeypatch):
    team = postgres.new_team()
    recairn("member", "add", "ann", "--role", "admin", "--db", team)
    there = lived(recairn, tmp_path / "a", monkeypatch, f"{team}&member=ann")
    here = lived(recairn, tmp_path / "b", monkeypatch, str(tmp_path / "memories.db"))
    assert [line for line, status, _ in here if status] == []
    for ours, theirs in zip(here, there, strict=True):
        assert theirs == ours
