"""`python -m recairn` is `recairn`."""

from __future__ import annotations

import sys

from recairn.surfaces.cli import main

sys.exit(main())
