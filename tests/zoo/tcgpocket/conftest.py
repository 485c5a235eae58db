"""Every engine of the game goes through the same tests of rules."""

import pytest

from zoo.tcgpocket.driver import ENGINES


@pytest.fixture(params=sorted(ENGINES))
def engine(request):
    """One engine after the other."""
    return ENGINES[request.param]
