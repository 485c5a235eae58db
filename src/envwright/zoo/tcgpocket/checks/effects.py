"""Exercise every effect of the pool in random states.

For each effect there is a way to make a state in which it can act, and the action that sets it off.
The reference reports whether it acted; effects that only allow, forbid or raise HP show in the
state.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from envwright.zoo.tcgpocket.cards import ENERGIES, Effect, Kind, by_number, by_print, load
from envwright.zoo.tcgpocket.checks import states
from envwright.zoo.tcgpocket.checks.traces import DEFAULT, Rules, Start, Trace, answers
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.state import NONE, STATE, Mark, Mind, Zone
from envwright.zoo.tcgpocket.records import card_in, full_hp

TIMES = 50  # states in which an effect must act
TRIES = 20  # at most so many times as many states are tried
PLAIN = "A1 211"  # attacks for 70 without effect
ROCK = "A1 150"  # a Fighting Pokemon whose attack does damage

Made = tuple[np.ndarray, int] | None  # a state and an action, if there is one


@dataclass(frozen=True)
class Named:
    """An effect on cards: the kind of text, and its id with arguments."""

    kind: str  # "attack", "ability", "trainer"
    effect: Effect
    cards: tuple[tuple[int, int], ...]  # card number, attack

    def __str__(self) -> str:
        return ":".join(map(str, (f"{self.kind} {self.effect.family}", *self.effect.arguments)))

    def card(self, rng: random.Random) -> tuple[int, int]:
        """Return one of the cards that have it."""
        return rng.choice(self.cards)


Build = Callable[[Named, random.Random], Made]


@cache
def all_effects() -> tuple[Named, ...]:
    """Return every effect of the pool, by kind and name."""
    found: dict[tuple[str, Effect], list[tuple[int, int]]] = {}
    for card in load().values():
        for index, attack in enumerate(card.attacks):
            if attack.effect.family:
                found.setdefault(("attack", attack.effect), []).append((card.number, index))
        if card.effect.family:
            kind = "ability" if card.kind == Kind.POKEMON else "trainer"
            found.setdefault((kind, card.effect), []).append((card.number, 0))
    listed = [Named(kind, effect, tuple(cards)) for (kind, effect), cards in found.items()]
    return tuple(sorted(listed, key=str))


def traces_of(named: Named, seed: int, times: int = TIMES, rules: Rules = DEFAULT) -> list[Trace]:
    """Record traces from random states until the effect has acted from so many of them."""
    build = BUILDERS.get((named.kind, named.effect.family)) or _DEFAULTS[named.kind]
    found: list[Trace] = []
    acting = 0
    for number in range(times * TRIES):
        rng = random.Random(f"{seed} {named} {number}")
        made = build(named, rng)
        if made is None:
            continue
        state, action = made
        start = Start(rules, states.standing(state).tobytes())
        ways = list(answers(start, f"{named}, state {number}", action))
        found += ways
        acting += any(acted(named, way) for way in ways)
        if acting == times:
            break
    return found


def acted(named: Named, trace: Trace) -> bool:
    """Return whether an effect did something in a trace."""
    seen = QUIET.get(named.effect.family)
    if seen is not None and seen(named, trace):
        return True
    return any(named.effect.family in fired for fired in trace.fired)


# How states are made


@cache
def _called(*names: str) -> tuple[int, ...]:
    """Return all cards of some names."""
    return tuple(card.number for card in load().values() if card.name in names)


def _position(rng: random.Random) -> tuple[np.ndarray, int]:
    """Return a random state, and whose turn it is."""
    state = states.position(rng)
    return state, int(state["player"])


def _attack(named: Named, rng: random.Random) -> Made:
    number, index = named.card(rng)
    state, player = _position(rng)
    state = states.in_slot(state, player, 0, number, rng)
    if rng.random() < 0.4:
        state = states.tough(state, 1 - player, rng)
    return _helped(named, state, rng), actions.ATTACK + index


def _helped(named: Named, state: np.ndarray, rng: random.Random) -> np.ndarray:
    """Add what some attacks depend on, every other time."""
    if rng.random() < 0.5:
        return state
    player = int(state["player"])
    partner = PARTNERS.get(named.effect.family)
    bench = states.taken(state, player)[1:]
    if partner and bench:
        state = states.in_slot(state, player, rng.choice(bench), rng.choice(_called(partner)), rng)
    match named.effect.family:
        case "more_if_tool":
            tool = rng.choice(states.of_kind(Kind.TOOL))
            state = states.with_tool(state, player, 0, tool, rng)
        case "bench_nidoran":
            card = states.spare(state, player, rng)
            if card is not None:
                state, card = states.exchanged(state, player, card, rng.choice(_called("Nidoran♂")))
                if state["players"][player]["zone"][card] != Zone.DECK:
                    state = states.moved(state, player, card, Zone.DECK)
        case "more_if_evolved":
            there = state["players"][player]["slots"][0]
            there["fresh"] = there["evolved"] = 1
        case "sweets_relay" | "sweets_overload":
            state["players"][player]["sweets_turn"] = int(state["turn"]) - 2
            state["players"][player]["sweets_count"] = rng.randint(1, 4)
        case "more_if_foe_poisoned":
            state["players"][1 - player]["poisoned"] = 1
        case "attach_bench" | "flips_attach" | "each_bench_type" if bench:
            kind = next(a for a in named.effect.arguments if a < ENERGIES)
            same = [c.number for c in load().values() if c.type == kind and c.basic]
            state = states.in_slot(state, player, rng.choice(bench), rng.choice(same), rng)
    return state


PARTNERS = {"more_with_latios": "Latios", "more_per_nidoking": "Nidoking"}


def _used(named: Named, rng: random.Random) -> Made:
    state, player = _position(rng)
    slot = 0
    if named.effect.family not in ("gas_leak", "lure_basic"):
        slot = rng.choice(states.taken(state, player))
    state = states.in_slot(state, player, slot, named.card(rng)[0], rng)
    if named.effect.family == "charge_active" and slot:
        same = [c.number for c in load().values() if c.type == named.effect.arguments[0]]
        state = states.in_slot(state, player, 0, rng.choice(same), rng)
    return state, actions.ABILITY + slot


def _defends(named: Named, rng: random.Random) -> Made:
    state, player = _position(rng)
    rock = named.effect.family == "armor_type" and rng.random() < 0.8
    against = ROCK if rock else PLAIN
    state = states.in_slot(state, player, 0, by_print(against).number, rng)
    if named.effect.family == "arceus_armor":
        bench = states.taken(state, 1 - player)[1:]
        if not bench:
            return None
        arceus = rng.choice(_called("Arceus", "Arceus ex"))
        state = states.in_slot(state, 1 - player, rng.choice(bench), arceus, rng)
    state = states.in_slot(state, 1 - player, 0, named.card(rng)[0], rng)
    return state, actions.ATTACK


def _waits(named: Named, rng: random.Random) -> Made:
    """Set up abilities that act by themselves at the end of a turn, or on energy."""
    state, player = _position(rng)
    pulse = named.effect.family == "pulse_draw"
    slot = 0 if pulse else rng.choice(states.taken(state, player))
    state = states.in_slot(state, player, slot, named.card(rng)[0], rng)
    if named.effect.family in ("aura", "plumage"):
        state["players"][player]["energy"] = named.effect.arguments[0]
        return state, actions.ATTACH + slot
    if named.effect.family == "first_turn_charge":
        state["turn"] = 1 + (state["first"] != player)
        state["players"]["slots"]["marks"] = 0
        state["players"]["no_supporter"] = state["players"]["sweets_turn"] = 0
    return state, actions.PASS


def _trickery(named: Named, rng: random.Random) -> Made:
    state, player = _position(rng)
    state = states.in_slot(state, player, 0, named.card(rng)[0], rng)
    there = state["players"][1 - player]["slots"][0]
    there["damage"] = max(0, full_hp(state, 1 - player, 0) // 10 - 1)
    there["marks"][[Mark.SHIELD, Mark.IMMUNE]] = 0
    return state, actions.ATTACK


def _evolves(named: Named, rng: random.Random) -> Made:
    """Set up `ripples`, which acts when played, and `veevolve`, which acts when evolved."""
    state, player = _position(rng)
    if named.effect.family == "ripples":
        into = named.card(rng)[0]
        below = [c for c in load().values() if c.name == by_number(into).evolves_from]
        number = rng.choice(below).number
    else:
        number = named.card(rng)[0]
        into = rng.choice([c.number for c in load().values() if c.evolves_from == "Eevee"])
    slot = rng.choice(states.taken(state, player))
    state = states.in_slot(state, player, slot, number, rng)
    state["players"][player]["slots"][slot]["damage"] = rng.choice((1, 2))
    held = states.in_hand(state, player, into, rng)
    return None if held is None else (held[0], actions.PLAY + held[1])


NEEDED = {
    "recall": ("Muk", "Weezing"),
    "rock_charge": ("Golem", "Onix"),
    "gather": ("Raichu", "Electrode", "Electabuzz"),
}


def _trainer(named: Named, rng: random.Random) -> Made:
    state, player = _position(rng)
    effect = named.effect
    if effect.family in NEEDED:
        number = rng.choice(_called(*NEEDED[effect.family]))
        state = states.in_slot(state, player, 0, number, rng)
    if effect.family in ("heal_type", "flip_charge"):
        same = [c.number for c in load().values() if c.type == effect.arguments[0]]
        slot = rng.choice(states.taken(state, player))
        state = states.in_slot(state, player, slot, rng.choice(same), rng)
    if effect.family in ("heal_type", "potion"):
        for slot in states.taken(state, player):
            there = state["players"][player]["slots"][slot]
            there["damage"] = max(1, int(there["damage"]))
    if effect.family == "gather":
        for slot in states.taken(state, player)[1:]:
            state["players"][player]["slots"][slot]["energy"][effect.arguments[0]] += 1
    state["supporter"] = state["stadium_played"] = 0
    state["players"][player]["no_supporter"] = 0
    if by_number(named.card(rng)[0]).kind == Kind.STADIUM:
        state = states.without_stadium(state)
    held = states.in_hand(state, player, named.card(rng)[0], rng)
    return None if held is None else (held[0], actions.PLAY + held[1])


def _or_played(way: Build) -> Build:
    """Set up a card that is played, or is active already."""
    return lambda named, rng: rng.choice((_trainer, way))(named, rng)


def _beyond(state: np.ndarray, player: int, slot: int) -> None:
    """Set damage that only the card's HP can bear."""
    facts = card_in(state, player, slot)
    assert facts
    state["players"][player]["slots"][slot]["damage"] = facts.hp // 10


def _caped(named: Named, rng: random.Random) -> Made:
    state, player = _position(rng)
    slot = rng.choice(states.taken(state, player))
    state = states.with_tool(state, player, slot, named.card(rng)[0], rng)
    if state["players"][player]["slots"][slot]["tool"] == NONE:
        return None
    _beyond(state, player, slot)
    return state, actions.PASS


def _helmeted(named: Named, rng: random.Random) -> Made:
    state, player = _position(rng)
    state = states.with_tool(state, 1 - player, 0, named.card(rng)[0], rng)
    state = states.in_slot(state, player, 0, by_print(PLAIN).number, rng)
    return state, actions.ATTACK


def _on_plains(named: Named, rng: random.Random) -> Made:
    state, player = _position(rng)
    state = states.with_stadium(state, rng.randrange(2), named.card(rng)[0], rng)
    there = [(s, card_in(state, player, s)) for s in states.taken(state, player)]
    basics = [s for s, facts in there if facts and facts.stage == 0]
    if not basics or state["stadium_owner"] == NONE:
        return None
    _beyond(state, player, rng.choice(basics))
    return state, actions.PASS


def _on_plaza(named: Named, rng: random.Random) -> Made:
    """Attach energy only for the remaining cost."""
    kind, less = named.effect.arguments
    state, player = _position(rng)
    bench = states.taken(state, player)[1:]
    same = [c.number for c in load().values() if c.type == kind and c.retreat and c.hp]
    state = states.with_stadium(state, rng.randrange(2), named.card(rng)[0], rng)
    state = states.in_slot(state, player, 0, rng.choice(same), rng)
    active = card_in(state, player, 0)
    assert active is not None
    cost = max(0, active.retreat - less)
    _with_energy(state, player, cost, rng)
    return (state, actions.RETREAT + rng.choice(bench) - 1) if bench else None


def _floats(named: Named, rng: random.Random) -> Made:
    state, player = _position(rng)
    bench = states.taken(state, player)[1:]
    if not bench:
        return None
    state = states.in_slot(state, player, rng.choice(bench), rng.choice(_called("Latias")), rng)
    state = states.in_slot(state, player, 0, named.card(rng)[0], rng)
    _with_energy(state, player, 0, rng)
    return state, actions.RETREAT + rng.choice(bench) - 1


def _with_energy(state: np.ndarray, player: int, count: int, rng: random.Random) -> None:
    """Attach so much energy to the Active Pokemon, and nothing else that affects retreats."""
    there = state["players"][player]["slots"][0]
    there["energy"] = 0
    for _ in range(count):
        there["energy"][rng.randrange(ENERGIES)] += 1
    state["retreated"] = state["speed"] = 0
    state["players"][player]["mind"] = Mind.CLEAR


def _barred(named: Named, rng: random.Random) -> Made:
    state, player = _position(rng)
    state = states.in_slot(state, 1 - player, 0, named.card(rng)[0], rng)
    state["supporter"] = state["players"][player]["no_supporter"] = 0
    supporter = by_print("P-A 007").number
    held = states.in_hand(state, player, supporter, rng)
    if held is None or not states.cards_in(held[0], player, Zone.DECK):
        return None
    return held[0], actions.PASS


def _uses_stadium(named: Named, rng: random.Random) -> Made:
    state = states.position(rng)
    state = states.with_stadium(state, rng.randrange(2), named.card(rng)[0], rng)
    state["stadium_used"] = 0
    return state, actions.STADIUM


_DEFAULTS = {"attack": _attack, "ability": _used, "trainer": _trainer}
BUILDERS: dict[tuple[str, str], Build] = {
    **{("ability", f): _defends for f in ("armor", "armor_type", "arceus_armor", "counter")},
    **{("ability", f): _waits for f in ("aura", "plumage", "first_turn_charge", "pulse_draw")},
    **{("ability", f): _evolves for f in ("ripples", "veevolve")},
    ("ability", "trickery"): _trickery,
    ("ability", "floating"): _floats,
    ("ability", "bar_supporters"): _barred,
    ("trainer", "cape"): _or_played(_caped),
    ("trainer", "helmet"): _or_played(_helmeted),
    ("trainer", "plains"): _or_played(_on_plains),
    ("trainer", "plaza"): _or_played(_on_plaza),
    ("trainer", "academy"): _or_played(_uses_stadium),
}


# Effects that act without a report


def _first(trace: Trace) -> np.void:
    return np.frombuffer(trace.records[0], STATE)[0]


def _lives_on(named: Named, trace: Trace) -> bool:
    """Return whether a Pokemon of the player has as much damage as the card's HP."""
    state = _first(trace)
    player = int(state["player"])
    return any(
        (facts := card_in(state, player, slot)) is not None
        and 10 * int(state["players"][player]["slots"][slot]["damage"]) >= facts.hp
        for slot in states.taken(state, player)
    )


def _left_for_less(named: Named, trace: Trace) -> bool:
    """Return whether a Pokemon retreated with less energy than the card's cost."""
    state = _first(trace)
    player = int(state["player"])
    facts = card_in(state, player, 0)
    energy = int(state["players"][player]["slots"][0]["energy"].sum())
    retreats = actions.RETREAT <= trace.actions[0] < actions.ABILITY
    return retreats and facts is not None and energy < facts.retreat


def _is_barred(named: Named, trace: Trace) -> bool:
    """Return whether a Supporter that draws cannot be played although the deck has cards."""
    state = _first(trace)
    side = state["players"][int(state["player"])]
    if state["turn"] != np.frombuffer(trace.start.record, STATE)[0]["turn"]:
        return False
    held = np.flatnonzero(
        (side["zone"] == Zone.HAND) & (side["cards"] == by_print("P-A 007").number)
    )
    mask = np.unpackbits(np.frombuffer(trace.masks[0], np.uint8))
    return len(held) > 0 and not mask[actions.PLAY + int(held[0])]


def _is_used(named: Named, trace: Trace) -> bool:
    return trace.actions[0] == actions.STADIUM


QUIET: dict[str, Callable[[Named, Trace], bool]] = {
    "cape": _lives_on,
    "plains": _lives_on,
    "plaza": _left_for_less,
    "floating": _left_for_less,
    "bar_supporters": _is_barred,
    "academy": _is_used,
}


def everything(
    seed: int, times: int = TIMES, rules: Rules = DEFAULT
) -> Iterator[tuple[Named, list[Trace], int]]:
    """Return all effects with their traces, and from how many states each acted."""
    for named in all_effects():
        traces = traces_of(named, seed, times, rules)
        starts = {trace.start.record for trace in traces if acted(named, trace)}
        yield named, traces, len(starts)
