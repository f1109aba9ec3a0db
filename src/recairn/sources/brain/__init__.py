"""The importer for Project Brain: a decrypted copy of its database."""
