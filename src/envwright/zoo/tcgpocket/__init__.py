"""Pokemon TCG Pocket, from its rules: docs/tcgpocket-rules.md and docs/tcgpocket-contract.md.

The rules are a reference engine in plain Python (`reference`). All engines of this game share
`cards` and `contract`: card numbers, action ids, chance, the form of a saved state and of an
observation. `decks` and `opponents` work with any engine.
"""
