"""End a turn, and list what a side may choose next."""

from __future__ import annotations

from envwright.core.arrays import Array
from envwright.zoo.pokemon.engine import queue
from envwright.zoo.pokemon.engine.boxes import Side
from envwright.zoo.pokemon.engine.context import Context, has, put
from envwright.zoo.pokemon.engine.facts import fainted, grounded, has_type, type_immunity
from envwright.zoo.pokemon.engine.ids import ABILITY, FLAG, IMMUNITY, ITEM, TYPE
from envwright.zoo.pokemon.state import Cond, Flag, Request, Result, Timer, Turn

TURN_LIMIT = 1000


def end_turn(c: Context, on: Array) -> None:
    """Count the turn, clear what lasts only one turn, and ask both sides for a move."""
    f = c.f
    f.turn = c.where(on, f.turn + 1, f.turn)
    for s in (c.me, c.foe):
        _forget(c, on, s)
        _disable(c, on, s)
        _trap(c, on, s)
        wish = s.conditions[Cond.WISH]
        s.conditions[Cond.WISH] = c.where(on & (wish > 1), wish - 1, wish)
        s.active_turns = c.where(on & ~fainted(s), s.active_turns + 1, s.active_turns)
        s.fell_last_turn = c.where(on, s.fell_this_turn, s.fell_last_turn)
        s.fell_this_turn = c.where(on, 0, s.fell_this_turn)
    over = on & (f.turn > TURN_LIMIT)
    f.winner = c.where(over, 3, f.winner)
    for s in (c.me, c.foe):
        s.request = c.where(on & ~over, Request.MOVE, s.request)
    f.mid_turn = c.where(on, 0, f.mid_turn)


def _forget(c: Context, on: Array, s: Side) -> None:
    s.last_result = c.where(on, s.move_result, s.last_result)
    s.move_result = c.where(on, Result.UNSET, s.move_result)
    kept = ~(1 << Turn.NEWLY_SWITCHED | 1 << Turn.MOVED | 1 << Turn.TRAPPED)
    turn_only = 1 << Turn.USED_ITEM | 1 << Turn.STATS_RAISED | 1 << Turn.STATS_LOWERED
    after_first = c.f.turn != 1
    s.turn_flags = c.where(on, s.turn_flags & kept, s.turn_flags)
    s.turn_flags = c.where(on & after_first, s.turn_flags & ~turn_only, s.turn_flags)
    s.hurt = c.where(on & after_first, -1, s.hurt)


def _disable(c: Context, on: Array, s: Side) -> None:
    """Disable moves; conditions that do so tie with each other and draw."""
    locked = has(s.flags, Flag.CHOICE_LOCK)
    timers = [
        s.timers[t] > 0
        for t in (Timer.ENCORE, Timer.TAUNT, Timer.THROAT_CHOP, Timer.HEAL_BLOCK, Timer.DISABLE)
    ]
    encored, taunted, hoarse, unhealed, one_off = timers
    count = c.i(locked)
    for timer in timers:
        count = count + c.i(timer)
    for drawn in range(3):
        c.draw(on & (count > drawn + 1), c.xp.maximum(count - drawn, 1))
    choice = c.look(c.t.items.is_choice, s.item)
    known = c.no
    for slot in range(4):
        known = known | (s.moves[slot] == s.choice_move)
    s.flags = put(c, on & locked & ~(choice & known), s.flags, Flag.CHOICE_LOCK, False)
    locked = locked & choice & known
    vest = s.item == ITEM.assaultvest
    disabled = c.zero
    for slot in range(4):
        move = s.moves[slot]
        status = c.look(c.t.moves.category, move) == 2
        words = [c.look(c.t.moves.flags[:, i], move) for i in range(2)]
        flags = {
            name: has(words[FLAG[name][0]], FLAG[name][1])
            for name in ("sound", "heal", "cantusetwice")
        }
        off = (locked & (move != s.choice_move)) | (encored & (move != s.encore_move))
        off = off | ((taunted | vest) & status) | (hoarse & flags["sound"])
        off = off | (unhealed & flags["heal"]) | (one_off & (move == s.disable_move))
        off = off | (flags["cantusetwice"] & (move == s.last_move))
        disabled = disabled | (c.i(off) << slot)
    s.disabled = c.where(on, disabled, s.disabled)


def _trap(c: Context, on: Array, s: Side) -> None:
    """Decide whether it may leave the field."""
    o = c.other(s)
    there = ~fainted(o)
    trapped = (s.timers[Timer.BOUND] > 0) & ~has(s.flags, Flag.BINDER_GONE)
    shadow = (o.ab == ABILITY.shadowtag) & (s.ab != ABILITY.shadowtag)
    ground = (o.ab == ABILITY.arenatrap) & grounded(c, s)
    magnet = (o.ab == ABILITY.magnetpull) & has_type(c, s, TYPE.Steel)
    trapped = trapped | (there & (shadow | ground | magnet))
    trapped = trapped & ~type_immunity(c, s, IMMUNITY["trapped"]) & (s.item != ITEM.shedshell)
    trapped = trapped | queue.locked(s)
    s.turn_flags = put(c, on & trapped, s.turn_flags, Turn.TRAPPED)


def mask(c: Context, s: Side, alive: list[Array]) -> list[Array]:
    """Return which of the 14 actions a side may take; `alive`: party slots 1..5 it may pick."""
    moving, switching = s.request == Request.MOVE, s.request == Request.SWITCH
    locked = queue.locked(s)
    able = queue.usable(c, s)
    nothing = ~(able[0] | able[1] | able[2] | able[3])
    slots = [moving & ~locked & one for one in able]
    forced = moving & (locked | nothing)
    slots[0] = slots[0] | forced
    tera = [slot & ~forced & (s.tera_used == 0) for slot in slots]
    reviving = s.request == Request.REVIVE
    free = switching | reviving | (moving & ~has(s.turn_flags, Turn.TRAPPED))
    return [*slots, *tera, *[x & free for x in alive], s.request == Request.WAIT]
