"""Every effect at work in random states: nothing breaks, no card is lost, and it did act."""

import random

import pytest

from envwright.zoo.tcgpocket.cards import Kind, by_number, by_print, load
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import NONE, Zone, unpack
from envwright.zoo.tcgpocket.reference import Game
from zoo.tcgpocket.states import check, main_states, put_in_slot, transplant

TIMES = 50
PLAIN = by_print("A1 211").number  # attacks for 70 without effect
HURT = 3


def first_cards(pick):
    """The first card for each effect that `pick` finds on cards."""
    found = {}
    for card in load().values():
        for effect, index in pick(card):
            found.setdefault((effect.family, *effect.arguments), (card.number, index))
    return sorted(found.items())


ATTACKS = first_cards(
    lambda card: [(a.effect, i) for i, a in enumerate(card.attacks) if a.effect.family]
)
ABILITIES = first_cards(
    lambda card: [(card.effect, 0)] if card.kind == Kind.POKEMON and card.effect.family else []
)
TRAINERS = first_cards(lambda card: [(card.effect, 0)] if card.kind != Kind.POKEMON else [])
USED = [
    "shuriken",
    "pendulum",
    "charge",
    "charge_active",
    "gas_leak",
    "heal_all",
    "scan",
    "drive_off",
    "lure_basic",
]
IN_PLAY = {"aura", "plumage", "first_turn_charge", "pulse_draw", "ripples", "trickery", "veevolve"}
DEFENDS = {"armor", "armor_type", "arceus_armor", "counter"}
QUIET = {"bar_supporters", "floating"}  # they forbid or allow; tests of B4 and P5 see them


def states():
    """States without an end, the same ones again and again with other seeds."""
    number = 0
    while True:
        yield number, main_states()[number % len(main_states())]
        number += 1


def acts(game, action, rng):
    """Takes an action and answers what it asks at random; says which effects acted."""
    turn = game.table.turn
    game.step(action)
    fired = set(game.fired)
    while not game.over and game.table.turn == turn and game.table.question.ask != Ask.MAIN:
        game.step(rng.choice(game.legal))
        fired.update(game.fired)
    return fired


def fires(make, family):
    """Fails if an effect does not act TIMES times in ten times as many random states."""
    count = 0
    for number, data in states():
        assert number < 10 * TIMES, f"{family} acted {count} times"
        rng = random.Random(number)
        made = make(data, rng)
        if made is None:
            continue
        state, action = made
        state["counter"] += number  # other chance in the same state
        game = Game.load(state.tobytes(), Settings())
        if action not in game.legal or game.table.turn != state["turn"]:
            continue
        count += family in acts(game, action, rng)
        check(game)
        if not game.over:
            game.step(rng.choice(game.legal))
            check(game)
        if count == TIMES:
            return


@pytest.mark.parametrize(("effect", "where"), ATTACKS, ids=str)
def test_effects_of_attacks_act_in_random_states(effect, where):
    number, index = where

    def make(data, rng):
        mover = int(unpack(data)["player"])
        state = put_in_slot(data, mover, 0, number, rng)
        return state, actions.ATTACK + index

    fires(make, effect[0])


def hurt_all(state):
    """A little damage on everybody, so that there is something to heal."""
    for player in state["players"]:
        for slot in range(4):
            there = player["slots"][slot]
            if there["card"] != NONE:
                there["damage"] = max(1, int(there["damage"]) - HURT)
    return state


@pytest.mark.parametrize(("effect", "where"), [e for e in ABILITIES if e[0][0] in USED], ids=str)
def test_abilities_act_in_random_states(effect, where):
    def make(data, rng):
        mover = int(unpack(data)["player"])
        return hurt_all(put_in_slot(data, mover, 0, where[0], rng)), actions.ABILITY

    fires(make, effect[0])


@pytest.mark.parametrize(("effect", "where"), [e for e in ABILITIES if e[0][0] in DEFENDS], ids=str)
def test_abilities_of_who_is_attacked_act_in_random_states(effect, where):
    against = by_print("A1 150").number if effect[0] == "armor_type" else PLAIN

    def make(data, rng):
        mover = int(unpack(data)["player"])
        state = put_in_slot(data, mover, 0, against, rng)
        if effect[0] == "arceus_armor":  # its companion is on the Bench
            if unpack(data)["players"][1 - mover]["slots"][1]["card"] == NONE:
                return None
            arceus = by_print("A2a 070").number
            state = put_in_slot(state.tobytes(), 1 - mover, 1, arceus, rng)
        state = put_in_slot(state.tobytes(), 1 - mover, 0, where[0], rng)
        return state, actions.ATTACK

    fires(make, effect[0])


@pytest.mark.parametrize(("effect", "where"), [e for e in ABILITIES if e[0][0] in IN_PLAY], ids=str)
def test_abilities_that_wait_act_in_random_states(effect, where):
    def make(data, rng):
        mover = int(unpack(data)["player"])
        if effect[0] in ("ripples", "veevolve"):
            name = "Feebas" if effect[0] == "ripples" else "Eevee ex"
            below = next(c for c in load().values() if c.name == name)
            into = where[0] if effect[0] == "ripples" else by_print("A1 045").number
            state = hurt_all(put_in_slot(data, mover, 0, below.number, rng))
            hand = [c for c in range(20) if state["players"][mover]["zone"][c] == Zone.HAND]
            if not hand:
                return None
            state, card = transplant(state.tobytes(), mover, hand[0], into)
            return state, actions.PLAY + card
        state = put_in_slot(data, mover, 0, where[0], rng)
        if effect[0] in ("aura", "plumage"):
            state["players"][mover]["energy"] = effect[1]
            return state, actions.ATTACH
        if effect[0] == "first_turn_charge":
            state["turn"] = 1 + (state["first"] != mover)
            state["players"]["slots"]["marks"] = 0
            state["players"]["no_supporter"] = 0
        if effect[0] == "trickery":
            foe = state["players"][1 - mover]
            there = foe["slots"][0]
            there["damage"] = by_number(int(foe["cards"][there["card"]])).hp // 10 - 1
            return state, actions.ATTACK
        return state, actions.PASS

    fires(make, effect[0])


@pytest.mark.parametrize(("effect", "where"), TRAINERS, ids=str)
def test_trainer_cards_act_in_random_states(effect, where):
    needs = {
        "recall": "A1 177",
        "rock_charge": "A1 150",
        "gather": "A1 100",
        "flip_charge": "A1 053",
    }
    needs |= {"heal_type": "A1 001"}

    def make(data, rng):
        mover = int(unpack(data)["player"])
        if effect[0] in needs:
            state = put_in_slot(data, mover, 0, by_print(needs[effect[0]]).number, rng)
        else:
            state = unpack(data)
        state = hurt_all(state)
        state["supporter"] = state["stadium_played"] = 0
        if effect[0] == "gather":
            state["players"][mover]["slots"]["energy"][1:, 3] += (
                state["players"][mover]["slots"]["card"][1:] != NONE
            ).astype("u1")
        hand = [c for c in range(20) if state["players"][mover]["zone"][c] == Zone.HAND]
        if not hand:
            return None
        state, card = transplant(state.tobytes(), mover, hand[0], where[0])
        return state, actions.PLAY + card

    fires(make, effect[0])


def test_every_ability_is_seen_here_or_said_to_be_quiet():
    seen = {*USED, *IN_PLAY, *DEFENDS, *QUIET}
    assert {effect[0] for effect, _ in ABILITIES} == seen
