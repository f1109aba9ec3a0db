"""Faults planted one at a time, each in a promise of its own: the suite has to notice every one.

A row says what goes wrong, in which file, which text becomes which, and the tests that should see
it. The text stands once in its file; when the code around it changes, the fault follows.
`python3 run.py test --mutants` plants them all.
"""

from __future__ import annotations

from typing import NamedTuple

# Without what takes long and looks at something else.
GUARD_TESTS = "tests/core/guard -k 'not slow'"
STORE_TESTS = "tests/store/test_contract.py tests/store/test_recall_by_words.py -k 'not postgresql'"


class Fault(NamedTuple):
    what: str
    path: str
    before: str
    after: str
    tests: str


DURABILITY = (
    Fault(
        "a commit is not flushed to disk",
        "store/sqlite/connection.py",
        "pragma foreign_keys=on; pragma synchronous=full;",
        "pragma foreign_keys=on; pragma synchronous=off;",
        "tests/durability/test_power_loss.py",
    ),
    Fault(
        "after book-keeping writes stay unflushed",
        "store/sqlite/connection.py",
        "        self._patience.seconds = self._patience_s\n"
        '        self._db.execute("pragma synchronous=full")',
        "        self._patience.seconds = self._patience_s",
        "tests/store/test_sqlite_only.py",
    ),
    Fault(
        "a failed part of a transaction is committed with the rest",
        "store/sqlite/connection.py",
        "        if kind is not None:\n            self._doomed = True",
        "        if kind is not None and self._depth == 0:\n            self._doomed = True",
        "tests/durability/test_transactions.py tests/store/test_contract.py",
    ),
    Fault(
        "a transaction begins without the write lock",
        "store/sqlite/connection.py",
        'self._db.execute("begin immediate")',
        'self._db.execute("begin")',
        "tests/durability/test_together.py tests/durability/test_transactions.py",
    ),
    Fault(
        "a file that took the place of the database is written to",
        "store/sqlite/connection.py",
        "if file_identity(self.path) != self._file:",
        "if False:",
        "tests/durability/test_transactions.py",
    ),
    Fault(
        "a forked child writes beside its parent",
        "store/sqlite/connection.py",
        "if os.getpid() != self._process:",
        "if False:",
        "tests/durability/test_misuse.py tests/durability/test_refusals.py",
    ),
    Fault(
        "another program's database is taken for ours",
        "store/sqlite/connection.py",
        "if owner != APPLICATION_ID and (owner or found or objects):",
        "if owner != APPLICATION_ID and owner and found:",
        "tests/durability/test_refusals.py tests/durability/test_misuse.py",
    ),
    Fault(
        "a newer schema is opened all the same",
        "store/sqlite/connection.py",
        "if found > schema.LATEST:",
        "if found > schema.LATEST + 1:",
        "tests/durability/test_migrations.py tests/durability/test_refusals.py",
    ),
    Fault(
        "others may read a new database",
        "store/sqlite/files.py",
        "os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)",
        "os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644)",
        "tests/durability/test_privacy.py",
    ),
    Fault(
        "the row hash forgets a change",
        "store/statements/memories.py",
        "(*after.values(), hashed, stamps, memory)",
        "(*after.values(), before.get('row_hash', hashed[:-1]), stamps, memory)",
        f"tests/durability/test_bit_rot.py {STORE_TESTS}",
    ),
    Fault(
        "what a row held before stays in the sum of its table",
        "store/sqlite/connection.py",
        "total -= self.checksum(table, old)",
        "total -= 0",
        "tests/store/test_checksums.py",
    ),
    Fault(
        "a statement that failed stays in the sums",
        "store/sqlite/connection.py",
        "                self._doomed = True\n                raise",
        "                raise",
        "tests/store/test_checksums.py",
    ),
    Fault(
        "a damaged log is not noticed",
        "store/sqlite/schema/__init__.py",
        "access_log compactions",
        "compactions",
        "tests/store/test_checksums.py",
    ),
    Fault(
        "counters of a memory are in no sum",
        "store/sqlite/connection.py",
        "row = (row[0], row[_COUNTERS], row[_HASH], row[_STAMPS])",
        "row = (row[0], row[_HASH], row[_STAMPS])",
        "tests/store/test_checksums.py",
    ),
)

GUARD = (
    Fault(
        "secrets are looked for in one round only",
        "core/guard/redaction.py",
        "        text = _replace(text, wanted)\n        spans = _find(text)",
        "        text = _replace(text, wanted)\n        spans = []",
        GUARD_TESTS,
    ),
    Fault(
        "a title is stored with its secret",
        "core/draft.py",
        'title = clean.name("title", draft.title, MAX_TITLE)',
        'title = draft.title or ""',
        "tests/surfaces/cli/test_secrets.py tests/memory/test_remember.py",
    ),
    Fault(
        "a category is stored with its secret",
        "core/draft.py",
        'clean.name("category", draft.category)',
        'draft.category or ""',
        "tests/surfaces/cli/test_secrets.py tests/memory/test_remember.py",
    ),
    Fault(
        "fields of a kind are stored with their secrets",
        "core/draft.py",
        "fields[name] = self.text(name, value)\n",
        "fields[name] = value\n",
        "tests/surfaces/cli/test_secrets.py tests/memory/test_remember.py",
    ),
    Fault(
        "an edit stores a title with its secret",
        "memory/lifecycle.py",
        'return clean.name(name, value, MAX_TITLE if name == "title" else 200)',
        "return value",
        "tests/surfaces/cli/test_secrets.py tests/memory/test_lifecycle.py",
    ),
    Fault(
        "questions are logged with their secrets",
        "recall/usage_log.py",
        "loggable(request.query[:_LOGGED_QUERY])",
        "request.query[:_LOGGED_QUERY]",
        "tests/surfaces/cli/test_secrets.py tests/recall/test_query_log.py",
    ),
    Fault(
        "base64 hides a secret",
        "core/guard/redaction.py",
        "            other.extend(find_base64(text, _find_plain))\n",
        "",
        GUARD_TESTS,
    ),
    Fault(
        "a seed phrase passes",
        "core/guard/redaction.py",
        "    if _may_hold_a_phrase(text):",
        "    if False:",
        GUARD_TESTS,
    ),
    Fault(
        "an AWS secret beside its key passes",
        "core/guard/shape_search.py",
        'if span[2] == "aws-access-key":',
        "if False:",
        GUARD_TESTS,
    ),
    Fault(
        "control characters reach the terminal",
        "core/guard/__init__.py",
        "def safe_for_terminal(",
        "def safe_for_terminal(text: str, **_: object) -> str:\n    return text\n\n\ndef _unused(",
        "tests/core/guard/test_characters.py tests/surfaces/cli/test_render.py",
    ),
    Fault(
        "a memory can end the block it is injected in",
        "core/memory_text.py",
        "    if _NAME not in text.lower():\n        return text",
        "    return text",
        "tests/core/test_fence.py tests/recall/test_context.py",
    ),
    Fault(
        "a person's settings travel with an export",
        "sync/export.py",
        "if not nameless and not _stays_here(shape, record):",
        "if not nameless:",
        "tests/surfaces/cli/test_upkeep.py tests/surfaces/cli/test_imports.py",
    ),
    Fault(
        "an import sets what only a person may",
        "sync/merge_tables.py",
        "if row is None or self._is_a_persons(shape, row, entry.place):",
        "if row is None:",
        "tests/surfaces/cli/test_upkeep.py tests/surfaces/cli/test_imports.py",
    ),
    Fault(
        "a checkout's database is used without a word of the user",
        "host/project.py",
        "    if trust is None:\n        return DatabaseChoice(users_database(), passed_over=own)",
        "    if trust is None:\n        return DatabaseChoice(own)",
        "tests/surfaces/cli/test_trust.py",
    ),
    Fault(
        "another file in the place of a trusted one is trusted",
        "engine/trust.py",
        "if store.seal() == trust.seal:",
        "if True:",
        "tests/surfaces/cli/test_trust.py",
    ),
    Fault(
        "git reads the settings of a repository",
        "host/git.py",
        '            "GIT_COMMON_DIR": stand_in,\n',
        "",
        'tests/surfaces/test_hostile_repositories.py -k "no_setting"',
    ),
    Fault(
        "git hears what the environment says",
        "host/git.py",
        ' if not name.startswith("GIT_")}',
        "}",
        "tests/surfaces/test_hostile_repositories.py -k environment",
    ),
)

VISIBILITY = (
    Fault(
        "what belongs to another branch is handed out",
        "recall/context.py",
        "if memory.branch and memory.branch != request.branch():",
        "if memory.branch and memory.branch == request.branch() + '?':",
        "tests/memory/test_branches.py",
    ),
    Fault(
        "conversations are found by a search in documents",
        "store/statements/filters.py",
        'if pieces and "transcript" not in filter.source_types:',
        'if pieces and "transcripts" in filter.source_types:',
        "tests/sources/test_conversations.py",
    ),
    Fault(
        "the vector arm lets everything through that it may see",
        "store/sqlite/vectors.py",
        "        where, values = conditions(filter)\n        rows = self._c.rows(\n"
        '            "select m.id from carray(?) asked',
        '        where, values = "1 = 1", []\n        rows = self._c.rows(\n'
        '            "select m.id from carray(?) asked',
        "tests/store/vectors -k 'not kill'",
    ),
    Fault(
        "a session's memory is seen by its whole project",
        "store/statements/filters.py",
        "(({own} and m.tier <> 'session') or m.tier = 'global'",
        "({own} or m.tier = 'global'",
        f"tests/recall/test_search.py {STORE_TESTS}",
    ),
    Fault(
        "what was forgotten is found",
        "store/statements/filters.py",
        '    elif not filter.include_deleted:\n        require("m.deleted_at is null")',
        "    elif not filter.include_deleted:\n        pass",
        f"tests/recall/test_search.py {STORE_TESTS}",
    ),
    Fault(
        "what has expired is found",
        "store/statements/filters.py",
        'require("(m.expires_at is null or m.expires_at > ?)", at)',
        "pass",
        f"tests/memory/test_lifecycle.py {STORE_TESTS}",
    ),
    Fault(
        "what was superseded is found",
        "store/statements/filters.py",
        'require("(m.valid_until is null or m.valid_until > ?)", at)',
        "pass",
        f"tests/memory/test_lifecycle.py {STORE_TESTS}",
    ),
    Fault(
        "the past is searched with today's memories",
        "store/statements/filters.py",
        'require("m.created_at <= ? and m.valid_from <= ?", at, at)',
        "pass",
        f"tests/recall/test_believed.py {STORE_TESTS}",
    ),
    Fault(
        "a forgotten memory is shown as it never was",
        "recall/search.py",
        "if request.filter.as_of is not None:\n        hits",
        "if False:\n        hits",
        "tests/recall/test_believed.py",
    ),
)

RANKING = (
    Fault(
        "a useful memory ranks like a harmful one",
        "ranking/signals.py",
        "return (helpful + 1.0) / (helpful + harmful + 2.0)",
        "return 0.5",
        "tests/ranking",
    ),
    Fault(
        "the newest counts least",
        "ranking/signals.py",
        "return math.pow(0.5, _days(facts.created_at, context.now) / _HALF_LIFE_DAYS)",
        "return 1.0 - math.pow(0.5, _days(facts.created_at, context.now) / _HALF_LIFE_DAYS)",
        "tests/ranking",
    ),
    Fault(
        "the first of two equals is left to chance",
        "ranking/score.py",
        "scored.sort(key=lambda entry: (-entry.score, entry.facts.id))",
        "scored.sort(key=lambda entry: (-entry.score, -entry.facts.id))",
        "tests/ranking tests/recall/test_search.py",
    ),
    Fault(
        "ranking stops before the best was scored",
        "ranking/score.py",
        "if hope * largest < bar:",
        "if hope < bar:",
        "tests/ranking",
    ),
    Fault(
        "strangers are answers",
        "ranking/score.py",
        "if scored.facts.keyword > 0.0 or _near(scored.facts.cosine, floor)",
        "if True",
        "tests/ranking/test_selection.py tests/recall",
    ),
    Fault(
        "near repetitions are not folded away",
        "ranking/score.py",
        "if profile.fold is not None and nearest.get(facts.id, 0.0) >= profile.fold:",
        "if False:",
        "tests/ranking/test_selection.py tests/recall",
    ),
    Fault(
        "long texts win by their length",
        "ranking/lexical.py",
        "slack = _SATURATION * (1.0 - _LENGTH + _LENGTH * length / usual)",
        "slack = _SATURATION",
        "tests/ranking/test_lexical.py",
    ),
    Fault(
        "neighbouring words count no more than scattered ones",
        "ranking/lexical.py",
        "            score += _together(pairs, places)",
        "            score += 0.0",
        "tests/ranking/test_lexical.py",
    ),
    Fault(
        "salience never fades",
        "core/model.py",
        "* exp(-rate * days * slowing)",
        "* exp(0.0)",
        "tests/ranking tests/memory",
    ),
    Fault(
        "a context exceeds its budget",
        "ranking/packing.py",
        "return form.weight <= self.weight and form.characters",
        "return form.weight <= 1.2 * self.weight and 0 <",
        "tests/ranking/test_packing.py tests/recall/test_context.py",
    ),
    Fault(
        "a reranker's word takes away from scores",
        "ranking/rerank.py",
        "round((value - lowest) / (highest - lowest), _DIGITS), share)",
        "round((value - highest) / (highest - lowest), _DIGITS), share)",
        "tests/recall/test_second_look.py",
    ),
    Fault(
        "a reranker reads past its deadline",
        "embed/reranker.py",
        "if until is not None and read and now + (now - started) / read * coming > until:",
        "if until is not None and read and now < 0:",
        "tests/embed/test_reranker.py",
    ),
    Fault(
        "a prompt waits for a reranker",
        "engine/context.py",
        '"deep": False}',
        '"deep": None}',
        "tests/recall/test_second_look.py",
    ),
)

UNDO = (
    Fault(
        "a change that expected another version overwrites it",
        "engine/changes.py",
        "        if found != version:\n",
        "        if False:\n",
        "tests/memory/test_expected_version.py",
    ),
    Fault(
        "an event is taken back twice by its number",
        "memory/undo.py",
        "        if event.id not in left:\n            raise Refused(",
        "        if False:\n            raise Refused(",
        "tests/memory/test_undo_by_event.py",
    ),
    Fault(
        "undo leaves the title",
        "memory/undo.py",
        "if name not in current or name in _FOLLOWING or name in _STRENGTH:",
        'if name == "title" or name not in current or name in _FOLLOWING or name in _STRENGTH:',
        "tests/memory/test_undo.py tests/memory/test_undo_later_changes.py",
    ),
    Fault(
        "undo overwrites what was changed later",
        "memory/undo.py",
        "        if current[name] == after:\n            changes[name] = before",
        "        if True:\n            changes[name] = before",
        "tests/memory/test_undo.py tests/memory/test_undo_later_changes.py",
    ),
    Fault(
        "undo of a rating takes later ratings along",
        "memory/undo.py",
        "changes[name] = max(0.0, current[name] + before - after)",
        "changes[name] = before",
        "tests/memory/test_undo.py tests/memory/test_undo_later_changes.py",
    ),
    Fault(
        "an undone change is undone once more",
        "memory/undo.py",
        "if event.id not in undone and event.undo_of is None and not _is_remark(event)",
        "if event.undo_of is None and not _is_remark(event)",
        "tests/memory/test_undo.py",
    ),
    Fault(
        "a successor that was taken back still ends its predecessor",
        "memory/undo.py",
        "chosen.update({change.id: change for change in supersessions[-1:]})",
        "chosen.update({})",
        "tests/memory/test_undo.py",
    ),
    Fault(
        "undo by source reaches into another project",
        "memory/undo.py",
        'if memory.project in ("", project)}',
        "if memory is not None}",
        "tests/sources/test_claude_md.py tests/memory/test_undo.py",
    ),
    Fault(
        "an immutable memory is edited",
        "memory/lifecycle.py",
        "if memory.immutable and not force:",
        "if False:",
        "tests/memory/test_lifecycle.py",
    ),
    Fault(
        "a memory can be its own successor's successor",
        "memory/lifecycle.py",
        "        if old in successors(store, new):",
        "        if False:",
        "tests/memory/test_lifecycle.py",
    ),
)

IMPORT = (
    Fault(
        "a dry run counts what is known as new",
        "sources/import_run.py",
        'self._counts["added" if new else "known"] += 1',
        'self._counts["added"] += 1',
        "tests/sources/test_transcripts.py",
    ),
    Fault(
        "a strange database may call functions of its schema",
        "sources/readers/database.py",
        "            self._c.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)\n",
        "",
        "tests/sources/readers/test_database.py",
    ),
    Fault(
        "triggers of a strange database are left on",
        "sources/readers/database.py",
        "            self._c.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)\n",
        "",
        "tests/sources/readers/test_database.py",
    ),
    Fault(
        "views of a strange database are read",
        "sources/readers/database.py",
        "            self._c.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)\n",
        "",
        "tests/sources/readers/test_database.py",
    ),
    Fault(
        "a second run adds everything again",
        "sources/import_run.py",
        "if row is not None and (row.hash == hashed or item.stand_in):",
        "if False:",
        "tests/sources/test_import_run.py",
    ),
    Fault(
        "an import changes what somebody else made",
        "sources/import_run.py",
        "if row is not None and row.own and row.live and row.memory is not None:",
        "if row is not None and row.memory is not None:",
        "tests/sources/readers tests/sources -k 'not killed and not mutated and not collection'",
    ),
    Fault(
        "what a person dropped in review comes back",
        "sources/import_run.py",
        "        if not waiting:\n            return entries",
        "        return entries",
        "tests/sources/readers tests/sources -k 'not killed and not mutated and not collection'",
    ),
    Fault(
        "a key of an import is kept with its secret",
        "sources/identity.py",
        "key = plain_name(item.key)",
        "key = item.key",
        "tests/sources tests/surfaces/cli/test_secrets.py",
    ),
    Fault(
        "a look-alike is stored twice",
        "memory/remember.py",
        "            if duplicate is not None:",
        "            if False:",
        "tests/memory/test_remember.py",
    ),
    Fault(
        "a small file of the hub is taken as it comes",
        "embed/download.py",
        "    if digest != file.sha256:\n",
        '    if digest != file.sha256 and not file.sha256.startswith("git:"):\n',
        "tests/embed/test_exports.py",
    ),
    Fault(
        "a model's name leads out of its folder",
        "embed/catalogue.py",
        '        and not part.startswith(".")\n',
        "",
        "tests/embed/test_exports.py",
    ),
)

CONVERGENCE = (
    Fault(
        "a join takes a value and not its stamp",
        "sync/merge_rule.py",
        "        _restamp(stamps, group, winner.stamp(group), one.created_at)\n        if",
        "        if",
        "tests/sync/test_merge_rule.py tests/sync/test_convergence.py",
    ),
    Fault(
        "an undo is no change that others hear of",
        "store/statements/memories.py",
        "if not after.keys().isdisjoint(STAMPED):",
        "if event.undo_of is None and not after.keys().isdisjoint(STAMPED):",
        "tests/sync/test_convergence.py",
    ),
    Fault(
        "what others destroyed is only forgotten",
        "sync/merge.py",
        "for number in erasure.erase_everywhere(self._store, memory.id, act, stamp):",
        "lifecycle.forget(self._store, memory.id, act)\n        for number in ():",
        "tests/sync/test_convergence.py",
    ),
    Fault(
        "what was destroyed comes back with who was away",
        "sync/merge.py",
        "        return arrival.uid in self._gone\n",
        "        return False\n",
        "tests/sync/test_team_exchange.py",
    ),
    Fault(
        "links that arrive are passed on to nobody",
        "sync/merge_links.py",
        "if not links.note_arrival(store, before, entry.edge, reason):",
        "if links.note_arrival(store, before, entry.edge, reason):",
        "tests/sync/test_convergence.py",
    ),
    Fault(
        "a successor that gave way is told to nobody",
        "sync/merge_links.py",
        "    for edge in outdated:\n",
        "    for edge in ():\n",
        "tests/sync/test_convergence.py",
    ),
    Fault(
        "what nobody has confirmed leaves the laptop",
        "sync/shareable.py",
        'if memory.trust == "unverified":',
        "if False:",
        "tests/sync/test_team_exchange.py",
    ),
)

MIRROR = (
    Fault(
        "a line of others says itself how much it counts",
        "sync/newcomers.py",
        "arrival = record if is_own else as_theirs(record, self._sender)",
        "arrival, is_own = record, True",
        "tests/sync/test_others_lines.py",
    ),
    Fault(
        "a rule that others rewrite stays in force",
        "sync/merge.py",
        'return {"trust": "unverified", "author": self._sender.author}',
        'return {"author": self._sender.author}',
        "tests/sync/test_others_lines.py",
    ),
    Fault(
        "unconfirmed memories go into the mirror",
        "sync/mirror/folder.py",
        ' and memory.kind in MIRROR_KINDS and memory.trust != "unverified"',
        " and memory.kind in MIRROR_KINDS",
        "tests/sync/test_mirror.py tests/sync/test_others_lines.py",
    ),
    Fault(
        "another project's memories go into the mirror",
        "sync/mirror/folder.py",
        'own = memory.tier == "project" and memory.project == project',
        'own = memory.tier == "project"',
        "tests/sync/test_mirror.py tests/sync/test_others_lines.py",
    ),
    Fault(
        "of two texts that clash one is lost",
        "sync/merge_rule.py",
        "        return None\n    return behind",
        "        return None\n    return None",
        "tests/sync/test_merge_rule.py tests/sync/test_mirror.py",
    ),
    Fault(
        "who is behind undoes who went on",
        "sync/merge_rule.py",
        "return max(one, other, key=lambda state: _key(state, group))",
        "return other",
        "tests/sync/test_merge_rule.py",
    ),
    Fault(
        "one side's change takes the other's along",
        "sync/merge_rule.py",
        "        winner = _later(one, other, group)",
        "        winner = _later(one, other, 'text')",
        "tests/sync/test_merge_rule.py",
    ),
    Fault(
        "a line of the mirror chooses its project",
        "sync/mirror/pull.py",
        'return {"kind": name, **value, **own}',
        'return {"kind": name, **own, **value}',
        "tests/sync/test_mirror.py tests/sync/test_others_lines.py",
    ),
    Fault(
        "a mirror inside .git is written",
        "sync/mirror/folder.py",
        'if ".git" in os.path.abspath(path).split(os.sep):',
        "if False:",
        "tests/sync tests/surfaces/cli",
    ),
)

WORD = (
    Fault(
        "others end a rule in force",
        "sync/merge.py",
        "            joined = self._lasting(memory, ours, joined)\n        is_news",
        "            pass\n        is_news",
        "tests/sync/test_others_lines.py",
    ),
    Fault(
        "others forget a rule in force",
        "sync/merge.py",
        "            joined = self._lasting(memory, ours, joined)\n        arrival",
        "            pass\n        arrival",
        "tests/sync/test_others_lines.py",
    ),
    Fault(
        "an agent's rule is in force at once",
        "core/draft.py",
        'trust = "unverified" if kind == "rule" else "attributed"',
        'trust = "attributed"',
        "tests/surfaces/mcp/test_authors.py tests/surfaces/cli/test_authors.py tests/memory",
    ),
    Fault(
        "what an agent wrote counts as the person's own",
        "core/draft.py",
        'if trust != "unverified" and not writer.is_own:',
        "if False:",
        "tests/surfaces/mcp/test_authors.py tests/surfaces/cli/test_authors.py tests/memory",
    ),
    Fault(
        "a line that others wrote is pinned, global and verified",
        "sync/newcomers.py",
        "arrival = record if is_own else as_theirs(record, self._sender)",
        "arrival = record",
        "tests/sync/test_others_lines.py",
    ),
    Fault(
        "a number alone changes another project's memory",
        "engine/base.py",
        "if project and (change or self.keeps_apart):",
        "if project and self.keeps_apart:",
        "tests/surfaces/cli/test_other_projects.py tests/engine",
    ),
    Fault(
        "an agent reads another project by its numbers",
        "engine/base.py",
        "if project and (change or self.keeps_apart):",
        "if project and change:",
        "tests/surfaces/mcp/test_other_projects.py",
    ),
)

HOOKS = (
    Fault(
        "a turn keeps the secret of a prompt",
        "recall/usage_log.py",
        '"prompt": note_value(turn["prompt"])',
        '"prompt": turn["prompt"]',
        "tests/surfaces/hooks/test_turns.py",
    ),
    Fault(
        "a person's word is booked on the session of the agent beside them",
        "engine/sessions.py",
        "self.store.set_current_session(place(self._agent()), name)",
        "self.store.set_current_session(place(), name)",
        "tests/surfaces/hooks/test_session.py",
    ),
    Fault(
        "the plugin's hooks say again what registered ones say",
        "surfaces/hooks/__init__.py",
        "if has_hooks_beside(event.agent):",
        "if not event.agent:",
        "tests/surfaces/cli/test_install.py",
    ),
    Fault(
        "hooks of a recairn that is gone complain",
        "surfaces/install/agents.py",
        '_QUIETLY = " 2>/dev/null || true"',
        '_QUIETLY = ""',
        "tests/surfaces/cli/test_install.py -k gone",
    ),
    Fault(
        "what the agent wrote down itself waits for review",
        "memory/review.py",
        "return not contradiction(candidate.content, text)",
        "return False",
        "tests/memory/test_review.py",
    ),
    Fault(
        "a hook that fails says so to the agent",
        "surfaces/hooks/__init__.py",
        "    except BaseException:\n        return 0",
        "    except BaseException:\n        return 1",
        "tests/surfaces/hooks/test_trouble.py",
    ),
    Fault(
        "a hook that hangs is waited for",
        "surfaces/hooks/__init__.py",
        "    if not finished.acquire(timeout=seconds):\n        os._exit(0)",
        "    finished.acquire()",
        "tests/surfaces/hooks/test_trouble.py",
    ),
    Fault(
        "a memory is injected twice in a session",
        "surfaces/hooks/prompt.py",
        '        "exclude": memory.given(),\n',
        "",
        "tests/surfaces/hooks/test_prompt.py",
    ),
    Fault(
        "hooks that were switched off go on",
        "surfaces/hooks/__init__.py",
        'if switched_off(os.environ.get("RECAIRN_HOOKS")):',
        "if False:",
        "tests/surfaces/hooks",
    ),
    Fault(
        "a checkout's wish for no hooks is not heard",
        "surfaces/hooks/__init__.py",
        "if choice is None or forbidden_here():",
        "if choice is None:",
        "tests/surfaces/hooks",
    ),
    Fault(
        "the question at the end is asked again and again",
        "surfaces/hooks/session.py",
        "        memory.note(asked=True)\n",
        "",
        "tests/surfaces/hooks/test_session.py",
    ),
    Fault(
        "a memory made in the session is told to it",
        "engine/session_notes.py",
        "[entry.memory for entry in entries], *own])]",
        "[entry.memory for entry in entries]])]",
        "tests/surfaces/hooks tests/work",
    ),
)

MCP = (
    Fault(
        "an agent destroys in its shell",
        "engine/erasing.py",
        "        if not confirmed:\n",
        "        if False:\n",
        "tests/surfaces/cli/test_erasure.py",
    ),
    Fault(
        "a question that nobody said yes to counts as one",
        "surfaces/mcp/elicitation.py",
        "content.get(_YES) is True",
        "_YES in content",
        "tests/surfaces/mcp/test_stdio.py",
    ),
    Fault(
        "an agent hides a rule in force by asking for its end",
        "memory/erasure.py",
        " and (act.is_own or not in_force(current)):",
        ":",
        "tests/surfaces/cli/test_erasure.py",
    ),
    Fault(
        "an agent's rule holds at once",
        "core/draft.py",
        'trust = "unverified" if kind == "rule" else "attributed"',
        'trust = "attributed" if kind != "rule" else trust',
        "tests/surfaces/mcp/test_authors.py tests/memory/test_authority.py",
    ),
    Fault(
        "an agent changes a rule in force",
        "memory/authority.py",
        "    if not act.is_own and in_force(memory):",
        "    if False:",
        "tests/memory/test_authority.py",
    ),
    Fault(
        "what an agent calls is done by a person",
        "surfaces/mcp/dispatch.py",
        "        self._memory.author = self._author()\n",
        "",
        "tests/surfaces/mcp/test_authors.py",
    ),
    Fault(
        "a call is filed under the session that began last",
        "surfaces/mcp/dispatch.py",
        "self._memory.session = plain_name(caller) if caller else self._session",
        "self._memory.session = self._session",
        "tests/surfaces/mcp/test_sessions.py",
    ),
    Fault(
        "a replaced database goes on being served",
        "surfaces/mcp/dispatch.py",
        "self._file != self._file_now()",
        "False",
        "tests/surfaces/mcp -k 'not fuzz'",
    ),
    Fault(
        "a cancelled call is answered",
        "surfaces/mcp/server.py",
        "return None if self.cancelled else protocol.result(self.request.id, body)",
        "return protocol.result(self.request.id, body)",
        "tests/surfaces/mcp -k 'not fuzz'",
    ),
    Fault(
        "two requests of one id are under way",
        "surfaces/mcp/server.py",
        "        if _key(request.id) in self._under_way:",
        "        if False:",
        "tests/surfaces/mcp -k 'not fuzz'",
    ),
    Fault(
        "an endless line fills the memory",
        "surfaces/mcp/stdio.py",
        "            if len(held) > _LONGEST_LINE:\n                held.clear()",
        "            if False:\n                held.clear()",
        "tests/surfaces/mcp/test_stdio.py",
    ),
    Fault(
        "half a character reaches the store",
        "surfaces/mcp/schema.py",
        "    _check_text(tool, arguments)\n",
        "",
        "tests/surfaces/mcp -k 'not fuzz'",
    ),
)

FAULTS = {
    "durability": DURABILITY,
    "guard": GUARD,
    "visibility": VISIBILITY,
    "ranking": RANKING,
    "undo": UNDO,
    "import": IMPORT,
    "mirror": (*MIRROR, *CONVERGENCE),
    "word": WORD,
    "hooks": HOOKS,
    "mcp": MCP,
}
