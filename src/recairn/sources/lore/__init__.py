"""The importer for Lore: its flat files and its graph."""
