"""What people and programs touch: each parses, calls the engine, and renders."""
