"""Cards between deck, hand, play and discard pile; energy between zone, Pokemon and pool."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable

from envwright.zoo.tcgpocket.cards import Card, Kind
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.reference.state import Player, Pokemon, Table

HAND_LIMIT = 10


def shuffle(table: Table, player: Player) -> None:
    """[C2] Shuffle: each card of the deck, from the top, gets a word; words ascend afterwards."""
    words = table.chance.words(len(player.deck))
    order = sorted(range(len(player.deck)), key=lambda place: (words[place], place))
    player.deck = [player.deck[place] for place in order]
    player.seen_top = 0


def to_hand(player: Player, card: int, revealed: bool = False) -> None:
    """Add a card to the hand; hands are kept in ascending order."""
    insort(player.hand, card)
    if revealed:
        player.revealed.add(card)


def from_hand(player: Player, card: int) -> None:
    """Remove a card from the hand."""
    player.hand.remove(card)
    player.revealed.discard(card)


def draw(player: Player, count: int = 1) -> None:
    """[T2, H1] Draw cards from the top until the hand is full or the deck is empty."""
    for _ in range(count):
        if player.deck and len(player.hand) < HAND_LIMIT:
            to_hand(player, take_top(player))


def take_top(player: Player) -> int:
    """Take the top card off the deck."""
    player.seen_top = max(0, player.seen_top - 1)
    return player.deck.pop(0)


def find(table: Table, player: Player, wanted: Callable[[Card], bool]) -> int | None:
    """[H3] Take a random card out of the deck, and shuffle the rest."""
    found = sorted(card for card in player.deck if wanted(player.cards[card]))
    if not found:
        return None
    card = found[table.chance.below(Purpose.CARD, len(found))]
    player.deck.remove(card)
    shuffle(table, player)
    return card


def fetch(table: Table, player: Player, wanted: Callable[[Card], bool]) -> None:
    """[H3] Take a random card of the deck to hand, if the hand has room."""
    if len(player.hand) >= HAND_LIMIT:
        return
    card = find(table, player, wanted)
    if card is not None:
        to_hand(player, card)


def is_pokemon(card: Card) -> bool:
    """Return whether a card outside play is a Pokemon; fossils are not."""
    return card.kind == Kind.POKEMON


def spend(player: Player, pokemon: Pokemon, kind: int, count: int = 1) -> None:
    """[E5] Discard energy from a Pokemon, as much as there is."""
    count = min(count, pokemon.energy[kind])
    pokemon.energy[kind] -= count
    player.spent[kind] += count


def spend_all(player: Player, pokemon: Pokemon) -> None:
    """Discard all energy of a Pokemon."""
    for kind in range(8):
        spend(player, pokemon, kind, pokemon.energy[kind])


def spend_random(table: Table, player: Player, pokemon: Pokemon) -> None:
    """Discard one energy, all equally likely."""
    total = sum(pokemon.energy)
    if not total:
        return
    chosen = table.chance.below(Purpose.DISCARD_ENERGY, total)
    for kind in range(8):
        chosen -= pokemon.energy[kind]
        if chosen < 0:
            spend(player, pokemon, kind)
            break


def leave_play(player: Player, slot: int) -> list[int]:
    """[K2] Remove a Pokemon from play without energy and Tool; return its cards."""
    pokemon = player.at(slot)
    spend_all(player, pokemon)
    if pokemon.tool is not None:
        player.discard.append(pokemon.tool)
    player.slots[slot] = None
    if slot == 0:
        player.recover()
    return [*pokemon.under, pokemon.id]


def switch(player: Player, slot: int) -> None:
    """[R4] Switch the Pokemon in the Active Spot with one of the Bench."""
    leaving = player.slots[0]
    player.slots[0], player.slots[slot] = player.slots[slot], leaving
    if leaving:
        leaving.forget_attacks()
    player.recover()


def heal(pokemon: Pokemon, amount: int) -> None:
    """Heal damage of a Pokemon."""
    pokemon.damage = max(0, pokemon.damage - amount)
