"""Ranking: pure functions over plain values. No I/O, no clock, no SQL."""
