"""Verification: whether two simulators agree, and how thorough the comparison was."""
