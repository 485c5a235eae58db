"""Convert a game to the canonical record, and back."""

from __future__ import annotations

import struct

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.cards import Card, by_number
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Chance
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import (
    CARDS,
    NONE,
    PLAYER,
    SIZE,
    SLOT,
    SLOTS,
    STATE,
    Zone,
)
from envwright.zoo.tcgpocket.reference.state import Player, Pokemon, Question, Table

_HEAD = struct.Struct("<3I12BH8B")
_HEAD_NAMES = ("key_0", "key_1", *(STATE.names or ())[1:-1])
_NUMBERS = struct.Struct(f"<{CARDS}H")
_EMPTY_SLOT = bytes([NONE, 0, *[0] * 8, NONE, 0, 0, 0, *[0] * 8, 0])


def save(table: Table) -> bytes:
    """Return the record of a game."""
    question = table.question or Question(Ask.NOTHING, 0)
    owner, stadium = table.stadium or (NONE, NONE)
    head = _HEAD.pack(
        *table.chance.key,
        table.chance.counter,
        table.turn,
        table.first,
        table.player,
        table.stage,
        table.winner,
        table.supporter,
        table.retreated,
        table.stadium_played,
        table.stadium_used,
        table.press // 10,
        table.blaze // 10,
        table.speed,
        table.attack_card.number if table.attack_card else 0,
        table.attack_index,
        question.ask,
        question.player,
        NONE if question.card is None else question.card,
        question.count,
        question.mask,
        owner,
        stadium,
    )
    return head + b"".join(
        _save_player(player, stadium if number == owner else NONE)
        for number, player in enumerate(table.players)
    )


def _save_player(player: Player, stadium: int) -> bytes:
    zone = bytearray(CARDS)
    for card in player.hand:
        zone[card] = Zone.HAND
    for card in player.discard:
        zone[card] = Zone.DISCARD
    if stadium != NONE:
        zone[stadium] = Zone.STADIUM
    slots = []
    for slot, pokemon in enumerate(player.slots):
        if pokemon is None:
            slots.append(_EMPTY_SLOT)
            continue
        zone[pokemon.id] = Zone.POKEMON + slot
        for card in pokemon.under:
            zone[card] = Zone.UNDER + slot
        tool = NONE
        if pokemon.tool is not None:
            tool = pokemon.tool
            zone[tool] = Zone.TOOL + slot
        slots.append(
            bytes(
                [
                    pokemon.id,
                    pokemon.damage // 10,
                    *pokemon.energy,
                    tool,
                    pokemon.fresh,
                    pokemon.evolved,
                    pokemon.ability_used,
                    *pokemon.marks,
                    pokemon.frenzy,
                ]
            )
        )
    revealed = bytearray(CARDS)
    for card in player.revealed:
        revealed[card] = 1
    return b"".join(
        [
            _NUMBERS.pack(*[card.number for card in player.cards]),
            zone,
            bytes(player.deck).ljust(CARDS, bytes([NONE])),
            revealed,
            *slots,
            bytes(
                [
                    player.points,
                    player.seen_top,
                    sum(1 << kind for kind in player.types),
                    NONE if player.energy is None else player.energy,
                    player.next_energy,
                    *player.spent,
                    player.poisoned,
                    player.burned,
                    player.mind,
                    player.no_supporter,
                    player.sweets_turn,
                    player.sweets_count,
                ]
            ),
        ]
    )


def load(data: bytes, settings: Settings) -> Table:
    """Return the game in a record."""
    if len(data) != SIZE:
        raise EnvwrightError(
            f"a saved game has {SIZE} bytes, not {len(data)}; give one that is whole"
        )
    head = dict(zip(_HEAD_NAMES, _HEAD.unpack_from(data), strict=True))
    chance = Chance()
    chance.key = (head.pop("key_0"), head.pop("key_1"))
    chance.counter = head.pop("counter")
    owner, stadium = head.pop("stadium_owner"), head.pop("stadium_card")
    number = head.pop("attack_card")
    ask = Ask(head.pop("ask"))
    question = Question(
        ask,
        head.pop("asked"),
        _maybe(head.pop("ask_card")),
        head.pop("ask_count"),
        head.pop("ask_mask"),
    )
    for name in ("supporter", "retreated", "stadium_played", "stadium_used"):
        head[name] = bool(head[name])
    head["press"] *= 10
    head["blaze"] *= 10
    head["stage"] = Stage(head["stage"])
    return Table(
        players=[_load_player(data[_HEAD.size + PLAYER.itemsize * who :]) for who in (0, 1)],
        settings=settings,
        chance=chance,
        attack_card=by_number(number) if number else None,
        question=question if ask else None,
        stadium=None if owner == NONE else (owner, stadium),
        **head,
    )


def _maybe(value: int) -> int | None:
    return None if value == NONE else value


def _load_player(data: bytes) -> Player:
    cards = [by_number(number) for number in _NUMBERS.unpack_from(data)]
    zone, deck, revealed = (list(data[CARDS * part : CARDS * (part + 1)]) for part in (2, 3, 4))
    start = CARDS * 5
    slots = [
        _load_pokemon(data[start + SLOT.itemsize * slot :], slot, zone, cards)
        for slot in range(SLOTS)
    ]
    points, seen_top, types, energy, next_energy, *rest = data[start + SLOT.itemsize * SLOTS :]
    poisoned, burned, mind, no_supporter, sweets_turn, sweets_count = rest[8:14]
    return Player(
        cards=cards,
        types=[kind for kind in range(8) if types >> kind & 1],
        deck=[card for card in deck if card != NONE],
        hand=[card for card in range(CARDS) if zone[card] == Zone.HAND],
        discard=[card for card in range(CARDS) if zone[card] == Zone.DISCARD],
        revealed={card for card in range(CARDS) if revealed[card]},
        seen_top=seen_top,
        slots=slots,
        points=points,
        energy=_maybe(energy),
        next_energy=next_energy,
        spent=rest[:8],
        poisoned=bool(poisoned),
        burned=bool(burned),
        mind=mind,
        no_supporter=no_supporter,
        sweets_turn=sweets_turn,
        sweets_count=sweets_count,
    )


def _load_pokemon(data: bytes, slot: int, zone: list[int], cards: list[Card]) -> Pokemon | None:
    if data[0] == NONE:
        return None
    return Pokemon(
        id=data[0],
        card=cards[data[0]],
        damage=data[1] * 10,
        energy=list(data[2:10]),
        tool=_maybe(data[10]),
        fresh=bool(data[11]),
        evolved=bool(data[12]),
        ability_used=bool(data[13]),
        marks=list(data[14:22]),
        frenzy=data[22],
        under=[card for card in range(CARDS) if zone[card] == Zone.UNDER + slot],
    )
