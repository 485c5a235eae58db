"""Attacks and Special Conditions, by rule number."""

import pytest
from tests.zoo.tcgpocket.driver import SPARE, Play, board, mon, side

from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import Mark, Mind, Zone

SLOT = actions.CHOOSE_SLOT
BULBASAUR = mon("A1 001", energy="GG")  # a Grass attack of 40 without effect


def start(engine, mine, other="A1 202", tape=(), settings=None, **fields):
    mine, other = (there if hasattr(there, "bench") else side(there) for there in (mine, other))
    return Play(engine, board(mine, other, **fields), tape, settings)


@pytest.mark.parametrize(
    ("mind", "marks", "may"),
    [
        (Mind.CLEAR, {}, True),
        (Mind.ASLEEP, {}, False),
        (Mind.PARALYSED, {}, False),
        (Mind.CONFUSED, {}, True),
        (Mind.CLEAR, {Mark.NO_ATTACK: 5}, False),
        (Mind.CLEAR, {Mark.NO_ATTACK: 6}, True),
        (Mind.CLEAR, {Mark.NO_RETREAT: 5}, True),
    ],
)
def test_A1_not_asleep_nor_paralysed_nor_barred(engine, mind, marks, may):
    play = start(engine, side(mon("A1 001", energy="GG", marks=marks), mind=mind))
    assert play.can(actions.ATTACK) is may


@pytest.mark.parametrize(
    ("energy", "may"), [("GG", True), ("GW", True), ("WW", False), ("G", False), ("WWG", True)]
)
def test_A2_types_by_themselves_and_colorless_by_any(engine, energy, may):
    assert start(engine, mon("A1 001", energy=energy)).can(actions.ATTACK) is may


def test_A2_each_attack_has_its_own_cost(engine):
    play = start(engine, mon("A1 129", energy="PP"))
    assert play.can(actions.ATTACK) and not play.can(actions.ATTACK + 1)


@pytest.mark.parametrize(("coin", "damage"), [(0, 0), (1, 40)])
def test_A3_confusion_can_make_the_attack_fail_and_hurts_nobody(engine, coin, damage):
    play = start(engine, side(BULBASAUR, mind=Mind.CONFUSED), tape=[coin]).attack()
    assert play.game.log == [(Purpose.CONFUSION, 2, coin)]
    assert play.damage(1) == damage and play.damage(0) == 0
    assert play.turn() == 6


def test_A4_coins_and_targets_come_before_damage_and_the_rest_after_it(engine):
    # Raichu-like: the Bench is chosen before anything is hurt.
    play = start(engine, mon("A1 071", energy="WWW"), side("A1 202", ["A1 053"])).attack()
    assert play.state["ask"] == Ask.HIT and play.damage(1) == 0
    play.do(SLOT + 5)
    assert play.damage(1, 1) == 50 and play.damage(1) == 0
    # Energy is attached after damage.
    mine = side(mon("A1 030", energy="GG"), ["A1 001", "A1 008"])
    play = start(engine, mine).attack()
    assert play.state["ask"] == Ask.ENERGISE and play.damage(1) == 50


def test_A5_bonuses_count_for_the_active_only_and_not_without_damage(engine):
    mine = side(mon("A1 084", energy="WWW"), hand=["A1 223", SPARE])
    play = start(engine, mine, side("A1 202", ["A1 008"])).play("A1 223").attack(1)
    assert play.damage(1) == 90 and play.damage(1, 1) == 10
    mine = side(mon("A1 181", energy="M"), hand=["A1 223", SPARE])
    play = start(engine, mine).play("A1 223").attack()
    assert play.damage(1) == 0


def test_A5_a_bonus_for_names(engine):
    for attacker, energy, damage in (("A1 044", "RR", 80), ("A1 048", "R", 30)):
        mine = side(mon(attacker, energy=energy), hand=["A1 221", SPARE])
        assert start(engine, mine).play("A1 221").attack().damage(1) == damage


def test_A5_a_weakened_attack_does_not_heal(engine):
    weak = mon("A1 008", energy="G", marks={Mark.GROWL: 5})  # 20 - 20
    assert start(engine, weak).attack().damage(1) == 0
    weaker = mon("A1 059", energy="G", marks={Mark.GROWL: 5})  # 10 - 20
    assert start(engine, weaker, mon("A1 202", damage=30)).attack().damage(1) == 30


def test_A6_weakness_adds_twenty_to_the_active_only(engine):
    play = start(engine, mon("A1 084", energy="WWW"), side("A1 046", ["A1 033"])).attack(1)
    assert play.damage(1) == 80  # weak to Lightning, not to Water
    play = start(engine, mon("A1 084", energy="WWW"), side("A1 035", ["A1 033"])).attack(1)
    assert play.damage(1) == 100 and play.damage(1, 1) == 10


def test_A6_weakness_counts_after_reductions_unless_the_setting_says_first(engine):
    attacker = mon("A1 042", energy="R")  # 20 from Fire
    guarded = mon("A1 025", marks={Mark.GUARD: 5})
    guarded.marks[Mark.GUARD] = 5
    assert start(engine, attacker, guarded).attack().damage(1) == 20
    armoured = mon("A1 182", marks={Mark.GUARD: 5})  # takes 40 less in all
    assert start(engine, attacker, armoured).attack().damage(1) == 20
    first = Settings(weakness_first=True)
    assert start(engine, attacker, armoured, settings=first).attack().damage(1) == 0


def test_A6_no_weakness_without_damage(engine):
    assert start(engine, mon("A1 037", energy="R"), "A1 001", tape=[0]).attack().damage(1) == 0


def test_A7_reductions_add_up_and_prevention_takes_all(engine):
    armoured = mon("A1 067", marks={Mark.GUARD: 5})  # 10 and 20 less
    assert start(engine, BULBASAUR, armoured).attack().damage(1) == 10
    for mark in (Mark.SHIELD, Mark.IMMUNE):
        fire = mon("A1 034", energy="RRR")
        target = mon("A1 025", marks={mark: 5})
        assert start(engine, fire, target).attack().damage(1) == 0


def test_A7_reductions_hold_on_the_bench(engine):
    play = start(engine, mon("A1 084", energy="WWW"), side("A1 202", ["A1 067"])).attack(1)
    assert play.damage(1, 1) == 0


def test_A8_damage_to_the_own_side_is_exact(engine):
    mine = side(mon("A1 103", energy="LLL"), ["A1 182"])  # 30 to an armoured own Pokemon
    play = start(engine, mine).attack()
    assert play.damage(0, 1) == 30
    recoil = mon("A1 040", energy="RRR", marks={Mark.GROWL: 5, Mark.GUARD: 5})
    play = start(engine, recoil).attack()
    assert play.damage(0) == 20 and play.damage(1) == 80


def test_A8_damage_stops_at_the_hp(engine):
    other = side(mon("A1 054", damage=70), ["A1 008"], stadium=None)
    play = start(engine, mon("A1 136", energy="PPPP"), other, tape=[1, 1]).attack()
    assert play.player(0)["points"] == 1
    # A Pokemon that is hit twice over its HP by the check-up falls once.
    other = side(mon("A1 053", damage=50), ["A1 008"], poisoned=1, burned=1)
    play = start(engine, BULBASAUR, other, tape=[0]).do(actions.PASS)
    assert play.player(0)["points"] == 1


def test_A9_counter_damage_comes_from_who_falls_too(engine):
    for defender in (mon("A1 061", damage=140), mon("A1 053", damage=50, tool="A2 148")):
        play = start(engine, BULBASAUR, side(defender, ["A1 008"])).attack()
        assert play.damage(0) == 20 and play.player(0)["points"] == 1


def test_A9_counter_damage_adds_up_and_needs_damage(engine):
    spiky = mon("A1 061", tool="A2 148", marks={Mark.SPIKES: 5})
    assert start(engine, mon("A1 202", energy="GGG"), spiky).attack().damage(0) == 70
    spiky.marks[Mark.SHIELD] = 5
    assert start(engine, mon("A1 202", energy="GGG"), spiky).attack().damage(0) == 0


def test_A9_counter_damage_comes_before_healing(engine):
    play = start(engine, mon("A1 080", energy="WWW"), "A1 061").attack()
    assert play.damage(0) == 0  # 20 back, 30 healed


def test_A10_effects_do_not_reach_who_is_immune_or_fallen(engine):
    immune = mon("A1 202", energy="G", marks={Mark.IMMUNE: 5})
    play = start(engine, mon("A1 017", energy="G"), immune).attack()
    assert play.player(1)["poisoned"] == 0
    play = start(engine, mon("A1 078", energy="WWWW"), side(immune, ["A1 008"])).attack()
    assert play.energy(1) == "G"
    fallen = side(mon("A1 053", damage=50), ["A1 059", "A1 064"])
    play = start(engine, mon("A1 163", energy="FFF"), fallen).attack()
    assert play.state["ask"] == Ask.PROMOTE  # not driven off: knocked out


def test_A10_who_falls_by_counter_damage_is_not_healed(engine):
    mine = side(mon("A1 080", damage=110, energy="WWW"), ["A1 001"])
    play = start(engine, mine, "A1 061").attack()
    assert play.player(1)["points"] == 1


def test_A10_coins_are_flipped_anyway(engine):
    immune = mon("A1 202", energy="G", marks={Mark.IMMUNE: 5})
    play = start(engine, mon("A1 178", energy="M"), immune, tape=[1]).attack()
    assert play.game.log == [(Purpose.COIN, 2, 1)] and play.energy(1) == "G"


def test_A11_a_copied_attack_has_to_be_paid(engine):
    other = side("A1 202", ["A1 056", "A1 216", "A1 205"])
    play = start(engine, mon("A1 205", energy="WW"), other).attack()
    assert play.state["ask"] == Ask.COPY_POKEMON
    assert play.legal == [SLOT + 4, SLOT + 5, SLOT + 7]  # a fossil has no attacks
    play.do(SLOT + 5)
    assert play.state["ask"] == Ask.COPY_ATTACK
    assert play.legal == [actions.CHOOSE_ATTACK, actions.CHOOSE_ATTACK + 1]
    play.do(actions.CHOOSE_ATTACK)
    assert play.damage(1) == 40
    unpaid = start(engine, mon("A1 205", energy="WW"), other).attack(0, 5)
    unpaid.do(actions.CHOOSE_ATTACK + 1)
    assert unpaid.damage(1) == 0 and unpaid.turn() == 6


def test_A11_a_copied_copy_does_nothing_and_choices_go_on(engine):
    play = start(engine, mon("A1 205", energy="W"), "A1 205").attack()
    assert play.turn() == 6 and play.damage(1) == 0
    other = side("P-A 094", ["A1 008"])  # 10 to one of the other side's Pokemon
    play = start(engine, mon("A1 205", energy="W"), other).attack(0, 4)
    assert play.state["ask"] == Ask.HIT
    assert play.do(SLOT + 5).damage(1, 1) == 10


def test_A11_the_type_is_the_attackers(engine):
    play = start(engine, mon("A1 205", energy="RR"), side("A1 001", ["A1 042"])).attack(0, 5)
    assert play.damage(1) == 20  # Colorless: no Weakness to Fire


def test_A12_there_is_no_resistance(engine):
    # In the paper game a Colorless bird resists Fighting.
    play = start(engine, mon("A1 155", energy="F"), "A1 188").attack()
    assert play.damage(1) == 30


def test_A13_marks_hold_in_the_next_turn_only(engine):
    play = start(engine, mon("A1 151", energy="F"), mon("A1 202", energy="GGG")).attack()
    assert play.slot(1)["marks"][Mark.GROWL] == 6
    play.attack()
    assert play.damage(0) == 40 and play.slot(1)["marks"][Mark.GROWL] == 0
    play.do(actions.PASS).attack()
    assert play.player(1)["points"] == 1  # 60 at full strength


def test_A13_marks_end_when_the_pokemon_leaves_the_active_spot(engine):
    other = side(mon("A1 075", energy="W"), ["A1 076"])
    play = start(engine, mon("A1 151", energy="F"), other).attack()
    play.do(actions.RETREAT)
    assert play.slot(1, 1)["marks"].sum() == 0


# Special Conditions


def test_X1_only_the_active_has_conditions(engine):
    play = start(engine, mon("A1 017", energy="G"), side("A1 202", ["A1 075"])).attack()
    assert play.player(1)["poisoned"] == 1
    assert play.damage(1) == 40 and play.damage(1, 1) == 0


def test_X2_sleep_replaces_paralysis_beside_poison_and_burn(engine):
    other = side("A1 202", poisoned=1, burned=1, mind=Mind.PARALYSED)
    play = start(engine, mon("P-A 022", energy="G"), other, tape=[0, 0]).attack()
    player = play.player(1)
    assert (player["poisoned"], player["burned"], player["mind"]) == (1, 1, Mind.ASLEEP)
    play = start(engine, mon("P-A 038", energy="P"), side("A1 202", mind=Mind.ASLEEP)).attack()
    assert play.player(1)["mind"] == Mind.CONFUSED


def test_X3_asleep_bars_attack_and_retreat_but_not_ability_and_evolution(engine):
    for mind in (Mind.ASLEEP, Mind.PARALYSED):
        mine = side(mon("A1 098", energy="LLLL"), ["A1 001"], hand=["A1 002", SPARE], mind=mind)
        play = start(engine, mine)
        assert not play.can(actions.ATTACK) and not play.can(actions.RETREAT)
        assert play.can(actions.ABILITY) and play.can(play.card("A1 002"))


def test_X4_conditions_end_on_leaving_the_active_spot(engine):
    mine = side(mon("A1 115", energy="P"), ["A1 001"], poisoned=1, burned=1, mind=Mind.CONFUSED)
    play = start(engine, mine, tape=[1]).attack()
    player = play.player(0)
    assert play.name_in(0) == "A1 001"
    assert (player["poisoned"], player["burned"], player["mind"]) == (0, 0, 0)


# Sequences across parts of the rules


def test_an_attack_that_sets_off_everything_at_once(engine):
    """Knock-outs on both sides, promotions, poison, energy and the next turn, in order."""
    mine = side(mon("A1 040", damage=110, energy="RRR"), ["A1 001", "A1 008"], poisoned=1)
    other = side(mon("A1 061", damage=70), ["A1 053", "A1 059"], types=4, next_energy=2)
    play = start(engine, mine, other).attack()
    assert play.player(0)["points"] == 1 and play.player(1)["points"] == 1
    play.do(SLOT + 1)
    assert play.game.mover == 0 and play.turn() == 5
    play.do(SLOT + 2)
    assert play.turn() == 6 and play.damage(0) == 0  # the poisoned one is gone
    assert play.player(1)["energy"] == 2 and play.count(0, Zone.DISCARD) > 0


def test_trickery_protects_who_knocked_out(engine):
    mine = side(mon("P-A 106", energy="DDD"), ["A1 001"])
    other = side(mon("A1 053", damage=50), [mon("A1 008", energy="G")])
    play = start(engine, mine, other).attack()
    assert play.slot(0)["marks"][Mark.IMMUNE] == 6
    play.attack()
    assert play.damage(0) == 0 and play.slot(0)["marks"].sum() == 0


def test_an_active_that_is_shuffled_away_with_nobody_behind_it_loses(engine):
    play = start(engine, mon("A1 210", energy="GG"), side("A1 053"), tape=range(1, 9)).attack()
    assert play.state["winner"] == 1 and play.player(0)["points"] == 0
