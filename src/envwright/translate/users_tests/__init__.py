"""The user's own pytest files, run against the reference and against its translation.

A test takes the fixture `env` or `make_env(**options)`, or calls `gymnasium.make` with the
reference's id. What passes on the reference must pass on the translation.
"""

from envwright.translate.users_tests.running import (
    Outcome,
    check_tests,
    fingerprint,
    outcomes,
    require_tests,
)

__all__ = ["Outcome", "check_tests", "fingerprint", "outcomes", "require_tests"]
