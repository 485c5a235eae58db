"""Effects of attacks before damage, by family: coins, sums and targets.

docs/tcgpocket-rules.md describes each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.reference import zones
from envwright.zoo.tcgpocket.reference.state import Table
from envwright.zoo.tcgpocket.reference.strike import Strike

MAX_HEADS = 20  # [C4] a run of so many heads ends a flipping until tails

BEFORE: dict[str, Callable] = {}


def before(function: Callable) -> Callable:
    """Register what a family does before damage."""
    BEFORE[function.__name__.removeprefix("_")] = function
    return function


def heads_until_tails(table: Table) -> int:
    """Flip coins until the first tails; return how many were heads."""
    heads = 0
    while heads < MAX_HEADS and table.chance.heads(Purpose.COIN):
        heads += 1
    return heads


def _benched(s: Strike, name: str) -> int:
    """Count Pokemon of a name on the own Bench."""
    return sum(s.me.at(slot).card.name == name for slot in s.me.benched)


# Damage for each of something, or if something holds

Count = Callable[[Strike], int]
_MORE: dict[str, Count] = {
    "flip_more": lambda s: s.heads(),
    "until_tails_more": lambda s: heads_until_tails(s.table),
    "more_with_latios": lambda s: _benched(s, "Latios") > 0,
    "more_per_nidoking": lambda s: _benched(s, "Nidoking"),
    "more_if_evolved": lambda s: s.attacker.evolved,
    "more_if_tool": lambda s: s.attacker.tool is not None,
    "more_if_hurt": lambda s: s.attacker.damage > 0,
    "more_if_foe_hurt": lambda s: s.defender.damage > 0,
    "more_if_foe_poisoned": lambda s: s.foe.poisoned,
    "more_if_foe_evolved": lambda s: s.defender.card.stage > 0,
    "more_per_foe_energy": lambda s: sum(s.defender.energy),
}
_INSTEAD: dict[str, Count] = {
    "until_tails_each": lambda s: heads_until_tails(s.table),
    "each_bench": lambda s: len(s.me.benched),
    "sweets_overload": lambda s: s.me.sweets_count,
}


def _more(count: Count, s: Strike, more: int) -> None:
    s.damage += more * count(s)


def _instead(count: Count, s: Strike, damage: int) -> None:
    s.damage = damage * count(s)


BEFORE |= {family: partial(_more, count) for family, count in _MORE.items()}
BEFORE |= {family: partial(_instead, count) for family, count in _INSTEAD.items()}


# Damage that coins decide otherwise


@before
def _flips_each(s: Strike, count: int, damage: int) -> None:
    s.damage = s.coins(count) * damage


@before
def _flips_all_more(s: Strike, count: int, more: int) -> None:
    if s.coins(count) == count:
        s.damage += more


@before
def _flip_more_or_recoil(s: Strike, more: int, recoil: int) -> None:
    if s.heads():
        s.damage += more
    else:
        s.own_hits[0] = recoil


@before
def _flip_or_nothing(s: Strike) -> None:
    s.nothing = not s.heads()


@before
def _random_hits(s: Strike, times: int, damage: int) -> None:
    there = s.foe.taken
    for _ in range(times):
        slot = there[s.table.chance.below(Purpose.TARGET, len(there))]
        s.hits[slot] = s.hits.get(slot, 0) + damage


# Damage that depends on what is in play


@before
def _more_if_extra(s: Strike, kind: int, extra: int, more: int) -> None:
    cost, energy = s.attack.cost, s.attacker.energy
    others_for_colorless = sum(energy) - energy[kind] - (sum(cost[:8]) - cost[kind])
    needed = cost[kind] + max(0, cost[8] - others_for_colorless)
    if energy[kind] - needed >= extra:
        s.damage += more


@before
def _each_bench_type(s: Strike, kind: int, damage: int) -> None:
    s.damage = damage * sum(s.me.at(slot).card.type == kind for slot in s.me.benched)


@before
def _flail(s: Strike) -> None:
    s.damage = s.attacker.damage


@before
def _rage(s: Strike) -> None:
    s.damage += s.attacker.damage


@before
def _sweets_relay(s: Strike, more: int) -> None:
    if s.me.sweets_turn and s.me.sweets_turn == s.table.turn - 2:
        s.damage += more
    s.me.sweets_turn = s.table.turn
    s.me.sweets_count += 1


# Damage to others than the Defending Pokemon


def _chosen(s: Strike, damage: int) -> None:
    if s.target is None:
        return
    if s.target >= 4:
        s.hits[s.target - 4] = damage
    else:
        s.own_hits[s.target] = damage


for _family in ("hit_foe", "hit_foe_bench", "hit_own", "hit_own_bench"):
    BEFORE[_family] = _chosen


@before
def _discard_hit(s: Strike, kind: int, count: int, damage: int) -> None:
    zones.spend(s.me, s.attacker, kind, count)
    _chosen(s, damage)


@before
def _hit_each_bench(s: Strike, damage: int) -> None:
    s.hits.update(dict.fromkeys(s.foe.benched, damage))


@before
def _recoil(s: Strike, damage: int) -> None:
    s.own_hits[0] = damage
