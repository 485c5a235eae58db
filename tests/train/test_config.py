"""Settings: what is derived from them, and one sentence for what cannot be."""

import pytest

from envwright.errors import EnvwrightError
from envwright.train import PPOConfig, RunSpec, configure


def test_a_run_is_rounded_up_to_whole_updates():
    config = PPOConfig(steps=1000, num_envs=8, rollout=16, epochs=3, minibatches=2)
    assert config.batch == 128
    assert config.updates == 8
    assert config.gradient_steps == 8 * 3 * 2


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"steps": 0}, "steps must be at least 1, not 0"),
        ({"num_envs": -1}, "num_envs must be at least 1, not -1"),
        ({"epochs": 0}, "epochs must be at least 1, not 0"),
        ({"gamma": 1.01}, "gamma must be from 0 to 1, not 1.01"),
        ({"gae_lambda": -0.1}, "gae_lambda must be from 0 to 1, not -0.1"),
        ({"gamma": float("nan")}, "gamma must be from 0 to 1, not nan"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0, not 0.0"),
        ({"clip": float("nan")}, "clip must be above 0, not nan"),
        ({"memory": -3}, r"memory must be 0 \(none\) or a width, not -3"),
        ({"network": "64x"}, "unknown network '64x'; use widths such as 64x64, a size"),
        ({"network": "0"}, "unknown network '0'"),
        ({"network": "3M"}, "unknown network '3M'"),
        (
            {"num_envs": 3, "rollout": 5, "minibatches": 4},
            r"num_envs \* rollout = 15 does not divide into 4 minibatches; choose numbers that do",
        ),
        (
            {"num_envs": 6, "rollout": 4, "minibatches": 4, "memory": 8},
            "num_envs = 6 does not divide into 4 minibatches",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(settings, sentence):
    with pytest.raises(EnvwrightError, match=sentence) as told:
        PPOConfig(**settings)
    assert "\n" not in str(told.value)


def test_without_memory_the_steps_of_an_environment_may_be_parted():
    assert PPOConfig(num_envs=6, rollout=4, minibatches=4).batch == 24


def test_text_becomes_what_a_setting_is():
    given = {"steps": "1e6", "gamma": "0.9", "anneal": "False", "network": "2M", "memory": "16"}
    config = configure(PPOConfig(), given)
    assert config == PPOConfig(steps=1_000_000, gamma=0.9, anneal=False, network="2M", memory=16)
    assert type(config.steps) is int and type(config.anneal) is bool


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"gama": 0.9}, "training has no setting 'gama'; did you mean 'gamma'?"),
        ({"wheels": 4}, "training has no setting 'wheels'; there are steps, num_envs"),
        ({"steps": "many"}, "steps must be a whole number, not 'many'"),
        ({"steps": "1.5"}, "steps must be a whole number, not '1.5'"),
        ({"steps": "inf"}, "steps must be a whole number, not 'inf'"),
        ({"steps": None}, "steps must be a whole number, not None"),
        ({"gamma": "high"}, "gamma must be a number, not 'high'"),
        ({"anneal": "perhaps"}, "anneal must be true or false, not 'perhaps'"),
    ],
)
def test_unfit_settings_are_named(changes, sentence):
    with pytest.raises(EnvwrightError) as told:
        configure(PPOConfig(), changes)
    assert str(told.value).startswith(sentence)


@pytest.mark.parametrize(
    ("seeds", "sentence"),
    [
        ((), "seeds must be different numbers, at least one"),
        ((3, 3), "seeds must be different numbers"),
        ((-1,), "seeds must be from 0 to"),
        ((2**32,), "seeds must be from 0 to"),
    ],
)
def test_unfit_seeds_are_refused(seeds, sentence):
    with pytest.raises(EnvwrightError, match=sentence):
        RunSpec("envwright:cartpole", PPOConfig(), seeds)


@pytest.mark.parametrize("steps", [1, 100, 199 * 64, 200 * 64, 201 * 64, 12_345_678])
def test_a_run_has_at_most_two_hundred_chunks_which_cover_it(steps):
    spec = RunSpec("envwright:cartpole", PPOConfig(steps=steps, num_envs=8, rollout=8))
    assert 1 <= spec.chunks <= 200
    assert (spec.chunks - 1) * spec.chunk < spec.config.updates <= spec.chunks * spec.chunk
