"""What Claude Code remembered by itself comes in fact by fact, with the links between them."""

import json
import os

import pytest

from recairn.sources import sources_of
from recairn.sources.claude_memory import find, takes
from recairn.sources.transcripts import project_slug

T0 = 1_772_352_000_000  # 2026-03-01T08:00:00Z


def fact(folder, name, text, **fields):
    """A fact as Claude Code writes it."""
    kind = fields.pop("kind", "project")
    lines = [f"{key}: {value}" for key, value in {"name": name, **fields}.items()]
    path = folder / f"{name.replace('-', '_')}.md"
    path.write_text("\n".join(["---", *lines, "metadata:", f"  type: {kind}", "---", "", text, ""]))
    os.utime(path, (T0 / 1000, T0 / 1000))
    return path


@pytest.fixture
def kept(own_home):
    folder = own_home / ".claude" / "projects" / "-gone-puffin" / "memory"
    folder.mkdir(parents=True)
    fact(folder, "keeper-role", "The keeper is left-handed.", kind="user", description="The keeper")
    fact(
        folder,
        "no-paraffin",
        "Never use paraffin.\n\n**Why:** it smokes. See [[keeper-role]] and [[not-written-yet]].",
        kind="feedback",
        description='"Which oil: colza"',
    )
    fact(folder, "tide-table", "Tides: https://tides.example/puffin.", kind="reference")
    (folder / "MEMORY.md").write_text(
        "# Memory\n\n- [Keeper](keeper_role.md) - who keeps the light\n- [[no-paraffin]]\n"
        "- [Tides](./tide_table.md)\n\n## Loose\n\n- The spare key hangs behind the clock\n"
    )
    return folder


def counts(done):
    (one,) = done
    return one.added, one.changed, one.unchanged, one.failed


def by_id(memory, name):
    (found,) = (each for each in memory.listing(all_projects=True) if each.external_id == name)
    return found


def test_each_fact_becomes_a_memory_of_its_type(memory, kept):
    (done,) = memory.import_from(kept)
    assert (done.source, done.added, done.failed) == ("claude-memory", 4, 0)
    assert {each.kind: each.content for each in memory.listing()} == {
        "preference": "The keeper is left-handed.",
        "rule": "Never use paraffin.\n\n**Why:** it smokes."
        " See [[keeper-role]] and [[not-written-yet]].",
        "resource": "Tides: https://tides.example/puffin.",
        "learning": "The spare key hangs behind the clock",
    }
    rule = by_id(memory, "no-paraffin")
    assert (rule.title, rule.category, rule.created_at) == ("Which oil: colza", "feedback", T0)
    assert rule.source_ref.endswith("memory/no_paraffin.md:1")
    assert by_id(memory, "tide-table").fields == {"url": "https://tides.example/puffin"}


def test_links_between_facts_become_links(memory, kept):
    memory.import_from(kept)
    edges = [(each.source, each.relation, each.target) for each in memory.graph()[1]]
    rule, keeper = by_id(memory, "no-paraffin").id, by_id(memory, "keeper-role").id
    assert edges == [(rule, "relates_to", keeper)]


def test_a_second_run_adds_nothing_and_a_changed_fact_supersedes(memory, kept):
    memory.import_from(kept)
    assert counts(memory.import_from(kept)) == (0, 0, 4, 0)
    old = by_id(memory, "keeper-role")
    fact(kept, "keeper-role", "The keeper is right-handed.", kind="user", description="The keeper")
    index = kept / "MEMORY.md"
    index.write_text(index.read_text().replace("behind the clock", "behind the tall clock"))
    assert counts(memory.import_from(kept)) == (0, 2, 2, 0)
    assert memory.get(old.id).superseded_by == by_id(memory, "keeper-role").id
    (kept / "tide_table.md").unlink()
    (done,) = memory.import_from(kept)
    assert [text for _, text in done.gone] == ["tide-table"]


def test_the_sessions_beside_it_tell_the_project(memory, kept):
    line = {"type": "user", "sessionId": "s", "cwd": "/gone/puffin", "message": {}}
    (kept.parent / "s.jsonl").write_text(json.dumps(line) + "\n")
    memory.import_from(kept)
    assert {each.project for each in memory.listing(all_projects=True)} == {"puffin"}


def test_it_is_known_by_its_place_and_found_for_a_project(own_home, tmp_path, kept):
    assert [each.name for each in sources_of(str(kept))] == ["claude-memory"]
    assert [each.name for each in sources_of(str(kept / "MEMORY.md"))] == ["claude-memory"]
    assert not takes(str(tmp_path))
    (tmp_path / "MEMORY.md").write_text("- a list of rules\n")
    assert [each.name for each in sources_of(str(tmp_path / "MEMORY.md"))] == ["claude-md"]
    projects = own_home / ".claude" / "projects"
    assert find(str(projects)) == [str(kept)]
    tower = tmp_path / "tower"
    tower.mkdir()
    own = projects / project_slug(str(tower)) / "memory"
    own.mkdir(parents=True)
    assert find(str(tower)) == [str(own)]


def test_hostile_files_cost_only_themselves(memory, kept, tmp_path):
    (kept / "a_loose.md").write_text("---\nname: a-loose\ndescription: so: it goes\n---\nLoose.\n")
    (kept / "b_bomb.md").write_text("---\na: &a [x]\nb: *a\nname: bomb\n---\nStill said.\n")
    (kept / "c_empty.md").write_text("---\nname: empty\n---\n")
    (kept / "d_cut.md").write_text("---\nname: cut\ndescr")
    (kept / "e_bytes.md").write_bytes(b"---\nname: bytes\n---\nA \xff bad byte\n")
    (kept / "f_types.md").write_text("---\nname: [1, 2]\n---\nWrong name.\n")
    (kept / "g_meta.md").write_text("---\nname: meta\nmetadata: 7\n---\nWrong metadata.\n")
    (kept / "h_time.md").write_text("---\nname: time\ncreated: .nan\n---\nWrong time.\n")
    (kept / "i_twice.md").write_text("---\nname: keeper-role\n---\nThe same name again.\n")
    with (kept / "j_huge.md").open("wb") as file:
        file.truncate(50_000_000)
    outside = tmp_path / "outside.md"
    outside.write_text("---\nname: outside\n---\nNot to be read.\n")
    os.symlink(outside, kept / "k_link.md")
    os.symlink(tmp_path, kept / "l_folder")
    os.mkfifo(kept / "m_pipe.md")
    (done,) = memory.import_from(kept)
    told = {each.place.rpartition("/")[2]: each.reason for each in done.errors}
    assert told == {
        "c_empty.md:1": "it says nothing",
        "f_types.md:1": "name must be text, got list",
        "g_meta.md:1": "metadata must be an object, got int",
        "h_time.md:1": "created is no time: '.nan'",
        "j_huge.md:1": told["j_huge.md:1"],
    }
    assert "larger than 8 MB" in told["j_huge.md:1"]
    said = {each.content for each in memory.listing(limit=50)}
    assert {"Loose.", "Still said.", "A � bad byte", "The same name again."} <= said
    assert any(each.startswith("---\nname: cut") for each in said)
    assert "Not to be read." not in said
    assert by_id(memory, "a-loose").title == "so: it goes"
    assert memory.verify().problems == ()
