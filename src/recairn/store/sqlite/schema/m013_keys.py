"""Look-alike keys are made of ten words, which begin with the seven of before: more keys, no other.

The words of a text are Python's affair, so the connection adds what is missing (`remake_keys`).
"""

SQLITE = """
-- Nothing to change in the tables.
"""
