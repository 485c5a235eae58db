"""Adequacy: how hard did we look? Seeded bugs, decisions, lines and branches."""
