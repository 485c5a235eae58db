"""All seeded bugs of a Rust source.

::

    for mutant in rust_mutants(Path("game.rs").read_text(), "game.rs"):
        print(mutant.id)  # game.rs:Game::bounce:compare:<-><=:if self.ball_x < 0.0

Exempt are comments, text, attributes, types and heads of items, `use`, code of tests, macros that
print something or define other macros, and `fn fmt`.
"""

from __future__ import annotations

from collections.abc import Sequence

from envwright.verify.adequacy.mutation.mutants import Mutant, with_different_ids
from envwright.verify.adequacy.mutation.naming import name_of
from envwright.verify.adequacy.mutation.rust.operators import RUST_OPERATORS
from envwright.verify.adequacy.mutation.rust.tokens import RustSource


def rust_mutants(text: str, file: str, exclude: Sequence[str] = ()) -> list[Mutant]:
    """Return all mutants of a source in the order of its text.

    `exclude` names functions, or types with all of theirs: "Pong::check", "PongRules".
    """
    source = RustSource(text)
    mutants = []
    for i in range(len(source.tokens)):
        function = source.functions[i]
        if not source.may_change[i] or _is_excluded(function, exclude):
            continue
        for edit in (edit for operator in RUST_OPERATORS for edit in operator(source, i)):
            id = name_of(file, function, edit.operator, edit.change, source.statement(i))
            mutants.append(Mutant.of(edit, text, file, id, function))
    return with_different_ids(mutants)


def _is_excluded(function: str, exclude: Sequence[str]) -> bool:
    return any(function == name or function.startswith(f"{name}::") for name in exclude)
