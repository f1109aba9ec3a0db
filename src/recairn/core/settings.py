"""The settings recairn knows: what each does, what values it takes, and who may set it.

The one list of them. What a person types is checked by it, help and docs show it, and every other
door (an agent's tool, an import, an export, a database that came with a repository) leaves alone
what it says is a person's.
"""

from __future__ import annotations

from recairn.core.record import record


@record
class Setting:
    """One setting, or with a `.` at its end all those below a name.

    `values` says how the words typed are read: a name of `surfaces/cli/actions/settings.py`, and
    for a number its least, its greatest and an example. `command` writes it where nobody types it.
    Only a person at this machine sets what is `personal`.
    """

    name: str
    about: str
    values: str = "text"
    personal: bool = True
    command: str = ""


_WEIGHTS = {
    "vector": "meaning",
    "fts": "words",
    "bm25": "words",
    "keyword": "words",
    "recency": "being new",
    "importance": "importance",
    "salience": "salience",
    "outcome": "having helped",
    "frequency": "being used",
}

_SECTOR_BOOSTS = {
    "reflective": 1.2,
    "semantic": 1.1,
    "procedural": 1.0,
    "emotional": 0.9,
    "episodic": 0.8,
}

_EXTERNAL = "embedding.external."

_ROWS = (
    Setting("redaction.allow", "values the secret filter leaves alone", "patterns"),
    # Below a half, strangers look alike, and the index of look-alikes would miss most of them.
    Setting(
        "add.similar_above", "share of common words that makes add ask (0.8)", "number 0.5 1 0.9"
    ),
    Setting("embedding.model", "static, minilm, external or none", "model"),
    Setting(f"{_EXTERNAL}url", "where the external model listens"),
    Setting(f"{_EXTERNAL}model", "which model to ask it for"),
    Setting(f"{_EXTERNAL}query_prefix", "words it wants before a question"),
    Setting(f"{_EXTERNAL}document_prefix", "words it wants before a stored text"),
    Setting(
        f"{_EXTERNAL}window_tokens", "tokens of a text it sees (512)", "number 0 1_000_000 512"
    ),
    Setting(f"{_EXTERNAL}dim", "dimensions of its vectors (as it says)", "number 0 65_536 384"),
    Setting(f"{_EXTERNAL}batch_size", "texts sent at once (32)", "number 1 10_000 32"),
    Setting(f"{_EXTERNAL}timeout_s", "seconds a batch may take (30)", "number 0.001 86_400 30"),
    Setting(f"{_EXTERNAL}api_key_env", "the variable that holds its key"),
    Setting(
        f"{_EXTERNAL}allow_remote", "true lets it be on another machine (false)", "true or false"
    ),
    # A year of hours: nobody comes back to a session after that.
    Setting(
        "session.idle_hours", "hours after which a session counts as ended (12)", "number 0 8760 12"
    ),
    Setting("handoff.days", "days for which a handoff is handed out (14)", "number 0 3650 14"),
    # Ten years: longer than anybody keeps a database of prompts.
    Setting(
        "turns.keep_days",
        "days the turns of sessions are kept; 0 keeps none (90)",
        "number 0 3650 90",
    ),
    Setting("consolidate.command", "a program that writes summaries"),
    Setting("compaction.command", "a program that reads text and prints a summary"),
    Setting("session.promote_above", "salience that outlives its session (0.7)", "number 0 1 0.7"),
    Setting(
        "context.max_tokens", "tokens a context takes at most (2000)", "number 0 1_000_000 2000"
    ),
    Setting(
        "context.max_chars", "characters a context takes at most", "number 0 10_000_000 12_000"
    ),
    Setting(
        "context.recent",
        "newest memories a context holds beside relevant ones (0)",
        "number 0 50 3",
    ),
    Setting("context.include_unverified", "yes hands out what nobody confirmed (no)", "yes or no"),
    Setting("agents.trusted", "on lets what agents write count as your own word (off)", "switch"),
    Setting("hooks.inject", "off hands nothing to agents by itself (on)", "switch"),
    Setting("hooks.capture", "off captures nothing from what is said (on)", "switch"),
    Setting("hooks.ask", "off never asks an agent what it learned (on)", "switch"),
    Setting("hooks.tell", "off shows you no line about what agents are handed (on)", "switch"),
    Setting("hooks.server", "off lets no MCP server answer in a hook's place (on)", "switch"),
    Setting("hooks.transcripts", "on keeps what was said in sessions, to be found (off)", "switch"),
    Setting("hooks.unverified", "on hands out what nobody confirmed (off)", "switch"),
    Setting("hooks.max_chars", "characters handed out on a prompt (1500)", "number 500 9000 1500"),
    Setting(
        "hooks.start_chars",
        "characters handed out at a session's start (4000)",
        "number 500 9000 4000",
    ),
    Setting(
        "hooks.file_chars",
        "characters handed out when a file is opened or edited, 0 for none (800)",
        "number 0 9000 800",
    ),
    Setting(
        "hooks.test_chars",
        "characters handed out when a test failed, 0 for none (1000)",
        "number 0 9000 1000",
    ),
    Setting(
        "hooks.subagent_chars",
        "characters handed out to a subagent, 0 for none (2000)",
        "number 0 9000 2000",
    ),
    Setting(
        "retrieval.profile", "the profile search ranks by (default)", "profile", personal=False
    ),
    Setting(
        "retrieval.reranker",
        "which reranker has a second look, or off (cross-mini where a process stays)",
        "reranker",
    ),
    # A minute: longer than anybody waits for a search.
    Setting(
        "retrieval.reranker_ms",
        "milliseconds it may take, 0 for with --deep alone (300)",
        "number 0 60_000 300",
    ),
    Setting("retrieval.all_projects", "on lets search look into every project (off)", "switch"),
    *(
        Setting(
            f"retrieval.{name}_weight",
            f"the weight of {what} in a score",
            "number 0 1 0.5",
            personal=False,
        )
        for name, what in _WEIGHTS.items()
    ),
    *(
        Setting(
            f"retrieval.sector_boost.{name}",
            f"what ccmemory's profile multiplies {name} memories by ({usual})",
            "number 0.5 1.5 1.1",
            personal=False,
        )
        for name, usual in _SECTOR_BOOSTS.items()
    ),
    Setting(
        "audience",
        "team shows a member's new memories of a project to all (private)",
        "team or private",
    ),
    Setting("sync.team", "the team whose memory this file is", command="team create"),
    Setting("sync.server", "the team's server this memory exchanges with", command="team join"),
    Setting("mirror.folders", "folders kept in step with a project", command="mirror on"),
    Setting("documents.folders", "folders whose documents are kept", command="doc add"),
    Setting("pin.files.", "files of a project that hold a block of memories", command="pin --into"),
    Setting("tune.before", "weights before the last tuning", command="tune --apply"),
)

_BY_NAME = {row.name: row for row in _ROWS}

# What a person types and is offered, by name.
SETTINGS = {row.name: row for row in _ROWS if not row.command}
PERSONAL = tuple(row for row in _ROWS if row.personal)
# First words under which everything is a person's, also what this version does not know yet.
_RESERVED = frozenset(
    {row.name.partition(".")[0] for row in PERSONAL}
    - {row.name.partition(".")[0] for row in _ROWS if not row.personal}
)


def is_personal(key: str) -> bool:
    """Whether only a person at this machine may set it; a project's own is kept as PROJECT/KEY."""
    plain = _plain(key)
    return any(_is_reserved(name) for name in (plain, plain.rpartition("/")[2]))


def _is_reserved(name: str) -> bool:
    setting = _BY_NAME.get(name)
    return name.partition(".")[0] in _RESERVED if setting is None else setting.personal


def _plain(key: str) -> str:
    """A key as it is after any cleaning on its way in: none is let in for its odd characters."""
    if not key.isascii():
        from unicodedata import normalize

        key = normalize("NFKC", key)
    return "".join(letter for letter in key if letter.isprintable() and letter != " ").lower()
