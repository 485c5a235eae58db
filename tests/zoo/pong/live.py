"""The live reference: what needs it is skipped, with the reason, where it is not set up."""

import pytest

from envwright.zoo.pong.reference import why_not

needs_reference = pytest.mark.skipif(bool(why_not()), reason=why_not())
