"""A traced function as data: its module, and the shapes it takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import export
from jax.core import ShapedArray
from jax.interpreters import mlir

from envwright.sim.program.check import Refused, require_closed, require_ordinary, require_small

Shape = tuple[list[int], str]  # of an array: its axes and its dtype


@dataclass(frozen=True)
class ExportedProgram:
    """A program as a tracer sends it: none of it is trusted."""

    module: bytes  # StableHLO, as jax.export serializes it
    version: int  # of the calling convention
    kept: Sequence[int]  # the arguments that the module takes
    takes: Sequence[Shape]
    gives: Sequence[Shape]

    def header(self) -> dict[str, Any]:
        """Return everything except the module, as plain data."""
        shapes = {"takes": list(self.takes), "gives": list(self.gives)}
        return {"version": self.version, "kept": list(self.kept), **shapes}


def export_program(
    function: Callable[..., tuple[Any, ...]], specs: Sequence[Any], what: str
) -> ExportedProgram:
    """Trace a function of arrays for these shapes. Raises `Refused` if it is odd or too large."""
    compiled = jax.jit(function)
    require_ordinary(compiled.trace(*specs).jaxpr.jaxpr, what)
    made = export.export(
        compiled,
        platforms=["cpu"],
        # The runner decides what may run, and reports it in one sentence.
        disabled_checks=[export.DisabledSafetyCheck.custom_call("ALL")],
    )(*specs)
    module = bytes(made.mlir_module_serialized)
    require_small(module, what)
    return ExportedProgram(
        module=module,
        version=made.calling_convention_version,
        kept=made.module_kept_var_idx,
        takes=[_shape(aval) for aval in made.in_avals],
        gives=[_shape(aval) for aval in made.out_avals],
    )


def import_program(module: bytes, header: dict[str, Any], what: str) -> Callable[..., Any]:
    """Return the function of a program that only computes. Raises `Refused` for others."""
    require_small(module, what)
    try:
        made = _exported(module, header)
        with mlir.make_ir_context():
            require_closed(made.mlir_module(serialized=False), what)
    except Refused:
        raise
    except Exception as error:  # whatever malformed data leads to
        raise Refused(f"{what} is not a program: {type(error).__name__}: {error}") from error
    return jax.jit(made.call)


def _exported(module: bytes, header: dict[str, Any]) -> export.Exported:
    takes, gives = map(_avals, (header["takes"], header["gives"]))
    none_in, none_out = (None,) * len(takes), (None,) * len(gives)
    return export.Exported(
        fun_name="twin",
        in_tree=jax.tree.structure((takes, {})),
        in_avals=takes,
        out_tree=jax.tree.structure(gives),
        out_avals=gives,
        _has_named_shardings=False,
        _in_named_shardings=none_in,
        _out_named_shardings=none_out,
        in_shardings_hlo=none_in,
        out_shardings_hlo=none_out,
        nr_devices=1,
        platforms=("cpu",),
        ordered_effects=(),
        unordered_effects=(),
        disabled_safety_checks=(),
        mlir_module_serialized=module,
        calling_convention_version=int(header["version"]),
        module_kept_var_idx=tuple(map(int, header["kept"])),
        uses_global_constants=False,
        _get_vjp=None,
    )


def _shape(aval: Any) -> Shape:
    return list(aval.shape), np.dtype(aval.dtype).name


def _avals(shapes: Sequence[Shape]) -> tuple[ShapedArray, ...]:
    return tuple(ShapedArray(tuple(map(int, axes)), np.dtype(name)) for axes, name in shapes)
