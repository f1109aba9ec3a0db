"""The sets of tools a server may offer: names, schemas, descriptions."""
