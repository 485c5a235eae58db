"""Evolving, retreating, playing cards, Tools, Stadiums, fossils and abilities, by rule number."""

import pytest
from tests.zoo.tcgpocket.driver import FILLER, SPARE, Play, board, mon, side

from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import Mark, Mind, Zone

SLOT = actions.CHOOSE_SLOT
BULBASAUR = mon("A1 001", energy="GG")  # a Grass attack of 40 without effect


def start(engine, mine, other="A1 202", tape=(), settings=None, **fields):
    other = side(other) if isinstance(other, str) else other
    return Play(engine, board(mine, other, **fields), tape, settings)


# Evolving


@pytest.mark.parametrize(("turn", "first", "may"), [(1, 0, False), (2, 1, False), (3, 0, True)])
def test_V1_nobody_evolves_on_the_own_first_turn(engine, turn, first, may):
    mine = side("A1 001", hand=["A1 002", SPARE])
    play = start(engine, mine, turn=turn, first=first)
    assert play.can(play.card("A1 002")) is may


@pytest.mark.parametrize("flags", [{"fresh": 1}, {"fresh": 1, "evolved": 1}])
def test_V2_not_in_the_turn_it_came_or_evolved(engine, flags):
    play = start(engine, side(mon("A1 001", **flags), hand=["A1 002", SPARE]))
    assert not play.can(play.card("A1 002"))
    play.do(actions.PASS, actions.PASS)
    assert play.can(play.card("A1 002"))


def test_V2_what_was_benched_or_evolved_in_this_turn_waits(engine):
    mine = side("A1 008", hand=["A1 001", "A1 002", "A1 009", "A1 010", SPARE])
    play = start(engine, mine).play("A1 001")
    assert not play.can(play.card("A1 002"))
    play.play("A1 009")
    assert play.name_in(0) == "A1 009" and not play.can(play.card("A1 010"))


def test_V3_a_card_evolves_the_name_it_says_on_bench_and_active_spot(engine):
    mine = side("A1 001", ["A1 008", "A1 001"], hand=["A1 002", "A1 003", SPARE])
    play = start(engine, mine)
    assert not play.can(play.card("A1 003"))  # the second stage skips none
    play.play("A1 002")
    assert play.state["ask"] == Ask.EVOLVE and play.legal == [SLOT, SLOT + 2]
    play.do(SLOT + 2)
    assert play.name_in(0, 2) == "A1 002"


def test_V4_damage_energy_and_tool_stay_and_conditions_end(engine):
    bulbasaur = mon(
        "A1 001", damage=30, energy="GW", tool="A2 148", marks={Mark.NO_ATTACK: 5}, ability_used=1
    )
    mine = side(bulbasaur, hand=["A1 002", SPARE], poisoned=1, burned=1, mind=Mind.ASLEEP)
    play = start(engine, mine).play("A1 002")
    slot, player = play.slot(0), play.player(0)
    assert play.damage(0) == 30 and play.energy(0) == "GW"
    assert play.where(0, "A2 148") == [Zone.TOOL] and play.where(0, "A1 001") == [Zone.UNDER]
    assert (player["poisoned"], player["burned"], player["mind"]) == (0, 0, 0)
    assert slot["marks"].sum() == 0 and slot["ability_used"] == 0
    assert slot["fresh"] == 1 and slot["evolved"] == 1


def test_V4_evolving_on_the_bench_leaves_the_active_poisoned(engine):
    mine = side("A1 008", ["A1 001"], hand=["A1 002", SPARE], poisoned=1)
    assert start(engine, mine).play("A1 002").player(0)["poisoned"] == 1


# Retreating


def retreats(play):
    return [play.can(actions.RETREAT + slot) for slot in range(3)]


@pytest.mark.parametrize(
    ("active", "fields"),
    [
        (mon("A1 001", energy="G"), {"mind": Mind.ASLEEP}),
        (mon("A1 001", energy="G"), {"mind": Mind.PARALYSED}),
        (mon("A1 001", energy="G", marks={Mark.NO_RETREAT: 5}), {}),
        (mon("A1 216", energy="G"), {}),
        (mon("A1 001"), {}),
    ],
)
def test_R1_not_asleep_nor_paralysed_nor_held_nor_a_fossil_nor_unpaid(engine, active, fields):
    play = start(engine, side(active, ["A1 008"], **fields))
    assert retreats(play) == [False] * 3


def test_R1_once_a_turn_to_a_taken_bench_slot(engine):
    mine = side(mon("A1 001", energy="G"), [None, mon("A1 008", energy="G")], mind=Mind.CONFUSED)
    play = start(engine, mine)
    assert retreats(play) == [False, True, False]
    play.do(actions.RETREAT + 1)
    assert play.name_in(0) == "A1 008" and play.name_in(0, 2) == "A1 001"
    assert play.spent(0) == "G" and retreats(play) == [False] * 3


def test_R2_effects_make_it_cheaper_but_never_less_than_nothing(engine):
    mine = side(mon("A1 001"), ["A1 008"], hand=[SPARE, SPARE, "P-A 004"])
    play = start(engine, mine)
    assert retreats(play) == [False] * 3
    play.play(SPARE).play(SPARE).do(actions.RETREAT)
    assert play.name_in(0) == "A1 008" and play.spent(0) == ""


def test_R2_a_stadium_makes_it_cheaper_for_its_type(engine):
    for active, may in (("A1 118", True), ("A1 143", False)):  # both cost two
        play = start(engine, side(active, ["A1 008"], stadium="B2 155"))
        assert play.can(actions.RETREAT) is may


def test_R3_the_player_chooses_what_to_pay(engine):
    mine = side(mon("A1 118", energy="GWWP"), ["A1 008"])
    play = start(engine, mine).do(actions.RETREAT)
    assert play.state["ask"] == Ask.PAY and play.state["ask_count"] == 2
    assert play.legal == [actions.CHOOSE_ENERGY + kind for kind in (0, 2, 4)]
    play.do(actions.CHOOSE_ENERGY + 2, actions.CHOOSE_ENERGY + 4)
    assert play.spent(0) == "WP" and play.energy(0, 1) == "GW"


def test_R3_what_has_to_go_all_is_not_asked(engine):
    play = start(engine, side(mon("A1 118", energy="GW"), ["A1 008"])).do(actions.RETREAT)
    assert play.spent(0) == "GW" and play.name_in(0) == "A1 008"


def test_R3_fixed_payment_takes_the_last_types_first(engine):
    mine = side(mon("A1 118", energy="GWPP"), ["A1 008"])
    play = start(engine, mine, settings=Settings(retreat_payment="fixed")).do(actions.RETREAT)
    assert play.spent(0) == "PP" and play.energy(0, 1) == "GW"


def test_R4_who_goes_to_the_bench_recovers(engine):
    active = mon("A1 075", marks={Mark.GROWL: 5, Mark.GUARD: 5}, frenzy=2, damage=20)
    play = start(engine, side(active, ["A1 008"], poisoned=1, burned=1, mind=Mind.CONFUSED))
    play.do(actions.RETREAT)
    player, slot = play.player(0), play.slot(0, 1)
    assert (player["poisoned"], player["burned"], player["mind"]) == (0, 0, 0)
    assert slot["marks"].sum() == 0 and slot["frenzy"] == 0 and play.damage(0, 1) == 20


def test_R5_a_switch_by_an_effect_is_no_retreat_and_sleep_does_not_stop_it(engine):
    other = side(mon("A1 053", energy="W"), ["A1 059", "A1 064"], mind=Mind.ASLEEP)
    play = start(engine, side("A1 001", hand=["A1 225", SPARE]), other).play("A1 225")
    assert (play.state["ask"], play.game.mover) == (Ask.SWITCH_OUT, 1)
    play.do(SLOT + 2)
    assert play.name_in(1) == "A1 064" and play.name_in(1, 2) == "A1 053"
    assert play.player(1)["mind"] == Mind.CLEAR and play.energy(1, 2) == "W"


def test_R5_the_retreat_of_the_turn_remains_after_a_switch(engine):
    mine = side(mon("A1 177", under=("A1 176",)), [mon("A1 001", energy="G"), "A1 008"])
    mine.hand = ["A1 222", SPARE]
    play = start(engine, mine).play("A1 222").do(SLOT + 1)
    assert play.can(actions.RETREAT + 1)


# Playing cards


@pytest.mark.parametrize(
    ("card", "mine", "other", "may"),
    [
        ("P-A 001", "A1 001", "A1 053", False),
        ("P-A 001", mon("A1 001", damage=10), "A1 053", True),
        ("A1 219", mon("A1 053", damage=10), "A1 001", False),  # not a Grass Pokemon
        ("A1 219", mon("A1 001", damage=10), "A1 001", True),
        ("A1 220", "A1 001", "A1 053", False),
        ("A1 220", "A1 053", "A1 053", True),
        ("A1 222", "A1 001", "A1 053", False),
        ("A1 222", "A1 175", "A1 053", True),
        ("A1 224", "A1 147", "A1 053", False),
        ("A1 224", "A1 150", "A1 053", True),
        ("A1 226", "A1 100", "A1 053", True),  # the Bench has Lightning energy
        ("A1 226", "A1 101", "A1 053", True),
        ("A1 226", "P-A 112", "A1 053", False),  # an ex has another name
        ("A1 223", "A1 001", "A1 053", True),
        ("A1 221", "A1 001", "A1 053", True),
    ],
)
def test_P1_a_trainer_card_needs_something_to_do(engine, card, mine, other, may):
    play = start(engine, side(mine, [mon("A1 008", energy="L")], hand=[card, SPARE]), side(other))
    assert play.can(play.card(card)) is may


def test_P1_what_needs_a_bench_a_deck_or_a_hand(engine):
    hand = ["A1 225", "P-A 003", "P-A 004", "P-A 005", "P-A 006", "P-A 007", "A1 222", SPARE]
    poor = start(engine, side("A1 177", hand=hand, deck=()), side("A1 053", hand=()))
    rich = start(engine, side("A1 177", ["A1 008"], hand=hand), side("A1 053", ["A1 059"]))
    for card in hand[:-1]:
        assert not poor.can(poor.card(card)) and rich.can(rich.card(card))


def test_P2_a_card_with_a_target_stays_in_hand_until_it_is_chosen(engine):
    mine = side(mon("A1 001", damage=30), [mon("A1 008", damage=10)], hand=["P-A 001", SPARE])
    play = start(engine, mine).play("P-A 001")
    assert play.state["ask"] == Ask.TRAINER and play.where(0, "P-A 001") == [Zone.HAND]
    play.do(SLOT)
    assert play.where(0, "P-A 001") == [Zone.DISCARD]
    assert play.damage(0) == 10 and play.damage(0, 1) == 10


def test_P3_one_supporter_a_turn_and_again_in_the_next(engine):
    mine = side("A1 001", hand=["A1 223", "P-A 007", SPARE])
    play = start(engine, mine).play("A1 223")
    assert not play.can(play.card("P-A 007"))
    play.do(actions.PASS, actions.PASS)
    assert play.can(play.card("P-A 007"))


def test_P4_items_have_no_limit(engine):
    play = start(engine, side("A1 001", hand=(SPARE,) * 4 + ("P-A 004",)))
    play.play(SPARE).play(SPARE).play(SPARE).play(SPARE)
    assert play.state["speed"] == 4 and play.can(play.card("P-A 004"))


def test_P5_an_effect_bars_supporters_for_a_turn_but_not_items(engine):
    mine = side(mon("A1 057", energy="W"))
    other = side("A1 202", hand=["A1 223", SPARE])
    play = start(engine, mine, other).attack()
    assert play.game.mover == 1
    assert not play.can(play.card("A1 223")) and play.can(play.card(SPARE))
    play.do(actions.PASS, actions.PASS)
    assert play.game.mover == 1 and play.can(play.card("A1 223"))


def test_P6_a_basic_takes_the_first_empty_place_of_three(engine):
    mine = side("A1 001", ["A1 008", None, "A1 011"], hand=["A1 014", "A1 016", SPARE])
    play = start(engine, mine).play("A1 014")
    assert play.name_in(0, 2) == "A1 014" and not play.can(play.card("A1 016"))
    assert play.slot(0, 2)["fresh"] == 1


# Tools and Stadiums


def test_D1_one_tool_a_pokemon_and_it_moves_along(engine):
    mine = side(
        mon("A1 075", tool="A2 148"), ["A1 008", "A1 011"], hand=["A2 147", "A2 147", SPARE]
    )
    play = start(engine, mine).play("A2 147")
    assert play.state["ask"] == Ask.TOOL and play.legal == [SLOT + 1, SLOT + 2]
    play.do(SLOT + 1).play("A2 147")  # one place is left: no question
    assert not play.can(play.card("A2 147"))
    play.do(actions.RETREAT)
    assert play.where(0, "A2 148") == [Zone.TOOL + 1]
    assert sorted(play.where(0, "A2 147")) == [Zone.TOOL, Zone.TOOL + 2]


def test_D1_more_hp_by_a_tool(engine):
    other = side(mon("A1 053", damage=30, tool="A2 147"), ["A1 059"])
    play = start(engine, side(mon("A1 001", energy="GG")), other).attack()
    assert play.damage(1) == 70 and play.player(0)["points"] == 0  # 60 HP and 20 more


def test_D2_a_new_stadium_replaces_the_old_one_once_a_turn(engine):
    mine = side("A1 001", hand=["B2 154", "B2a 093", SPARE])
    play = start(engine, mine, side("A1 053", stadium="B2 155")).play("B2 154")
    assert play.where(1, "B2 155") == [Zone.DISCARD] and play.where(0, "B2 154") == [Zone.STADIUM]
    assert play.state["stadium_owner"] == 0
    assert not play.can(play.card("B2a 093"))


def test_D2_a_pokemon_can_fall_when_a_stadium_goes(engine):
    mine = side("A1 001", hand=["B2 155", SPARE], stadium="B2 154")
    other = side(mon("A1 053", damage=70), ["A1 059", "A1 064"])
    play = start(engine, mine, other)
    assert play.damage(1) == 70  # 60 HP and 20 more
    play.play("B2 155")
    assert play.player(0)["points"] == 1 and play.game.mover == 1


@pytest.mark.parametrize("allowed", [False, True])
def test_D3_the_same_name_only_if_the_setting_says_so(engine, allowed):
    mine = side("A1 001", hand=["B2 154", SPARE])
    settings = Settings(same_stadium=allowed)
    play = start(engine, mine, side("A1 053", stadium="B2 154"), settings=settings)
    assert play.can(play.card("B2 154")) is allowed


def test_D4_a_stadium_is_used_once_a_turn_whoever_owns_it(engine):
    mine = side("A1 001", deck=["A1 002", SPARE, SPARE])
    play = start(engine, mine, side("A1 053", stadium="B2a 093"), tape=[1, 2, 1, 0])
    play.do(actions.STADIUM)
    assert play.where(0, "A1 002") == [Zone.HAND] and not play.can(actions.STADIUM)
    play.do(actions.PASS)
    assert play.game.mover == 1 and play.can(actions.STADIUM)


# Fossils


def test_F1_a_fossil_is_a_basic_with_forty_hp_in_play(engine):
    mine = side("A1 001", ["A1 218"], hand=["A1 216", "A1 210", SPARE])
    play = start(engine, mine).play("A1 216")
    assert play.name_in(0, 2) == "A1 216" and play.can(actions.ATTACH + 2)
    play.play("A1 210")
    assert play.name_in(0, 1) == "A1 210"
    hit = start(engine, side(mon("A1 001", energy="GG")), side("A1 216", ["A1 053"])).attack()
    assert hit.player(0)["points"] == 1  # 40 damage are enough


def test_F2_a_fossil_neither_attacks_nor_retreats(engine):
    play = start(engine, side(mon("A1 216", energy="GGG"), ["A1 001"]))
    assert not play.can(actions.ATTACK) and not play.can(actions.RETREAT)


def test_F3_a_fossil_may_be_discarded_without_points_but_not_the_last(engine):
    play = start(engine, side(mon("A1 216", energy="G"), ["A1 217", "A1 001"]))
    assert play.can(actions.DISCARD_FOSSIL) and play.can(actions.DISCARD_FOSSIL + 1)
    assert not play.can(actions.DISCARD_FOSSIL + 2)
    play.do(actions.DISCARD_FOSSIL)
    assert play.state["ask"] == Ask.PROMOTE and play.player(1)["points"] == 0
    assert play.spent(0) == "G"
    play.do(SLOT + 1)
    assert play.name_in(0) == "A1 217" and play.turn() == 5
    assert not start(engine, side("A1 216")).can(actions.DISCARD_FOSSIL)


def test_F4_a_fossil_gives_a_point(engine):
    other = side("A1 216", ["A1 053"], poisoned=1)
    other.active = mon("A1 216", damage=30)
    play = start(engine, side("A1 001"), other).do(actions.PASS)
    assert play.player(0)["points"] == 1


def test_F5_searches_do_not_find_fossils(engine):
    mine = side("A1 001", hand=["P-A 005", SPARE], deck=["A1 216", "A1 217"])
    play = start(engine, mine).play("P-A 005")
    assert play.count(0, Zone.DECK) == 2 and play.game.log == []


# Abilities


def test_B1_once_a_turn_for_each_pokemon_from_the_bench_too(engine):
    play = start(engine, side("A1 098", ["A1 098"])).do(actions.ABILITY)
    assert not play.can(actions.ABILITY) and play.can(actions.ABILITY + 1)
    play.do(actions.ABILITY + 1)
    assert play.energy(0) == "L" and play.energy(0, 1) == "L"
    assert not play.can(actions.ABILITY + 1)


@pytest.mark.parametrize(
    ("pokemon", "mine", "other", "active", "may"),
    [
        ("A1 177", {}, {}, True, True),
        ("A1 177", {}, {}, False, False),
        ("A1 177", {}, {"poisoned": 1}, True, False),
        ("A1 007", {}, {}, True, False),
        ("A1 209", {}, {}, False, True),
        ("A1 188", {}, {}, False, False),  # the other Bench is empty
        ("A1 020", {}, {}, True, False),
        ("A1 132", {}, {}, False, False),  # the Active Pokemon is not Psychic
        ("A1 132", {}, {}, True, True),
        ("A1 125", {}, {}, False, True),
        ("A1 001", {}, {}, True, False),
    ],
)
def test_B2_an_ability_needs_something_to_do(engine, pokemon, mine, other, active, may):
    there = side(pokemon, **mine) if active else side("A1 001", [pokemon], **mine)
    play = start(engine, there, side("A1 053", **other))
    assert play.can(actions.ABILITY + (0 if active else 1)) is may


def test_B2_luring_takes_basics_only(engine):
    other = side("A1 053", ["A1 054", "A1 059", "A1 216"])
    play = start(engine, side("A1 020"), other).do(actions.ABILITY)
    assert play.state["ask"] == Ask.DRAG and play.legal == [SLOT + 6, SLOT + 7]
    play.do(SLOT + 6)
    assert play.name_in(1) == "A1 059" and play.name_in(1, 2) == "A1 053"
    assert not start(engine, side("A1 020"), side("A1 053", ["A1 054"])).can(actions.ABILITY)


def test_B3_on_evolving_once_and_it_may_be_declined(engine):
    def evolved():
        mine = side(mon("A1 053", damage=20), [mon("A4a 021", damage=30), mon("A1 001", damage=10)])
        mine.hand = ["P-A 104", SPARE]
        return start(engine, mine).play("P-A 104")

    play = evolved()
    assert play.state["ask"] == Ask.RIPPLES and play.legal == [actions.PASS, SLOT, SLOT + 1]
    play.do(SLOT + 1)
    assert play.damage(0, 1) == 0 and play.damage(0) == 20
    assert not play.can(actions.ABILITY + 1)
    declined = evolved().do(actions.PASS)
    assert declined.damage(0, 1) == 30 and declined.turn() == 5


def test_B4_supporters_are_barred_while_it_is_active(engine):
    hand = ["A1 223", SPARE]
    for other, may in ((side("A1 123"), False), (side("A1 053", ["A1 123"]), True)):
        play = start(engine, side("A1 001", hand=hand), other)
        assert play.can(play.card("A1 223")) is may


def test_B4_a_companion_makes_a_pokemon_stronger(engine):
    raichu = side("P-A 044", ["A2a 070"])
    play = start(engine, side(mon("A1 001", energy="GG")), raichu).attack()
    assert play.damage(1) == 10  # 40 - 30
    alone = start(engine, side(mon("A1 001", energy="GG")), side("P-A 044")).attack()
    assert alone.damage(1) == 40
    assert start(engine, side("A4a 037", ["P-A 101"])).can(actions.RETREAT)
    assert not start(engine, side("A4a 037", ["A1 001"])).can(actions.RETREAT)


def test_B4_armour_against_a_type(engine):
    for attacker, damage in ((mon("A1 155", energy="F"), 0), (BULBASAUR, 40)):
        assert start(engine, side(attacker), side("P-A 047")).attack().damage(1) == damage


def test_B4_eevee_ex_evolves_into_what_evolves_from_eevee(engine):
    play = start(engine, side("P-A 109", hand=["A1 045", SPARE])).play("A1 045")
    assert play.name_in(0) == "A1 045"


def test_B5_damage_by_abilities_is_exact(engine):
    other = side(mon("A1 033", marks={Mark.GUARD: 5}), ["A1 182"])  # weak to Water; armoured
    play = start(engine, side("A1 089", ["A1 089"]), other)
    play.do(actions.ABILITY, SLOT + 4, actions.ABILITY + 1, SLOT + 5)
    assert play.damage(1) == 20 and play.damage(1, 1) == 20


def test_B5_an_aura_does_its_damage_when_energy_is_attached(engine):
    play = start(engine, side("P-A 042", energy=6, types=64), side("A1 202")).do(actions.ATTACH)
    assert play.damage(1) == 20 and play.energy(0) == "D"
    other_type = start(engine, side("P-A 042"), side("A1 202")).do(actions.ATTACH)
    assert other_type.damage(1) == 0


def test_abilities_that_heal_look_and_drive_off(engine):
    mine = side(mon("A1 007", damage=30), [mon("A1 001", damage=10)])
    play = start(engine, mine).do(actions.ABILITY)
    assert play.damage(0) == 10 and play.damage(0, 1) == 0
    play = start(engine, side("A1 209", deck=["A1 008", FILLER])).do(actions.ABILITY)
    assert play.player(0)["seen_top"] == 1
    other = side("A1 053", ["A1 059"])
    play = start(engine, side("A1 188"), other).do(actions.ABILITY)
    assert play.name_in(1) == "A1 059"
    play = start(engine, side("A1 125"), tape=[1, 0]).do(actions.ABILITY)
    assert play.player(1)["mind"] == Mind.ASLEEP
    play = start(engine, side("A1 177")).do(actions.ABILITY)
    assert play.player(1)["poisoned"] == 1


def test_supporters_and_items_do_what_they_say(engine):
    mine = side("A1 100", [mon("A1 001", energy="LLG"), mon("A1 008", energy="L")])
    mine.hand = ["A1 226", SPARE]
    play = start(engine, mine).play("A1 226")
    assert play.energy(0) == "LLL" and play.energy(0, 1) == "G" and play.energy(0, 2) == ""
    mine = side("A1 053", ["A1 001"], hand=["A1 220", SPARE])
    play = start(engine, mine, tape=[1, 1, 0]).play("A1 220")
    assert play.energy(0) == "WW"
    play = start(engine, side("A1 001", ["A1 150"], hand=["A1 224", SPARE])).play("A1 224")
    assert play.energy(0, 1) == "F"
    mine = side(mon("A1 001", damage=60), hand=["A1 219", SPARE])
    assert start(engine, mine).play("A1 219").damage(0) == 10
    play = start(engine, side("A1 001", hand=["P-A 007", SPARE])).play("P-A 007")
    assert play.count(0, Zone.HAND) == 3
    other = side("A1 053", hand=["A1 059", "A1 064", SPARE, SPARE], deck=(FILLER,) * 2)
    play = start(engine, side("A1 001", hand=["P-A 006", SPARE]), other, tape=range(6))
    play.play("P-A 006")
    assert play.count(1, Zone.HAND) == 3 and play.count(1, Zone.DECK) == 3
