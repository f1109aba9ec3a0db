"""The engine's branches: which memories belong to one, and when they may hold for all."""

from __future__ import annotations

import os

from recairn.engine.base import Base
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Memory
    from recairn.memory.branches import Branch


class Branching(Base):
    """Branches that memories belong to."""

    def branches(self) -> list[Branch]:
        """The branches of this project that memories belong to, and how each stands."""
        from recairn.memory.branches import branches

        self.settle()
        return branches(self.store, self.project, root_of(os.getcwd()))

    def promote_branch(self, name: str) -> list[Memory]:
        """Lets what belongs to a branch hold on all of them; `undo` takes it back."""
        from recairn.core.draft import Cleaner
        from recairn.memory.branches import promote_branch

        self.settle()
        act = self._act(f"branch {name}")
        return promote_branch(self.store, self.project, self._branch(name), act, Cleaner())
