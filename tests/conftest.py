"""Training compiles large programs; tests that need the same one compile it once."""

import os

import jax
import pytest
from jax.experimental.compilation_cache import compilation_cache

SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """A folder of compiled programs, shared with the other test workers and with children."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = shared / "compiled"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def compile_once(compiled):
    before = {name: getattr(jax.config, name) for name in (*SETTINGS, "jax_compilation_cache_dir")}
    for name, value in (SETTINGS | {"jax_compilation_cache_dir": str(compiled)}).items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()
    yield
    for name, value in before.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


@pytest.fixture(scope="module")
def quick_compile():
    """Half the time to compile, for tests that run what they compile a few times only."""
    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", before)


@pytest.fixture(scope="session")
def child_env(compiled):
    """What a training process that a test starts finds in its environment."""
    names = {name.upper(): str(value) for name, value in SETTINGS.items()}
    names["JAX_COMPILATION_CACHE_DIR"] = str(compiled)
    # A parent with forced devices or flags of its own must not hand them on.
    kept = {k: v for k, v in os.environ.items() if k not in ("XLA_FLAGS", "JAX_NUM_CPU_DEVICES")}
    return kept | names | {"JAX_PLATFORMS": "cpu"}
