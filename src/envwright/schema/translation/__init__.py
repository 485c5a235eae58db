"""`translation.toml`: what is translated, into what, and how both are compared.

[reference]   where the behaviour comes from
[target]      the environment to write
[[modules]]   in dependency order, each with source, contract and golden pairs
[[checks]]    in which settings both are compared, and how closely
[[probes]]    a room's own checks
[l1] [l2] [l3] [l4] [train] [budget] [adequacy]

The recipe, verification and training all read the same record, `Translation`.
"""

from envwright.schema.translation.reading import (
    RUST_WORDS,
    read_translation,
    room_translation,
)
from envwright.schema.translation.records import (
    BACKENDS,
    ENDINGS,
    STRAY,
    Budget,
    Check,
    Equivalent,
    Example,
    Golden,
    Module,
    Probe,
    Reference,
    Target,
    Tolerance,
    Transfer,
    Translation,
    Unreachable,
    everyday,
)

__all__ = [
    "BACKENDS",
    "ENDINGS",
    "RUST_WORDS",
    "STRAY",
    "Budget",
    "Check",
    "Equivalent",
    "Example",
    "Golden",
    "Module",
    "Probe",
    "Reference",
    "Target",
    "Tolerance",
    "Transfer",
    "Translation",
    "Unreachable",
    "everyday",
    "read_translation",
    "room_translation",
]
