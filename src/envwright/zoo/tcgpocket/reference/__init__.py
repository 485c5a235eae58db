"""The rules as a reference engine: objects and lists, one file per part of the rules.

    game = Game.new([deck, other], seed=1)
    while not game.over:
        game.step(random.choice(game.legal))

Slow and readable on purpose. It shares with other engines only `cards` and `contract`.
"""

from envwright.zoo.tcgpocket.reference.game import Game

__all__ = ["Game"]
