"""Games in the middle, built by hand from contract records."""

from __future__ import annotations

import numpy as np

from envwright.zoo.tcgpocket.cards import Kind, load
from envwright.zoo.tcgpocket.contract import state as contract
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import CARDS, Zone
from envwright.zoo.tcgpocket.engine.games import Games

FILLER, SPARE = "Magikarp", "Eevee"


def number(name: str, effect: str | None = None) -> int:
    """The first card of a name, with an effect of some family if asked for."""
    for card in load().values():
        families = {card.effect.family, *(a.effect.family for a in card.attacks)}
        if card.name == name and (effect is None or effect in families):
            return card.number
    raise KeyError(name)


def with_attack(family: str) -> int:
    """The first card whose first attack does damage and has an effect."""
    first = (c for c in load().values() if c.attacks and c.attacks[0].damage)
    return next(c.number for c in first if c.attacks[0].effect.family == family)


def plain(hp: int = 0, kind: int | None = None) -> int:
    """A Basic whose only attack has no effect."""
    return next(
        c.number
        for c in load().values()
        if c.kind == Kind.POKEMON and c.stage == 0 and not c.effect.family and c.hp >= hp
        and len(c.attacks) == 1 and not c.attacks[0].effect.family and c.attacks[0].damage > 0
        and (kind is None or c.type == kind)
    )  # fmt: skip


def game(
    mine: list[int], yours: list[int], hand: tuple[int, ...] = (), turn: int = 5
) -> np.ndarray:
    """A record in the turn of player 0, with Pokemon in slots and cards in hand.

    Both have a Basic in hand, so that no turn passes by itself.
    """
    record = contract.empty()
    record["turn"], record["stage"], record["ask"] = turn, Stage.MAIN, Ask.MAIN
    for player, (slots, held) in enumerate(((mine, (SPARE, *hand)), (yours, (SPARE,)))):
        side = record["players"][player]
        wanted = [(n, ("slot", i)) for i, n in enumerate(slots)] + [(n, ("hand", 0)) for n in held]
        wanted = [(number(n) if isinstance(n, str) else n, place) for n, place in wanted]
        wanted += [(number(FILLER), ("deck", 0))] * (CARDS - len(wanted))
        wanted.sort(key=lambda pair: pair[0])
        deck = []
        for index, (card, (place, slot)) in enumerate(wanted):
            side["cards"][index] = card
            if place == "slot":
                side["zone"][index] = Zone.POKEMON + slot
                side["slots"][slot]["card"] = index
            elif place == "hand":
                side["zone"][index] = Zone.HAND
            else:
                deck.append(index)
        side["deck"][: len(deck)] = deck
        side["types"], side["next_energy"] = 1, 0
    return record


def loaded(record: np.ndarray, **rules: object) -> Games:
    """The game on the engine, without compilation."""
    games = Games(Settings(**rules), xp="numpy")
    games.load(record[None])
    return games


def stepped(games: Games, action: int, tape: list[int] | None = None) -> np.ndarray:
    """The record after one action, with results of draws if given."""
    tapes = None if tape is None else np.array([tape], np.uint32)
    games.step(np.array([action]), tapes=tapes)
    return games.records[0]
