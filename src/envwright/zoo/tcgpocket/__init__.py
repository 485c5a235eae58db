"""Pokemon TCG Pocket, from its rules: docs/tcgpocket-rules.md and docs/tcgpocket-contract.md.

The rules stand as a reference engine in plain Python (`reference`). `cards` and `contract` are what
every engine of this game shares: card numbers, action ids, chance, the form of a saved state and
of an observation. `decks` and `opponents` work with any engine.
"""
