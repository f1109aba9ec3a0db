"""The one door in, and the life of a memory after it."""
