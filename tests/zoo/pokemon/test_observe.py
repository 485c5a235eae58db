"""A player sees all of the own side and only what the other has shown."""

import numpy as np
import pytest
from tests.zoo.pokemon.battles import LANES, legal, under_way

from envwright.zoo.pokemon import knowledge, observe, opponents, view
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.state import Mon, Status


def _mine(state, known, player=0, kind="own"):
    return observe.observe(np, state, known, player, kind)


def test_views_are_finite_vectors_of_the_promised_size():
    state, known = under_way()
    for player in (0, 1):
        for kind in observe.VIEWS:
            seen = _mine(state, known, player, kind)
            assert seen.shape == (observe.SIZE, LANES) and seen.dtype == np.float32
            assert np.isfinite(seen).all() and np.abs(seen).max() <= 2


def _hidden_changed(state, known, side):
    """Another battle that looks the same to the other side."""
    fields = state._asdict()
    unseen = knowledge.by_slot(np, state, known.seen)[side] == 0  # [6, B]

    def put(name, value, where):
        array = fields[name].copy()
        array[side] = np.where(where, value, array[side])
        fields[name] = array

    bench = unseen & (state.species[side] > 0)
    put("species", NAMES.one_species("snorlax"), bench)
    put("hp", 77, bench)
    put("maxhp", 300, bench)
    put("level", 50, bench)
    put("gender", 3, bench)
    put("status", Status.BURN, bench)
    secret = ~knowledge.known_moves(np, state)[side]
    put("moves", NAMES.move("splash"), secret & (state.moves[side] > 0))
    pp = fields["pp"].copy()
    pp[side] = np.where(secret & (state.moves[side] > 0), 64, pp[side])  # Splash, unused
    fields["pp"] = pp
    item_known = knowledge.by_slot(np, state, known.items)[side] > 0
    put("item", NAMES.item("leftovers"), ~item_known)
    put("tera", NAMES.type("Bug"), ((state.marks >> Mon.TERA) & 1)[side] == 0)
    put("stats", 123, np.ones_like(state.stats[side], bool))
    put("growth", 1, np.ones_like(state.growth[side], bool))
    put("nature", 3, np.ones_like(state.nature[side], bool))
    put("status_turns", 1, state.status[side] == Status.SLEEP)
    put("base_ability", NAMES.ability("static"), np.ones_like(state.base_ability[side], bool))
    put("choice_move", 5, np.ones_like(state.choice_move[side], bool))
    put("locked_left", 1, np.ones_like(state.locked_left[side], bool))
    return type(state)(**fields)


@pytest.mark.parametrize("player", [0, 1])
def test_nothing_hidden_leaks_to_the_other_side(player):
    state, known = under_way()
    other = _hidden_changed(state, known, 1 - player)
    assert np.array_equal(_mine(state, known, player), _mine(other, known, player))
    assert np.array_equal(
        _mine(state, known, player, "public"), _mine(other, known, player, "public")
    )


def test_one_sees_what_is_hidden_from_others():
    state, known = under_way()
    changed = _hidden_changed(state, known, 0)
    assert not np.array_equal(_mine(state, known, 0), _mine(changed, known, 0))
    assert np.array_equal(_mine(state, known, 0, "public"), _mine(changed, known, 0, "public"))


def test_the_order_of_unseen_pokemon_does_not_show():
    state, known = under_way(decisions=2)
    fields = state._asdict()
    unseen = knowledge.by_slot(np, state, known.seen)[1] == 0
    swappable = unseen[4] & unseen[5]
    assert swappable.any()
    for name in ("species", "uid", "hp", "maxhp", "level", "gender", "status", "item", "tera",
                 "marks", "moves", "pp", "stats"):  # fmt: skip
        array = fields[name].copy()
        array[1, 4] = np.where(swappable, fields[name][1, 5], fields[name][1, 4])
        array[1, 5] = np.where(swappable, fields[name][1, 4], fields[name][1, 5])
        fields[name] = array
    assert np.array_equal(_mine(state, known), _mine(type(state)(**fields), known))


def test_whoever_fights_has_been_seen():
    state, known = under_way()
    assert (knowledge.by_slot(np, state, known.seen)[:, 0] > 0).all()
    assert known.seen.max() <= 6


def test_told_hp_is_full_only_when_unhurt():
    state, _ = under_way()
    told = observe.percent(np, state)
    assert np.array_equal(told == 100, (state.hp == state.maxhp) & (state.maxhp > 0))
    assert np.array_equal(told == 0, state.hp == 0)


@pytest.mark.parametrize("name", list(opponents.OPPONENTS))
def test_opponents_choose_legal_actions(name):
    state, _ = under_way()
    allowed = legal(state)
    noise = np.random.default_rng(0).random((14, LANES), np.float32)
    for player in (0, 1):
        chosen = opponents.choose(np, name, state, allowed, noise, player)
        assert np.take_along_axis(allowed[player], chosen[None], 0).all()


def test_the_type_aware_opponent_does_not_fire_at_what_is_immune():
    state, _ = under_way()
    worth = opponents.OPPONENTS["type-aware"](np, state, 0)
    kinds = observe.load().moves.type[state.moves[0, 0]]
    useless = observe.matchup(np, kinds, state.types[1][0], state.types[1][1]) == -3
    hits = observe.load().moves.category[state.moves[0, 0]] != 2
    assert (worth[:4][useless & hits] == 0).all() and (useless & hits).any()


def test_battles_are_shown_to_people():
    from tests.zoo.pokemon.battles import lane

    before, _ = under_way(decisions=11)
    after, _ = under_way(decisions=12)
    shown = view.text(lane(after))
    assert shown.startswith("turn") and "p1:" in shown and "bench:" in shown
    lines = [line for n in range(LANES) for line in view.log(lane(before, n), lane(after, n))]
    assert any(line.startswith("|-damage|") for line in lines)
    assert all(line.startswith("|") for line in lines)
    picture = view.picture(lane(after))
    assert picture.shape == (270, 480, 3) and picture.std() > 0
