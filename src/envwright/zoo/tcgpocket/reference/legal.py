"""The legal actions of a player."""

from __future__ import annotations

from envwright.zoo.tcgpocket.cards import Card, Kind
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.state import Mark, Mind
from envwright.zoo.tcgpocket.reference import abilities, attack, trainers
from envwright.zoo.tcgpocket.reference.attack_effects import energisable
from envwright.zoo.tcgpocket.reference.state import Player, Pokemon, Question, Table

STILL = (Mind.ASLEEP, Mind.PARALYSED)


def legal(table: Table) -> list[int]:
    """Return actions that answer the question, ascending; there is at least one."""
    question = table.question
    assert question
    player = table.players[question.player]
    match question.ask:
        case Ask.MAIN:
            return _main(table)
        case Ask.SETUP_ACTIVE:
            return _basics(player)
        case Ask.SETUP_BENCH:
            room = player.free_bench() is not None
            return [actions.PASS, *(_basics(player) if room else [])]
        case Ask.PAY:
            energy = player.at(0).energy
            return [actions.CHOOSE_ENERGY + kind for kind in range(8) if energy[kind]]
        case Ask.COPY_ATTACK:
            copied = table.foe.at(question.mask).card.attacks
            return [actions.CHOOSE_ATTACK + index for index in range(len(copied))]
    slots = [actions.CHOOSE_SLOT + slot for slot in _slots(table, question, player)]
    return [actions.PASS, *slots] if question.ask == Ask.RIPPLES else slots


def _slots(table: Table, question: Question, player: Player) -> list[int]:
    """Return slots that a question is about (0-3 the own, 4-7 the other side's)."""
    match question.ask:
        case Ask.EVOLVE:
            return evolvable(table, player.cards[question.asked_card])
        case Ask.TOOL:
            return trainers.toolless(table)
        case Ask.TRAINER:
            return trainers.targets(table, player.cards[question.asked_card])
        case Ask.PROMOTE | Ask.SWITCH_OUT | Ask.TELEPORT:
            return player.benched
        case Ask.DRAG:
            if table.stage == Stage.MAIN:
                return [4 + slot for slot in abilities.benched_basics(table)]
            return [4 + slot for slot in table.foe.benched]
        case Ask.HIT:
            return attack.targets(table)
        case Ask.SHURIKEN:
            return [4 + slot for slot in table.foe.taken]
        case Ask.ENERGISE:
            return energisable(table, question.mask)
        case Ask.RIPPLES:
            return abilities.healable(table, question.count)
        case Ask.COPY_POKEMON:
            return [4 + slot for slot in attack.copyable(table)]
    raise AssertionError(question.ask)


def _basics(player: Player) -> list[int]:
    return [actions.PLAY + card for card in _distinct(player) if player.cards[card].basic]


def _distinct(player: Player) -> list[int]:
    """[C5] Return cards in hand, only the first of equal ones."""
    found, last = [], -1
    for card in player.hand:
        if player.cards[card].number != last:
            last = player.cards[card].number
            found.append(card)
    return found


def _main(table: Table) -> list[int]:
    me = table.me
    options = [actions.PASS]
    for card in _distinct(me):
        if _playable(table, me.cards[card]):
            options.append(actions.PLAY + card)
    taken = me.taken
    if me.energy is not None:
        options += [actions.ATTACH + slot for slot in taken]
    if can_retreat(table):
        options += [actions.RETREAT + slot - 1 for slot in me.benched]
    for slot in taken:
        if me.at(slot).card.effect.family and abilities.usable(table, slot):
            options.append(actions.ABILITY + slot)
    options += [actions.ATTACK + index for index in attacks(table)]
    if table.stadium and trainers.stadium_usable(table):
        options.append(actions.STADIUM)
    for slot in taken:
        if me.at(slot).card.kind == Kind.FOSSIL and (slot or me.benched):
            options.append(actions.DISCARD_FOSSIL + slot)
    return options


def _playable(table: Table, card: Card) -> bool:
    if card.kind == Kind.FOSSIL or card.basic:
        return table.me.free_bench() is not None
    if card.kind == Kind.POKEMON:
        return bool(evolvable(table, card))
    return trainers.playable(table, card)


def evolvable(table: Table, card: Card) -> list[int]:
    """[V1-V3] Return own slots whose Pokemon can evolve into a card now."""
    if table.first_turn:
        return []
    return [slot for slot in table.me.taken if _evolves(table.me.at(slot), card)]


def _evolves(pokemon: Pokemon, card: Card) -> bool:
    if pokemon.fresh:
        return False
    into_any = pokemon.card.effect.family == "veevolve" and card.evolves_from == "Eevee"
    return into_any or card.evolves_from == pokemon.card.name


def retreat_cost(table: Table) -> int:
    """[R2] Return the cost of the Active Pokemon's retreat now."""
    active = table.me.at(0)
    if active.card.effect.family == "floating" and any(
        p and p.card.name == "Latias" for p in table.me.slots
    ):
        return 0
    cost = active.card.retreat - table.speed
    plaza = table.stadium_effect("plaza")
    if plaza and active.card.type == plaza[0]:
        cost -= plaza[1]
    return max(0, cost)


def can_retreat(table: Table) -> bool:
    """[R1] Whether it may retreat: once a turn, with a Bench, not held, asleep or paralysed."""
    me = table.me
    active = me.at(0)
    return (
        not table.retreated
        and bool(me.benched)
        and active.card.kind != Kind.FOSSIL
        and me.mind not in STILL
        and active.marks[Mark.NO_RETREAT] != table.turn
        and sum(active.energy) >= retreat_cost(table)
    )


def attacks(table: Table) -> list[int]:
    """[A1] Return attacks that the Active Pokemon can use now."""
    active = table.me.at(0)
    if table.me.mind in STILL or active.marks[Mark.NO_ATTACK] == table.turn:
        return []
    return [
        index
        for index, option in enumerate(active.card.attacks)
        if attack.can_pay(active.energy, option.cost)
    ]
