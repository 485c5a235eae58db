"""Opponents in plain Python, one action at a time: what the arrays of the package must equal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from envwright.zoo.tcgpocket.cards import Attack, Card, Kind, load
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask

WEAKNESS = 20
OWN, OTHER = 0, 1


def worths(name: str, view: np.ndarray, mask: np.ndarray) -> dict[int, float]:
    """What an opponent thinks of each legal action; `view` is a record."""
    seen = ObservationReader(view)
    return {action: OPPONENTS[name](seen, action) for action in np.flatnonzero(mask).tolist()}


class ObservationReader:
    """An observation with the facts of the cards in it."""

    def __init__(self, view: np.ndarray):
        self.view = view
        self.ask = int(view["ask"])

    def hand_card(self, action: int) -> Card:
        """The card that an action plays."""
        return load()[int(self.view["cards"][action - actions.PLAY])]

    def pokemon(self, side: int, slot: int) -> Card | None:
        """The card in a slot."""
        number = int(self.view["sides"][side]["slots"][slot]["card"])
        return load()[number] if number else None

    def energy(self, side: int, slot: int) -> list[int]:
        """Energy in a slot, by type."""
        return self.view["sides"][side]["slots"][slot]["energy"].tolist()

    def left(self, side: int, slot: int) -> int:
        """HP that are left in a slot, as printed; 0 if it is empty."""
        card = self.pokemon(side, slot)
        damage = int(self.view["sides"][side]["slots"][slot]["damage"])
        return card.hp - 10 * damage if card else 0

    def missing(self, side: int, slot: int, attack: Attack) -> int:
        """How many energies an attack lacks."""
        energy = self.energy(side, slot)
        typed = sum(max(0, need - have) for need, have in zip(attack.cost, energy, strict=False))
        return max(typed, sum(attack.cost) - sum(energy))

    def wants(self, slot: int, kind: int) -> int:
        """What one energy of a type does for a slot: 2 an attack can be used, 1 it is closer, 0."""
        card = self.pokemon(OWN, slot)
        best = 0
        for attack in card.attacks if card else ():
            lack = self.missing(OWN, slot, attack)
            energy = self.energy(OWN, slot)
            energy[kind] += 1
            typed = sum(max(0, n - h) for n, h in zip(attack.cost, energy, strict=False))
            after = max(typed, sum(attack.cost) - sum(energy))
            if after < lack:
                best = max(best, 2 if after == 0 else 1)
        return best

    def hit(self, index: int) -> float:
        """What an attack of the Active Pokemon takes from the other one, expected."""
        mine, other = self.pokemon(OWN, 0), self.pokemon(OTHER, 0)
        if mine is None or other is None:
            return 0
        damage = expected_damage(mine.attacks[index])
        if damage and mine.type == other.weakness:
            damage += WEAKNESS
        return damage + 10 * int(self.view["press"]) * (damage > 0)


def expected_damage(attack: Attack) -> float:
    """The damage of an attack with coins as they fall on average; nothing else is counted."""
    effect = attack.effect
    match effect.family, effect.arguments:
        case "flips_each", (count, damage):
            return count * damage / 2
        case "flips_all_more", (count, more):
            return attack.damage + more / 2**count
        case (("flip_more" | "flip_more_or_recoil"), (more, *_)):
            return attack.damage + more / 2
        case "until_tails_each", (damage,):
            return damage
        case "until_tails_more", (more,):
            return attack.damage + more
        case "flip_or_nothing", _:
            return attack.damage / 2
        case (("hit_foe" | "hit_foe_bench"), (damage,)):
            return attack.damage + damage / 2
        case "discard_hit", (_, _, damage):
            return damage
        case "random_hits", (times, damage):
            return times * damage / 2
    return attack.damage


def _is(action: int, first: int, count: int) -> bool:
    return first <= action < first + count


def _plays(seen: ObservationReader, action: int) -> Card | None:
    return seen.hand_card(action) if _is(action, actions.PLAY, 20) else None


def _random(_sight: ObservationReader, _action: int) -> float:
    return 0


def _weight(seen: ObservationReader, action: int) -> float:
    """How often the weighted opponent takes an action: what brings the game on, more often."""
    if seen.ask == Ask.MAIN:
        for first, count, weight in (
            (actions.ATTACK, 4, 10),
            (actions.ATTACH, 4, 6),
            (actions.PLAY, 20, 5),
            (actions.ABILITY, 4, 5),
            (actions.RETREAT, 3, 0.5),
            (actions.DISCARD_FOSSIL, 4, 0.1),
        ):
            if _is(action, first, count):
                return weight
    return 1


def _attach_attack(seen: ObservationReader, action: int) -> float:
    """Energy to the Active Pokemon, then its strongest attack; otherwise as little as possible."""
    if seen.ask != Ask.MAIN:
        return action != actions.PASS
    if action == actions.ATTACH:
        return 1000
    if _is(action, actions.ATTACK, 4):
        return 100 + seen.hit(action - actions.ATTACK)
    card = _plays(seen, action)
    if card and card.basic:
        return 1001
    return 1 if action == actions.PASS else 0


def _evolution_rusher(seen: ObservationReader, action: int) -> float:
    """Evolves and looks for cards first; then as attach-attack."""
    if seen.ask == Ask.EVOLVE:
        return sum(seen.energy(OWN, action - actions.CHOOSE_SLOT))
    card = _plays(seen, action) if seen.ask == Ask.MAIN else None
    if card:
        if card.kind == Kind.POKEMON and card.stage:
            return 3000 + card.stage
        if card.effect.family in ("fetch_basic", "draw"):
            return 2000
    return _attach_attack(seen, action)


def _greedy(seen: ObservationReader, action: int) -> float:
    """Does everything useful in a turn, and then the attack that takes most, lethal ones first."""
    if seen.ask == Ask.MAIN:
        return _greedy_main(seen, action)
    if _is(action, actions.CHOOSE_SLOT, 8):
        return _greedy_slot(seen, action - actions.CHOOSE_SLOT)
    if _is(action, actions.CHOOSE_ENERGY, 8):
        card = seen.pokemon(OWN, 0)
        needed = max((a.cost[action - actions.CHOOSE_ENERGY] for a in card.attacks), default=0)
        return -needed
    if action == actions.PASS:
        return -1  # rather a Pokemon more on the Bench
    card = _plays(seen, action)
    return card.hp if card else 0


def _greedy_main(seen: ObservationReader, action: int) -> float:
    view = seen.view
    if _is(action, actions.ATTACK, 4):
        damage = seen.hit(action - actions.ATTACK)
        return 100 + damage + 500 * (damage >= seen.left(OTHER, 0))
    if _is(action, actions.ATTACH, 4):
        slot = action - actions.ATTACH
        return (
            1200 + 100 * seen.wants(slot, int(view["sides"][OWN]["energy"]) - 1) + 50 * (slot == 0)
        )
    if _is(action, actions.ABILITY, 4):
        return 1300
    if action == actions.STADIUM:
        return 1800
    if _is(action, actions.RETREAT, 3):
        return _greedy_retreat(seen, action - actions.RETREAT + 1)
    card = _plays(seen, action)
    if card is None:
        return 50 if action == actions.PASS else -1
    return _greedy_play(seen, card)


def _greedy_play(seen: ObservationReader, card: Card) -> float:
    if card.kind == Kind.POKEMON:
        return 2000 + card.hp
    hurt = max(int(s["damage"]) for s in seen.view["sides"][OWN]["slots"])
    match card.effect.family:
        case "fetch_basic" | "draw":
            return 1900
        case "press" | "blaze":
            return 1100 if _can_attack(seen) else -1
        case "potion" | "heal_type":
            return 1150 if hurt >= 2 else -1
        case "flip_charge" | "rock_charge" | "gather" | "cape" | "helmet" | "fossil":
            return 1850
        case "redraw":
            return 1100 if seen.view["sides"][OTHER]["hand"] > 4 else -1
    return 60 if card.kind != Kind.SUPPORTER else -1


def _can_attack(seen: ObservationReader) -> bool:
    card = seen.pokemon(OWN, 0)
    return any(a.damage and not seen.missing(OWN, 0, a) for a in card.attacks)


def _greedy_retreat(seen: ObservationReader, slot: int) -> float:
    """Only from a Pokemon that cannot attack to one that can."""
    card = seen.pokemon(OWN, slot)
    ready = any(a.damage and not seen.missing(OWN, slot, a) for a in card.attacks)
    return 110 if ready and not _can_attack(seen) else -2


def _greedy_slot(seen: ObservationReader, slot: int) -> float:
    if slot >= 4:  # the weakest of the other side
        return -seen.left(OTHER, slot - 4)
    card = seen.pokemon(OWN, slot)
    if seen.ask in (Ask.PROMOTE, Ask.SWITCH_OUT, Ask.TELEPORT):
        ready = [expected_damage(a) for a in card.attacks if not seen.missing(OWN, slot, a)]
        return 1000 * max(ready, default=0) + seen.left(OWN, slot)
    if seen.ask == Ask.HIT:  # an own one has to take it
        return seen.left(OWN, slot)
    if seen.ask in (Ask.TRAINER, Ask.RIPPLES):
        return int(seen.view["sides"][OWN]["slots"][slot]["damage"]) + (slot == 0)
    return sum(seen.energy(OWN, slot)) + 2 * (slot == 0)


OPPONENTS: dict[str, Callable[[ObservationReader, int], float]] = {
    "random": _random,
    "weighted": _weight,
    "attach-attack": _attach_attack,
    "evolution-rusher": _evolution_rusher,
    "greedy": _greedy,
}
