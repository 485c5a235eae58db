"""What every effect of an attack does before and with damage, told apart from how."""

import pytest
from tests.zoo.tcgpocket.driver import mon, side
from tests.zoo.tcgpocket.strikes import ATTACKS, COVERED, WALL, attacker, each, printed, strike

from envwright.zoo.tcgpocket.cards import LETTERS, load
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask

SLOT = actions.CHOOSE_SLOT

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
