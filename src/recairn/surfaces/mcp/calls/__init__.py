"""What the tools of each set do when they are called."""
