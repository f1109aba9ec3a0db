"""What `recairn -h` shows, made from the rows of all commands. Written by `python3 run.py fix`."""

OVERVIEW = """\
recairn: the memory your coding agents share

  recairn add "Always use transactions for multi-step DB operations" -c database
  recairn search "database transactions"
  recairn show 42

Remember
  add           remember something
Files
  import        take in what was written down elsewhere
  doc           searchable files: add, search, list, show, rm, refresh
  export        write everything to a file that any database can take in again
  also          move, mirror
Find
  search        find the memories that answer a question, best first
  show          show memories whole
  context       what to know for a task or prompt, within a token budget
  graph         what is linked to what: related, around, path, hubs, conflicts,
                orphans, clusters, stats, export
  also          recent, list, history, stats, miss, profiles, ledger, last
Work
  session       runs of an agent: start, end, list, show, current
  handoff       leave a note and the state of the checkout for the next session
  task          work: add, list, ready, show, start, done, block, edit, dep
  project       whose memory is whose: list, show, rename, merge, split, add
  also          resume, timeline, tune, observe, outcome, compact
Change
  supersede     replace a memory by another one or by a new text
  forget        hide a memory, or destroy it for good
  undo          take changes back, by memory, source, session, time or project
  also          edit, helpful, unhelpful, reinforce, deemphasize, restore, link,
                unlink, consolidate, correct, pin, unpin, promote, expire,
                archive, stale, branch, review, share, unshare, withhold
Agents
  install       register with coding agents: claude, codex, cursor, gemini, …
  also          init, status, mcp, serve, uninstall, demo, hook, statusline
Upkeep
  config        the settings of this database: list, get, set, unset
  doctor        say what is wrong, and the command that mends it
  also          trust, store, bench, health, verify, backup, model, embed,
                completion, help, version, team, sync, policy, member

Everywhere: --db FILE, --project NAME, --json, --no-color
  recairn COMMAND -h     examples and the usual options
  recairn COMMAND --help everything
"""
