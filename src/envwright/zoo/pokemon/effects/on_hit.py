"""Moves with their own effect when they hit (onHit)."""

from __future__ import annotations

from collections.abc import Callable

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import item_use, paradox
from envwright.zoo.pokemon.engine import bench, boosts, field, status, volatiles
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.facts import any_of, weather_for
from envwright.zoo.pokemon.engine.hp import heal, lose, siphon
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, MOVE
from envwright.zoo.pokemon.engine.numbers import boosted, modify
from envwright.zoo.pokemon.state import Cond, Flag, Status, Timer, Turn, Weather

# The simulator's results, in the order in which they override each other.
UNDEFINED, NULL, FALSE, TRUE = range(4)


def note(c: Context, on: Array, worked: Array, otherwise: int = FALSE) -> None:
    """Record the result of a part of the move."""
    value = c.where(worked, TRUE, otherwise)
    c.mv.did = c.where(on, c.xp.maximum(c.mv.did, value), c.mv.did)


def run(c: Context, on: Array) -> None:
    """Run the rule of the move in use, if it has one."""
    for names, rule in RULES:
        c.when(on & any_of(c.no, c.mv.id, MOVE, *names), rule)


def secondary(c: Context, on: Array) -> None:
    """Run secondary effects that are more than a boost, a status or a condition."""
    mv, foe, me = c.mv, c.foe, c.me
    chop = on & (mv.id == MOVE.throatchop)
    volatiles.set_timer(c, chop, foe, Timer.THROAT_CHOP, 2)
    raised = has(foe.turn_flags, Turn.STATS_RAISED)
    volatiles.confuse(c, on & (mv.id == MOVE.alluringvoice) & raised, foe)
    jealous = on & (mv.id == MOVE.burningjealousy) & raised
    three = on & ((mv.id == MOVE.triattack) | (mv.id == MOVE.direclaw))
    pick = c.draw(three, 3)
    tri = c.where(pick == 0, Status.BURN, c.where(pick == 1, Status.PARALYSIS, Status.FREEZE))
    claw = c.where(pick == 0, Status.POISON, c.where(pick == 1, Status.PARALYSIS, Status.SLEEP))
    given = c.where(mv.id == MOVE.direclaw, claw, tri)
    status.set_status(c, three | jealous, foe, c.where(jealous, Status.BURN, given), me)


def _protect(c: Context, on: Array) -> None:
    me = c.me
    there = on & (me.timers[Timer.STALL] > 0)
    me.stall_counter = c.where(
        there & (me.stall_counter < 729), me.stall_counter * 3,
        c.where(on & ~there, 3, me.stall_counter),
    )  # fmt: skip
    me.timers[Timer.STALL] = c.where(on, 2, me.timers[Timer.STALL])


def _substitute(c: Context, on: Array) -> None:
    lose(c, on, c.me, c.div(c.me.maxhp, 4))


def _shed_tail(c: Context, on: Array) -> None:
    me = c.me
    lose(c, on, me, c.div(me.maxhp + 1, 2))
    me.turn_flags = put(c, on, me.turn_flags, Turn.SKIP_SWITCH_OUT)


def _sunlight(c: Context, on: Array) -> None:
    """Heal by the weather: Synthesis and similar moves."""
    me = c.me
    sky = weather_for(c, me)
    sunny = (sky == Weather.SUN) | (sky == Weather.HARSH_SUN)
    dim = (sky != Weather.NONE) & ~sunny & (sky != Weather.WINDS)
    factor = c.where(sunny, 2732, c.where(dim, 1024, 2048))
    heal(c, on, me, modify(me.maxhp, factor))  # at full HP the move still counts as used


def _shore_up(c: Context, on: Array) -> None:
    me = c.me
    sandy = weather_for(c, me) == Weather.SAND
    heal(c, on, me, modify(me.maxhp, c.where(sandy, 2732, 2048)))


def _rest(c: Context, on: Array) -> None:
    me = c.me
    before, turns = me.status, me.status_turns
    me.status = c.where(on, 0, me.status)
    slept = status.set_status(c, on, me, Status.SLEEP, me)
    kept = on & ~slept
    me.status, me.status_turns = (
        c.where(kept, before, me.status),
        c.where(kept, turns, me.status_turns),
    )
    me.status_turns = c.where(slept & (me.status == Status.SLEEP), 3, me.status_turns)
    heal(c, slept, me, me.maxhp)
    note(c, on & ~slept, c.no)


def _haze(c: Context, on: Array) -> None:
    for s in (c.me, c.foe):
        s.boosts = c.where(on, 0, s.boosts)


def clear_hazards(c: Context, on: Array, s: Side) -> Array:
    """Remove all hazards from a side; return the lanes in which there were any."""
    found = c.no
    for cond in (Cond.SPIKES, Cond.TOXIC_SPIKES, Cond.STEALTH_ROCK, Cond.STICKY_WEB):
        found = found | (on & (s.conditions[cond] > 0))
        s.conditions[cond] = c.where(on, 0, s.conditions[cond])
    return found


def _defog(c: Context, on: Array) -> None:
    me, foe = c.me, c.foe
    open_ = on & ((foe.sub_hp == 0) | c.mv.infiltrates)
    worked = boosts.boost(c, open_, foe, boosts.one(c, boosts.EVA, -1), True)
    for cond in (Cond.REFLECT, Cond.LIGHT_SCREEN, Cond.AURORA_VEIL):
        foe.conditions[cond] = c.where(on, 0, foe.conditions[cond])
    worked = worked | clear_hazards(c, on, foe) | clear_hazards(c, on, me)
    field.clear_terrain(c, on)
    note(c, on, worked)


def _strength_sap(c: Context, on: Array) -> None:
    me, foe = c.me, c.foe
    floor = on & (foe.boosts[0] == -6)
    on = on & ~floor
    amount = boosted(c, foe.stats[0], foe.boosts[0])
    lowered = boosts.boost(c, on, foe, boosts.one(c, boosts.ATK, -1), True)
    healed = siphon(c, on, me, foe, amount)
    note(c, on | floor, (lowered | (healed > 0)) & ~floor)


def _pain_split(c: Context, on: Array) -> None:
    me, foe = c.me, c.foe
    average = c.xp.maximum(c.div(me.hp + foe.hp, 2), 1)
    for s in (me, foe):
        s.hp = c.where(on & (s.hp > 0), c.xp.minimum(average, s.maxhp), s.hp)


def _take_heart(c: Context, on: Array) -> None:
    me = c.me
    raised = boosts.boost(c, on, me, boosts.several(c, spa=1, spd=1), False)
    note(c, on, raised | status.cure(c, on, me))


def _tidy_up(c: Context, on: Array) -> None:
    me, foe = c.me, c.foe
    worked = on & ((me.sub_hp > 0) | (foe.sub_hp > 0))
    for s in (me, foe):
        s.sub_hp = c.where(on, 0, s.sub_hp)
        worked = worked | clear_hazards(c, on, s)
    note(c, on, worked | boosts.boost(c, on, me, boosts.several(c, atk=1, spe=1), False))


def _parting_shot(c: Context, on: Array) -> None:
    mv = c.mv
    lowered = boosts.boost(c, on, c.foe, boosts.several(c, atk=-1, spa=-1), True)
    stays = on & ~lowered & (c.foe.ab != ABILITY.mirrorarmor)
    mv.self_switch = c.where(stays, 0, mv.self_switch)
    note(c, on, on)  # even if nobody can come in


def _trick(c: Context, on: Array) -> None:
    me, foe = c.me, c.foe
    mine, theirs = me.item, foe.item
    loose = (item_use.removable(c, me, mine) | (mine == 0)) & (
        item_use.removable(c, foe, theirs) | (theirs == 0)
    )
    fits = (item_use.removable(c, foe, mine) | (mine == 0)) & (
        item_use.removable(c, me, theirs) | (theirs == 0)
    )
    sticky = (foe.ab == ABILITY.stickyhold) | (me.ab == ABILITY.stickyhold)
    swapped = on & loose & fits & ~sticky & ((mine != 0) | (theirs != 0))
    me.item, foe.item = c.where(swapped, theirs, mine), c.where(swapped, mine, theirs)
    for s, old in ((me, mine), (foe, theirs)):
        choice = c.look(c.t.items.is_choice, s.item)
        s.flags = put(c, swapped & choice, s.flags, Flag.CHOICE_LOCK, False)
        lost = swapped & (old != 0) & (s.ab == ABILITY.unburden)
        s.flags = put(c, lost, s.flags, Flag.UNBURDEN)
        booster = s.item == ITEM.boosterenergy
        s.flags = put(c, swapped, s.flags, Flag.ITEM_STARTED, booster)
        c.when(swapped & booster, paradox.use_booster, s)  # at once
    note(c, on, swapped)


def _belly_drum(c: Context, on: Array) -> None:
    me = c.me
    weak = on & ((me.hp * 2 <= me.maxhp) | (me.boosts[0] >= 6) | (me.maxhp == 1))
    on = on & ~weak
    lose(c, on, me, c.div(me.maxhp, 2))
    boosts.boost(c, on, me, boosts.one(c, boosts.ATK, 12), False)
    note(c, on | weak, ~weak)


def _clear_smog(c: Context, on: Array) -> None:
    c.foe.boosts = c.where(on, 0, c.foe.boosts)


def _ghost_curse(c: Context, on: Array) -> None:
    """Run Curse: a ghost pays half its HP; others trade speed for strength."""
    me, mv = c.me, c.mv
    ghost = on & mv.on_foe
    lose(c, ghost, me, c.div(me.maxhp, 2))
    strong = on & ~mv.on_foe
    c.draw(strong, 100)
    boosts.boost(c, strong, me, boosts.several(c, atk=1, spe=-1), False)
    boosts.boost(c, strong, me, boosts.one(c, boosts.DEF, 1), False)


def _heal_bell(c: Context, on: Array) -> None:
    note(c, on, bench.cure_team(c, on))


RULES: list[tuple[tuple[str, ...], Callable[[Context, Array], None]]] = [
    (("protect", "detect", "banefulbunker", "kingsshield", "spikyshield", "silktrap",
      "burningbulwark", "obstruct", "endure"), _protect),
    (("substitute",), _substitute),
    (("shedtail",), _shed_tail),
    (("synthesis", "moonlight", "morningsun"), _sunlight),
    (("shoreup",), _shore_up),
    (("rest",), _rest),
    (("haze",), _haze),
    (("defog",), _defog),
    (("strengthsap",), _strength_sap),
    (("painsplit",), _pain_split),
    (("takeheart",), _take_heart),
    (("tidyup",), _tidy_up),
    (("partingshot",), _parting_shot),
    (("trick", "switcheroo"), _trick),
    (("bellydrum",), _belly_drum),
    (("clearsmog",), _clear_smog),
    (("curse",), _ghost_curse),
    (("healbell", "aromatherapy"), _heal_bell),
]  # fmt: skip
