"""Decision coverage: which comparisons of a traced program have seen both outcomes."""
