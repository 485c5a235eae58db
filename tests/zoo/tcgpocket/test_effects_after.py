"""What every effect of an attack does after damage, told apart from how."""

import pytest
from tests.zoo.tcgpocket.driver import FILLER, SPARE, Play, board, mon, side
from tests.zoo.tcgpocket.strikes import ATTACKS, COVERED, WALL, attacker, each, printed, strike

from envwright.zoo.tcgpocket.cards import LETTERS, by_print, load
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.state import Mark, Mind, Zone

SLOT = actions.CHOOSE_SLOT

# Energy


@each("discard_own")
def test_own_energy_is_discarded(engine, effect):
    kind, count = effect[1]
    wall = side(mon(WALL, tool="A2 147"), ["A1 001"])
    play = strike(engine, effect, other=wall)
    assert play.spent(0) == LETTERS[kind] * count


@each("discard_own_all")
def test_all_own_energy_is_discarded(engine, effect):
    play = strike(engine, effect, other=side(mon(WALL, tool="A2 147"), ["A1 001"]))
    assert play.energy(0) == "" and play.spent(0) != ""


@each("discard_own_random")
def test_one_own_energy_at_random_is_discarded(engine, effect):
    card, _ = ATTACKS[effect]
    play = strike(engine, effect, mine=side(mon(card.prints[0], energy="GGWWM")), tape=[4])
    assert play.energy(0) == "GGWW"


@each("discard_foe_energy")
def test_one_energy_of_the_foe_is_discarded(engine, effect):
    play = strike(engine, effect, other=side(mon(WALL, energy="GW")), tape=[1])
    assert play.energy(1) == "G" and play.spent(1) == "W"
    assert strike(engine, effect).spent(1) == ""


@each("flip_discard_foe_energy")
def test_heads_discard_energy_of_the_foe(engine, effect):
    for coin, left in ((1, ""), (0, "G")):
        play = strike(engine, effect, other=side(mon(WALL, energy="G")), tape=[coin])
        assert play.energy(1) == left


@each("attach_self")
def test_energy_for_itself(engine, effect):
    before = attacker(effect).energy
    play = strike(engine, effect)
    assert sorted(play.energy(0)) == sorted(before + LETTERS[effect[1][0]])


def of_type(kind):
    return next(c.prints[0] for c in load().values() if c.basic and c.type == kind)


@each("attach_bench")
def test_energy_for_one_of_the_type_on_the_bench(engine, effect):
    kind = effect[1][0]
    play = strike(
        engine, effect, 1, mine=side(attacker(effect), [of_type(kind), "A1 183", of_type(kind)])
    )
    assert [play.energy(0, slot) for slot in (1, 2, 3)] == [LETTERS[kind], "", ""]
    assert strike(engine, effect, mine=side(attacker(effect), ["A1 183"])).energy(0, 1) == ""


@each("attach_two")
def test_energy_for_two_on_the_bench(engine, effect):
    letter = LETTERS[effect[1][0]]
    play = strike(engine, effect, 3, mine=side(attacker(effect), ["A1 001", "A1 008", "A1 011"]))
    assert play.state["ask"] == Ask.ENERGISE and play.legal == [SLOT + 1, SLOT + 2]
    play.do(SLOT + 1)
    assert [play.energy(0, slot) for slot in (1, 2, 3)] == [letter, "", letter]
    one = strike(engine, effect, mine=side(attacker(effect), ["A1 001"]))
    assert one.energy(0, 1) == letter


@each("flips_attach")
def test_energy_for_each_heads(engine, effect):
    count, kind = effect[1]
    mine = side(attacker(effect), [of_type(kind), of_type(kind), "A1 183"])
    play = strike(engine, effect, mine=mine, tape=[1, 0, 1])
    assert play.state["ask_count"] == 2 and play.legal == [SLOT + 1, SLOT + 2]
    play.do(SLOT + 2, SLOT + 2)
    assert play.energy(0, 2) == LETTERS[kind] * 2 and count == 3
    assert strike(engine, effect, mine=mine, tape=[0, 0, 0]).turn() == 6


# Healing, conditions, marks


@each("heal_self")
def test_the_attacker_heals(engine, effect):
    play = strike(engine, effect, mine=side(attacker(effect, damage=40)))
    assert play.damage(0) == 40 - effect[1][0]


@each("flip_heal")
def test_heads_heal(engine, effect):
    for coin, left in ((1, 70 - effect[1][0]), (0, 70)):
        play = strike(engine, effect, mine=side(attacker(effect, damage=70)), tape=[coin])
        assert play.damage(0) == left


@each("drain")
def test_as_much_heals_as_was_done(engine, effect):
    play = strike(engine, effect, mine=side(attacker(effect, damage=60)), other=side("A1 182"))
    assert play.damage(1) == printed(effect) - 20 and play.damage(0) == 60 - (printed(effect) - 20)


CONDITIONS = {
    "sleep": ([0], "mind", Mind.ASLEEP),
    "confuse": ([], "mind", Mind.CONFUSED),
    "poison": ([], "poisoned", 1),
    "flip_paralyse": ([1], "mind", Mind.PARALYSED),
    "flip_burn": ([1, 0], "burned", 1),
}
COVERED.update(CONDITIONS)


@pytest.mark.parametrize("effect", [key for key in ATTACKS if key[0] in CONDITIONS], ids=str)
def test_the_foe_gets_a_condition(engine, effect):
    tape, field, value = CONDITIONS[effect[0]]
    play = strike(engine, effect, tape=tape)
    assert play.player(1)[field] == value
    if effect[0].startswith("flip"):
        assert strike(engine, effect, tape=[0]).player(1)[field] == 0


@each("sleep_self")
def test_the_attacker_falls_asleep(engine, effect):
    assert strike(engine, effect, tape=[0]).player(0)["mind"] == Mind.ASLEEP


MARKS = {  # whose Pokemon, which mark, in which turn, the coin
    "growl": (1, Mark.GROWL, 6, []),
    "no_attack": (1, Mark.NO_ATTACK, 6, []),
    "flip_no_attack": (1, Mark.NO_ATTACK, 6, [1]),
    "no_retreat": (1, Mark.NO_RETREAT, 6, []),
    "guard": (0, Mark.GUARD, 6, []),
    "spikes": (0, Mark.SPIKES, 6, []),
    "flip_shield": (0, Mark.SHIELD, 6, [1]),
    "flip_immune": (0, Mark.IMMUNE, 6, [1]),
    "boost_next": (0, Mark.BOOST, 7, []),
}
COVERED.update(MARKS)


@pytest.mark.parametrize("effect", [key for key in ATTACKS if key[0] in MARKS], ids=str)
def test_an_attack_leaves_a_mark_for_one_turn(engine, effect):
    who, mark, turn, tape = MARKS[effect[0]]
    play = strike(engine, effect, tape=tape)
    expected = [0] * 8
    expected[mark] = turn
    assert play.slot(who)["marks"].tolist() == expected
    assert play.slot(1 - who)["marks"].sum() == 0
    if tape:
        assert strike(engine, effect, tape=[0]).slot(who)["marks"].sum() == 0


@each("boost_next")
def test_the_same_attack_is_stronger_in_the_next_own_turn(engine, effect):
    more = effect[1][0]
    for turn, extra in ((5, more), (4, 0), (6, 0)):
        mine = side(attacker(effect, marks={Mark.BOOST: turn}))
        assert strike(engine, effect, mine=mine).damage(1) == printed(effect) + extra


@each("frenzy")
def test_each_use_makes_it_stronger(engine, effect):
    play = strike(engine, effect, mine=side(attacker(effect, frenzy=2)))
    assert play.damage(1) == printed(effect) + 2 * effect[1][0]
    assert play.slot(0)["frenzy"] == 3


@each("no_supporters")
def test_supporters_are_barred_in_the_next_turn(engine, effect):
    assert strike(engine, effect).player(1)["no_supporter"] == 6


# Cards and places


@each("draw")
def test_cards_are_drawn(engine, effect):
    assert strike(engine, effect).count(0, Zone.HAND) == 1 + effect[1][0]


@each("fetch_type")
def test_a_pokemon_of_a_type_is_found(engine, effect):
    other_type = "A1 183"
    mine = side(attacker(effect), deck=[other_type, of_type(effect[1][0]), SPARE])
    play = strike(engine, effect, mine=mine, tape=[1, 2])
    assert Zone.HAND in play.where(0, of_type(effect[1][0]))
    assert play.where(0, other_type) == [Zone.DECK]


@each("fetch_pokemon")
def test_any_pokemon_is_found(engine, effect):
    mine = side(attacker(effect), deck=[SPARE, "A1 002", "A1 183"])
    play = strike(engine, effect, mine=mine, tape=[0, 1, 2])
    assert play.where(0, "A1 002") == [Zone.HAND] and play.game.log[0][1] == 2


@each("bench_nidoran")
def test_a_brother_comes_to_the_bench(engine, effect):
    mine = side(attacker(effect), ["A1 001"], deck=["A1 169", FILLER])
    play = strike(engine, effect, mine=mine)
    assert play.name_in(0, 2) == "A1 169"
    full = side(attacker(effect), ["A1 001"] * 3, deck=["A1 169", FILLER])
    assert strike(engine, effect, mine=full).where(0, "A1 169") == [Zone.DECK]


@each("discard_foe_hand")
def test_a_random_card_of_the_hand_is_lost(engine, effect):
    play = strike(engine, effect, other=side(WALL, hand=["A1 001", "A1 008"]), tape=[1])
    assert play.where(1, "A1 008") == [Zone.DISCARD] and play.where(1, "A1 001") == [Zone.HAND]


@each("flip_discard_foe_hand")
def test_heads_lose_a_card_of_the_hand(engine, effect):
    for coin, zone in ((1, Zone.DISCARD), (0, Zone.HAND)):
        play = strike(engine, effect, other=side(WALL, hand=["A1 001"]), tape=[coin])
        assert play.where(1, "A1 001") == [zone]


@each("mill_both")
def test_both_decks_lose_their_top(engine, effect):
    count = effect[1][0]
    deck = ["A1 001"] * count + [SPARE] * 2
    play = strike(
        engine, effect, mine=side(attacker(effect), deck=deck), other=side(WALL, deck=deck)
    )
    for who in (0, 1):
        assert play.where(who, "A1 001") == [Zone.DISCARD] * count
    short = side(WALL, deck=["A1 001"])
    assert strike(engine, effect, other=short).count(1, Zone.DECK) == 0


@each("reveal_hand")
def test_a_hand_is_shown(engine, effect):
    play = strike(engine, effect, other=side(WALL, hand=["A1 001", "A1 008"]))
    assert play.player(1)["revealed"].sum() == 2


@each("flip_shuffle_foe")
def test_heads_shuffle_the_foe_into_its_deck(engine, effect):
    foe = mon("A1 054", under=("A1 053",), energy="W", tool="A2 147")
    other = side(foe, ["A1 211"], deck=[FILLER])
    play = strike(engine, effect, other=other, tape=[1, 3, 2, 1])
    # Both are in the deck of three, of which the next turn draws the top: the last one in.
    assert play.name_in(1) == "A1 211" and play.count(1, Zone.DECK) == 2
    assert play.where(1, "A1 053") + play.where(1, "A1 054") == [Zone.DECK, Zone.HAND]
    assert play.spent(1) == "W" and play.where(1, "A2 147") == [Zone.DISCARD]
    assert strike(engine, effect, other=other, tape=[0]).name_in(1) == "A1 054"


@each("switch_out")
def test_the_other_side_chooses_who_comes(engine, effect):
    play = strike(engine, effect, other=side(WALL, ["A1 211", "A1 001"]))
    assert (play.state["ask"], play.game.mover) == (Ask.SWITCH_OUT, 1)
    play.do(SLOT + 2)
    assert play.name_in(1) == "A1 001" and play.damage(1, 2) == printed(effect)
    assert strike(engine, effect).name_in(1) == WALL


@each("flip_drag")
def test_heads_drag_somebody_in(engine, effect):
    other = side(WALL, ["A1 054", "A1 001"])
    play = strike(engine, effect, 5, other=other, tape=[1])
    assert play.name_in(1) == "A1 054" and play.name_in(1, 1) == WALL
    assert strike(engine, effect, other=other, tape=[0]).name_in(1) == WALL


@each("teleport")
def test_the_attacker_switches(engine, effect):
    card, _ = ATTACKS[effect]
    play = strike(engine, effect, 2, mine=side(attacker(effect), ["A1 001", "A1 008"]))
    assert play.name_in(0) == "A1 008" and play.name_in(0, 2) == card.prints[0]
    assert strike(engine, effect).name_in(0) == card.prints[0]


def test_an_attacker_without_hp_does_not_switch(engine):
    nymble = mon("B2a 006", energy="GG", damage=by_print("B2a 006").hp - 10)
    mine, other = side(nymble, ["A1 001", "A1 008"]), side(mon(WALL, tool="A2 148"))
    play = Play(engine, board(mine, other)).attack()
    assert play.state["ask"] == Ask.PROMOTE and Zone.DISCARD in play.where(0, "B2a 006")


def test_every_effect_of_an_attack_is_tested():
    import tests.zoo.tcgpocket.test_effects_damage  # noqa: F401  it names what it covers

    assert {family for family, _ in ATTACKS} == COVERED
