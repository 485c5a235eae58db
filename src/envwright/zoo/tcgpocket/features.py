"""Observations as numbers that a network can use: float32[..., SIZE] from int16[..., 382].

    features(np, observations)      # or jax.numpy
    names()                         # what each number is

Card numbers become facts: HP left, missing energy, affordable attacks and their damage, what a card
in hand is good for. The only input is an observation, so nothing hidden can leak. Card by card and
slot by slot the order is that of the action ids.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType

import numpy as np

from envwright.core.arrays import Array
from envwright.zoo.tcgpocket.cards import Kind
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.observation import LENGTH
from envwright.zoo.tcgpocket.contract.state import SLOTS, Mark, Mind, Zone
from envwright.zoo.tcgpocket.observation_reader import ATTACKS, OTHER, OWN, ObservationReader, Role

Rows = dict[str, Array]  # numbers [...] by name; of slots and cards [..., 4] and [..., 20]


def features(xp: ModuleType, observations: Array) -> Array:
    """Return the features, float32[..., SIZE]."""
    blocks = []
    for _, rows in _blocks(ObservationReader(xp, observations)):
        block = xp.stack([xp.asarray(row, np.float32) for row in rows.values()], -1)
        blocks.append(block.reshape((*observations.shape[:-1], -1)))
    return xp.concatenate(blocks, -1)


@cache
def names() -> tuple[str, ...]:
    """Return the name of each number."""
    found = []
    for label, rows in _blocks(ObservationReader(np, np.zeros(LENGTH, np.int16))):
        places = next(iter(rows.values())).shape
        heads = [f"{label} {place}: " for place in range(places[0])] if places else [label]
        found += [head + name for head in heads for name in rows]
    return tuple(found)


def _blocks(seen: ObservationReader) -> list[tuple[str, Rows]]:
    return [
        ("", _course(seen)),
        ("own ", _side(seen, OWN)),
        ("other ", _side(seen, OTHER)),
        ("own slot", _slots(seen, OWN)),
        ("other slot", _slots(seen, OTHER)),
        ("card", _cards(seen)),
    ]


def _course(seen: ObservationReader) -> Rows:
    """Add the course of the game, and the current question."""
    turn = seen("turn")
    return {
        "turn": turn / np.float32(30),
        "late": turn >= 16,
        "own turn": seen("my_turn"),
        "went first": seen("went_first"),
        **{f"stage {stage.name}": seen("stage") == stage for stage in Stage},
        **{f"asks {ask.name}": seen("ask") == ask for ask in Ask},
        "asked how many": seen("ask_count") / np.float32(3),
        **{f"asked about slot {slot}": seen("ask_mask") >> slot & 1 for slot in range(SLOTS)},
        **{name: seen(name) for name in ("supporter", "retreated")},
        **{name: seen(f"stadium_{name}") for name in ("played", "used", "mine")},
        **{name: seen(name) / np.float32(3) for name in ("press", "blaze", "speed")},
        "a stadium": seen("stadium") > 0,
    }


def _side(seen: ObservationReader, side: int) -> Rows:
    """Add one player, without the single Pokemon."""
    most = {"points": 3, "hand": 10, "deck": 15, "no_supporter": 2, "poisoned": 1, "burned": 1}
    marks = seen.slot("marks")[..., side, 0, :]
    return {
        **{name: seen.side(name)[..., side] / np.float32(n) for name, n in most.items()},
        **{mind.name: seen.side("mind")[..., side] == mind for mind in list(Mind)[1:]},
        **{f"mark {mark.name}": marks[..., mark] / np.float32(2) for mark in Mark},
        "energy waits": seen.side("energy")[..., side] > 0,
        "Bench": seen.there[..., side, 1:].sum(-1) / np.float32(3),
        "damage in play": seen.slot("damage")[..., side, :].sum(-1) / np.float32(30),
        "energy in play": seen.energy[..., side, :, :].sum((-1, -2)) / 10,
    }


def _slots(seen: ObservationReader, side: int) -> Rows:
    """Add the Pokemon of one player."""
    xp, mon = seen.xp, seen.pokemon
    there, left = seen.there[..., side, :], seen.left[..., side, :]
    foe_left = seen.left[..., 1 - side, :1]
    payable, hits = seen.payable[..., side, :, :], seen.hits[..., side, :, :]
    soon = (mon.known > 0) & (seen.missing <= 1)
    threat = xp.where(soon, seen.hits, 0).max(-1)[..., 1 - side, :1]
    energy = seen.energy.sum(-1)[..., side, :]
    rows: Rows = {
        "there": there,
        "HP left": left / 100,
        "damage": seen.slot("damage")[..., side, :] / np.float32(10),
        "stage": mon.stage[..., side, :] / 2,
        "points": mon.points[..., side, :] / 2,
        "energy": energy / 4,
        "can pay its retreat": energy >= mon.retreat[..., side, :],
        "tool": seen.slot("tool")[..., side, :] > 0,
        "fresh": seen.slot("fresh")[..., side, :],
        "ability to use": mon.ability[..., side, :] - seen.slot("ability_used")[..., side, :],
        "threatened": (threat >= left) & there,
        "best hit": xp.where(payable, hits, 0).max(-1) / 100,
    }
    lacks = mon.known * seen.missing / 4
    lethal = payable & (hits >= foe_left[..., None]) & (hits > 0)
    for index in range(ATTACKS):
        rows |= {
            f"attack {index} lacks": lacks[..., side, :, index],
            f"attack {index} is paid for": payable[..., index],
            f"attack {index} takes": hits[..., index] / 100,
            f"attack {index} does more": mon.effect[..., side, :, index],
            f"attack {index} takes all": lethal[..., index],
        }
    if side == OWN:
        for name in ("energy", "next_energy"):
            rows[f"{name} helps"] = seen.wants(seen.side(name)[..., OWN] - 1) / 2
    return rows


def _cards(seen: ObservationReader) -> Rows:
    """Add the own cards; all but the last number are 0 unless a card is in hand."""
    hand, held = seen.hand, seen.in_hand
    own = seen.pokemon.name[..., None, OWN, :] == hand.below[..., None]
    fits = own & (hand.below[..., None] > 0) & seen.there[..., None, OWN, :]
    return {
        "in hand": held,
        "Basic": held * hand.basic,
        "HP": held * hand.hp / 100,
        "damage": held * hand.expected.max(-1) / 100,
        "evolves": held & fits.any(-1),
        "evolves the Active Pokemon": held & fits[..., 0],
        "Supporter": held & (hand.kind == Kind.SUPPORTER),
        **{role.name: held & (hand.role == role) for role in list(Role)[1:]},
        "in the deck": seen("zone") == Zone.DECK,
    }


SIZE = len(names())
