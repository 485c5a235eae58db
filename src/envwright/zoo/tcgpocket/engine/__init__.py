"""The fast engine: rules as masked operations over a batch of games, lanes in the last axis.

`rows` turns card facts into rows of numbers, `tables` packs them, `cycle` plays; the rules are
written once for NumPy (nothing compiles) and JAX. `games.Games` uses the contract's formats.
"""
