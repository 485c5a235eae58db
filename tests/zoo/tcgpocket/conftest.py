"""Every engine of the game goes through the same tests of rules, from either seat."""

import pytest
from tests.zoo.tcgpocket.driver import ENGINES, SEATS, Mirrored


@pytest.fixture(params=[(name, seat) for name in sorted(ENGINES) for seat in SEATS], ids=str)
def engine(request):
    """One engine after the other, played from one seat and then from the other."""
    name, seat = request.param
    return Mirrored(ENGINES[name]) if seat else ENGINES[name]
