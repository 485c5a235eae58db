"""Rows packed into arrays. They are an input of the compiled program: other rows, same program."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from envwright.zoo.tcgpocket.cards import Attack
from envwright.zoo.tcgpocket.cards import load as load_cards
from envwright.zoo.tcgpocket.engine.packing import Packing
from envwright.zoo.tcgpocket.engine.rows import NAMED, attack_row, card_row

CARD = Packing(number=11, need=6, supporter=1, fits=10)  # facts about a card in hand
SLOT = Packing(  # facts about a card in play
    kind=3, type=4, stage=2, hp=6, retreat=3, weakness=4, points=2, attacks=2,
    name=10, attack0=10, attack1=10,
    op=6, op_type=4, op_count=5, **dict.fromkeys(NAMED, 1),
)  # fmt: skip
ATTACK = Packing(
    **{f"cost{kind}": 3 for kind in range(8)}, colorless=3, total=4,
    damage=8, more=6, source=5, instead=1, coins=3, until=1, gate=1, stop=1, copy=2,
    type=4, count=3, hit=6, where=3, hits=3, spread=4, recoil=5, on_tails=1,
    mind=2, poison=1, burn=1, sleep_self=1, foe_mark=4, own_mark=4, turns=2, heal=5, drain=1,
    boost=3, frenzy=3, relay=1,
    discard=3, attach=3, draw=3, fetch=3, mill=3, reveal=1, foe_hand=1, shuffle_foe=1, bar=1,
    change=2,
)  # fmt: skip


class Tables(NamedTuple):
    """Packed rows; row 0 of each is nothing."""

    card: Any  # int32[CARD.words, N] by card number
    slot: Any  # int32[SLOT.words, N] by card number
    attack: Any  # int32[ATTACK.words, M]


class Rows(NamedTuple):
    """Named columns before packing, for mutants."""

    cards: dict[str, np.ndarray]  # int[N] by card number
    attacks: dict[str, np.ndarray]  # int[M]


def _columns(rows: list[dict[str, int]], packings: tuple[Packing, ...]) -> dict[str, np.ndarray]:
    names = {name for packing in packings for name in packing.places}
    return {name: np.array([row.get(name, 0) for row in rows], np.int64) for name in names}


def rows() -> Rows:
    """Return the rows of every card and attack of the pool."""
    cards = load_cards()
    attacks: dict[Attack, int] = {}
    for card in cards.values():
        for attack in card.attacks:
            attacks.setdefault(attack, len(attacks) + 1)
    names = {name: i + 1 for i, name in enumerate(sorted({c.name for c in cards.values()}))}
    by_number: list[dict[str, int]] = [{} for _ in range(max(cards) + 1)]
    for number, card in cards.items():
        by_number[number] = card_row(card, names, attacks)
    by_number[0]["fits"] = names["Eevee"]  # the target of `veevolve`; no card has number 0
    by_attack = [{}, *(attack_row(attack) for attack in attacks)]
    return Rows(_columns(by_number, (CARD, SLOT)), _columns(by_attack, (ATTACK,)))


def pack(columns: Rows) -> Tables:
    """Pack rows as the engine reads them."""

    def packed(packing: Packing, of: dict[str, np.ndarray]) -> np.ndarray:
        chosen = {name: of[name] for name in packing.places}
        return packing.pack(chosen, len(next(iter(chosen.values()))))

    return Tables(
        packed(CARD, columns.cards), packed(SLOT, columns.cards), packed(ATTACK, columns.attacks)
    )


@cache
def load() -> Tables:
    """Load the tables of the pool."""
    return pack(rows())
