"""The rows of the command table: what may be typed, as plain data."""
