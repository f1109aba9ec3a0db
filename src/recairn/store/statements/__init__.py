"""Statements that every SQL engine of ours understands, written once.

They keep to what SQLite and PostgreSQL share: `?` for values, `on conflict` with its columns asked
of the connection, `case` instead of two-argument max, lists of values as marks in batches, JSON as
text. What an engine does its own way (text index, vectors, JSON inside a statement) stays with it.
"""
