from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def console():
    """Emberkeep in PyBoy, at its title."""
    from tests.zoo.gameboy.machine import PyBoyMachine

    machine = PyBoyMachine()
    yield machine
    machine.stop()
