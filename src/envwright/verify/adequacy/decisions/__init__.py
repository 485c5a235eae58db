"""Decision coverage: which comparisons of a traced program saw both outcomes."""
