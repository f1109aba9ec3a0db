"""The page: `recairn serve` shows a person what is remembered, and what agents were told."""
