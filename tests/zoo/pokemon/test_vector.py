"""The environment in Rust: the same views as the rules on NumPy, and what loops may rely on."""

import gymnasium
import numpy as np
import pytest
from tests.zoo.pokemon.battles import engine, legal, random_actions

import envwright
from envwright.errors import EnvwrightError
from envwright.sim.hosts import NativeLanes
from envwright.zoo.pokemon import knowledge, observe, opponents, pool
from envwright.zoo.pokemon.native import NativeBattles
from envwright.zoo.pokemon.reference import seed_words
from envwright.zoo.pokemon.start import seeds
from envwright.zoo.pokemon.tables import load
from envwright.zoo.pokemon.vector import NativePokemon

SNORLAX = "Snorlax\nAbility: Thick Fat\n- Body Slam\n- Rest"
ZOROARK = "Zoroark\nAbility: Illusion\n- Night Daze\n- Sludge Bomb"


def chosen(env: NativePokemon, rng: np.random.Generator) -> np.ndarray:
    """Legal actions at random."""
    return np.where(env.legal, rng.random(env.legal.shape), -1).argmax(-1).astype(np.int32)


def play(env: NativePokemon, steps: int, seed: int = 0) -> list[np.ndarray]:
    """Observations on the way."""
    rng = np.random.default_rng(seed)
    return [env.step(chosen(env, rng)).obs.copy() for _ in range(steps)]


def side_by_side(lanes: int, seed: int):
    """The same battles on NumPy and in Rust."""
    rng = np.random.default_rng(seed)
    teams = rng.integers(0, pool.load_pool().species.shape[-1], (2, lanes))
    generators = seeds([seed_words(int(n)) for n in rng.integers(0, 1 << 40, lanes)])
    both = [pool.load_pool().pick(row) for row in teams]
    battles = NativeBattles(lanes, 1)
    battles.begin(generators, *both)
    return engine().begin(generators, *both), battles, rng


def views_agree(lanes: int, decisions: int, seed: int) -> float:
    """Compare masks and all views after each decision; the share of battles that ended."""
    state, battles, rng = side_by_side(lanes, seed)
    known = knowledge.look(np, knowledge.nothing(np, lanes), state, state)
    ours = np.zeros((lanes, 2, observe.SIZE), np.float32)
    for _ in range(decisions):
        assert np.array_equal(battles.masks(), np.moveaxis(legal(state), -1, 0))
        for view in observe.VIEWS:
            battles.native.observe(ours, view)
            for player in (0, 1):
                seen = observe.observe(np, state, known, player, view).T
                assert np.array_equal(seen.view(np.uint32), ours[:, player].view(np.uint32))
        actions = random_actions(state, rng)
        after = engine().step(state, actions)
        known, state = knowledge.look(np, known, state, after), after
        battles.step(actions.T)
    return float((state.winner > 0).mean())


def test_views_and_masks_are_those_of_the_rules_on_numpy_bit_for_bit():
    assert views_agree(lanes=64, decisions=45, seed=5) > 0


@pytest.mark.slow  # a minute
def test_views_are_those_of_numpy_in_hundreds_of_battles_to_their_end():
    assert views_agree(lanes=500, decisions=150, seed=6) > 0.9


@pytest.mark.slow  # compiles the views
def test_compiled_views_are_those_of_numpy_bit_for_bit():
    import jax
    import jax.numpy as jnp
    from tests.zoo.pokemon.battles import under_way

    state, known = under_way(decisions=25)
    for view in observe.VIEWS:
        look = jax.jit(lambda s, k, p, view=view: observe.observe(jnp, s, k, p, view))
        for player in (0, 1):
            seen = observe.observe(np, state, known, player, view)
            compiled = np.asarray(look(state, known, jnp.int32(player)))
            assert np.array_equal(seen.view(np.uint32), compiled.view(np.uint32))


@pytest.mark.parametrize("name", list(opponents.OPPONENTS))
def test_opponents_choose_here_what_they_choose_on_numpy(name):
    state, battles, rng = side_by_side(lanes=32, seed=8)
    for _ in range(15):
        noise = rng.random((14, 32), np.float32)
        fields = type("Fields", (), battles.state())
        allowed = np.moveaxis(battles.masks(), 0, -1)
        # Of a Pokemon that fell, the exported state has no types.
        stands = (state.hp[:, 0] > 0).all(0)
        ours = opponents.choose(np, name, fields, allowed, noise, 1)
        theirs = opponents.choose(np, name, state, legal(state), noise, 1)
        assert np.array_equal(ours[stands], theirs[stands])
        actions = random_actions(state, rng)
        state = engine().step(state, actions)
        battles.step(actions.T)


def test_the_zoo_makes_it_for_two_players_or_for_one():
    both = envwright.make("pokemon", backend="rust", num_envs=3, threads=1)
    assert both.reset(seed=0).shape == (3, 2, observe.SIZE) and both.legal.shape == (3, 2, 14)
    assert both.step(chosen(both, np.random.default_rng(0))).reward.shape == (3, 2)
    one = envwright.make("pokemon", backend="rust", num_envs=3, threads=1, opponent="random")
    assert one.reset(seed=0).shape == (3, observe.SIZE) and one.legal.shape == (3, 14)
    assert one.step(chosen(one, np.random.default_rng(0))).reward.shape == (3,)
    assert np.array_equal(one.reset(seed=0), both.reset(seed=0)[:, 0])


def test_a_lane_follows_from_its_seed_whoever_plays_beside_it():
    many, few = NativePokemon(8, threads=2), NativePokemon(2, threads=1)
    assert np.array_equal(many.reset(seed=4)[:2], few.reset(seed=4))
    assert np.array_equal(many.reset([9] * 8)[7], few.reset([1, 9])[1])
    assert not np.array_equal(few.obs[0], few.obs[1])


def test_an_ended_battle_shows_its_end_and_goes_on_with_the_next():
    env, bare = NativePokemon(64, threads=1), NativePokemon(64, threads=1)
    env.reset(seed=1)
    rng, ends = np.random.default_rng(0), 0
    for _ in range(120):
        bare.restore(env.snapshot())
        actions = chosen(env, rng)
        last, step = bare.step_raw(actions), env.step(actions)
        assert np.array_equal(step.reward, last.reward)
        assert np.array_equal(step.terminated, last.terminated) and not step.truncated.any()
        over = step.terminated
        assert np.array_equal(step.final_obs[over], last.obs[over])
        assert np.array_equal(step.obs[~over], last.obs[~over])
        assert (np.abs(step.reward[~over]) == 0).all() and (step.reward.sum(1) == 0).all()
        assert (env.state()["turn"][over] <= 1).all() and (env.state()["winner"] == 0).all()
        ends += int(over.sum())
    assert ends > 20


@pytest.mark.parametrize("opponent", [None, "max damage"])
def test_a_snapshot_goes_on_as_what_it_was_taken_of(opponent):
    env = NativePokemon(16, threads=1, opponent=opponent)
    env.reset(seed=2)
    play(env, 20)
    kept, obs = env.snapshot(), env.obs.copy()
    first = play(env, 60, seed=3)
    other = NativePokemon(16, threads=2, opponent=opponent)
    assert np.array_equal(other.restore(kept), obs)
    assert all(map(np.array_equal, first, play(other, 60, seed=3)))


def test_the_opponents_luck_is_under_the_checksum_and_its_name_is_compared():
    env = NativePokemon(2, threads=1, opponent="random")
    env.reset(seed=2)
    kept = env.snapshot()
    for at in range(len(kept) - 24, len(kept)):  # two numbers and the checksum
        with pytest.raises(EnvwrightError, match="damaged"):
            env.restore(kept[:at] + bytes([kept[at] ^ 1]) + kept[at + 1 :])
    with pytest.raises(EnvwrightError, match=r"of 'pokemon-v1 own against random' and this is"):
        NativePokemon(2, threads=1, opponent="max damage").restore(kept)
    assert env.snapshot() == kept


def test_given_teams_meet_each_other_in_every_battle():
    env = NativePokemon(4, threads=1, teams=(SNORLAX, ZOROARK))
    env.reset(seed=0)
    play(env, 40)
    species = [load().species.num[n] for n in env.state()["species"][0, :, 0]]
    assert species == [143, 571]


def test_an_illusion_is_seen_as_what_it_looks_like_until_it_breaks():
    env = NativePokemon(1, threads=1, teams=(SNORLAX, f"{ZOROARK}\n\n{SNORLAX}"))
    obs = env.reset(seed=0)
    pokemon = observe.FEATURES_OF_A_SIDE - observe.TEAM * observe.FEATURES_OF_A_POKEMON
    stats = slice(pokemon + 15, pokemon + 21)
    table, own = load().species, env.state()["species"][0]
    face = np.float32(table.base_stats[own[1, 1]] / 255)
    body = np.float32(table.base_stats[own[1, 0]] / 255)
    theirs = observe.FEATURES_OF_A_SIDE
    assert np.array_equal(obs[0, 0, theirs:][stats], face)
    assert np.array_equal(obs[0, 1][stats], body)
    env.step([[0, 0]])  # Body Slam, Night Daze
    shown = env.obs[0, 0, theirs:]
    second = slice(stats.start + 21, stats.stop + 21)
    assert np.array_equal(shown[second], body) and np.array_equal(shown[stats], face)


def test_bad_settings_and_choices_get_one_sentence():
    with pytest.raises(EnvwrightError, match="view is own or public, not 'all'"):
        NativePokemon(view="all")
    with pytest.raises(EnvwrightError, match="there is no opponent 'best'; there are random"):
        NativePokemon(opponent="best")
    with pytest.raises(EnvwrightError, match="between two teams, not 1"):
        NativePokemon(teams=(SNORLAX,))
    with pytest.raises(EnvwrightError, match="a team is text"):
        NativePokemon(teams=[7, ["Snorlax"]])
    with pytest.raises(EnvwrightError, match="a list of both, not 7"):
        NativePokemon(teams=7)
    env = NativePokemon(2, threads=1)
    env.reset(seed=0)
    with pytest.raises(EnvwrightError, match="player 1 of battle 1 may not choose 13"):
        env.step([[0, 0], [13, 0]])
    with pytest.raises(EnvwrightError, match="restore a snapshot"):
        env.load(0, env.state())


def test_gymnasium_plays_it_against_an_opponent_with_masks():
    loop = gymnasium.make_vec(
        "envwright/Pokemon-v1", 5, backend="rust", threads=1, opponent="random"
    )
    obs, infos = loop.reset(seed=0)
    assert obs.shape == (5, observe.SIZE) and infos["action_mask"].shape == (5, 14)
    for _ in range(3):
        _, reward, _, _, infos = loop.step(infos["action_mask"].argmax(1))
        assert reward.shape == (5,) and infos["action_mask"].any(1).all()
    with pytest.raises(EnvwrightError, match=r"2 players.*name an opponent"):
        gymnasium.make_vec("envwright/Pokemon-v1", 5, backend="rust")


def test_the_host_loop_has_a_lane_for_each_player():
    env = NativePokemon(6, threads=1)
    lanes = NativeLanes(env, env.observation_space, env.action_space)
    assert lanes.num_envs == 12 and lanes.players == 2
    view = lanes.reset(range(100, 112))
    assert np.array_equal(view.obs[3], NativePokemon(1, threads=1).reset([102])[0, 1])
    step = lanes.step(view.legal.argmax(1))
    assert step.reward.shape == step.terminated.shape == (12,)
    assert step.final_obs.shape == step.view.obs.shape == (12, observe.SIZE)
