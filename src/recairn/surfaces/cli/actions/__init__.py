"""What each command does: call the engine, and show its answer."""
