"""Effects of attacks after damage, by family; docs/tcgpocket-rules.md describes each."""

from __future__ import annotations

from collections.abc import Callable

from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import Mark, Mind
from envwright.zoo.tcgpocket.reference import zones
from envwright.zoo.tcgpocket.reference.damage import attach_from_zone
from envwright.zoo.tcgpocket.reference.state import Pokemon, Table
from envwright.zoo.tcgpocket.reference.strike import Strike, current

Effect = Callable[..., None]  # of a strike and the arguments of the family


def _on_heads(effect: Effect) -> Effect:
    """Flip a coin first; nothing happens on tails."""

    def flipped(s: Strike, *arguments: int) -> None:
        if s.heads():
            effect(s, *arguments)

    return flipped


# Energy


def _discard_foe_energy(s: Strike) -> None:
    if s.affects():
        zones.spend_random(s.table, s.foe, s.defender)


def _attach_self(s: Strike, kind: int) -> None:
    if s.stands():
        attach_from_zone(s.table, s.me, s.attacker, kind)


def _energise(table: Table, count: int, done: int = 0) -> None:
    if count and energisable(table, done):
        table.ask(Ask.ENERGISE, table.player, count=count, mask=done)


def energisable(table: Table, done: int) -> list[int]:
    """Return slots of the Bench that this attack may attach energy to; `done` are bits of slots."""
    effect = current(table).effect
    kind = None if effect.family == "attach_two" else effect.arguments[-1]
    return [
        slot
        for slot in table.me.benched
        if not done >> slot & 1 and kind in (None, table.me.at(slot).card.type)
    ]


def energise(table: Table, slot: int, count: int, done: int) -> None:
    """Attach one energy to a slot of the Bench; the next may follow."""
    effect = current(table).effect
    attach_from_zone(table, table.me, table.me.at(slot), effect.arguments[-1])
    if effect.family == "attach_two":
        done |= 1 << slot
    _energise(table, count - 1, done)


# Healing and Special Conditions


def _heal_self(s: Strike, amount: int) -> None:
    if s.stands():
        zones.heal(s.attacker, amount)


def _condition(name: str, value: int = True) -> Effect:
    """Return an effect that gives the Defending Pokemon a Special Condition."""

    def change(s: Strike) -> None:
        if s.affects():
            setattr(s.foe, name, value)

    return change


def _sleep_self(s: Strike) -> None:
    s.me.mind = Mind.ASLEEP


# What lasts for a turn


def _mark_foe(mark: Mark) -> Effect:
    def change(s: Strike, _amount: int = 0) -> None:
        if s.affects():
            s.defender.marks[mark] = s.table.turn + 1

    return change


def _mark_self(mark: Mark, turns: int = 1) -> Effect:
    def change(s: Strike, _amount: int = 0) -> None:
        s.attacker.marks[mark] = s.table.turn + turns

    return change


def _frenzy(s: Strike, _more: int) -> None:
    s.attacker.frenzy += 1


def _no_supporters(s: Strike) -> None:
    s.foe.no_supporter = s.table.turn + 1


# Cards and places


def _fetch_type(s: Strike, kind: int) -> None:
    zones.fetch(s.table, s.me, lambda card: zones.is_pokemon(card) and card.type == kind)


def _bench_nidoran(s: Strike) -> None:
    slot = s.me.free_bench()
    if slot is None:
        return
    card = zones.find(s.table, s.me, lambda card: card.name == "Nidoran♂")
    if card is not None:
        s.me.slots[slot] = Pokemon(card, s.me.cards[card], fresh=True)


def _discard_foe_hand(s: Strike) -> None:
    if s.foe.hand:
        card = s.foe.hand[s.table.chance.below(Purpose.CARD, len(s.foe.hand))]
        zones.from_hand(s.foe, card)
        s.foe.discard.append(card)


def _mill_both(s: Strike, count: int) -> None:
    for player in (s.me, s.foe):
        for _ in range(min(count, len(player.deck))):
            player.discard.append(zones.take_top(player))


def _reveal_hand(s: Strike) -> None:
    s.foe.revealed = set(s.foe.hand)


def _shuffle_foe(s: Strike) -> None:
    if s.affects():
        s.foe.deck += sorted(zones.leave_play(s.foe, 0))
        zones.shuffle(s.table, s.foe)


def _switch_out(s: Strike) -> None:
    if s.affects() and s.foe.benched:
        s.table.ask(Ask.SWITCH_OUT, 1 - s.table.player)


def _drag(s: Strike) -> None:
    if s.affects() and s.foe.benched:
        s.table.ask(Ask.DRAG, s.table.player)


def _teleport(s: Strike) -> None:
    if s.stands() and s.me.benched:
        s.table.ask(Ask.TELEPORT, s.table.player)


AFTER: dict[str, Effect] = {
    "discard_own": lambda s, kind, count: zones.spend(s.me, s.attacker, kind, count),
    "discard_own_all": lambda s: zones.spend_all(s.me, s.attacker),
    "discard_own_random": lambda s: zones.spend_random(s.table, s.me, s.attacker),
    "discard_foe_energy": _discard_foe_energy,
    "flip_discard_foe_energy": _on_heads(_discard_foe_energy),
    "attach_self": _attach_self,
    "attach_bench": lambda s, kind: _energise(s.table, 1),
    "attach_two": lambda s, kind: _energise(s.table, 2),
    "flips_attach": lambda s, count, kind: _energise(s.table, s.coins(count)),
    "heal_self": _heal_self,
    "flip_heal": _on_heads(_heal_self),
    "drain": lambda s: _heal_self(s, s.dealt),
    "sleep": _condition("mind", Mind.ASLEEP),
    "confuse": _condition("mind", Mind.CONFUSED),
    "flip_paralyse": _on_heads(_condition("mind", Mind.PARALYSED)),
    "poison": _condition("poisoned"),
    "flip_burn": _on_heads(_condition("burned")),
    "sleep_self": _sleep_self,
    "growl": _mark_foe(Mark.GROWL),
    "no_attack": _mark_foe(Mark.NO_ATTACK),
    "flip_no_attack": _on_heads(_mark_foe(Mark.NO_ATTACK)),
    "no_retreat": _mark_foe(Mark.NO_RETREAT),
    "guard": _mark_self(Mark.GUARD),
    "spikes": _mark_self(Mark.SPIKES),
    "flip_shield": _on_heads(_mark_self(Mark.SHIELD)),
    "flip_immune": _on_heads(_mark_self(Mark.IMMUNE)),
    "boost_next": _mark_self(Mark.BOOST, turns=2),
    "frenzy": _frenzy,
    "no_supporters": _no_supporters,
    "draw": lambda s, count: zones.draw(s.me, count),
    "fetch_type": _fetch_type,
    "fetch_pokemon": lambda s: zones.fetch(s.table, s.me, zones.is_pokemon),
    "bench_nidoran": _bench_nidoran,
    "discard_foe_hand": _discard_foe_hand,
    "flip_discard_foe_hand": _on_heads(_discard_foe_hand),
    "mill_both": _mill_both,
    "reveal_hand": _reveal_hand,
    "flip_shuffle_foe": _on_heads(_shuffle_foe),
    "switch_out": _switch_out,
    "flip_drag": _on_heads(_drag),
    "teleport": _teleport,
}
