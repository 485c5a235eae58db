"""What every test shares: strict arithmetic, two devices, fixed examples, compiled programs."""

import os
import signal
from pathlib import Path

import hypothesis
import jax
import pytest
from jax.experimental.compilation_cache import compilation_cache

HERE = Path(__file__).parent
# Where dtypes and ranks are promoted implicitly, as they are for users.
LAX = (
    "agents/compiler",  # the programs that it writes promote as NumPy does
    "gallery",  # games of gymnax and Gymnasium
    "report",  # shows what was found in such games
)
# Where one source serves NumPy and JAX and lanes come last: ranks are promoted, dtypes are not.
LANES_LAST = ("zoo/pokemon", "zoo/tcgpocket")
# Half the time to compile, for tests that run what they compile a few times only. Where
# numbers are compared with a reference's, programs are compiled as they are for users.
QUICK = ("adapters", "bench", "core", "sim", "train")
SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}

# `make test` tries the same examples every time. `make test-all` asks for new ones
# (--hypothesis-profile=explore --hypothesis-seed=N).
hypothesis.settings.register_profile(
    "quick", derandomize=True, deadline=None, database=None, print_blob=True
)
hypothesis.settings.register_profile("explore", deadline=None, database=None, print_blob=True)
hypothesis.settings.load_profile("quick")

# A shell that starts pytest in the background lets it ignore Ctrl-C, and with it all children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Before the backend starts, and not in the environment: children have the devices they ask for.
jax.config.update("jax_num_cpu_devices", 2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Around the whole protocol, so that fixtures of wider scopes are included."""
    folder = item.path.relative_to(HERE).as_posix()
    lax = folder.startswith(LAX) or item.get_closest_marker("lax")
    promoted = lax or folder.startswith(LANES_LAST)
    jax.config.update("jax_numpy_dtype_promotion", "standard" if lax else "strict")
    jax.config.update("jax_numpy_rank_promotion", "allow" if promoted else "raise")
    jax.config.update("jax_disable_most_optimizations", folder.startswith(QUICK))
    return (yield)


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A folder of this run that all test workers see."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def compiled(shared):
    """A folder of compiled programs for all test workers and their children."""
    folder = shared / "compiled"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def compile_once(compiled):
    for name, value in (SETTINGS | {"jax_compilation_cache_dir": str(compiled)}).items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


@pytest.fixture(scope="session")
def child_env(compiled):
    """What a training process that a test starts finds in its environment."""
    names = {name.upper(): str(value) for name, value in SETTINGS.items()}
    names["JAX_COMPILATION_CACHE_DIR"] = str(compiled)
    # A parent with forced devices or flags of its own must not hand them on.
    kept = {k: v for k, v in os.environ.items() if k not in ("XLA_FLAGS", "JAX_NUM_CPU_DEVICES")}
    return kept | names | {"JAX_PLATFORMS": "cpu"}
