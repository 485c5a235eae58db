"""One answer and all that follows from it, up to the next question."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.engine import aftermath, attack, chance, play, turns
from envwright.zoo.tcgpocket.engine.aftermath import Reach
from envwright.zoo.tcgpocket.engine.answers import Answer, decode, put_question
from envwright.zoo.tcgpocket.engine.attack import Attack
from envwright.zoo.tcgpocket.engine.kit import Kit, total, whole
from envwright.zoo.tcgpocket.engine.legal import choices, legal, only_answer
from envwright.zoo.tcgpocket.engine.play import Deed
from envwright.zoo.tcgpocket.engine.rows import Discard, Need, Op
from envwright.zoo.tcgpocket.engine.settle import idle, settle
from envwright.zoo.tcgpocket.engine.slots import there
from envwright.zoo.tcgpocket.engine.state import NO_CARD, State, copied


def advance(k: Kit, s: State, go: Any, action: Any) -> State:
    """Answer the question of some lanes; lanes without one just continue."""
    s = copied(s)
    a = k.phase(go, lambda s: decode(k, s, go, action), s)
    trainer = a.card_facts.need >= Need.ALWAYS
    k.phase((a.card != NO_CARD) & ~trainer, lambda s, a: play.play_cards(k, s, a), s, a)
    able = a.main(actions.ABILITY, 4) | a.main(actions.STADIUM)
    deed = k.phase(able | trainer, lambda s, a: play.deeds(k, s, a), s, a)
    pays = a.main(actions.RETREAT, 3) | (a.ask == Ask.PAY)
    paid, bench = k.phase(pays, lambda s, a: play.retreat(k, s, a), s, a)
    attacks = a.main(actions.ATTACK, 4) | (a.ask >= Ask.HIT)
    ahead = k.phase(attacks, lambda s, a: attack.prepare(k, s, a), s, a)
    reach = _effects(k, s, a, ahead, deed, attacks)
    promoted = (a.ask >= Ask.PROMOTE) & (a.ask <= Ask.TELEPORT)
    k.phase(promoted | paid, lambda s, a: aftermath.switches(k, s, a, paid, bench), s, a)
    k.phase(attacks, lambda s, a: aftermath.questions(k, s, a, ahead, reach), s, a)
    return go_on(k, s, go, a)


def _effects(k: Kit, s: State, a: Answer, ahead: Attack, deed: Deed, attacks: Any) -> Reach:
    """Flip coins and apply everything that an attack, ability or card does."""
    busy = attacks | (deed.op > 0)
    heads, thrown = k.phase(busy, lambda s: _coins(k, s, ahead, deed), s)

    def damage(s: State) -> Any:
        attack.stop(k, s, ahead, heads)
        own, base = attack.targets(k, s, a, ahead, thrown)
        attack.deal(k, s, ahead, own, base)
        return ahead.heads, ahead.live, ahead.took, Reach.of(k, s, ahead)

    ahead.heads, ahead.live, ahead.took, reach = k.phase(ahead.resolves, damage, s)

    def after_attack(s: State) -> None:
        aftermath.marks(k, s, ahead, reach)
        aftermath.own_discards(k, s, ahead, reach)
        drawn = (ahead.row.discard >= Discard.OWN_RANDOM) | (ahead.row.foe_hand == 1)
        discards = lambda s: aftermath.random_discards(k, s, ahead, reach)  # noqa: E731
        k.phase(reach.any & drawn, discards, s)

    def after_any(s: State) -> None:
        aftermath.shuriken(k, s, a)
        aftermath.conditions(k, s, ahead, deed, reach, heads)
        aftermath.healing(k, s, a, ahead, deed, reach)
        aftermath.turn_effects(k, s, deed)

    k.phase(reach.any, after_attack, s)
    attach = lambda s: aftermath.energy_from_zone(k, s, a, ahead, deed, reach, heads)  # noqa: E731
    k.phase(busy | a.main(actions.ATTACH, 4), attach, s)
    k.phase(busy, after_any, s)
    fossil = a.main(actions.DISCARD_FOSSIL, 4)
    aftermath.cards(k, s, a, ahead, deed, reach, heads, reach.any | (deed.op > 0) | fossil)
    return reach


def _coins(k: Kit, s: State, ahead: Attack, deed: Deed) -> tuple[Any, Any]:
    """Flip all coins of an answer and draw targets; return heads and hits int32[4, B]."""
    xp, row = k.xp, ahead.row
    until_op = deed.does(Op.FLIP_CHARGE)
    one = deed.does(Op.PENDULUM) | deed.does(Op.ACADEMY)
    until = until_op | (ahead.resolves & (row.until == 1))
    fixed = xp.where(ahead.resolves, row.coins, whole(one))
    throws = ahead.resolves & (row.hits > 0)
    others = total(whole(there(s.foe)))
    left = xp.where(until, 1, xp.where(throws & (others > 1), row.hits, fixed))
    purpose = xp.where(throws, Purpose.TARGET, Purpose.COIN)
    n = xp.where(throws, others, 2)
    summed = chance.repeated(k, s, left, until, purpose, n, throws)
    hits = xp.where(throws, xp.where(others > 1, summed, row.hits), 0)
    return xp.where(throws, 0, summed), attack.thrown_at(k, s, hits)


def go_on(k: Kit, s: State, go: Any, a: Answer) -> State:
    """Continue until a player is asked."""
    xp = k.xp
    passed = a.main(actions.PASS)
    s.stage = xp.where(passed, Stage.ATTACK, s.stage)  # a turn that passes ends as after an attack
    settle(k, s, go)
    waits = idle(k, s, go)
    ends = waits & (s.stage == Stage.ATTACK)
    put_question(k, s, waits & (s.stage == Stage.MAIN), Ask.MAIN)
    k.phase(ends, lambda s: turns.end(k, s, ends), s)
    settle(k, s, ends)
    placed = (a.ask == Ask.SETUP_BENCH) & (a.action == actions.PASS)
    begins = (idle(k, s, go) & (s.stage == Stage.CHECKUP)) | (placed & (s.player != s.first))
    k.phase(begins | placed, lambda s: _next_player(k, s, begins, placed), s)
    return s


def _next_player(k: Kit, s: State, begins: Any, placed: Any) -> None:
    """Begin a turn; while setting up, let the other player place [S5]."""
    places = placed & ~begins
    put_question(k, s, places, Ask.SETUP_ACTIVE)
    turns.begin(k, s, begins, places)


def to_choice(k: Kit, s: State, words: Any, action: Any = None) -> tuple[State, Any]:
    """Answer `action`, if given, then continue until each lane has a choice [C6].

    That is a question with two answers; or the game is over.
    """

    def forced(s: State, words: Any) -> Any:
        return (s.stage != Stage.OVER) & (choices(k, words) < 2)

    def body(carry: Any) -> Any:
        s, words, go, action, log = carry
        outer, k.log = k.log, log
        s = normal(advance(k, s, go, action))
        words = legal(k, s)
        carry = s, words, forced(s, words), only_answer(k, words), k.log
        k.log = outer
        return carry

    if action is None:
        go, action = forced(s, words), only_answer(k, words)
    else:
        go = s.stage != Stage.OVER
    s, words, _, _, k.log = k.loop(
        lambda carry: carry[2].any(), body, (s, words, go, action.astype(np.int32), k.log)
    )
    return s, words


def normal(s: State) -> State:
    """Cast every field to its dtype: words of chance are uint32, all else int32."""
    s = copied(s)
    for part in (s, s.me, s.foe):
        for name, value in vars(part).items():
            if name not in ("me", "foe", "key", "counter"):
                setattr(part, name, value.astype(np.int32))
    return s


def step(k: Kit, s: State, action: Any) -> tuple[State, Any]:
    """Answer in every lane, and continue to the next choice; return state and legal actions."""
    nothing = k.xp.zeros((4, *s.turn.shape), np.int32)
    return to_choice(k, s, nothing, action)
