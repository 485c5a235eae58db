"""A game as the canonical record, and back."""

from __future__ import annotations

import struct

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.cards import by_number
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Chance
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import CARDS, NONE, SIZE, SLOTS, Zone, unpack
from envwright.zoo.tcgpocket.reference.state import Player, Pokemon, Question, Table

_HEAD = struct.Struct("<3I12BH8B")
_NUMBERS = struct.Struct(f"<{CARDS}H")
_EMPTY_SLOT = bytes([NONE, 0, *[0] * 8, NONE, 0, 0, 0, *[0] * 8, 0])


def save(table: Table) -> bytes:
    """The record of a game."""
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
    """The game that a record holds."""
    if len(data) != SIZE:
        raise EnvwrightError(
            f"a saved game has {SIZE} bytes, not {len(data)}; give one that is whole"
        )
    record = unpack(data)
    chance = Chance()
    chance.key = (int(record["key"][0]), int(record["key"][1]))
    chance.counter = int(record["counter"])
    owner, stadium = int(record["stadium_owner"]), int(record["stadium_card"])
    attack_card = int(record["attack_card"])
    return Table(
        players=[_load_player(record["players"][number]) for number in (0, 1)],
        settings=settings,
        chance=chance,
        turn=int(record["turn"]),
        first=int(record["first"]),
        player=int(record["player"]),
        stage=Stage(int(record["stage"])),
        winner=int(record["winner"]),
        supporter=bool(record["supporter"]),
        retreated=bool(record["retreated"]),
        stadium_played=bool(record["stadium_played"]),
        stadium_used=bool(record["stadium_used"]),
        press=int(record["press"]) * 10,
        blaze=int(record["blaze"]) * 10,
        speed=int(record["speed"]),
        attack_card=by_number(attack_card) if attack_card else None,
        attack_index=int(record["attack_index"]),
        question=_load_question(record),
        stadium=None if owner == NONE else (owner, stadium),
    )


def _load_question(record: np.ndarray) -> Question | None:
    if not record["ask"]:
        return None
    return Question(
        Ask(int(record["ask"])),
        int(record["asked"]),
        _maybe(record["ask_card"]),
        int(record["ask_count"]),
        int(record["ask_mask"]),
    )


def _maybe(value: int) -> int | None:
    return None if value == NONE else int(value)


def _load_player(record: np.ndarray) -> Player:
    zone = record["zone"].tolist()
    cards = [by_number(number) for number in record["cards"].tolist()]
    types = int(record["types"])
    return Player(
        cards=cards,
        types=[kind for kind in range(8) if types >> kind & 1],
        deck=[card for card in record["deck"].tolist() if card != NONE],
        hand=[card for card in range(CARDS) if zone[card] == Zone.HAND],
        discard=[card for card in range(CARDS) if zone[card] == Zone.DISCARD],
        revealed=set(np.flatnonzero(record["revealed"]).tolist()),
        seen_top=int(record["seen_top"]),
        slots=[_load_pokemon(record["slots"][slot], slot, zone, cards) for slot in range(SLOTS)],
        points=int(record["points"]),
        energy=_maybe(record["energy"]),
        next_energy=int(record["next_energy"]),
        spent=record["spent"].tolist(),
        poisoned=bool(record["poisoned"]),
        burned=bool(record["burned"]),
        mind=int(record["mind"]),
        no_supporter=int(record["no_supporter"]),
        sweets_turn=int(record["sweets_turn"]),
        sweets_count=int(record["sweets_count"]),
    )


def _load_pokemon(record: np.ndarray, slot: int, zone: list, cards: list) -> Pokemon | None:
    if record["card"] == NONE:
        return None
    card = int(record["card"])
    return Pokemon(
        id=card,
        card=cards[card],
        under=[other for other in range(CARDS) if zone[other] == Zone.UNDER + slot],
        damage=int(record["damage"]) * 10,
        energy=record["energy"].tolist(),
        tool=_maybe(record["tool"]),
        fresh=bool(record["fresh"]),
        evolved=bool(record["evolved"]),
        ability_used=bool(record["ability_used"]),
        marks=record["marks"].tolist(),
        frenzy=int(record["frenzy"]),
    )
