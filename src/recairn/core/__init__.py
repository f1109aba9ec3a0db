"""The nouns, words and rules every layer shares: pure, standard library only."""
