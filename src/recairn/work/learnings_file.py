"""Learnings as dated sections inside a block of somebody's CLAUDE.md or AGENTS.md."""

from __future__ import annotations

from recairn.core.times import day
from recairn.core.words import flowing, one_line
from recairn.host.managed_block import ManagedBlock, one_safe_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory

# The block's own name: the one of `pin` is written anew every time, this one only grows.
_BLOCK = "learnings"
_HEAD = "## Agent learnings"
# Characters of one learning; its number shows the rest.
_LONGEST = 400


def block_in(path: str, root: str) -> ManagedBlock:
    """The block of learnings in a file; Refused where there cannot be one."""
    block = ManagedBlock(path, root, _BLOCK)
    block.lines()
    return block


def append(block: ManagedBlock, memories: Sequence[Memory], at: int) -> list[int]:
    """Adds those not told in the block yet under today's date; their ids."""
    lines = block.lines()
    texts = {_text(line) for line in lines}
    new = {_text(_line(memory)): memory for memory in memories}
    new = {text: memory for text, memory in new.items() if text not in texts}
    if new:
        section = f"### {day(at)}"
        lines = lines or [_HEAD]
        dates = [line for line in lines if line.startswith("### ")]
        if dates[-1:] != [section]:
            lines += ["", section, ""]
        block.write([*lines, *(_line(memory) for memory in new.values())])
    return [memory.id for memory in new.values()]


def _line(memory: Memory) -> str:
    text = memory.content
    if memory.title and not text.startswith(memory.title):
        text = f"{memory.title}: {text}"
    return f"- {one_safe_line(one_line(flowing(text), _LONGEST))} (#{memory.id})"


def _text(line: str) -> str:
    """A line without the number behind it: a learning made anew says the same."""
    return line.rpartition(" (#")[0] or line
