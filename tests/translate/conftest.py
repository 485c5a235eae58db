"""The lamp, its specification, and runs of it."""

import random
import secrets
import shutil
import sys
from pathlib import Path

import pytest

from envwright.sandbox import why_not
from envwright.translate import goldens
from envwright.translate.run import Run
from envwright.translate.spec import load_spec

LAMP = Path(__file__).parent / "lamp"
REASON = why_not()


@pytest.fixture(autouse=True)
def drawn(monkeypatch, request):
    """Draw secret seeds from the test's name, and from the seed of `make test-all`."""
    rng = random.Random(f"{request.node.nodeid} {request.config.getoption('--hypothesis-seed')}")
    monkeypatch.setattr(secrets, "randbelow", rng.randrange)
    monkeypatch.setattr(secrets, "randbits", rng.getrandbits)


@pytest.fixture
def lamp(tmp_path, monkeypatch):
    """A folder with the lamp's specification."""
    folder = tmp_path / "lamp"
    shutil.copytree(LAMP, folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "lamp", raising=False)
    monkeypatch.setattr(goldens, "BOUNDARY", 6)  # as telling, in a tenth of the time
    yield load_spec(folder)
    sys.modules.pop("lamp", None)


@pytest.fixture
def run_of(lamp):
    """A run of the lamp with an agent."""

    def make(agent, levels=(1, 2, 3), spec=None, name="run", seed=104_729):
        spec = spec or lamp
        place, confined = spec.folder / "runs" / name, REASON is None
        return Run(place, spec, agent, levels, confined=confined, seed=seed)

    return make
