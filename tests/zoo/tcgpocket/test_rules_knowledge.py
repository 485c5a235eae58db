"""What players know, chance, decisions and saved states, by rule number."""

import random

import numpy as np
import pytest
from tests.zoo.tcgpocket.driver import FILLER, SPARE, Play, board, mon, side
from tests.zoo.tcgpocket.states import check

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket import deck_lists, decks
from envwright.zoo.tcgpocket.cards import by_print, load
from envwright.zoo.tcgpocket.checks.states import positions
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.chance import Chance, Purpose, threefry
from envwright.zoo.tcgpocket.contract.observation import LENGTH, flat, record
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import NONE, SIZE, Zone, unpack
from envwright.zoo.tcgpocket.reference import Game


def start(engine, mine, other="A1 202", tape=(), settings=None, **fields):
    other = side(other) if isinstance(other, str) else other
    return Play(engine, board(mine, other, **fields), tape, settings)


def hide_again(data: bytes, viewer: int, rng: random.Random) -> bytes:
    """The same game as far as a viewer knows: everything hidden is dealt anew."""
    state = unpack(data)
    state["key"] = [rng.getrandbits(32), rng.getrandbits(32)]
    state["counter"] = rng.getrandbits(20)
    mine, other = state["players"][viewer], state["players"][1 - viewer]
    deck = [card for card in mine["deck"].tolist() if card != NONE]
    seen = int(mine["seen_top"])
    rest = deck[seen:]
    rng.shuffle(rest)
    mine["deck"][: len(deck)] = deck[:seen] + rest
    hidden = [
        card
        for card in range(20)
        if other["zone"][card] in (Zone.DECK, Zone.HAND) and not other["revealed"][card]
    ]
    places = [(int(other["zone"][card])) for card in hidden]
    rng.shuffle(places)
    for card, zone in zip(hidden, places, strict=True):
        other["zone"][card] = zone
        # other cards than these may be there: any number that keeps the order of indices
        low = other["cards"][card - 1] if card else 1
        high = other["cards"][card + 1] if card < 19 else max(load())
        between = [n for n in (int(low), int(other["cards"][card]), int(high)) if n in load()]
        other["cards"][card] = rng.choice(between)
    deck = [card for card in range(20) if other["zone"][card] == Zone.DECK]
    rng.shuffle(deck)
    other["deck"] = NONE
    other["deck"][: len(deck)] = deck
    other["seen_top"] = rng.randint(0, min(3, len(deck)))
    other["next_energy"] = rng.randrange(8)
    other["types"] = 1 << other["next_energy"]
    return state.tobytes()


def test_I1_nothing_hidden_changes_observation_or_mask(engine):
    changed, asked = 0, set()
    found = positions(60) + positions(60, questions=True)
    for number, data in enumerate(found):
        asked.add(int(unpack(data)["ask"]))
        rng = random.Random(number)
        game = engine.load(data, Settings(), None)
        twin_data = hide_again(data, game.mover, rng)
        twin = engine.load(twin_data, Settings(), None)
        assert flat(game.observe(game.mover)).tolist() == flat(twin.observe(game.mover)).tolist()
        assert game.legal == twin.legal
        changed += twin_data != data
    assert changed == len(found) and len(asked) >= 6


def test_I1_what_is_public_does_change_it(engine):
    data = positions(60)[0]
    seen = flat(engine.load(data, Settings(), None).observe(0))
    for change in ("points", "spent", "poisoned"):
        state = unpack(data)
        state["players"][1][change] += 1
        assert (flat(engine.load(state.tobytes(), Settings(), None).observe(0)) != seen).any()


def test_I2_shown_cards_stay_known_in_hand(engine):
    other = side("A1 053", hand=["A1 059", "A1 064"])
    play = start(engine, side("A1 001", hand=["P-A 003", SPARE]), other)
    assert play.game.observe(0)["sides"][1]["revealed"].sum() == 0
    play.play("P-A 003")
    known = sorted(by_print(p).number for p in ("A1 059", "A1 064"))
    assert play.game.observe(0)["sides"][1]["revealed"][:3].tolist() == [*known, 0]
    play.do(actions.PASS).play("A1 059")
    left = by_print("A1 064").number
    assert play.game.observe(0)["sides"][1]["revealed"][:2].tolist() == [left, 0]


def test_I2_what_returns_from_play_is_known(engine):
    mine = side(mon("A1 177", under=("A1 176",)), ["A1 001"], hand=["A1 222", SPARE])
    play = start(engine, mine).play("A1 222")
    known = sorted(by_print(p).number for p in ("A1 176", "A1 177"))
    assert play.game.observe(1)["sides"][1]["revealed"][:3].tolist() == [*known, 0]


def test_I3_the_top_of_the_deck_is_known_until_a_shuffle(engine):
    deck = ["A1 008", "A1 011", "A1 002", FILLER]
    mine = side("A1 001", hand=["P-A 004", "P-A 007", "P-A 005", SPARE], deck=deck)
    play = start(engine, mine, tape=[0, 5])
    play.play("P-A 004")
    numbers = [by_print(card).number for card in deck]
    assert play.game.observe(0)["top"].tolist() == numbers[:3]
    assert play.game.observe(1)["top"].tolist() == [0, 0, 0]
    play.play("P-A 007")
    assert play.game.observe(0)["top"].tolist() == [numbers[2], 0, 0]
    play.play("P-A 005")
    assert play.game.observe(0)["top"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("public", [False, True])
def test_I4_the_next_energy_is_its_owners_secret(engine, public):
    settings = Settings(public_next_energy=public)
    play = start(engine, side("A1 001"), side("A1 053", next_energy=3), settings=settings)
    assert play.game.observe(0)["sides"][1]["next_energy"] == (4 if public else 0)
    assert play.game.observe(1)["sides"][0]["next_energy"] == 4
    assert play.game.observe(0)["sides"][1]["types"] == 0


def test_I5_nothing_of_the_other_side_is_known_while_setting_up(engine):
    for seed in range(6):
        game = engine.new((deck_lists.named("sparks"), deck_lists.named("tides")), seed, Settings())
        first = game.mover
        while game.mover == first and unpack(game.save())["turn"] == 0:
            game.step(game.legal[-1])
        if unpack(game.save())["turn"]:
            continue
        other = game.observe(1 - first)["sides"][1]
        assert (other["hand"], other["deck"]) == (5, 15)
        assert other["slots"]["card"].sum() == 0 and other["next_energy"] == 0


# The contract


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF,) * 2, (0xFFFFFFFF,) * 2, (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_C1_threefry_gives_the_published_words(key, counter, words):
    assert threefry(key, counter) == words


def test_C1_a_draw_is_the_high_word_and_draws_among_one_are_none():
    chance = Chance((7 << 32) + 9)
    results = [chance.below(Purpose.CARD, n) for n in (2, 1, 3, 20, 65535)]
    words = [threefry((7, 9), (i, 0))[0] for i in range(4)]
    expected = [word * n >> 32 for word, n in zip(words, (2, 3, 20, 65535), strict=True)]
    assert results[:1] + results[2:] == expected and results[1] == 0
    assert chance.counter == 4 and chance.log[1] == (Purpose.CARD, 3, expected[1])
    for word, n in zip(words, (2, 3, 20, 65535), strict=True):
        assert ((word >> 16) * n + ((word & 0xFFFF) * n >> 16)) >> 16 == word * n >> 32


def test_C1_a_tape_gives_the_same_game_as_the_draws_it_holds(engine):
    names = [deck_lists.named("museum"), deck_lists.named("storm dragons")]
    played, choices = engine.new(names, 4, Settings()), []
    rng = random.Random(4)
    while not played.over:
        choices.append(rng.choice(played.legal))
        played.step(choices[-1])
    taped = engine.new(names, 4, Settings(), tape=[row[2] for row in played.log])
    for action in choices:
        taped.step(action)
    assert taped.save() == played.save() and taped.log == played.log
    assert unpack(played.save())["counter"] == len(played.log)


def test_C1_a_tape_that_does_not_fit_is_refused():
    with pytest.raises(EnvwrightError, match="has 2 on the tape"):
        Chance(tape=[2]).heads(Purpose.COIN)
    with pytest.raises(EnvwrightError, match="fitting result for every draw"):
        Chance(tape=[]).below(Purpose.CARD, 3)


def test_C2_words_ascend_after_a_shuffle_and_equal_ones_keep_their_order(engine):
    other = side("A1 053", hand=["A1 059", "A1 064"], deck=["A1 008", "A1 002", "A1 011"])
    mine = side("A1 001", hand=["P-A 006", SPARE])
    play = start(engine, mine, other, tape=[9, 5, 5, 7, 1])
    deck = [card for card in play.player(1)["deck"].tolist() if card != NONE]
    hand = [card for card in range(20) if play.player(1)["zone"][card] == Zone.HAND]
    under = deck + hand  # the hand goes under the deck, ascending
    play.play("P-A 006")  # and three are drawn
    order = [under[place] for place in (4, 1, 2, 3, 0)]
    assert sorted(order[:3]) == [
        card for card in range(20) if play.player(1)["zone"][card] == Zone.HAND
    ]
    assert play.player(1)["deck"].tolist()[:3] == [*order[3:], NONE]
    assert [row[:2] for row in play.game.log] == [(Purpose.SHUFFLE, 0)] * 5


def test_C3_random_energy_counts_by_type(engine):
    for pick, left in ((0, "WWM"), (1, "GWM"), (2, "GWM"), (3, "GWW")):
        other = side(mon("A1 202", energy="GWWM"))
        play = start(engine, side(mon("A1 078", energy="WWWW")), other, tape=[pick]).attack()
        assert play.energy(1) == left
        assert play.game.log == [(Purpose.DISCARD_ENERGY, 4, pick)]


def test_C3_a_random_card_of_a_hand_counts_by_index(engine):
    other = side("A1 202", hand=["A1 059", "A1 008", SPARE])
    for pick, gone in ((0, "A1 008"), (1, "A1 059"), (2, SPARE)):
        mine = side(mon("A1 197", energy="GG"))
        play = start(engine, mine, other, tape=[1, pick]).attack()
        assert play.where(1, gone) == [Zone.DISCARD]


def test_C4_twenty_heads_end_a_flipping(engine):
    mine = side("A1 053", hand=["A1 220", SPARE])
    play = start(engine, mine, tape=[1] * 20).play("A1 220")
    assert play.energy(0) == "W" * 20 and len(play.game.log) == 20


def test_C5_of_equal_cards_only_the_first_can_be_played(engine):
    play = start(engine, side("A1 001", hand=[SPARE, SPARE, "P-A 004", "P-A 004"]))
    number = by_print(SPARE).number
    cards = play.player(0)["cards"].tolist()
    playable = [a - actions.PLAY for a in play.legal if 1 <= a <= 20]
    assert len(playable) == 2 and cards.index(number) in playable


def test_C6_a_question_with_one_answer_answers_itself(engine):
    other = side("A1 053", ["A1 059"])  # driven off: only one can come
    play = start(engine, side("A1 001", hand=["A1 225", SPARE]), other).play("A1 225")
    assert play.name_in(1) == "A1 059" and play.state["ask"] == Ask.MAIN
    mine = side("A1 001", hand=(), energy=NONE)  # nothing but passing: the turn is over at once
    assert start(engine, mine).turn() == 6


def test_C6_an_illegal_action_is_refused_and_nothing_changes(engine):
    play = start(engine, side("A1 001"))
    before = play.game.save()
    with pytest.raises(EnvwrightError, match="action 32"):
        play.attack()
    assert play.game.save() == before


def test_a_game_has_two_decks():
    with pytest.raises(EnvwrightError, match="3 decks were given; a game is between two"):
        Game.new([deck_lists.named("sparks")] * 3, 0, Settings())


def test_a_record_is_small_and_a_broken_one_is_refused():
    assert SIZE == 456 <= 1024
    with pytest.raises(EnvwrightError, match="456 bytes, not 3"):
        Game.load(b"abc", Settings())


def test_an_observation_is_a_vector_and_back(engine):
    view = engine.load(positions(60)[1], Settings(), None).observe(0)
    assert flat(view).shape == (LENGTH,) == (382,) and flat(view).dtype == np.int16
    assert record(flat(view)).tobytes() == view.tobytes()


def test_random_games_keep_all_cards_and_survive_saving_at_every_step():
    numbers = sorted(load())
    asked = set()
    for seed in range(25):
        rng = random.Random(seed)
        pair = [decks.around(rng.choice(numbers), rng) for _ in range(2)]
        settings = Settings(
            max_turns=rng.choice((12, 30)),
            opening=rng.choice(("redraw", "dealt")),
            retreat_payment=rng.choice(("chosen", "fixed")),
        )
        game = Game.new(pair, seed, settings)
        while not game.over:
            check(game)
            data = game.save()
            asked.add(int(unpack(data)["ask"]))
            again = Game.load(data, settings)
            assert again.save() == data and again.legal == game.legal
            action = rng.choice(game.legal)
            game.step(action)
            again.step(action)
            assert again.save() == game.save()
        check(game)
    assert asked >= {Ask.SETUP_ACTIVE, Ask.SETUP_BENCH, Ask.MAIN, Ask.PROMOTE}
