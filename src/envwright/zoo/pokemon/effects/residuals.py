"""Effects of Pokemon, abilities and items at the end of a turn (onResidual), in order."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import replies
from envwright.zoo.pokemon.effects.rows import Op, Trigger
from envwright.zoo.pokemon.engine import boosts, faint, status
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has
from envwright.zoo.pokemon.engine.facts import any_of, fainted, grounded, weather, weather_for
from envwright.zoo.pokemon.engine.hp import Cause, heal, hurt, share, siphon
from envwright.zoo.pokemon.engine.ids import ABILITY, ITEM, MOVE, TERRAIN
from envwright.zoo.pokemon.state import Cond, Flag, Status, Timer, Weather

# abilities and items with rules of their own, by place
EARLY_ABILITIES = ("hydration", "shedskin")
LATE_ABILITIES = ("speedboost", "slowstart", "baddreams", "harvest")
HIDING = ("fly", "bounce", "dig", "dive", "phantomforce", "shadowforce")
ORBS = ("flameorb", "toxicorb")


def places(c: Context, s: Side) -> list[Array]:
    """Return whether ability and item have a handler in each of their places."""
    item = c.rows.item_replies
    at = (c.ints(Trigger.RESIDUAL), s.item)
    rows = c.look(item.op, *at) != Op.NONE
    order = c.look(item.order, *at)
    return [
        any_of(c.no, s.ability, ABILITY, *EARLY_ABILITIES),
        rows & (order == 5),
        any_of(c.no, s.ability, ABILITY, *LATE_ABILITIES),
        any_of(c.no, s.item, ITEM, *ORBS),
        s.item == ITEM.whiteherb,
    ]


def hides(c: Context, s: Side) -> Array:
    """Return whether the prepared move hides its user, which adds a condition."""
    return any_of(c.no, s.charge_move, MOVE, *HIDING)


def run(c: Context, on: Array) -> None:
    """Run all orders in a loop, so that fainting is compiled once.

    `me` is the faster Pokemon, or the first player's unless `c.mv.order` says otherwise.
    """
    c.mv.second = c.where(on, 0, len(RULES))
    c.loop(lambda c: c.mv.second < len(RULES), _place)


def _place(c: Context) -> None:
    place, on = c.mv.second, c.f.winner == 0
    turned = on & (place < len(RULES)) & has(c.mv.order, place)
    c.when(turned, Context.flip)
    for number, rule in enumerate(RULES):
        here = on & (place == number)
        c.when(here, rule, c.me)
        lost = c.no  # the battle ends before the other's turn comes
        for s in (c.me, c.foe):
            lost = lost | ((s.fainting > 0) & (s.left <= 1))
        c.when(here & ~lost, rule, c.foe)
    faint.run(c, place < len(RULES))
    c.when(turned, Context.flip)
    c.mv.second = place + 1


def _late(c: Context, on: Array, s: Side) -> None:
    """Run order 28: abilities and orbs."""
    here = on & ~fainted(s)
    c.when(here & any_of(c.no, s.ab, ABILITY, *LATE_ABILITIES), _late_ability, s)
    c.when(here & any_of(c.no, s.item, ITEM, *ORBS), _orb, s)


def _late_ability(c: Context, on: Array, s: Side) -> None:
    o = c.other(s)
    quick = on & (s.ab == ABILITY.speedboost) & (s.active_turns > 0)
    boosts.boost(c, quick, s, boosts.one(c, boosts.SPE, 1), False)
    slow = on & (s.ab == ABILITY.slowstart) & (s.active_turns > 0)
    left = s.timers[Timer.SLOW_START]
    s.timers[Timer.SLOW_START] = c.where(slow & (left > 0), left - 1, left)
    dreams = on & (s.ab == ABILITY.baddreams) & (s.hp > 0) & (o.status == Status.SLEEP)
    hurt(c, dreams & ~fainted(o), o, share(c, o, 8), Cause.OTHER)
    grows = on & (s.ab == ABILITY.harvest)
    sky = weather(c)
    sunny = (sky == Weather.SUN) | (sky == Weather.HARSH_SUN)
    lucky = sunny | c.chance(grows & ~sunny, 1, 2)
    berry = c.look(c.t.items.is_berry, s.last_item)
    regrown = grows & lucky & (s.hp > 0) & (s.item == 0) & berry
    s.item = c.where(regrown, s.last_item, s.item)
    s.last_item = c.where(regrown, 0, s.last_item)


def _orb(c: Context, on: Array, s: Side) -> None:
    kind = c.where(s.item == ITEM.flameorb, Status.BURN, Status.TOXIC)
    status.set_status(c, on, s, kind, s, by_move=False)


def in_weather(c: Context, on: Array, s: Side, sky: Array) -> None:
    """Run abilities that react to the weather (onWeather)."""
    felt = weather_for(c, s)
    rain = (felt == Weather.RAIN) | (felt == Weather.HEAVY_RAIN)
    sun = (felt == Weather.SUN) | (felt == Weather.HARSH_SUN)
    dry = on & (s.ab == ABILITY.dryskin)
    heal(c, dry & rain, s, share(c, s, 8))
    hurt(c, dry & sun, s, share(c, s, 8), Cause.OTHER)
    heal(c, on & (s.ab == ABILITY.raindish) & rain, s, share(c, s, 16))
    snow = (sky == Weather.SNOW) | (sky == Weather.HAIL)
    heal(c, on & (s.ab == ABILITY.icebody) & snow, s, share(c, s, 16))


def _wish(c: Context, on: Array, s: Side) -> None:
    comes = on & (s.conditions[Cond.WISH] == 1)  # counted down when the turn ends
    s.conditions[Cond.WISH] = c.where(comes, 0, s.conditions[Cond.WISH])
    heal(c, comes & ~fainted(s), s, c.div(s.wish_hp, 2))


def _recover(c: Context, on: Array, s: Side) -> None:
    here = on & ~fainted(s)
    grassy = here & (c.f.terrain == TERRAIN.grassyterrain) & grounded(c, s)
    heal(c, grassy, s, share(c, s, 16))
    sky = weather_for(c, s)
    wet = (sky == Weather.RAIN) | (sky == Weather.HEAVY_RAIN)
    status.cure(c, here & (s.ab == ABILITY.hydration) & wet, s)
    sheds = here & (s.ab == ABILITY.shedskin) & (s.status != 0) & (s.hp > 0)
    status.cure(c, c.chance(sheds, 33, 100), s)
    replies.residual_item(c, here, s)


def _seed(c: Context, on: Array, s: Side) -> None:
    o = c.other(s)
    here = on & ~fainted(s)
    seeded = here & has(s.flags, Flag.LEECH_SEED) & ~fainted(o) & (o.hp > 0)
    c.when(seeded, _leech, s)


def _leech(c: Context, on: Array, s: Side) -> None:
    o = c.other(s)
    lost = hurt(c, on, s, share(c, s, 8), Cause.OTHER)
    siphon(c, on, o, s, lost)


def _ailment(c: Context, on: Array, s: Side) -> None:
    here = on & ~fainted(s)
    toxic, poison = here & (s.status == Status.TOXIC), here & (s.status == Status.POISON)
    s.status_turns = c.where(toxic, c.xp.minimum(s.status_turns + 1, 15), s.status_turns)
    amount = c.where(toxic, share(c, s, 16) * s.status_turns, share(c, s, 8))
    ill = toxic | poison
    thrives = ill & (s.ab == ABILITY.poisonheal)
    heal(c, thrives, s, share(c, s, 8))
    hurt(c, ill & ~thrives, s, amount, Cause.POISON)


def _burn(c: Context, on: Array, s: Side) -> None:
    burned = on & ~fainted(s) & (s.status == Status.BURN)
    hurt(c, burned, s, share(c, s, 16), Cause.BURN)


def _curse(c: Context, on: Array, s: Side) -> None:
    cursed = on & ~fainted(s) & has(s.flags, Flag.CURSE)
    hurt(c, cursed, s, share(c, s, 4), Cause.OTHER)


def _bound(c: Context, on: Array, s: Side) -> None:
    o = c.other(s)
    here = on & ~fainted(s)
    held = here & (s.timers[Timer.BOUND] > 0)
    s.timers[Timer.BOUND] = c.where(held, s.timers[Timer.BOUND] - 1, s.timers[Timer.BOUND])
    free = held & (fainted(o) | (o.hp <= 0) | has(s.flags, Flag.BINDER_GONE))
    s.timers[Timer.BOUND] = c.where(free, 0, s.timers[Timer.BOUND])
    squeezed = held & (s.timers[Timer.BOUND] > 0)
    hurt(c, squeezed, s, share(c, s, 8), Cause.OTHER)


def _timers(c: Context, on: Array, s: Side) -> None:
    here = on & ~fainted(s)
    for timer in (Timer.TAUNT, Timer.ENCORE, Timer.DISABLE, Timer.HEAL_BLOCK, Timer.THROAT_CHOP,
                  Timer.ROOST):  # fmt: skip
        left = s.timers[timer]
        s.timers[timer] = c.where(here & (left > 0), left - 1, left)
    spent = c.no
    for slot in range(4):
        spent = spent | ((s.moves[slot] == s.encore_move) & (s.pp[slot] <= 0))
    s.timers[Timer.ENCORE] = c.where(here & spent, 0, s.timers[Timer.ENCORE])


def _yawn(c: Context, on: Array, s: Side) -> None:
    here = on & ~fainted(s) & (s.timers[Timer.YAWN] > 0)
    s.timers[Timer.YAWN] = c.where(here, s.timers[Timer.YAWN] - 1, s.timers[Timer.YAWN])
    sleeps = here & (s.timers[Timer.YAWN] == 0)
    c.when(sleeps, status.set_status, s, Status.SLEEP, c.other(s))


RULES = (_wish, _recover, _seed, _ailment, _burn, _curse, _bound, _timers, _yawn, _late)
# the handlers that decide who is first in each rule
PLACES = ("wish", "early", "seed", "poison", "burn", "curse", "bound", "TAUNT", "YAWN", "late")
