"""The course of a game: turns and the check-up."""

from __future__ import annotations

from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.state import Mind
from envwright.zoo.tcgpocket.reference import zones
from envwright.zoo.tcgpocket.reference.abilities import end_of_turn
from envwright.zoo.tcgpocket.reference.damage import hurt
from envwright.zoo.tcgpocket.reference.knockout import finish, knock_outs, verdict
from envwright.zoo.tcgpocket.reference.setup import generate
from envwright.zoo.tcgpocket.reference.state import TIE, Table

POISON, BURN = 10, 20


def placed(table: Table) -> None:
    """[S5] Continue after a player has placed Pokemon: with the other one, or the first turn."""
    if table.player == table.first:
        table.player = 1 - table.first
    else:
        begin(table)


def begin(table: Table) -> None:
    """[T1-T3, W4] Begin a turn: a card, an energy. After the last turn the game is a tie."""
    if table.turn == table.settings.max_turns:
        finish(table, TIE)
        return
    table.turn += 1
    table.player = table.first if table.turn % 2 else 1 - table.first
    table.stage = Stage.MAIN
    zones.draw(table.me)
    if table.turn > 1:
        table.me.energy = table.me.next_energy
        table.me.next_energy = generate(table, table.me)


def end(table: Table) -> None:
    """[U1-U3] End a turn: abilities, the check-up, and everything that lasts one turn."""
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
    """[U2] Check condition by condition, first for the player whose turn ends."""
    sides = [player for player in (table.me, table.foe) if player.active]
    for player in sides:
        if player.poisoned:
            hurt(table, player, player.at(0), POISON)
    for player in sides:
        if player.burned:
            hurt(table, player, player.at(0), BURN)
            player.burned = not table.chance.heads(Purpose.BURN)
    for player in sides:
        if player.mind == Mind.ASLEEP and table.chance.heads(Purpose.SLEEP):
            player.mind = Mind.CLEAR
    if table.me.mind == Mind.PARALYSED:
        table.me.mind = Mind.CLEAR


def proceed(table: Table) -> None:
    """Continue while no player is asked: knock-outs, the verdict, promotions, then the stage."""
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
