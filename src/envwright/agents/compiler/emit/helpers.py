"""Print helpers of the reference as functions of a module."""

from __future__ import annotations

import keyword

from envwright.agents.compiler.emit import text
from envwright.agents.compiler.emit.constants import Constants
from envwright.agents.compiler.emit.printer import Printer
from envwright.agents.compiler.functions import Function, functions_below

# Values that a function needs under these names.
TAKEN = {"jax", "jnp", "np", "float", "bool", "rounded", "exact_div", "scalar_power"}


def definition(function: Function, constants: Constants) -> str:
    """Return the text of a helper."""
    taken = TAKEN | {called.name for called in functions_below(function.results)}
    names = {id(p): _free(p.attrs[0], taken) for p in function.parameters}
    constants.avoid(set(names.values()))
    show = Printer(constants, names)
    show.hold({names[id(p)]: p for p in function.parameters})
    show.body(function.results)
    returned = ", ".join(show.text(result) for result in function.results)
    returned = returned if function.single or len(function.results) > 1 else f"({returned},)"
    about = f"What `{function.source.__qualname__}` computes."
    head = f"def {function.name}({', '.join(names.values())}):"
    return text.function(head, about, [*show.lines, f"    return {returned}"])


def definitions(constants: Constants, elsewhere: dict[Function, str]) -> list[str]:
    """Define the helpers that a module calls and does not import, callees first."""
    made: dict[Function, str] = {}

    def define(function: Function) -> None:
        if function in made or function in elsewhere:
            constants.call(function)
            return
        for called in functions_below(function.results):
            define(called.one)
        made[function] = definition(function, constants)

    for function in list(constants.called):
        define(function)
    return list(made.values())


def join_alike(functions: list[Function]) -> None:
    """Merge functions that are printed alike, whatever is known of their arguments."""
    known: dict[tuple, Function] = {}
    for number, function in enumerate(functions):
        function.same, function.name = None, "itself"
        constants = Constants()
        key = (function.source, definition(function, constants), *constants.lines())
        found = known.setdefault(key, function)
        function.same = None if found is function else found
        function.name = found.name if function.same else f"{function.source.__name__}_{number}"


def _free(name: str, taken: set[str]) -> str:
    return f"{name}_" if keyword.iskeyword(name) or name in taken else name
