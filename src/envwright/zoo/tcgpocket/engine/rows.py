"""Rows: every card and every attack as named numbers.

This is the only place that defines effects. An attack is one row with a part for damage, a part for
other targets and a part for what comes after; an effect id fills the columns it needs. Abilities
and trainer cards are an operation with a type and a number. Damage, healing and HP are in tens.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.cards import Attack, Card, Kind
from envwright.zoo.tcgpocket.contract.state import Mark, Mind

NO_WEAKNESS = 15
NO_NAME = 0


# Codes of columns: 0 is nothing, and some are compared by their order.
# The quantities that an attack's extra damage counts.
Source = IntEnum(
    "Source",
    "NOTHING HEADS ALL_HEADS LATIOS NIDOKING EVOLVED TOOL EXTRA HURT FOE_HURT FOE_POISONED "
    "FOE_EVOLVED FOE_ENERGY BENCH BENCH_TYPE DAMAGE RELAY RELAYS",
    start=0,
)
# Whom an attack may hit as well, by choice.
Where = IntEnum("Where", "NOBODY FOE FOE_BENCH OWN OWN_BENCH", start=0)
# Whose attack is used instead.
Copy = IntEnum("Copy", "NO ANY ACTIVE", start=0)
# Energy that an attack discards.
Discard = IntEnum("Discard", "NO OWN OWN_ALL OWN_RANDOM FOE_RANDOM", start=0)
# Energy from the zone that an attack attaches.
Attach = IntEnum("Attach", "NO SELF BENCH TWO HEADS", start=0)
# What is looked for in the own deck.
Fetch = IntEnum("Fetch", "NO TYPE POKEMON NIDORAN BASIC", start=0)
# A switch that an attack asks for.
Change = IntEnum("Change", "NO OUT DRAG TELEPORT", start=0)
# What an ability, a trainer card, a Tool or a Stadium does.
Op = IntEnum(
    "Op",
    "NOTHING SHURIKEN PENDULUM CHARGE CHARGE_ACTIVE GAS_LEAK HEAL_ALL SCAN DRIVE_OFF LURE_BASIC "
    "RIPPLES BAR_SUPPORTERS COUNTER ARMOR ARMOR_TYPE ARCEUS_ARMOR FLOATING AURA PLUMAGE VEEVOLVE "
    "FIRST_TURN_CHARGE PULSE_DRAW TRICKERY FOSSIL POTION SPEED REVEAL_HAND REDRAW FETCH_BASIC DRAW "
    "HEAL_TYPE FLIP_CHARGE ROCK_CHARGE BLAZE PRESS RECALL GATHER CAPE HELMET PLAINS PLAZA ACADEMY",
    start=0,
)


class Need(IntEnum):
    """The condition for playing a card. From HURT_TYPE on, a type is added."""

    NEVER = 0
    BASIC = 1
    EVOLUTION = 2
    FOSSIL = 3
    TOOL = 4
    STADIUM = 5
    ALWAYS = 6
    HURT = 7
    FOE_HAND = 8
    DECK = 9
    ROCK = 10
    RECALL = 11
    FOE_BENCH = 12
    HURT_TYPE = 32
    IN_PLAY_TYPE = 42
    BENCH_ENERGY = 52


_AMOUNTS_IN_TENS = (
    "shuriken", "heal_all", "ripples", "counter", "armor", "armor_type", "arceus_armor", "aura",
    "plumage", "potion", "heal_type", "blaze", "press", "cape", "helmet", "plains", "fossil",
)  # fmt: skip
_NEEDS = {
    "potion": Need.HURT,
    "reveal_hand": Need.FOE_HAND,
    "redraw": Need.FOE_HAND,
    "scan": Need.DECK,
    "fetch_basic": Need.DECK,
    "draw": Need.DECK,
    "rock_charge": Need.ROCK,
    "recall": Need.RECALL,
    "drive_off": Need.FOE_BENCH,
}
_TYPED_NEEDS = {
    "heal_type": Need.HURT_TYPE,
    "flip_charge": Need.IN_PLAY_TYPE,
    "gather": Need.BENCH_ENERGY,
}
_KIND_NEEDS = {Kind.TOOL: Need.TOOL, Kind.STADIUM: Need.STADIUM, Kind.FOSSIL: Need.FOSSIL}
_TYPE_FIRST = (
    "charge", "charge_active", "ripples", "armor_type", "aura", "plumage", "first_turn_charge",
    "heal_type", "flip_charge", "rock_charge", "gather", "plaza",
)  # fmt: skip
NAMED = {  # names that rules ask for
    "latios": ("Latios",),
    "nidoking": ("Nidoking",),
    "latias": ("Latias",),
    "arceus": ("Arceus", "Arceus ex"),
    "rock": ("Golem", "Onix"),
    "muk": ("Muk", "Weezing"),
    "raichu": ("Raichu", "Electrode", "Electabuzz"),
    "blazing": ("Ninetales", "Rapidash", "Magmar"),
    "nidoran": ("Nidoran♂",),
}


def _coins(source: Source, **rest: int) -> Callable[..., dict]:
    return lambda n, d: {"coins": n, "more": d // 10, "source": source} | rest


def _fixed(**columns: int) -> Callable[..., dict]:
    return lambda: columns


def _tens(column: str, **rest: int) -> Callable[..., dict]:
    return lambda d: {column: d // 10} | rest


def _typed(**columns: int) -> Callable[..., dict]:
    return lambda t: {"type": t} | columns


_FLIP = {"coins": 1, "gate": 1}
_UNTIL = {"until": 1, "source": Source.HEADS}

ATTACK_EFFECTS: dict[str, Callable[..., dict]] = {
    "": _fixed(),
    "flips_each": _coins(Source.HEADS, instead=1),
    "flips_all_more": _coins(Source.ALL_HEADS),
    "flip_more": _tens("more", coins=1, source=Source.HEADS),
    "flip_more_or_recoil": lambda d, r: (
        {"coins": 1, "more": d // 10, "source": Source.HEADS, "recoil": r // 10, "on_tails": 1}
    ),
    "until_tails_more": _tens("more", **_UNTIL),
    "until_tails_each": _tens("more", instead=1, **_UNTIL),
    "flip_or_nothing": _fixed(coins=1, stop=1),
    "random_hits": lambda n, d: {"hits": n, "hit": d // 10},
    "more_with_latios": _tens("more", source=Source.LATIOS),
    "more_per_nidoking": _tens("more", source=Source.NIDOKING),
    "more_if_evolved": _tens("more", source=Source.EVOLVED),
    "more_if_tool": _tens("more", source=Source.TOOL),
    "more_if_extra": lambda t, n, d: (
        {"type": t, "count": n, "more": d // 10, "source": Source.EXTRA}
    ),
    "more_if_hurt": _tens("more", source=Source.HURT),
    "more_if_foe_hurt": _tens("more", source=Source.FOE_HURT),
    "more_if_foe_poisoned": _tens("more", source=Source.FOE_POISONED),
    "more_if_foe_evolved": _tens("more", source=Source.FOE_EVOLVED),
    "more_per_foe_energy": _tens("more", source=Source.FOE_ENERGY),
    "each_bench": _tens("more", source=Source.BENCH, instead=1),
    "each_bench_type": lambda t, d: (
        {"type": t, "more": d // 10, "source": Source.BENCH_TYPE, "instead": 1}
    ),
    "flail": _fixed(more=1, source=Source.DAMAGE, instead=1),
    "rage": _fixed(more=1, source=Source.DAMAGE),
    "sweets_relay": _tens("more", source=Source.RELAY, relay=1),
    "sweets_overload": _tens("more", source=Source.RELAYS, instead=1),
    "hit_foe": _tens("hit", where=Where.FOE),
    "hit_foe_bench": _tens("hit", where=Where.FOE_BENCH),
    "hit_own": _tens("hit", where=Where.OWN),
    "hit_own_bench": _tens("hit", where=Where.OWN_BENCH),
    "discard_hit": lambda t, n, d: (
        {"type": t, "count": n, "discard": Discard.OWN, "hit": d // 10, "where": Where.FOE}
    ),
    "hit_each_bench": _tens("spread"),
    "recoil": _tens("recoil"),
    "copy_any": _fixed(copy=Copy.ANY),
    "flip_copy_active": _fixed(coins=1, copy=Copy.ACTIVE),
    "discard_own": lambda t, n: {"type": t, "count": n, "discard": Discard.OWN},
    "discard_own_all": _fixed(discard=Discard.OWN_ALL),
    "discard_own_random": _fixed(discard=Discard.OWN_RANDOM),
    "discard_foe_energy": _fixed(discard=Discard.FOE_RANDOM),
    "flip_discard_foe_energy": _fixed(discard=Discard.FOE_RANDOM, **_FLIP),
    "attach_self": _typed(attach=Attach.SELF),
    "attach_bench": _typed(attach=Attach.BENCH, count=1),
    "attach_two": _typed(attach=Attach.TWO, count=2),
    "flips_attach": lambda n, t: {"coins": n, "type": t, "attach": Attach.HEADS},
    "heal_self": _tens("heal"),
    "flip_heal": _tens("heal", **_FLIP),
    "drain": _fixed(drain=1),
    "sleep": _fixed(mind=Mind.ASLEEP),
    "confuse": _fixed(mind=Mind.CONFUSED),
    "poison": _fixed(poison=1),
    "flip_paralyse": _fixed(mind=Mind.PARALYSED, **_FLIP),
    "flip_burn": _fixed(burn=1, **_FLIP),
    "sleep_self": _fixed(sleep_self=1),
    "growl": lambda d: {"foe_mark": 1 + Mark.GROWL},
    "no_attack": _fixed(foe_mark=1 + Mark.NO_ATTACK),
    "flip_no_attack": _fixed(foe_mark=1 + Mark.NO_ATTACK, **_FLIP),
    "no_retreat": _fixed(foe_mark=1 + Mark.NO_RETREAT),
    "guard": lambda d: {"own_mark": 1 + Mark.GUARD, "turns": 1},
    "spikes": lambda d: {"own_mark": 1 + Mark.SPIKES, "turns": 1},
    "flip_shield": _fixed(own_mark=1 + Mark.SHIELD, turns=1, **_FLIP),
    "flip_immune": _fixed(own_mark=1 + Mark.IMMUNE, turns=1, **_FLIP),
    "boost_next": lambda d: {"own_mark": 1 + Mark.BOOST, "turns": 2, "boost": d // 10},
    "frenzy": _tens("frenzy"),
    "no_supporters": _fixed(bar=1),
    "draw": lambda n: {"draw": n},
    "fetch_type": _typed(fetch=Fetch.TYPE),
    "fetch_pokemon": _fixed(fetch=Fetch.POKEMON),
    "bench_nidoran": _fixed(fetch=Fetch.NIDORAN),
    "discard_foe_hand": _fixed(foe_hand=1),
    "flip_discard_foe_hand": _fixed(foe_hand=1, **_FLIP),
    "mill_both": lambda n: {"mill": n},
    "reveal_hand": _fixed(reveal=1),
    "flip_shuffle_foe": _fixed(shuffle_foe=1, **_FLIP),
    "switch_out": _fixed(change=Change.OUT),
    "flip_drag": _fixed(change=Change.DRAG, **_FLIP),
    "teleport": _fixed(change=Change.TELEPORT),
}


def attack_row(attack: Attack) -> dict[str, int]:
    """Return the columns of an attack that are not 0."""
    effect = attack.effect
    if effect.family not in ATTACK_EFFECTS:
        raise EnvwrightError(f"attacks have no effect '{effect.family}'; add it to engine/rows.py")
    row = {f"cost{kind}": attack.cost[kind] for kind in range(8)}
    row |= {"colorless": attack.cost[8], "total": sum(attack.cost), "damage": attack.damage // 10}
    return row | ATTACK_EFFECTS[effect.family](*effect.arguments)


def operation(card: Card) -> dict[str, int]:
    """Return what an ability or trainer card does: operation, type, number."""
    family, arguments = card.effect.family, card.effect.arguments
    if not family:
        return {}
    typed = family in _TYPE_FIRST
    numbers = arguments[1:] if typed else arguments
    number = numbers[0] if numbers else 0
    return {
        "op": Op[family.upper()],
        "op_type": arguments[0] if typed else 0,
        "op_count": number // 10 if family in _AMOUNTS_IN_TENS else number,
    }


def need(card: Card) -> int:
    """Return the condition for playing a card."""
    if card.kind == Kind.POKEMON:
        return Need.BASIC if card.stage == 0 else Need.EVOLUTION
    if card.kind in _KIND_NEEDS:
        return _KIND_NEEDS[card.kind]
    family = card.effect.family
    if family in _TYPED_NEEDS:
        return _TYPED_NEEDS[family] + card.effect.arguments[0]
    return _NEEDS.get(family, Need.ALWAYS)


def card_row(card: Card, names: dict[str, int], attacks: dict[Attack, int]) -> dict[str, int]:
    """Return the columns of a card in a slot and in a hand."""
    row = {
        "number": card.number,
        "need": need(card),
        "supporter": int(card.kind == Kind.SUPPORTER),
        "kind": card.kind,
        "type": card.type,
        "stage": card.stage,
        "hp": card.hp // 10,
        "retreat": card.retreat,
        "weakness": NO_WEAKNESS if card.weakness < 0 else card.weakness,
        "points": card.points,
        "attacks": len(card.attacks),
        "name": names[card.name],
        "fits": names.get(card.evolves_from, NO_NAME),
    }
    if card.kind == Kind.STADIUM:
        row["fits"] = names[card.name]  # what it cannot replace
    for place, attack in enumerate(card.attacks):
        row[f"attack{place}"] = attacks[attack]
    row |= {flag: int(card.name in group) for flag, group in NAMED.items()}
    return row | operation(card)
