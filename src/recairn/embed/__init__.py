"""Turning text into vectors: one small protocol, and the local models behind it."""
