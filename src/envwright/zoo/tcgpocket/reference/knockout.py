"""Knock-outs, points, and the end of a game."""

from __future__ import annotations

from envwright.zoo.tcgpocket.contract.actions import Stage
from envwright.zoo.tcgpocket.contract.state import Mark
from envwright.zoo.tcgpocket.reference import zones
from envwright.zoo.tcgpocket.reference.damage import knocked_out
from envwright.zoo.tcgpocket.reference.state import TIE, Table

POINTS_TO_WIN = 3


def knock_outs(table: Table) -> None:
    """[K1-K3] Remove everything without HP at once, and give the other side the points."""
    fallen = [
        (player, slot)
        for player in (0, 1)
        for slot, pokemon in enumerate(table.players[player].slots)
        if pokemon and knocked_out(table, table.players[player], pokemon)
    ]
    for player, slot in fallen:
        owner = table.players[player]
        table.players[1 - player].points += owner.at(slot).card.points
        owner.discard += zones.leave_play(owner, slot)
    attacker = table.me.active
    if (
        table.stage == Stage.ATTACK
        and attacker
        and attacker.card.effect.family == "trickery"
        and any(player != table.player for player, _ in fallen)
    ):
        attacker.marks[Mark.IMMUNE] = table.turn + 1
        table.fired.append("trickery")


def verdict(table: Table) -> int:
    """[W1-W3] Return 0, or 1 + the winner, or a tie: who meets more conditions wins."""
    met = [
        (mine.points >= POINTS_TO_WIN) + (not any(other.slots))
        for mine, other in (table.players, table.players[::-1])
    ]
    if met[0] == met[1]:
        return TIE if met[0] else 0
    return 1 if met[0] > met[1] else 2


def finish(table: Table, winner: int) -> None:
    """End the game."""
    table.winner = winner
    table.stage = Stage.OVER
    table.question = None
