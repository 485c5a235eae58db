"""Ratings of players of two-player games."""

from envwright.train.arena.elo import Ratings, rate
from envwright.train.arena.players import PolicyPlayer, RandomPlayer, ScriptedPlayer
from envwright.train.arena.tables import EnvTable, Player, Table
from envwright.train.arena.tournament import Games, play_pairing, round_robin

__all__ = [
    "EnvTable",
    "Games",
    "Player",
    "PolicyPlayer",
    "RandomPlayer",
    "Ratings",
    "ScriptedPlayer",
    "Table",
    "play_pairing",
    "rate",
    "round_robin",
]
