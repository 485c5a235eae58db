"""Use a move: from the decision to its end."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.effects import (
    after_move,
    before_move,
    calling,
    modify_move,
    power,
    try_move,
)
from envwright.zoo.pokemon.engine import faint, hits, line
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.facts import any_of, fainted, refresh_abilities, suppress_foe
from envwright.zoo.pokemon.engine.hp import queue_faint
from envwright.zoo.pokemon.engine.ids import ABILITY, FLAG, MOVE, TARGET
from envwright.zoo.pokemon.state import Result, Timer, Turn

NUMBERS = (
    "power", "accuracy", "type", "category", "priority", "target", "crit_ratio", "ohko",
    "self_destruct", "self_switch", "ignore_immunity", "offensive_stat", "defensive_stat",
    "status", "volatile", "side_condition", "pseudo_weather", "slot_condition", "weather",
    "terrain", "self_chance", "self_volatile", "secondaries",
)  # fmt: skip
TRUTHS = (
    "will_crit", "multiaccuracy", "force_switch", "breaks_protect", "thaws_target", "crash",
    "mind_blown", "struggle_recoil", "steals_boosts", "sleep_usable", "stalling",
    "ignore_ability", "ignore_defensive", "ignore_evasion", "offensive_target", "sheer_force",
    "has_boosts", "has_self_boost_after", "has_self", "self_has_boosts",
)  # fmt: skip
MOVE_FLAGS = (
    "bite", "bullet", "bypasssub", "charge", "contact", "defrost", "futuremove", "heal",
    "mustpressure", "powder", "protect", "pulse", "punch", "reflectable", "slicing", "sound",
    "wind",
)  # fmt: skip
FRACTIONS = ("drain", "recoil", "heal")
SELF_AIMED = ("self", "allySide", "allyTeam", "allies", "adjacentAllyOrSelf")
FIELD_AIMED = ("all", "foeSide", "allySide", "allyTeam")


def fresh(c: Context) -> None:
    """Make room for the move in use; every field of `c.mv` is named here."""
    mv = c.mv
    for name in ("id", "hit", "hits", "matchup", "now_power", "fixed", "base_priority", "did",
                 "dealt", "total", "second", "called_by", "last_type", "order",
                 *NUMBERS):  # fmt: skip
        mv.__dict__[name] = c.zero
    for name in ("using", "going", "crit", "sheer", "type_changed", "infiltrates", "multihit",
                 "variable_power", "stellar_boosted", "stellar_blast", "recoils", "prankster",
                 "bounced", "again", "landed", "failed", "result", "locked", "on_foe", "on_field",
                 "hit_sub", "self_dropped", "breaks_abilities", "hitting", "aimed", "broke",
                 *TRUTHS, *MOVE_FLAGS):  # fmt: skip
        mv.__dict__[name] = c.no
    for name in FRACTIONS:
        mv.__dict__[f"{name}_n"] = mv.__dict__[f"{name}_d"] = c.zero


def load(c: Context, move: Array) -> None:
    """Look up the data of a move."""
    mv, t = c.mv, c.t.moves
    mv.id = move
    for name in NUMBERS + TRUTHS:
        mv.__dict__[name] = c.look(getattr(t, name), move)
    words = [c.look(t.flags[:, i], move) for i in range(2)]
    for name in MOVE_FLAGS:
        word, bit = FLAG[name]
        mv.__dict__[name] = has(words[word], bit)
    for name in FRACTIONS:
        column = getattr(t, name)
        mv.__dict__[f"{name}_n"] = c.look(column[:, 0], move)
        mv.__dict__[f"{name}_d"] = c.xp.maximum(c.look(column[:, 1], move), 1)
    mv.fixed = c.look(t.fixed_damage, move)
    mv.base_priority = mv.priority
    mv.multihit = c.look(t.hits[:, 1], move) > 1
    mv.recoils = (mv.recoil_n > 0) | mv.crash
    variable = c.look(t.callbacks, move) & 1 != 0
    mv.variable_power = variable & ((mv.power == 0) | (mv.power == 150))
    for name in ("crit", "sheer", "type_changed", "infiltrates", "stellar_boosted",
                 "stellar_blast", "breaks_abilities", "hit_sub", "self_dropped"):  # fmt: skip
        mv.__dict__[name] = c.no
    mv.on_foe = c.xp.ones_like(c.no)
    for name in SELF_AIMED:
        mv.on_foe = mv.on_foe & (mv.target != getattr(TARGET, name))
    mv.on_field = any_of(c.no, mv.target, TARGET, *FIELD_AIMED)


def run(c: Context, on: Array) -> None:
    """Let `me` use the move that it has chosen."""
    mv, me = c.mv, c.me
    me.move_actions = c.where(on, me.move_actions + 1, me.move_actions)
    encored = (me.timers[Timer.ENCORE] > 0) & (me.chosen_move != MOVE.struggle)
    move = c.where(encored & (me.chosen_move != 0), me.encore_move, me.chosen_move)
    load(c, c.where(on, move, 0))
    mv.priority = me.chosen_priority
    # decided by the move that was chosen, even if Encore has changed it since
    prank = c.look(c.t.moves.category, me.chosen_move) == 2
    mv.prankster = (me.ab == ABILITY.prankster) & prank & (me.chosen_move != 0)
    mv.bounced, mv.called_by = c.no, c.zero
    on = before_move.run(c, on)
    me.last_damage = c.where(on, 0, me.last_damage)
    mv.locked = (me.timers[Timer.LOCKED] > 0) | (me.timers[Timer.CHARGING] > 0)
    on = _pay(c, on)
    me.last_move = c.where(on, mv.id, me.last_move)
    me.turn_flags = put(c, on, me.turn_flags, Turn.MOVED)
    mv.using, mv.again, used = on, on, on
    c.loop(lambda c: c.mv.again, _use)
    # a bounced move was used by the other side; look from the first user's side again
    c.when(mv.bounced, Context.flip)
    after_move.run(c, used)
    refresh_abilities(c)
    faint.run(c, used)
    faint.decide(c, used, c.no)
    line.note(c, used)


def _pay(c: Context, on: Array) -> Array:
    """Use up PP; a move without PP fails."""
    mv, me = c.mv, c.me
    paid = c.no
    for slot in range(4):
        here = on & ~mv.locked & (me.moves[slot] == mv.id) & ~paid & (mv.id != 0)
        able = here & (me.pp[slot] > 0)
        me.pp[slot] = c.where(able, me.pp[slot] - 1, me.pp[slot])
        paid = paid | able
    broke = on & ~mv.locked & ~paid & (mv.id != MOVE.struggle)
    me.move_result = c.where(broke, Result.FAILURE, me.move_result)
    return on & ~broke


def pressure(c: Context, on: Array) -> None:
    """Add one to the move's cost if the foe has Pressure."""
    mv, me, foe = c.mv, c.me, c.foe
    aimed = mv.on_foe & ((mv.target != TARGET.foeSide) | mv.mustpressure)
    on = on & aimed & (foe.ab == ABILITY.pressure) & ~mv.locked & ~mv.bounced & ~fainted(foe)
    paying = c.where(mv.called_by > 0, mv.called_by, mv.id)
    for slot in range(4):
        here = on & (me.moves[slot] == paying) & (me.pp[slot] > 0)
        me.pp[slot] = c.where(here, me.pp[slot] - 1, me.pp[slot])


def _use(c: Context) -> None:
    """Use one move: the chosen one, one called by it, or the same one bounced back."""
    mv = c.mv
    on = mv.again
    turned = on & mv.bounced
    mv.aimed = c.no
    c.when(turned, Context.flip)
    priority = mv.priority  # a move that is called or bounced has that of the one before
    load(c, c.where(on, mv.id, 0))
    me, foe = c.me, c.foe
    me.move_result = c.where(on, Result.UNSET, me.move_result)
    calling.run(c, on)
    mv.priority = priority
    on = on & (mv.id != 0)
    power.modify_type(c)
    before_move.gagged(c, on)
    modify_move.run(c, on)
    refresh_abilities(c)
    suppress_foe(c, on & mv.breaks_abilities, c.foe)
    missing = on & mv.on_foe & ~mv.on_field & fainted(foe)
    missing = missing | (on & (mv.target == TARGET.adjacentAlly))  # singles have none
    pressure(c, on & ~missing)
    # a second round of this loop loads other moves; these outlast it
    mv.last_type = c.where(on, mv.type, mv.last_type)
    mv.broke = c.where(on, mv.breaks_abilities, mv.broke)
    tried = try_move.run(c, on)  # a move is prepared, or blown up with, even if nobody is there
    queue_faint(c, tried & (mv.self_destruct == 1), me)
    tried = tried & ~missing
    mv.failed = on & ~tried
    landed = hits.run(c, tried)
    mv.landed = landed
    c.when(landed & mv.has_self_boost_after, after_move.self_boost)
    queue_faint(c, on & (me.hp == 0), me)
    failed = on & ~landed
    c.when(failed & mv.crash & tried, after_move.crash)
    after_move.secondary_self(c, landed)
    me.move_result = c.where(
        on & (me.move_result == Result.UNSET),
        c.where(landed, Result.SUCCESS, Result.FAILURE),
        me.move_result,
    )
    calling.finish(c, on)
    mv.again = mv.aimed
