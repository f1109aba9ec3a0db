"""From the database into the folder: what changed since it was last written."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.fields import SAID
from recairn.core.stamps import SHARED
from recairn.memory.versions import version_of
from recairn.store.tables import BEGINNING
from recairn.sync.arrival import arrival_of, stub_of
from recairn.sync.entry import Entry
from recairn.sync.merge_rule import gone, join, loser, same
from recairn.sync.mirror.folder import (
    FORGOTTEN,
    Lock,
    check_there,
    make,
    shared_memories,
    waiting_uids,
)
from recairn.sync.mirror.jsonl import uid_key, value_of
from recairn.sync.mirror.line_files import LineFiles
from recairn.sync.mirror.link_lines import LinkLines
from recairn.sync.mirror.own_lines import OwnLines, spelled_line
from recairn.sync.mirror.readable import write_readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from recairn.core.stamps import Stamp
    from recairn.store.contract.base import Store
    from recairn.sync.merge_rule import State
    from recairn.sync.mirror.folder import Folder
    from recairn.sync.mirror.pull import Contents


def write(
    store: Store,
    folder: Folder,
    *,
    contents: Contents | None = None,
    faulty: Collection[str] = (),
    unsettled: Collection[str] = (),
) -> int:
    """Brings the folder up to date with what changed since; how many files changed.

    `contents` are what the database has just read in it and taken in: what they said may give way,
    but for the lines at `faulty` places, and their files are put in order. Those with `unsettled`
    places are read again next time, too.
    """
    check_there(folder)
    make(folder)
    with Lock(folder):
        files = LineFiles(folder, store, contents)
        with store.snapshot():
            changes = store.changed_after(BEGINNING if files.is_whole else files.position)
            if changes.position == files.position and contents is None:
                return 0
            lines = FolderLines(store, files, folder, changes.memories, contents)
        inbox = frozenset[str]()
        if contents is not None:
            inbox = contents.lines_but(faulty)
            files.distrust(faulty, (*unsettled, *contents.unreadable))
        count = lines.write_lines(inbox)
        count += write_readable(store, folder, files, lines.touched)
        files.remember(changes.position)
        return count


class FolderLines:
    """The lines that a folder should hold for some memories, read in one snapshot."""

    def __init__(
        self,
        store: Store,
        files: LineFiles,
        folder: Folder,
        numbers: Sequence[int],
        contents: Contents | None,
    ) -> None:
        self._folder = folder
        self._files = files
        self._inbox: Collection[str] = ()
        uids = store.uids_of(numbers)
        brought = set() if contents is None or files.is_whole else contents.uids()
        here = store.numbers_of(brought)
        numbers = sorted({*numbers, *here.values()})
        self._memories = shared_memories(store, numbers, folder.project)
        edges = store.edges_touching(sorted(self._memories))
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        ends |= {memory.superseded_by or 0 for memory in self._memories.values()}
        names = {**uids, **{number: uid for uid, number in here.items()}}
        names |= store.uids_of(ends - names.keys() - {0})
        # The memories whose lines may change.
        self._changing = set(uids.values())
        own = OwnLines(store, self._memories, names)
        self._lines = own.lines
        # What is known of each, and since when those that are no more are destroyed.
        self._states = own.states
        absent = {uid for number, uid in uids.items() if number not in self._memories}
        for row in store.erased(sorted(absent | brought - here.keys())):
            self._states[row.uid] = gone(row.stamp)
        if files.is_whole:
            # What moved to another project or tier left the folder then; others may still hold it.
            self._changing = {*self._states}
        self._changing |= brought & self._states.keys()
        # What others wrote and what waits here for the person's word: their lines are left alone.
        self._changing -= waiting_uids(store, numbers, folder)
        self._links = LinkLines(store, files, folder, self._memories, edges)
        self._links.read(names, contents)
        # The files whose memories may read otherwise now.
        self.touched: set[str] = set()

    def write_lines(self, inbox: Collection[str]) -> int:
        """Writes every file that differs; how many did. Lines of the `inbox` were taken in."""
        self._inbox = inbox
        old_lines = self._old_lines()
        ahead = {
            uid
            for uid, lines in old_lines.items()
            if any(self._is_ahead(uid, line) for line in lines)
        }
        changing = self._changing - ahead
        for uid in changing & self._states.keys():
            state = self._states[uid]
            if state.erased is not None and uid in old_lines:
                # Of several that say so one is enough, and the same one everywhere.
                stamps = [self._erased_in(uid, line) for line in old_lines[uid]]
                latest_one = max([state.erased, *(stamp for stamp in stamps if stamp)])
                self._lines[FORGOTTEN][uid] = spelled_line({"uid": uid, "erased": list(latest_one)})
        count = 0
        for name, lines in self._lines.items():
            for file, uids in self._files.places(name, changing).items():
                own = {uid for uid in uids if uid in lines and self._files.belongs(file, uid)}
                if own:
                    self.touched.add(file)
                if own or file in self._holding or self._files.was_read(file):
                    changes: dict[str, str | None] = dict.fromkeys(sorted(uids))
                    changes.update({uid: lines[uid] for uid in own})
                    count += self._files.rewrite(file, changes, uid_key, self._outdated)
        self.touched |= self._holding
        return count + self._links.write(changing, self._inbox)

    def _old_lines(self) -> dict[str, list[str]]:
        """The lines that the folder holds of the memories something happened to."""
        lines: dict[str, list[str]] = {}
        # The files that have such lines.
        self._holding: set[str] = set()
        for name in self._lines:
            for file, uids in self._files.places(name, self._changing).items():
                for line in self._files.about(file, uids):
                    uid = uid_key(line)
                    if uid in uids:
                        lines.setdefault(uid, []).append(line)
                        self._holding.add(file)
        return lines

    def _is_ahead(self, uid: str, line: str) -> bool:
        """Whether others went on from what is known here: then their line is left as it is."""
        ours, theirs = self._states.get(uid), self._state(line)
        if ours is None or theirs is None or ours.erased:
            return False
        if theirs.erased:
            return True
        if self._is_by_hand(line) or loser(ours, theirs):
            return False
        groups = SHARED if theirs.has_text else ("life",)
        joined = join(ours, theirs, groups)
        return not same(joined, ours, groups) and (
            not theirs.has_text or same(joined, theirs, groups)
        )

    def _outdated(self, uid: str, line: str) -> bool:
        """Whether the database knows what a line says, so that it may give way."""
        if line in self._inbox:
            return True
        value = value_of(line)
        if not isinstance(value, dict):
            return False
        ours, theirs = self._states.get(uid), self._state(line)
        if ours is None or ours.erased:
            return ours is not None or theirs is None or not theirs.has_text
        if theirs is None or theirs.erased or self._is_by_hand(line):
            return False
        groups = SHARED if theirs.has_text else ("life",)
        return same(join(ours, theirs, groups), ours, groups) and loser(ours, theirs) is not theirs

    def _state(self, line: str) -> State | None:
        """What a line says of a memory; None for one that is wrong."""
        value = value_of(line)
        if not isinstance(value, dict):
            return None
        entry = Entry("", {"kind": "note", **value, "project": self._folder.project})
        try:
            return arrival_of(entry).state if "content" in value else stub_of(entry)[1]
        except BadInput:
            return None

    def _is_by_hand(self, line: str) -> bool:
        """Whether somebody edited a line: then it does not say what its version was made of."""
        value = value_of(line)
        if "content" not in value or "version" not in value:
            return False
        state = self._state(line)
        return (
            state is None or version_of({**dict.fromkeys(SAID), **state.values}) != value["version"]
        )

    def _erased_in(self, uid: str, line: str) -> Stamp | None:
        state = self._state(line)
        return None if state is None else state.erased
