"""`translation.toml`: what is to be translated, into what, and what will count as the same.

[reference]   where the behaviour comes from
[target]      what is to be written
[[modules]]   in dependency order, each with source, contract and golden pairs
[[checks]]    in which settings both are compared, and how closely
[l1] [l3] [l4] [train] [budget]
"""

from envwright.translate.spec.model import (
    BACKENDS,
    ENDINGS,
    FILE,
    Budget,
    Check,
    Golden,
    Module,
    Reference,
    Target,
    TranslationSpec,
)
from envwright.translate.spec.reading import load_spec
from envwright.translate.spec.words import RUST_WORDS

__all__ = [
    "BACKENDS",
    "ENDINGS",
    "FILE",
    "RUST_WORDS",
    "Budget",
    "Check",
    "Golden",
    "Module",
    "Reference",
    "Target",
    "TranslationSpec",
    "load_spec",
]
