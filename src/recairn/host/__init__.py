"""This machine: files, git checkouts, projects, and programs the user named."""
