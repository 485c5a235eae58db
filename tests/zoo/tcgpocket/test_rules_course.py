"""Decks, setting up, turns, hands, energy, the end of turns, knock-outs and winning.

The number in a test's name is that of the rule in docs/tcgpocket-rules.md.
"""

import pytest
from tests.zoo.tcgpocket.driver import FILLER, SPARE, Play, board, mon, side

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket import deck_lists, decks
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Purpose
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import NONE, Mind, Zone, unpack

PAIR = {f"A1 {n:03d}": 2 for n in (8, 11, 14, 16, 18, 21, 24, 25, 26, 27)}  # ten Basics
GRASS, WATER = 0, 2


def new(engine, seed=0, settings=None, first="sparks", second="tides"):
    names = (deck_lists.named(first), deck_lists.named(second))
    return engine.new(names, seed, settings or Settings())


def start(engine, mine, other, tape=(), settings=None, **fields):
    return Play(engine, board(mine, other, **fields), tape, settings)


# Decks


@pytest.mark.parametrize("count", [18, 21])
def test_G1_a_deck_has_twenty_cards(count):
    cards = dict(list(PAIR.items())[:9]) | ({"A1 029": 2, "A1 031": 1} if count == 21 else {})
    with pytest.raises(EnvwrightError, match=f"has {count} cards; give it 20"):
        decks.make("x", cards, "G")


def test_G2_prints_of_one_name_count_together_but_an_ex_is_another_name():
    three = dict(list(PAIR.items())[:8]) | {"A1 193": 2, "P-A 022": 1, "A1 026": 1}
    with pytest.raises(EnvwrightError, match="3 cards named Jigglypuff; keep at most 2"):
        decks.make("x", three, "G")
    ex = dict(list(PAIR.items())[:7]) | {"A1 022": 2, "A1 023": 2, "A1 029": 2}
    assert len(decks.make("x", ex, "G").cards) == 20


def test_G3_a_deck_has_a_basic_and_a_fossil_is_none():
    stage_one = {f"A1 {n:03d}": 2 for n in (2, 6, 9, 12, 15, 17, 19, 22)}
    cards = stage_one | {"A1 216": 2, "A1 217": 2}
    with pytest.raises(EnvwrightError, match="no Basic Pokemon; add one"):
        decks.make("x", cards, "G")


@pytest.mark.parametrize("types", ["", "GRWL", "C", "N", "GG", "?"])
def test_G4_one_to_three_types_of_energy_that_exist(types):
    with pytest.raises(EnvwrightError, match=r"declare"):
        decks.make("x", PAIR, types)


def test_G4_three_types_are_allowed():
    assert decks.make("x", PAIR, "WGM").types == (0, 2, 7)


# Setting up


def test_S1_a_coin_decides_who_goes_first(engine):
    began = set()
    for seed in range(8):
        game = new(engine, seed)
        assert game.log[0][:2] == (Purpose.FIRST, 2)
        assert unpack(game.save())["first"] == game.log[0][2]
        began.add(game.log[0][2])
    assert began == {0, 1}


@pytest.mark.parametrize("opening", ["redraw", "dealt"])
def test_S2_both_begin_with_five_cards(engine, opening):
    state = unpack(new(engine, 3, Settings(opening=opening)).save())
    for player in state["players"]:
        taken = (player["zone"] != Zone.DECK).sum()
        assert taken == 5
        for name in ("points", "spent", "poisoned", "burned", "mind", "seen_top", "revealed"):
            assert not player[name].any()


@pytest.mark.parametrize("opening", ["redraw", "dealt"])
def test_S3_the_opening_hand_has_a_basic(engine, opening):
    one = dict(list({f"A1 {n:03d}": 2 for n in (2, 6, 9, 12, 15, 17, 19, 22, 28)}.items()))
    deck = decks.make("one basic", one | {"A1 001": 1, "P-A 005": 1}, "G")
    shuffles = []
    for seed in range(10):
        game = engine.new((deck, deck), seed, Settings(opening=opening))
        for player in unpack(game.save())["players"]:
            basic = player["cards"].tolist().index(1)
            assert player["zone"][basic] in (Zone.HAND, Zone.POKEMON)
        shuffles.append(sum(purpose == Purpose.SHUFFLE for purpose, _, _ in game.log))
    if opening == "redraw":  # 20 words a shuffle, and a hand without a Basic is dealt again
        assert all(n % 20 == 0 for n in shuffles) and max(shuffles) > 40
    else:
        assert set(shuffles) == {38}


def test_S3_a_dealt_basic_is_drawn_among_all(engine):
    game = engine.new((deck_lists.named("sparks"),) * 2, 1, Settings(opening="dealt"))
    assert [row[1] for row in game.log if row[0] == Purpose.OPENING] == [7, 7]


def test_S4_both_zones_show_an_energy_before_cards_are_placed(engine):
    game = new(engine, 5, first="storm dragons", second="museum")
    state = unpack(game.save())
    assert [row[1] for row in game.log[-2:]] == [2, 2]
    assert [row[0] for row in game.log[-2:]] == [Purpose.ENERGY] * 2
    drawn = [row[2] for row in game.log[-2:]]
    assert state["players"]["next_energy"].tolist() == [[2, 3][drawn[0]], [2, 5][drawn[1]]]
    assert state["players"]["energy"].tolist() == [NONE, NONE]


def setup_board(engine, hand, **fields):
    mine = side(None, hand=hand, deck=(FILLER,) * 15, energy=NONE)
    other = side(None, hand=["A1 001", "A1 008", SPARE], deck=(FILLER,) * 15, energy=NONE)
    fields = {"turn": 0, "stage": Stage.SETUP, "ask": Ask.SETUP_ACTIVE} | fields
    return start(engine, mine, other, **fields)


def test_S5_an_active_then_the_bench_who_goes_first_first_and_no_fossils(engine):
    play = setup_board(engine, ["A1 001", "A1 008", "A1 216", "A1 002", "A1 011"])
    assert play.legal == sorted(play.card(p) for p in ("A1 001", "A1 008", "A1 011"))
    play.play("A1 008")
    assert play.state["ask"] == Ask.SETUP_BENCH
    assert play.legal == sorted([0, play.card("A1 001"), play.card("A1 011")])
    play.play("A1 001").do(actions.PASS)
    assert (play.name_in(0, 0), play.name_in(0, 1), play.name_in(0, 2)) == (
        "A1 008",
        "A1 001",
        None,
    )
    assert play.game.mover == 1 and play.state["ask"] == Ask.SETUP_ACTIVE
    play.play("A1 001").do(actions.PASS)
    assert play.turn() == 1 and play.game.mover == 0


def test_S6_there_are_no_prize_cards(engine):
    state = unpack(new(engine, 2).save())
    for player in state["players"]:
        assert (player["zone"] == Zone.DECK).sum() == 15
        assert set(player["zone"].tolist()) <= {Zone.DECK, Zone.HAND, *range(3, 7)}


# Turns


def both_ready(**fields):
    mine = side("A1 001", ["A1 008"], energy=NONE)
    other = side("A1 053", ["A1 059"], deck=["A1 064", *(FILLER,) * 4], types=4, next_energy=WATER)
    return board(mine, other, **fields)


def test_T1_players_take_turns_and_turns_are_counted_together(engine):
    play = Play(engine, both_ready())
    movers = []
    for _ in range(4):
        movers.append((play.turn(), play.game.mover))
        play.do(actions.PASS)
    assert movers == [(5, 0), (6, 1), (7, 0), (8, 1)]


def test_T2_every_turn_begins_with_a_card(engine):
    play = Play(engine, both_ready()).do(actions.PASS)
    assert play.where(1, "A1 064") == [Zone.HAND]
    assert play.count(1, Zone.HAND) == 2


def test_T2_the_first_player_draws_on_the_first_turn(engine):
    play = setup_board(engine, ["A1 001", "A1 008", SPARE, SPARE, "P-A 004"])
    play.play("A1 001").do(actions.PASS).play("A1 001").do(actions.PASS)
    assert play.turn() == 1
    assert play.count(0, Zone.HAND) == 4 + 1
    assert play.count(0, Zone.DECK) == 14


def test_T3_no_energy_on_the_very_first_turn_but_on_the_second(engine):
    play = setup_board(engine, ["A1 001", "A1 008", SPARE, SPARE, "P-A 004"])
    play.play("A1 001").do(actions.PASS).play("A1 001").do(actions.PASS)
    assert play.player(0)["energy"] == NONE and not play.can(actions.ATTACH)
    play.do(actions.PASS)
    assert play.turn() == 2
    assert play.player(1)["energy"] == GRASS and play.can(actions.ATTACH)


def test_T4_many_items_and_basics_in_one_turn_but_one_supporter(engine):
    hand = [SPARE, SPARE, "A1 008", "A1 011", "A1 223", "P-A 007"]
    play = start(engine, side("A1 001", hand=hand), side("A1 053"))
    play.play(SPARE).play("A1 008").play(SPARE).play("A1 011").play("A1 223")
    assert play.state["speed"] == 2 and play.state["press"] == 1
    assert play.card("P-A 007") > 0 and not play.can(play.card("P-A 007"))


def test_T5_attacks_and_supporters_are_allowed_on_the_first_turn(engine):
    mine = side(mon("A1 001", energy="GG"), hand=["A1 223"], energy=NONE)
    play = start(engine, mine, side("A1 053"), turn=1)
    play.play("A1 223").attack()
    assert play.damage(1) == 50


def test_T6_an_attack_ends_the_turn(engine):
    play = start(engine, side(mon("A1 001", energy="GG")), side("A1 202"))
    play.attack()
    assert (play.turn(), play.game.mover) == (6, 1)


def test_T6_passing_ends_the_turn(engine):
    play = start(engine, side("A1 001"), side("A1 202")).do(actions.PASS)
    assert (play.turn(), play.game.mover) == (6, 1)


# Hand and deck


@pytest.mark.parametrize(("held", "drawn"), [(9, 1), (10, 0)])
def test_H1_no_card_is_drawn_at_ten(engine, held, drawn):
    other = side("A1 053", hand=(SPARE,) * held, deck=(FILLER,) * 3)
    play = start(engine, side("A1 001"), other).do(actions.PASS)
    assert play.count(1, Zone.HAND) == held + drawn
    assert play.count(1, Zone.DECK) == 3 - drawn


def test_H1_drawing_two_stops_at_ten(engine):
    mine = side("A1 001", hand=("P-A 007", *(SPARE,) * 9))
    play = start(engine, mine, side("A1 053")).play("P-A 007")
    assert play.count(0, Zone.HAND) == 10 and play.count(0, Zone.DECK) == 4


def test_H2_an_empty_deck_loses_nothing(engine):
    play = start(engine, side("A1 001", deck=()), side("A1 053", deck=()))
    for _ in range(6):
        play.do(actions.PASS)
    assert play.state["winner"] == 0 and play.turn() == 11
    assert not play.game.over


def test_H3_a_search_is_uniform_over_what_fits_and_shuffles_the_rest(engine):
    deck = ["A1 008", "A1 002", "A1 011", SPARE]
    for pick, found in ((0, "A1 008"), (1, "A1 011")):
        mine = side("A1 001", hand=["P-A 005", SPARE], deck=deck)
        play = start(engine, mine, side("A1 053"), tape=[pick, 30, 20, 10])
        before = play.player(0)["deck"].tolist()
        play.play("P-A 005")
        assert Zone.HAND in play.where(0, found)
        rest = [card for card in before[:4] if play.player(0)["zone"][card] == Zone.DECK]
        assert play.player(0)["deck"].tolist()[:4] == [*rest[::-1], NONE]
        assert play.game.log[0] == (Purpose.CARD, 2, pick)


def test_H3_with_ten_cards_in_hand_a_search_finds_nothing(engine):
    mine = side(mon("A1 005", energy="G"), hand=(SPARE,) * 10, deck=["A1 008", "A1 011"])
    play = start(engine, mine, side("A1 053")).attack()
    assert play.count(0, Zone.HAND) == 10 and play.count(0, Zone.DECK) == 2


def test_H3_a_search_without_a_match_does_not_shuffle(engine):
    mine = side("A1 001", hand=["P-A 005", SPARE], deck=["A1 002", SPARE])
    play = start(engine, mine, side("A1 053")).play("P-A 005")
    assert play.game.log == [] and play.count(0, Zone.DECK) == 2


def test_H4_a_pokemon_returns_to_a_full_hand(engine):
    weezing = mon("A1 177", under=("A1 176",), energy="DD")
    mine = side(weezing, ["A1 001"], hand=("A1 222", *(SPARE,) * 9), deck=())
    play = start(engine, mine, side("A1 053")).play("A1 222")
    assert play.count(0, Zone.HAND) == 11
    assert play.spent(0) == "DD" and play.name_in(0) == "A1 001"


# Energy


def test_E1_one_energy_a_turn_to_any_pokemon(engine):
    play = start(engine, side("A1 001", ["A1 008"]), side("A1 053"))
    assert play.can(actions.ATTACH) and play.can(actions.ATTACH + 1)
    assert not play.can(actions.ATTACH + 2)
    play.do(actions.ATTACH + 1)
    assert play.energy(0, 1) == "G" and play.energy(0, 0) == ""
    assert not any(play.can(actions.ATTACH + slot) for slot in range(4))


def test_E2_the_next_energy_comes_and_a_new_one_is_drawn(engine):
    other = side("A1 053", types=0b1110, next_energy=WATER)
    play = start(engine, side("A1 001"), other, tape=[2]).do(actions.PASS)
    assert play.player(1)["energy"] == WATER and play.player(1)["next_energy"] == 3
    assert play.game.log == [(Purpose.ENERGY, 3, 2)]


def test_E3_energy_that_is_not_attached_is_lost(engine):
    play = start(engine, side("A1 001"), side("A1 053")).do(actions.PASS)
    assert play.player(0)["energy"] == NONE
    assert play.energy(0) == "" and play.spent(0) == ""


def test_E4_attacks_use_no_energy_up(engine):
    play = start(engine, side(mon("A1 001", energy="GG")), side("A1 202")).attack()
    assert play.energy(0) == "GG"


def test_E5_discarded_energy_lies_in_a_pool(engine):
    play = start(engine, side(mon("A1 033", energy="RW")), side("A1 202")).attack()
    assert play.energy(0) == "W" and play.spent(0) == "R"


def test_E5_an_effect_discards_what_there_is(engine):
    # Mimikyu copies an attack that discards two Fire energy without having any.
    mine = side(mon("P-A 113", energy="PPP"))
    play = start(engine, mine, side("A1 035", ["A1 008"]), tape=[1]).attack()
    assert play.player(0)["points"] == 1  # 150 damage were done
    assert play.energy(0) == "PPP" and play.spent(0) == ""


def test_E6_effects_take_any_type_and_leave_the_turns_energy(engine):
    mine = side("A1 001", ["A1 098"], types=1)  # Lightning in a deck that declares Grass
    play = start(engine, mine, side("A1 053")).do(actions.ABILITY + 1)
    assert play.energy(0, 1) == "L" and play.player(0)["energy"] == GRASS
    assert play.can(actions.ATTACH)


def test_E6_abilities_that_wait_for_energy_act_on_effects_too(engine):
    mine = side(mon("P-A 037", damage=50), ["A1 132"])
    play = start(engine, mine, side("A1 053")).do(actions.ABILITY + 1)
    assert play.energy(0) == "P" and play.damage(0) == 30


# The end of a turn


def test_U1_abilities_act_before_the_check_up(engine):
    mine = side("P-A 110", deck=["A1 008", FILLER])
    play = start(engine, mine, side("A1 053")).do(actions.PASS)
    assert play.where(0, "A1 008") == [Zone.HAND]


def test_U1_on_the_first_own_turn_only(engine):
    for turn, energy in ((1, "L"), (2, "L"), (3, "")):
        first = 0 if turn % 2 else 1
        mine = side("A1 001", ["P-A 074"])
        play = start(engine, mine, side("A1 053"), turn=turn, first=first).do(actions.PASS)
        assert play.energy(0, 1) == energy


def test_U2_poison_then_burn_with_a_coin_then_sleep_with_a_coin(engine):
    other = side("A1 202", ["A1 008"], poisoned=1, burned=1, mind=Mind.ASLEEP)
    play = start(engine, side("A1 001"), other, tape=[1, 0]).do(actions.PASS)
    assert [row[0] for row in play.game.log] == [Purpose.BURN, Purpose.SLEEP]
    assert play.damage(1) == 30
    player = play.player(1)
    assert (player["poisoned"], player["burned"], player["mind"]) == (1, 0, Mind.ASLEEP)


def test_U2_burn_does_damage_before_its_coin_and_tails_keeps_it(engine):
    other = side("A1 202", burned=1)
    play = start(engine, side("A1 001"), other, tape=[0]).do(actions.PASS)
    assert play.damage(1) == 20 and play.player(1)["burned"] == 1


def test_U2_the_player_whose_turn_ends_comes_first(engine):
    mine = side("A1 202", ["A1 008"], burned=1, mind=Mind.ASLEEP)
    other = side("A1 202", burned=1, mind=Mind.ASLEEP)
    play = start(engine, mine, other, tape=[1, 0, 0, 1]).do(actions.PASS)
    assert [row[0] for row in play.game.log] == [Purpose.BURN] * 2 + [Purpose.SLEEP] * 2
    assert play.player(0)["burned"] == 0 and play.player(1)["burned"] == 1
    assert play.player(0)["mind"] == Mind.ASLEEP and play.player(1)["mind"] == Mind.CLEAR


def test_U3_what_held_for_the_turn_ends(engine):
    mine = side("A1 001", ["A1 098"], hand=[SPARE, SPARE, "A1 223"])
    play = start(engine, mine, side("A1 202"))
    play.play(SPARE).play("A1 223").do(actions.ABILITY + 1, actions.PASS)
    state = play.state
    assert (state["speed"], state["press"], state["supporter"]) == (0, 0, 0)
    assert play.slot(0, 1)["ability_used"] == 0


def test_U4_paralysis_ends_after_a_turn_of_its_owner(engine):
    other = side("A1 202", mind=Mind.PARALYSED)
    play = start(engine, side("A1 001"), other).do(actions.PASS)
    assert play.player(1)["mind"] == Mind.PARALYSED
    play.do(actions.PASS)
    assert play.player(1)["mind"] == Mind.CLEAR


def test_U5_knock_outs_of_the_check_up_come_before_the_next_turn(engine):
    other = side(mon("A1 053", damage=50), ["A1 059", "A1 064"], poisoned=1)
    play = start(engine, side("A1 001"), other).do(actions.PASS)
    assert play.state["ask"] == Ask.PROMOTE and play.game.mover == 1 and play.turn() == 5
    play.do(actions.CHOOSE_SLOT + 2)
    assert play.turn() == 6 and play.name_in(1) == "A1 064"


# Knock-outs


def test_K1_a_pokemon_falls_once_the_action_is_complete(engine):
    mine = side(mon("A1 084", energy="WWW"))
    other = side(mon("A1 053", damage=10), [mon("A1 059", damage=50), "A1 064"])
    play = start(engine, mine, other).attack(1)
    assert play.player(0)["points"] == 2 and play.name_in(1) == "A1 064"
    assert play.name_in(1, 1) is None and play.name_in(1, 2) is None


def test_K1_an_ability_can_knock_out(engine):
    other = side("A1 053", [mon("A1 059", damage=40), "A1 064"])
    play = start(engine, side("A1 001", ["A1 089"]), other)
    play.do(actions.ABILITY + 1, actions.CHOOSE_SLOT + 4 + 1)
    assert play.player(0)["points"] == 1 and play.turn() == 5


def test_K2_cards_and_tool_are_discarded_and_energy_goes_to_the_pool(engine):
    other = side(
        mon("A1 054", damage=70, energy="WL", tool="A2 148", under=("A1 053",)), ["A1 064"]
    )
    play = start(engine, side(mon("A1 001", energy="GG")), other).attack()
    for card in ("A1 053", "A1 054", "A2 148"):
        assert play.where(1, card) == [Zone.DISCARD]
    assert play.spent(1) == "WL"


@pytest.mark.parametrize(("fallen", "points"), [("A1 053", 1), ("A1 096", 2), ("P-B 024", 3)])
def test_K3_one_point_two_for_an_ex_three_for_a_mega(engine, fallen, points):
    other = side(mon(fallen, damage={1: 50, 2: 110, 3: 170}[points]), ["A1 064"])
    play = start(engine, side(mon("A1 001", energy="GG")), other).attack()
    assert play.player(0)["points"] == points


def test_K3_who_falls_by_itself_gives_points_too(engine):
    mine = side(mon("A1 040", damage=110, energy="RRR"), ["A1 001"])
    play = start(engine, mine, side("A1 202")).attack()
    assert play.player(1)["points"] == 1 and play.name_in(0) == "A1 001"


def test_K4_whose_turn_comes_next_promotes_first(engine):
    mine = side(mon("A1 040", damage=110, energy="RRR"), ["A1 001", "A1 008"])
    other = side("A1 053", ["A1 059", "A1 064"])
    play = start(engine, mine, other).attack()
    assert (play.state["ask"], play.game.mover) == (Ask.PROMOTE, 1)
    play.do(actions.CHOOSE_SLOT + 1)
    assert (play.state["ask"], play.game.mover) == (Ask.PROMOTE, 0)
    play.do(actions.CHOOSE_SLOT + 2)
    assert play.name_in(0) == "A1 008" and play.name_in(1) == "A1 059"
    assert play.name_in(0, 1) == "A1 001" and play.name_in(0, 2) is None


# Winning


def test_W1_three_points_win(engine):
    mine = side(mon("A1 001", energy="GG"), points=2)
    play = start(engine, mine, side(mon("A1 053", damage=30), ["A1 064"])).attack()
    assert play.game.over and play.state["winner"] == 1 and play.state["stage"] == Stage.OVER
    assert play.game.rewards == (1, -1)


def test_W2_a_table_without_pokemon_loses(engine):
    play = start(engine, side(mon("A1 001", energy="GG")), side(mon("A1 053", damage=30))).attack()
    assert play.state["winner"] == 1 and play.player(0)["points"] == 1


@pytest.mark.parametrize(
    ("points", "other_points", "bench", "other_bench", "winner"),
    [
        (2, 2, ["A1 001"], ["A1 064"], 3),  # three points each
        (2, 2, ["A1 001"], [], 1),  # three points each, but only one has Pokemon left
        (2, 2, [], ["A1 064"], 2),
        (2, 1, [], ["A1 064"], 3),  # points against an empty table
        (0, 0, [], [], 3),  # both tables are empty
    ],
)
def test_W3_who_meets_more_conditions_wins(
    engine, points, other_points, bench, other_bench, winner
):
    mine = side(mon("A1 040", damage=110, energy="RRR"), bench, points=points)
    play = start(engine, mine, side("A1 053", other_bench, points=other_points)).attack()
    assert play.state["winner"] == winner
    assert play.game.rewards == {1: (1, -1), 2: (-1, 1), 3: (0, 0)}[winner]


@pytest.mark.parametrize("limit", [30, 6])
def test_W4_the_last_turn_without_a_winner_is_a_tie(engine, limit):
    settings = Settings(max_turns=limit)
    play = start(engine, side("A1 001"), side("A1 053"), settings=settings, turn=limit - 1)
    play.do(actions.PASS)
    assert not play.game.over and play.turn() == limit
    play.do(actions.PASS)
    assert play.state["winner"] == 3 and play.turn() == limit
