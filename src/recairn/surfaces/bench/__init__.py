"""How good search is: public question sets, run through the shipped search, with intervals."""
