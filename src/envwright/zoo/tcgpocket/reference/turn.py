"""Setting up, the beginning and the end of a turn, the check-up, knock-outs and the end of a game."""

from __future__ import annotations

from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import Mark, Mind
from envwright.zoo.tcgpocket.reference import zones
from envwright.zoo.tcgpocket.reference.abilities import end_of_turn
from envwright.zoo.tcgpocket.reference.damage import hurt, knocked_out
from envwright.zoo.tcgpocket.reference.state import TIE, Player, Table

OPENING_HAND = 5
POINTS_TO_WIN = 3
POISON, BURN = 10, 20


def set_up(table: Table) -> None:
    """[S1-S4] Who begins, both opening hands, both first energies."""
    table.first = table.player = table.chance.below(Purpose.FIRST, 2)
    for player in table.players:
        if table.settings.opening == "redraw":
            _redraw(table, player)
        else:
            _deal_basic(table, player)
    for player in table.players:
        player.next_energy = _generate(table, player)


def _redraw(table: Table, player: Player) -> None:
    player.deck = list(range(len(player.cards)))
    while True:
        zones.shuffle(table, player)
        if any(player.cards[card].basic for card in player.deck[:OPENING_HAND]):
            break
    zones.draw(player, OPENING_HAND)


def _deal_basic(table: Table, player: Player) -> None:
    basics = [card for card in range(len(player.cards)) if player.cards[card].basic]
    dealt = basics[table.chance.below(Purpose.OPENING, len(basics))]
    player.deck = [card for card in range(len(player.cards)) if card != dealt]
    zones.shuffle(table, player)
    zones.to_hand(player, dealt)
    zones.draw(player, OPENING_HAND - 1)


def _generate(table: Table, player: Player) -> int:
    return player.types[table.chance.below(Purpose.ENERGY, len(player.types))]


def placed(table: Table) -> None:
    """[S5] A player has placed Pokemon: the other one does, then the first turn begins."""
    if table.player == table.first:
        table.player = 1 - table.first
    else:
        begin(table)


def begin(table: Table) -> None:
    """[T1-T4] A turn begins: a card, an energy. Beyond the last turn the game is a tie."""
    if table.turn == table.settings.max_turns:
        finish(table, TIE)
        return
    table.turn += 1
    table.player = table.first if table.turn % 2 else 1 - table.first
    table.stage = Stage.MAIN
    zones.draw(table.me)
    if table.turn > 1:
        table.me.energy = table.me.next_energy
        table.me.next_energy = _generate(table, table.me)


def end(table: Table) -> None:
    """[U1-U3] A turn ends: abilities, the check-up, and everything that held for this turn."""
    end_of_turn(table)
    check_up(table)
    table.stage = Stage.CHECKUP
    table.me.energy = None
    table.supporter = table.retreated = table.stadium_played = table.stadium_used = False
    table.press = table.blaze = table.speed = 0
    table.attack_card, table.attack_index = None, 0
    for player in table.players:
        if player.no_supporter == table.turn:
            player.no_supporter = 0
        for pokemon in filter(None, player.slots):
            pokemon.fresh = pokemon.evolved = pokemon.ability_used = False
            pokemon.marks = [0 if mark == table.turn else mark for mark in pokemon.marks]


def check_up(table: Table) -> None:
    """[U2] Condition by condition, the player whose turn ends first."""
    sides = [player for player in (table.me, table.foe) if player.active]
    for player in sides:
        if player.poisoned:
            hurt(table, player, player.active, POISON)
    for player in sides:
        if player.burned:
            hurt(table, player, player.active, BURN)
            player.burned = not table.chance.heads(Purpose.BURN)
    for player in sides:
        if player.mind == Mind.ASLEEP and table.chance.heads(Purpose.SLEEP):
            player.mind = Mind.CLEAR
    if table.me.mind == Mind.PARALYSED:
        table.me.mind = Mind.CLEAR


def proceed(table: Table) -> None:
    """Nobody is asked: knock-outs, the end of the game, promotions, then what the stage says."""
    if table.stage == Stage.SETUP:
        table.ask(Ask.SETUP_BENCH if table.me.active else Ask.SETUP_ACTIVE, table.player)
        return
    knock_outs(table)
    winner = verdict(table)
    if winner:
        finish(table, winner)
        return
    for player in (1 - table.player, table.player):
        if table.players[player].active is None:
            table.ask(Ask.PROMOTE, player)
            return
    match table.stage:
        case Stage.MAIN:
            table.ask(Ask.MAIN, table.player)
        case Stage.ATTACK:
            end(table)
        case Stage.CHECKUP:
            begin(table)


def knock_outs(table: Table) -> None:
    """[K1-K3] Everything without HP leaves at once, and the other side gets the points."""
    fallen = [
        (player, slot)
        for player in (0, 1)
        for slot, pokemon in enumerate(table.players[player].slots)
        if pokemon and knocked_out(table, table.players[player], pokemon)
    ]
    for player, slot in fallen:
        owner = table.players[player]
        table.players[1 - player].points += owner.slots[slot].card.points
        owner.discard += zones.leave_play(owner, slot)
    attacker = table.me.active
    if (
        table.stage == Stage.ATTACK
        and attacker
        and attacker.card.effect.family == "trickery"
        and any(player != table.player for player, _ in fallen)
    ):
        attacker.marks[Mark.IMMUNE] = table.turn + 1
        table.fired.append("trickery")


def verdict(table: Table) -> int:
    """[W1-W3] 0, or 1 + the winner, or a tie: who meets more conditions wins."""
    met = [
        (mine.points >= POINTS_TO_WIN) + (not any(other.slots))
        for mine, other in (table.players, table.players[::-1])
    ]
    if met[0] == met[1]:
        return TIE if met[0] else 0
    return 1 if met[0] > met[1] else 2


def finish(table: Table, winner: int) -> None:
    """The game is over."""
    table.winner = winner
    table.stage = Stage.OVER
    table.question = None
