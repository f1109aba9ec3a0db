"""Where memories are kept: one contract (`base`), one module per backend."""
