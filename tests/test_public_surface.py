"""The public packages export exactly these names, and each resolves."""

import importlib
import subprocess
import sys

import pytest

PUBLIC = {
    "envwright": """
        EnvwrightError Room __version__ find make register rooms
    """,
    "envwright.adapters": """
        BraxEnv GymnasiumEnv GymnasiumVectorEnv LegacyGymnax NativeGymnasiumVectorEnv
        PettingZooParallel PettingZooTurns PufferVectorEnv to_pettingzoo
    """,
    "envwright.core": """
        AutoReset Box Bridge Columns Dict Discrete DiscreteTuple Env EpisodeStatistics Executor
        Fields Findings Handler MultiDiscrete NativeStep NativeVectorEnv Option Room SameNames
        Space Step TimeLimit Wrapper available_cores check_env exact_div make_executor
        pytree_dataclass rounded scalar_power updated
    """,
    "envwright.testing": """
        Bridge EnvCheckFailed Tol Tolerances VerifyReport assert_equivalent
        assert_golden assert_recorded assert_verified check_env
        compare_transition_laws has_reference
    """,
    "envwright.train": """
        Keeping PPOConfig Policies RunSpec TrainResult configure load_policies train
    """,
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_package_exports_exactly_these_names(name):
    assert importlib.import_module(name).__all__ == PUBLIC[name].split()


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package in PUBLIC for name in PUBLIC[package].split()]
)
def test_every_exported_name_resolves(package, name):
    module = importlib.import_module(package)
    assert getattr(module, name) is not None
    if name not in ("__version__", "Fields"):  # a text, and an alias
        assert getattr(module, name).__name__ == name


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "envwright"])
def test_a_package_with_lazy_exports_rejects_other_names(name):
    module = importlib.import_module(name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_package_is_imported_without_jax(name):
    code = f"import sys, {name}; print('jax' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "False", result.stderr
