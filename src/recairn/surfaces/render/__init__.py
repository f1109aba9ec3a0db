"""Hits, memories and events as text, JSON and Markdown; every surface shows them through here.

Pure functions. Text carries private-use characters where a style begins and ends; a terminal turns
them into colour, `marks.without_marks` removes them. Making text safe to print is the printer's
duty.
"""
