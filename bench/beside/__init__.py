"""The same work for recairn and for the systems people would pick instead; `peers.py` runs it."""
