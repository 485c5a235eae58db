"""The levels of Pokemon TCG Pocket: the fast engine against the reference, record for record."""
