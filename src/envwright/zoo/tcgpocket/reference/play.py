"""Play actions."""

from __future__ import annotations

from envwright.zoo.tcgpocket.cards import Kind
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.reference import abilities, attack, trainers, turn, zones
from envwright.zoo.tcgpocket.reference.attack_effects import energise
from envwright.zoo.tcgpocket.reference.damage import attach_from_zone, hurt
from envwright.zoo.tcgpocket.reference.legal import legal, retreat_cost
from envwright.zoo.tcgpocket.reference.state import Player, Pokemon, Question, Table


def answer(table: Table, action: int) -> None:
    """Play a player's decision; the action is known to be legal."""
    question = table.question
    assert question
    table.question = None
    player = table.players[question.player]
    slot = action - actions.CHOOSE_SLOT
    match question.ask:
        case Ask.MAIN:
            _main(table, action)
        case Ask.SETUP_ACTIVE:
            _place(player, action - actions.PLAY, 0)
        case Ask.SETUP_BENCH:
            if action == actions.PASS:
                turn.placed(table)
            else:
                _place(player, action - actions.PLAY, _free(player))
        case Ask.EVOLVE:
            _evolve(table, question.asked_card, slot)
        case Ask.TOOL:
            trainers.attach_tool(table, question.asked_card, slot)
        case Ask.TRAINER:
            trainers.play_on(table, question.asked_card, slot)
        case Ask.PAY:
            zones.spend(player, player.at(0), action - actions.CHOOSE_ENERGY)
            _pay(table, question.mask, question.count - 1)
        case Ask.PROMOTE:
            player.slots[0], player.slots[slot] = player.slots[slot], None
        case Ask.SWITCH_OUT | Ask.TELEPORT:
            zones.switch(player, slot)
        case Ask.DRAG:
            zones.switch(table.foe, slot - 4)
        case Ask.HIT:
            attack.perform(table, slot)
        case Ask.SHURIKEN:
            amount = player.at(question.count).card.effect.arguments[0]
            hurt(table, table.foe, table.foe.at(slot - 4), amount)
        case Ask.ENERGISE:
            energise(table, slot, question.count, question.mask)
        case Ask.RIPPLES:
            _ripples(player, question, action)
        case Ask.COPY_POKEMON:
            table.ask(Ask.COPY_ATTACK, question.player, mask=slot - 4)
        case Ask.COPY_ATTACK:
            attack.copy(table, question.mask, action - actions.CHOOSE_ATTACK)


def _main(table: Table, action: int) -> None:
    me = table.me
    if action == actions.PASS:
        turn.end(table)
    elif action < actions.ATTACH:
        _play(table, action - actions.PLAY)
    elif action < actions.RETREAT:
        kind, me.energy = me.energy, None
        assert kind is not None
        attach_from_zone(table, me, me.at(action - actions.ATTACH), kind)
    elif action < actions.ABILITY:
        table.retreated = True
        _pay(table, action - actions.RETREAT + 1, retreat_cost(table))
    elif action < actions.ATTACK:
        abilities.use(table, action - actions.ABILITY)
    elif action < actions.STADIUM:
        attack.declare(table, action - actions.ATTACK)
    elif action == actions.STADIUM:
        trainers.use_stadium(table)
    else:
        me.discard += zones.leave_play(me, action - actions.DISCARD_FOSSIL)


def _play(table: Table, card_id: int) -> None:
    card = table.me.cards[card_id]
    if card.kind == Kind.FOSSIL or card.basic:
        _place(table.me, card_id, _free(table.me), fresh=True)
        if card.kind == Kind.FOSSIL:
            table.fired.append("fossil")
    elif card.kind == Kind.POKEMON:
        table.ask(Ask.EVOLVE, table.player, card=card_id)
    else:
        trainers.play(table, card_id)


def _free(player: Player) -> int:
    """Return the place for one more on the Bench."""
    slot = player.free_bench()
    assert slot is not None
    return slot


def _place(player: Player, card_id: int, slot: int, fresh: bool = False) -> None:
    """[P6] Bring a Basic Pokemon from the hand into play."""
    zones.from_hand(player, card_id)
    player.slots[slot] = Pokemon(card_id, player.cards[card_id], fresh=fresh)


def _evolve(table: Table, card_id: int, slot: int) -> None:
    """[V4] Evolve: damage, energy and Tool stay; Special Conditions and effects of attacks end."""
    me = table.me
    pokemon = me.at(slot)
    if pokemon.card.effect.family == "veevolve":
        table.fired.append("veevolve")
    zones.from_hand(me, card_id)
    pokemon.under.append(pokemon.id)
    pokemon.id, pokemon.card = card_id, me.cards[card_id]
    pokemon.fresh, pokemon.evolved, pokemon.ability_used = True, True, False
    pokemon.forget_attacks()
    if slot == 0:
        me.recover()
    abilities.after_evolving(table, slot, pokemon)


def _pay(table: Table, slot: int, cost: int) -> None:
    """[R3] Discard energy one by one, without a question if there is no choice."""
    me = table.me
    active = me.at(0)
    if cost and cost == sum(active.energy):
        zones.spend_all(me, active)
        cost = 0
    if cost and table.settings.retreat_payment == "fixed":
        for kind in reversed(range(8)):
            paid = min(cost, active.energy[kind])
            zones.spend(me, active, kind, paid)
            cost -= paid
    if cost:
        table.ask(Ask.PAY, table.player, count=cost, mask=slot)
    else:
        zones.switch(me, slot)


def _ripples(player: Player, question: Question, action: int) -> None:
    if action != actions.PASS:
        amount = player.at(question.count).card.effect.arguments[1]
        zones.heal(player.at(action - actions.CHOOSE_SLOT), amount)


def run(table: Table) -> list[int]:
    """[C6] Continue until a player has a choice, and return the choices; none at the end."""
    while table.stage != Stage.OVER:
        if table.question is None:
            turn.proceed(table)
            continue
        options = legal(table)
        if len(options) > 1:
            return options
        answer(table, options[0])
    return []
