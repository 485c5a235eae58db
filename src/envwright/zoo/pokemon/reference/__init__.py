"""The reference: Showdown's own simulator, fetched from npm and run in Node.js.

    python -m envwright.zoo.pokemon.reference     # once: 54 MB into the user's cache

Nothing of it is part of this project. Without it recorded traces speak for it.
"""

from envwright.zoo.pokemon.reference.install import installed, set_up, why_not
from envwright.zoo.pokemon.reference.showdown import LiveBattle, Showdown, seed_words

__all__ = ["LiveBattle", "Showdown", "installed", "seed_words", "set_up", "why_not"]
