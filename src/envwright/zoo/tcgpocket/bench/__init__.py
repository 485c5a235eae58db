"""TCG Pocket beside its reference in Python."""
