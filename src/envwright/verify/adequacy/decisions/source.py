"""Find the line of code that an equation of a jaxpr comes from, and whose it is.

JAX keeps the Python stack of every equation. Reading it needs two private functions, and
`_stack` is the only place that calls them.

An equation is the user's own when nothing but dispatch lies between it and the innermost frame
outside JAX: operators (`x < 0`), their named forms (`jnp.less`, `lax.lt`), and the few functions
whose meaning *is* a decision (`where`, `select`, `clip`, `any`, `all`). All other operations of JAX
on the way are not the user's. In particular `x[i]` and `x.at[i].set(v)` wrap negative indices (`lt
i 0; add i n; select_n`) in `numpy/indexing.py`, `lax/slicing.py` and `ops/scatter.py`; `x ** n`,
`lax.switch` and the rules of `jax.grad` compare as well. None of those files is listed below, so
none of these comparisons is the user's.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jax
from jax._src import source_info_util  # no public way to a frame's columns
from jax.extend.core import JaxprEqn

# Files of jax/_src that only pass a call on.
_DISPATCH = {
    *("ad_checkpoint.py", "api.py", "api_util.py", "core.py", "custom_derivatives.py"),
    *("interpreters/batching.py", "interpreters/partial_eval.py", "lax/lax.py", "linear_util.py"),
    *("numpy/ufunc_api.py", "numpy/util.py", "pjit.py", "profiler.py", "source_info_util.py"),
    *("traceback_util.py", "tree.py", "tree_util.py", "util.py"),
}
# Functions of jax.numpy that a user calls in order to decide; `op` and `meth` bind the operators
# and methods of arrays to their implementations.
_MEANT = {"op", "meth", "where", "select", "array_equal", "isposinf", "isneginf", "_isposneginf"}
_MEANT |= {"clip", "_clip", "any", "_any", "all", "_all"}
_LOOPS = {"lax/control_flow/conditionals.py", "lax/control_flow/loops.py"}
_PREDICATES = {"bernoulli", "isin"}  # library functions whose boolean answer the user acts upon


@dataclass(frozen=True)
class Origin:
    """The innermost frame outside JAX, and the functions of JAX it went through."""

    file: str
    function: str
    line: int
    column: int
    end_line: int
    end_column: int
    library: tuple[str, ...]  # "numpy/indexing.py:normalize_indices", innermost first

    @property
    def own(self) -> bool:
        """Whether the user wrote this operation, rather than a library."""
        return all(map(_passes_on, self.library))

    @property
    def own_control_flow(self) -> bool:
        """Whether the user wrote this `cond`, `switch`, `scan`, `map` or loop."""
        return all(_passes_on(f) or f.split(":")[0] in _LOOPS for f in self.library)

    @property
    def own_predicate(self) -> bool:
        """Whether the user called a library function that answers yes or no."""
        return all(_passes_on(f) or f.split(":")[1] in _PREDICATES for f in self.library)

    @property
    def batched_choice(self) -> bool:
        """Whether this is the select that `vmap` makes of the user's `cond` or `switch`."""
        return self.own_control_flow and any(f.endswith(":_bcast_select_n") for f in self.library)

    def expression(self) -> str:
        """The source text of the operation on one line, or "" if there is no source."""
        return _segment(self.file, self.line, self.column, self.end_line, self.end_column)

    def within(self, folders: tuple[str, ...]) -> bool:
        """Return whether the file is one of the given files or lies in one of the given folders."""
        return not folders or any(
            self.file == f or self.file.startswith(os.path.join(f, "")) for f in folders
        )


def origin(eqn: JaxprEqn) -> Origin | None:
    """Return where an equation comes from; None if no user frame is on its stack."""
    library = []
    for file, function, position in _stack(eqn):
        if position:
            return Origin(file, function, *position, tuple(library))
        if file.startswith(_JAX):
            library.append(f"{Path(file).relative_to(_JAX).as_posix()}:{function}")
    return None


_JAX = os.path.join(os.path.dirname(jax.__file__), "_src", "")


def _stack(eqn: JaxprEqn) -> Iterator[tuple[str, str, tuple[int, int, int, int] | None]]:
    """Return the frames of an equation, innermost first: file, function, and a user's span."""
    traceback = eqn.source_info.traceback
    for code, offset in zip(*(traceback.raw_frames() if traceback else ((), ())), strict=True):
        span = None
        if source_info_util.is_user_filename(code.co_filename):
            frame = source_info_util.raw_frame_to_frame(code, offset)
            span = (frame.start_line, frame.start_column, frame.end_line, frame.end_column)
        yield code.co_filename, code.co_name, span


def _passes_on(frame: str) -> bool:
    file, function = frame.split(":")
    if file in _DISPATCH:
        return True
    return file.startswith("numpy/") and (function in _MEANT or function in _OPERATORS)


_OPERATORS = {
    f"_operator_{name}" for name in ("lt", "le", "gt", "ge", "eq", "ne", "and", "or", "xor")
}


def _segment(file: str, line: int, column: int, end_line: int, end_column: int) -> str:
    lines = [linecache.getline(file, n).encode() for n in range(line, end_line + 1)]
    if not lines or not all(lines):
        return ""
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    text = b"".join(lines).decode(errors="replace")
    if len(lines) == 1:
        return text.strip()
    try:  # on one line, without comments
        return ast.unparse(ast.parse(f"({text}\n)", mode="eval"))
    except SyntaxError:
        return " ".join(text.split())
