"""The embedding model that ships with the package: one vector per token, summed.

A text's vector is the sum of the vectors of its tokens, scaled to length one; there is no window.
The table lies in `static.bin` and is read through mmap, token by token, by the standard library.

The sum is done in one Python integer per token: a vector is packed into lanes of 32 bits, so that
adding two integers adds all their dimensions at once, exactly and in any order.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import unicodedata
from array import array
from math import hypot
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MODEL_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static.bin")
