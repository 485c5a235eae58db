"""Pokemon battles against Showdown: duels, mirrors and whole games, after every decision.

The comparison itself is the room's (`zoo/pokemon/compare.py`); here are the levels.
"""
