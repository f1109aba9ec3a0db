"""Decisions and patterns once more, for reading: a file of Markdown beside each file of lines."""

from __future__ import annotations

from recairn.core.record import replace
from recairn.host.files import write_lines
from recairn.memory.versions import successor_of
from recairn.sync.markdown import markdown_entry
from recairn.sync.mirror.folder import READABLE, is_shared
from recairn.sync.mirror.jsonl import lines_of, uid_key
from recairn.sync.mirror.stretches import split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from recairn.core.model import Memory
    from recairn.store.contract.base import Store
    from recairn.sync.mirror.folder import Folder
    from recairn.sync.mirror.line_files import LineFiles


def write_readable(store: Store, folder: Folder, files: LineFiles, touched: Collection[str]) -> int:
    """Writes those beside files of lines that were touched; how many changed."""
    count = 0
    for kind, title in READABLE.items():
        for file in files.all_of(kind):
            if file in touched or file in files.written:
                start = split_name(file)[1]
                path = folder.file(f"{title}-{start}.md" if start else f"{title}.md")
                text = _readable(store, folder, kind, file)
                if _content(path) != text:
                    write_lines(path, [text], private=False)
                    count += 1
    return count


def _readable(store: Store, folder: Folder, kind: str, file: str) -> str:
    """All of a file of lines that was not forgotten, in their order."""
    uids = dict.fromkeys(filter(None, map(uid_key, lines_of(folder.file(file)))))
    numbers = store.numbers_of(uids)
    memories = store.get_many(sorted(numbers.values()))
    shared = [
        memory
        for uid in uids
        if (memory := memories.get(numbers.get(uid, 0)))
        if is_shared(memory, folder.project) and memory.deleted_at is None and memory.kind == kind
    ]
    entries = [markdown_entry(_with_successor(store, memory), "##") for memory in shared]
    return "\n".join([f"# {kind.capitalize()}s\n", *entries])


def _with_successor(store: Store, memory: Memory) -> Memory:
    """The memory; replaced also where what replaced it never came here."""
    if memory.superseded_by is not None or memory.valid_until is None:
        return memory
    absent = successor_of(memory, store.history(memory.id), lambda _: None)
    return memory if absent is None else replace(memory, superseded_by=memory.id)


def _content(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None
