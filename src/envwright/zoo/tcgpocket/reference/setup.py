"""Set up a game."""

from __future__ import annotations

from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.reference import zones
from envwright.zoo.tcgpocket.reference.state import Player, Table

OPENING_HAND = 5


def set_up(table: Table) -> None:
    """[S1-S4] Draw who begins, both opening hands and both first energies."""
    table.first = table.player = table.chance.below(Purpose.FIRST, 2)
    for player in table.players:
        if table.settings.opening == "redraw":
            _redraw(table, player)
        else:
            _deal_basic(table, player)
    for player in table.players:
        player.next_energy = generate(table, player)


def _redraw(table: Table, player: Player) -> None:
    player.deck = list(range(len(player.cards)))
    while True:
        zones.shuffle(table, player)
        if any(player.cards[card].basic for card in player.deck[:OPENING_HAND]):
            break
    zones.draw(player, OPENING_HAND)


def _deal_basic(table: Table, player: Player) -> None:
    basics = [card for card in range(len(player.cards)) if player.cards[card].basic]
    dealt = basics[table.chance.below(Purpose.OPENING, len(basics))]
    player.deck = [card for card in range(len(player.cards)) if card != dealt]
    zones.shuffle(table, player)
    zones.to_hand(player, dealt)
    zones.draw(player, OPENING_HAND - 1)


def generate(table: Table, player: Player) -> int:
    """[E2] Draw the next energy: all declared types are equally likely."""
    return player.types[table.chance.below(Purpose.ENERGY, len(player.types))]
