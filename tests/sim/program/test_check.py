"""Which programs run: those that only compute, whoever made them and however."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.interpreters import mlir

from envwright.sim.program.check import Refused, require_closed
from envwright.sim.program.exported import ExportedProgram, export_program, import_program

X = jax.ShapeDtypeStruct((3,), np.float32)
MODULE = """
module @twin {{
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
    {body}
    return %y : tensor<3xf32>
  }}
}}
"""
CALL = "%y = stablehlo.custom_call @{target}(%x) : (tensor<3xf32>) -> tensor<3xf32>"
INNER = """
    %c = stablehlo.constant dense<true> : tensor<i1>
    %y = "stablehlo.if"(%c) ({{
      %a = {call} : (tensor<3xf32>) -> tensor<3xf32>
      stablehlo.return %a : tensor<3xf32>
    }}, {{
      stablehlo.return %x : tensor<3xf32>
    }}) : (tensor<i1>) -> tensor<3xf32>
"""
FEED = """
    %t = stablehlo.create_token : !stablehlo.token
    %y, %u = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
"""


@jax.custom_batching.custom_vmap
def _batched_otherwise(x):
    return x


_batched_otherwise.def_vmap(lambda size, batched, x: (x + 1, True))


def checked(body):
    with mlir.make_ir_context():
        require_closed(mlir.ir.Module.parse(MODULE.format(body=body)), "step")


def test_an_ordinary_program_runs_as_it_was_traced():
    def function(x):
        return (jnp.linalg.solve(jnp.diag(x), x) + jax.nn.relu(jnp.sort(x)[::-1]),)

    made = export_program(function, [X], "step")
    run = import_program(made.module, made.header(), "step")
    x = np.array([3.0, 1.0, 2.0], np.float32)
    np.testing.assert_array_equal(run(x)[0], jax.jit(function)(x)[0])


@pytest.mark.parametrize("target", ["xla_ffi_python_cpu_callback", "Sharding", "lapack_evil"])
def test_a_custom_call_is_refused_whatever_its_name(target):
    with pytest.raises(Refused, match=f"step leaves .* custom call '{target}'"):
        checked(CALL.format(target=target))


def test_a_custom_call_inside_a_branch_is_found():
    with pytest.raises(Refused, match="custom call 'hidden'"):
        checked(INNER.format(call="stablehlo.custom_call @hidden(%x)"))


def test_a_program_that_reads_from_outside_is_refused():
    with pytest.raises(Refused, match=r"stablehlo\.(infeed|create_token)"):
        checked(FEED)


def test_linear_algebra_of_jaxlib_may_be_called():
    checked(CALL.format(target="lapack_sgetrf_ffi"))


@pytest.mark.parametrize(
    "changed",
    [
        {"module": b"not a program"},
        {"module": b""},
        {"takes": [[[3], "float64"]]},
        {"takes": []},
        {"gives": [[[4], "float32"]]},
        {"kept": [7]},
        {"takes": [[[3], "O"]]},
        {"takes": "nonsense"},
    ],
)
def test_a_program_that_lies_about_itself_raises(changed):
    made = export_program(lambda x: (x + 1,), [X], "step")
    module, header = changed.pop("module", made.module), {**made.header(), **changed}
    with pytest.raises((Refused, ValueError, TypeError, RuntimeError, LookupError)):
        import_program(module, header, "step")(np.zeros(3, np.float32))


def test_a_program_with_a_huge_table_is_neither_sent_nor_run(monkeypatch):
    def function(x):
        return (x + jnp.asarray(table)[x.astype(jnp.int32)],)

    table = np.random.default_rng(0).normal(size=100_000).astype(np.float32)
    made = export_program(function, [X], "step")
    monkeypatch.setattr("envwright.sim.program.check.LARGEST", 100_000)
    refused = r"step is a program of .* bytes; at most 100,000 are run"
    with pytest.raises(Refused, match=refused):
        import_program(made.module, made.header(), "step")
    with pytest.raises(Refused, match=refused):
        export_program(function, [X], "step")


@pytest.mark.parametrize(
    ("function", "primitive"),
    [
        (lambda x: (jax.pure_callback(np.sin, x, x),), "pure_callback"),
        (lambda x: (jax.lax.map(lambda y: jax.pure_callback(np.sin, y, y), x),), "pure_callback"),
        (lambda x: (jax.debug.print("{x}", x=x), x)[1:], "debug_print|debug_callback"),
        (lambda x: (_batched_otherwise(x),), "custom_vmap_call"),
    ],
)
def test_a_traced_function_that_is_odd_is_named(function, primitive):
    with pytest.raises(Refused, match=f"step uses ({primitive})"):
        export_program(function, [X], "step")


def test_a_program_is_data():
    made = export_program(lambda x: (x + 1,), [X], "step")
    assert isinstance(made, ExportedProgram) and isinstance(made.module, bytes)
    assert made.header()["takes"] == [([3], "float32")]
