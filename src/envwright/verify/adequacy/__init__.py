"""Adequacy of the levels: seeded bugs, decisions, lines and branches."""
