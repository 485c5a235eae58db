"""Rules that are easily got wrong, each by the number it has in docs/tcgpocket-rules.md."""

from __future__ import annotations

import numpy as np
import pytest

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket import deck_lists
from envwright.zoo.tcgpocket.cards import by_number, load
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Chance, Purpose
from envwright.zoo.tcgpocket.contract.state import NONE, Mark, Mind, Zone
from envwright.zoo.tcgpocket.engine.games import Games

from .tables import game, loaded, number, plain, stepped, with_attack


def _energy(record: np.ndarray, player: int = 0, count: int = 4) -> None:
    record["players"][player]["slots"][0]["energy"] = count


def test_C1_C2_a_new_game_draws_what_the_contract_says() -> None:
    decks = (deck_lists.named("sparks"), deck_lists.named("meadow"))
    games = Games(xp="numpy")
    games.new([decks], [7])
    chance = Chance(7)
    first = chance.below(Purpose.FIRST, 2)
    record = games.records[0]
    assert record["first"] == first
    for player, deck in enumerate(decks):
        order = list(range(20))
        while True:
            words = chance.words(20)
            order = [card for _, card in sorted(zip(words, order, strict=True), key=lambda p: p[0])]
            if any(by_number(deck.cards[card]).basic for card in order[:5]):
                break
        placed = record["players"][player]["zone"]
        assert all(placed[card] != Zone.DECK for card in order[:5])
        drawn = sum(placed != Zone.DECK) - 5
        assert record["players"][player]["deck"][: 15 - drawn].tolist() == order[5 + drawn :]
    assert games.draws[0][: len(chance.log)] == chance.log


def test_T2_T3_the_first_player_draws_on_the_first_turn_but_has_no_energy() -> None:
    games = Games(xp="numpy")
    deck = deck_lists.named("sparks")
    games.new([(deck, deck)], [3])
    while games.records[0]["turn"] == 0:
        games.step(games.masks.argmax(1))
    record = games.records[0]
    side = record["players"][record["first"]]
    assert record["turn"] == 1
    assert sum(side["zone"] == Zone.DECK) == 14
    assert side["energy"] == NONE


def test_A3_tails_of_confusion_does_no_damage_to_anybody() -> None:
    record = game([plain(), plain()], [plain(60), plain()])
    _energy(record)
    record["players"][0]["mind"] = Mind.CONFUSED
    games = loaded(record)
    after = stepped(games, actions.ATTACK, [0] * 8)
    assert not after["players"]["slots"]["damage"].any()
    assert games.draws[0][0] == (Purpose.CONFUSION, 2, 0)
    assert after["turn"] == 6


@pytest.mark.parametrize(("first", "taken"), [(False, 2), (True, 0)])
def test_A6_weakness_is_never_reduced_unless_it_counts_first(first: bool, taken: int) -> None:
    attacker = next(
        c for c in load().values()
        if c.attacks and c.attacks[0].damage == 10 and not c.attacks[0].effect.family
    )  # fmt: skip
    weak = next(
        c for c in load().values()
        if c.weakness == attacker.type and c.effect.family == "" and c.stage == 0
    )  # fmt: skip
    record = game([attacker.number, plain()], [weak.number, plain()])
    _energy(record)
    foe = record["players"][1]["slots"][0]
    foe["marks"][Mark.GUARD] = 5
    record["players"][0]["slots"][0]["marks"][Mark.GROWL] = 5 if first else 0
    after = stepped(loaded(record, weakness_first=first), actions.ATTACK)
    assert after["players"][1]["slots"][0]["damage"] == taken


def test_A9_a_fallen_defender_still_strikes_back() -> None:
    spiky = next(c.number for c in load().values() if c.effect.family == "counter")
    record = game([plain(), plain()], [spiky, plain()])
    _energy(record)
    foe = record["players"][1]["slots"][0]
    foe["damage"] = by_number(spiky).hp // 10 - 1
    after = stepped(loaded(record), actions.ATTACK)
    amount = by_number(spiky).effect.arguments[0] // 10
    assert after["players"][0]["slots"][0]["damage"] == amount
    assert after["players"][0]["points"] == by_number(spiky).points


def test_A10_a_teleport_of_an_attacker_without_HP_is_not_asked() -> None:
    mover = with_attack("teleport")
    record = game([mover, plain(), plain()], [plain(100), plain()])
    _energy(record)
    record["players"][0]["slots"][0]["damage"] = by_number(mover).hp // 10 - 1
    record["players"][1]["slots"][0]["marks"][Mark.SPIKES] = 5
    after = stepped(loaded(record), actions.ATTACK)
    assert after["ask"] == Ask.PROMOTE


def test_H2_an_empty_deck_is_no_loss() -> None:
    record = game([plain(), plain()], [plain(), plain()])
    for side in record["players"]:
        side["zone"][side["zone"] == Zone.DECK] = Zone.DISCARD
        side["deck"] = NONE
    games = loaded(record)
    after = stepped(games, actions.PASS)
    assert after["turn"] >= 6
    assert after["winner"] == 0


@pytest.mark.parametrize("payment", ["chosen", "fixed"])
def test_R3_who_pays_chooses_unless_payment_is_fixed(payment: str) -> None:
    costly = next(
        c for c in load().values() if c.retreat == 1 and c.stage == 0 and not c.effect.family
    )
    record = game([costly.number, plain()], [plain(), plain()])
    record["players"][0]["slots"][0]["energy"][[0, 2]] = 1
    games = loaded(record, retreat_payment=payment)
    after = stepped(games, actions.RETREAT)
    if payment == "chosen":
        assert after["ask"] == Ask.PAY
        after = stepped(games, actions.CHOOSE_ENERGY + 0)
        assert after["players"][0]["spent"].tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    else:
        assert after["players"][0]["spent"].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    assert after["retreated"] == 1
    assert after["players"][0]["slots"][1]["energy"].sum() == 1


def test_U2_burn_is_damage_and_then_a_coin() -> None:
    record = game([plain(60), plain()], [plain(60), plain()])
    record["players"]["burned"] = 1
    games = loaded(record)
    after = stepped(games, actions.PASS, [1, 0, 0, 0, 0, 0])
    assert games.draws[0][:2] == [(Purpose.BURN, 2, 1), (Purpose.BURN, 2, 0)]
    assert after["players"]["burned"].tolist() == [0, 1]
    assert after["players"]["slots"]["damage"][:, 0].tolist() == [2, 2]


def test_U4_paralysis_ends_after_a_turn_of_its_owner() -> None:
    record = game([plain(), plain()], [plain(), plain()])
    record["players"]["mind"] = Mind.PARALYSED
    after = stepped(loaded(record), actions.PASS)
    assert after["players"]["mind"].tolist() == [Mind.CLEAR, Mind.PARALYSED]


def test_K2_a_Tool_is_discarded_with_its_Pokemon() -> None:
    record = game([plain(), plain()], [plain(), plain()])
    _energy(record)
    side = record["players"][1]
    fallen = by_number(int(side["cards"][side["slots"][0]["card"]]))
    side["slots"][0]["damage"] = fallen.hp // 10 - 1
    tool = int(side["deck"][0])
    side["deck"][:-1] = side["deck"][1:]
    side["zone"][tool], side["slots"][0]["tool"] = Zone.TOOL, tool
    after = stepped(loaded(record), actions.ATTACK)
    assert after["players"][1]["zone"][tool] == Zone.DISCARD


def test_W3_as_many_conditions_each_is_a_tie() -> None:
    recoiling = next(
        c for c in load().values()
        if c.attacks and c.attacks[0].effect.family == "recoil" and c.attacks[0].damage > 0
    )  # fmt: skip
    record = game([recoiling.number], [plain()])
    _energy(record)
    for side in record["players"]:
        card = by_number(int(side["cards"][side["slots"][0]["card"]]))
        side["slots"][0]["damage"] = card.hp // 10 - 1
    after = stepped(loaded(record), actions.ATTACK)
    assert after["winner"] == 3
    assert after["stage"] == Stage.OVER


def test_V1_nobody_evolves_on_the_own_first_turn() -> None:
    second = next(c for c in load().values() if c.stage == 1 and c.evolves_from == "Bulbasaur")
    for turn, legal in ((2, False), (3, True)):
        record = game([number("Bulbasaur"), plain()], [plain(), plain()], (second.number,), turn)
        record["first"] = 0 if turn % 2 else 1
        games = loaded(record)
        card = record["players"][0]["cards"].tolist().index(second.number)
        assert games.masks[0, actions.PLAY + card] == legal


def test_C6_a_card_with_one_target_asks_nobody() -> None:
    second = next(c for c in load().values() if c.stage == 1 and c.evolves_from == "Bulbasaur")
    record = game([plain(kind=1), number("Bulbasaur")], [plain(), plain()], (second.number,))
    card = record["players"][0]["cards"].tolist().index(second.number)
    after = stepped(loaded(record), actions.PLAY + card)
    assert after["ask"] == Ask.MAIN
    assert after["players"][0]["slots"][1]["card"] == card


def test_what_the_mask_forbids_is_refused() -> None:
    games = loaded(game([plain(), plain()], [plain(), plain()]))
    with pytest.raises(EnvwrightError, match="does not allow action 36"):
        games.step(np.array([actions.STADIUM]))
