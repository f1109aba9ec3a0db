"""Sessions, tasks, handoffs, and what became of them."""
