"""All seeded bugs of a Rust source.

::

    for mutant in rust_mutants(Path("game.rs").read_text(), "game.rs"):
        print(mutant.id)  # game.rs:144:compare:<-><=

Left alone are comments, text, attributes, types and heads of items, `use`, code of tests,
macros that tell people something or define other macros, and `fn fmt`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envwright.verify.adequacy.mutation.mutants import Mutant, changed_lines
from envwright.verify.adequacy.mutation.operators import Edit
from envwright.verify.adequacy.mutation.rust.operators import RUST_OPERATORS
from envwright.verify.adequacy.mutation.rust.tokens import RustSource


def rust_mutants(text: str, file: str, exclude: Sequence[str] = ()) -> list[Mutant]:
    """All mutants of a source, in the order of its text.

    `exclude` names functions, or types with all of theirs: "Pong::check", "PongRules".
    """
    source = RustSource(text)
    names: Counter[str] = Counter()
    mutants = []
    for i in range(len(source.tokens)):
        function = source.functions[i]
        if not source.may_change[i] or _is_excluded(function, exclude):
            continue
        for edit in (edit for operator in RUST_OPERATORS for edit in operator(source, i)):
            mutant = _mutant(edit, text, file, function)
            names[mutant.id] += 1
            if names[mutant.id] > 1:
                mutant = _renamed(mutant, names[mutant.id])
            mutants.append(mutant)
    return mutants


def _is_excluded(function: str, exclude: Sequence[str]) -> bool:
    return any(function == name or function.startswith(f"{name}::") for name in exclude)


def _mutant(edit: Edit, text: str, file: str, function: str) -> Mutant:
    line = text.count("\n", 0, edit.span.start) + 1
    return Mutant(
        id=f"{file}:{line}:{edit.operator}:{edit.change}",
        file=file,
        line=line,
        column=edit.span.start - (text.rfind("\n", 0, edit.span.start) + 1),
        operator=edit.operator,
        function=function,
        before=text[edit.span.start : edit.span.end],
        after=edit.text,
        start=edit.span.start,
        lines=changed_lines(edit, text),
    )


def _renamed(mutant: Mutant, number: int) -> Mutant:
    return Mutant(**{**vars(mutant), "id": f"{mutant.id}#{number}"})
