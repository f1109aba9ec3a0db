"""What every store promises, a small protocol for each concern."""
