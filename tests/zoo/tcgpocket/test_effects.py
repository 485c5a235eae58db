"""Every effect of the pool, one by one: what it does, told apart from how an engine does it."""

import pytest

from envwright.zoo.tcgpocket.cards import LETTERS, load
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.state import Mark, Mind, Zone
from zoo.tcgpocket.driver import FILLER, SPARE, Play, board, mon, side

SLOT = actions.CHOOSE_SLOT
WALL = "A1 185"  # 160 HP, no Weakness, no ability


def _attacks():
    """One card and attack for every effect, by family."""
    found = {}
    for card in load().values():
        for index, attack in enumerate(card.attacks):
            key = (attack.effect.family, attack.effect.arguments)
            if attack.effect.family and key not in found:
                found[key] = (card, index)
    return found


ATTACKS = _attacks()


def each(family):
    """Parametrises a test over all effects of a family."""
    keys = [key for key in ATTACKS if key[0] == family]
    assert keys, family
    COVERED.add(family)
    ids = [":".join(map(str, (family, *key[1]))) for key in keys]
    return pytest.mark.parametrize("effect", keys, ids=ids)


COVERED: set[str] = set()


def cost_of(card, index):
    cost = card.attacks[index].cost
    return "".join(LETTERS[kind] * n for kind, n in enumerate(cost[:8])) + "F" * cost[8]


def attacker(effect, extra="", **details):
    card, index = ATTACKS[effect]
    return mon(card.prints[0], energy=cost_of(card, index) + extra, **details)


def strike(engine, effect, *choices, mine=None, other=None, tape=(), **fields):
    """Makes the attack with an effect; answers questions with choices of slots."""
    _, index = ATTACKS[effect]
    mine = mine or side(attacker(effect))
    play = Play(engine, board(mine, other or side(WALL), **fields), tape)
    return play.attack(index, *choices)


def printed(effect):
    card, index = ATTACKS[effect]
    return card.attacks[index].damage


# Damage: the tape of coins, and what the wall takes

COINS = {
    "flips_each": lambda b, n, d: [([0] * n, 0), ([1] + [0] * (n - 1), d)],
    "flips_all_more": lambda b, n, d: [([1] * n, b + d), ([1] * (n - 1) + [0], b)],
    "flip_more": lambda b, d: [([0], b), ([1], b + d)],
    "flip_more_or_recoil": lambda b, d, r: [([0], b), ([1], b + d)],
    "until_tails_more": lambda b, d: [([0], b), ([1, 1, 0], b + 2 * d)],
    "until_tails_each": lambda b, d: [([0], 0), ([1, 1, 0], 2 * d)],
    "flip_or_nothing": lambda b: [([0], 0), ([1], b)],
}


@pytest.mark.parametrize("effect", [key for key in ATTACKS if key[0] in COINS], ids=str)
def test_coins_decide_damage(engine, effect):
    COVERED.add(effect[0])
    for tape, damage in COINS[effect[0]](printed(effect), *effect[1]):
        play = strike(engine, effect, tape=tape)
        if damage >= 160:
            assert play.state["winner"] == 1
        else:
            assert play.damage(1) == damage
        assert len(play.game.log) == len(tape)


COVERED.update(COINS)


@each("flip_more_or_recoil")
def test_tails_hurt_the_attacker(engine, effect):
    assert strike(engine, effect, tape=[0]).damage(0) == effect[1][1]
    assert strike(engine, effect, tape=[1]).damage(0) == 0


@each("random_hits")
def test_random_pokemon_are_hit(engine, effect):
    damage = effect[1][1]
    other = side("A1 182", ["A1 211", None, "A1 211"])  # armour counts once for a sum
    play = strike(engine, effect, other=other, tape=[0, 2, 0, 1])
    assert [play.damage(1, slot) for slot in (0, 1, 3)] == [2 * damage - 20, damage, damage]
    assert [row[1] for row in play.game.log] == [3] * 4


def check_more(engine, effect, with_it, without, more):
    base = printed(effect)
    for there, extra in ((with_it, more), (without, 0)):
        play = strike(engine, effect, mine=there[0], other=there[1])
        assert play.damage(1) == base + extra


@each("more_with_latios")
def test_latios_on_the_bench(engine, effect):
    there, gone = side(attacker(effect), ["A4a 037"]), side(attacker(effect), ["A1 001"])
    check_more(engine, effect, (there, None), (gone, None), effect[1][0])


@each("more_per_nidoking")
def test_each_nidoking_on_the_bench(engine, effect):
    two = side(attacker(effect), ["A1 171", "A1 001"])
    check_more(engine, effect, (two, None), (side(attacker(effect)), None), effect[1][0])


@each("more_if_evolved")
def test_evolved_in_this_turn(engine, effect):
    new, old = side(attacker(effect, evolved=1, fresh=1)), side(attacker(effect))
    check_more(engine, effect, (new, None), (old, None), effect[1][0])


@each("more_if_tool")
def test_with_a_tool(engine, effect):
    tool, bare = side(attacker(effect, tool="A2 147")), side(attacker(effect))
    check_more(engine, effect, (tool, None), (bare, None), effect[1][0])


@each("more_if_extra")
def test_extra_energy(engine, effect):
    kind, count, more = effect[1]
    letter = LETTERS[kind]
    enough, short = (
        side(attacker(effect, letter * count)),
        side(attacker(effect, letter * (count - 1))),
    )
    wall = side(mon(WALL, tool="A2 147"))
    base = printed(effect)
    if base + more >= 180:
        pytest.fail("the wall is too low")
    assert strike(engine, effect, mine=enough, other=wall).damage(1) == base + more
    assert strike(engine, effect, mine=short, other=wall).damage(1) == base
    card, index = ATTACKS[effect]
    cost = card.attacks[index].cost
    if cost[8]:  # Colorless is paid with the same type if there is no other
        energy = letter * (cost[kind] + count) + letter * (cost[8] - 1)
        same = mon(card.prints[0], energy=energy)
        assert strike(engine, effect, mine=side(same), other=wall).damage(1) == base
        same.energy += letter
        assert strike(engine, effect, mine=side(same), other=wall).damage(1) == base + more


@each("more_if_hurt")
def test_the_attacker_is_hurt(engine, effect):
    hurt, whole = side(attacker(effect, damage=10)), side(attacker(effect))
    check_more(engine, effect, (hurt, None), (whole, None), effect[1][0])


@each("more_if_foe_hurt")
def test_the_foe_is_hurt(engine, effect):
    play = strike(engine, effect, other=side(mon(WALL, damage=10)))
    assert play.damage(1) == 10 + printed(effect) + effect[1][0]
    assert strike(engine, effect).damage(1) == printed(effect)


@each("more_if_foe_poisoned")
def test_the_foe_is_poisoned(engine, effect):
    play = strike(engine, effect, other=side(WALL, poisoned=1))
    assert play.damage(1) == printed(effect) + effect[1][0] + 10
    assert strike(engine, effect).damage(1) == printed(effect)


@each("more_if_foe_evolved")
def test_the_foe_has_evolved(engine, effect):
    assert strike(engine, effect).damage(1) == printed(effect) + effect[1][0]
    assert strike(engine, effect, other=side("A1 183")).damage(1) == printed(effect)


@each("more_per_foe_energy")
def test_each_energy_of_the_foe(engine, effect):
    play = strike(engine, effect, other=side(mon(WALL, energy="GW")))
    assert play.damage(1) == printed(effect) + 2 * effect[1][0]


@each("each_bench")
def test_each_on_the_bench(engine, effect):
    mine = side(attacker(effect), ["A1 001", None, "A1 094"])
    assert strike(engine, effect, mine=mine).damage(1) == 2 * effect[1][0]
    assert strike(engine, effect).damage(1) == 0


@each("each_bench_type")
def test_each_of_a_type_on_the_bench(engine, effect):
    same = next(c for c in load().values() if c.basic and c.type == effect[1][0])
    mine = side(attacker(effect), ["A1 183", same.prints[0]])
    assert strike(engine, effect, mine=mine).damage(1) == effect[1][1]


@each("flail")
def test_damage_as_much_as_on_it(engine, effect):
    assert strike(engine, effect, mine=side(attacker(effect, damage=30))).damage(1) == 30
    assert strike(engine, effect).damage(1) == 0


@each("rage")
def test_more_damage_as_much_as_on_it(engine, effect):
    play = strike(engine, effect, mine=side(attacker(effect, damage=30)))
    assert play.damage(1) == printed(effect) + 30


@each("sweets_relay")
def test_a_relay_of_sweets(engine, effect):
    for turn, more in ((0, 0), (3, effect[1][0]), (1, 0)):
        mine = side(attacker(effect), sweets_turn=turn, sweets_count=1 if turn else 0)
        play = strike(engine, effect, mine=mine)
        assert play.damage(1) == printed(effect) + more
        assert play.player(0)["sweets_turn"] == 5
        assert play.player(0)["sweets_count"] == 1 + bool(turn)


@each("sweets_overload")
def test_sweets_of_the_whole_game(engine, effect):
    play = strike(engine, effect, mine=side(attacker(effect), sweets_count=3))
    assert play.damage(1) == 3 * effect[1][0]


# Damage elsewhere


@each("hit_foe")
def test_a_chosen_one_is_hit(engine, effect):
    other = side(WALL, ["A1 211", "A1 001"])
    play = strike(engine, effect, 5, other=other)
    assert (play.damage(1, 0), play.damage(1, 1)) == (0, effect[1][0])
    assert strike(engine, effect, 4, other=other).damage(1) == effect[1][0]


@each("hit_foe_bench")
def test_a_chosen_one_on_the_bench_is_hit(engine, effect):
    play = strike(engine, effect, 6, other=side(WALL, ["A1 211", "A1 211"]))
    assert play.damage(1, 2) == effect[1][0] and play.damage(1, 1) == 0
    assert play.damage(1) == printed(effect)
    assert strike(engine, effect).damage(1) == printed(effect)


@each("hit_own")
def test_an_own_one_is_hit(engine, effect):
    mine = side(attacker(effect), ["A1 211"])
    play = strike(engine, effect, 1, mine=mine)
    assert play.damage(0, 1) == effect[1][0] and play.damage(1) == printed(effect)
    assert strike(engine, effect, 0, mine=mine).damage(0) == effect[1][0]


@each("hit_own_bench")
def test_one_of_the_own_bench_is_hit(engine, effect):
    play = strike(engine, effect, 2, mine=side(attacker(effect), ["A1 211", "A1 211"]))
    assert play.damage(0, 2) == effect[1][0] and play.damage(0, 0) == 0


@each("discard_hit")
def test_energy_for_a_chosen_hit(engine, effect):
    kind, count, damage = effect[1]
    play = strike(engine, effect, 5, other=side(WALL, ["A1 211"]))
    assert play.damage(1, 1) == damage and play.spent(0) == LETTERS[kind] * count


@each("hit_each_bench")
def test_the_whole_bench_is_hit(engine, effect):
    play = strike(engine, effect, other=side(WALL, ["A1 211", None, "A1 211"]))
    assert [play.damage(1, slot) for slot in (1, 3)] == [effect[1][0]] * 2
    assert play.damage(1) == printed(effect)


@each("recoil")
def test_the_attacker_hurts_itself(engine, effect):
    wall = side(mon(WALL, tool="A2 147"), ["A1 001"])
    assert strike(engine, effect, other=wall).damage(0) == effect[1][0]


@each("copy_any")
def test_any_attack_is_copied(engine, effect):
    mine = side(attacker(effect, "WWW"))
    play = strike(engine, effect, 5, mine=mine, other=side(WALL, ["A1 054"]))
    assert play.damage(1) == 40


@each("flip_copy_active")
def test_an_attack_of_the_foe_is_copied(engine, effect):
    other = side("A1 211")  # 70 damage
    assert strike(engine, effect, other=other, tape=[1]).damage(1) == 70
    assert strike(engine, effect, other=other, tape=[0]).damage(1) == 0
    assert strike(engine, effect, other=side("A1 216"), tape=[1]).turn() == 6
    two = strike(engine, effect, other=side("A1 129"), tape=[1])
    assert two.state["ask"] == Ask.COPY_ATTACK
    assert two.do(actions.CHOOSE_ATTACK).damage(1) == 50


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


def test_every_effect_of_an_attack_is_tested_here():
    assert {family for family, _ in ATTACKS} == COVERED
