"""The release of Gymnasium that CartPole was verified against."""

from envwright.core.registry import find
from envwright.schema.translation import room_translation

_TRANSLATION = room_translation(find("cartpole"))
assert _TRANSLATION is not None
PINNED = _TRANSLATION.reference.package.partition("==")[2]
