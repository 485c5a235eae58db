"""Arithmetic in NumPy's dtypes: what the compiler writes gives the same number of the same kind."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwright.agents.compiler.emit.constants import Constants
from envwright.agents.compiler.emit.layout import LIMIT, fitted
from envwright.agents.compiler.emit.printer import Printer
from envwright.agents.compiler.graph import BINARY, COMPARISONS, Graph
from envwright.core.exact import exact_div, rounded, scalar_power

TYPES = (bool, int, float, np.float32, np.float64, np.int64, np.bool_)
SCOPE = {"jnp": jnp, "np": np, "jax": jax, "exact_div": exact_div, "rounded": rounded}
SCOPE["scalar_power"] = scalar_power


def numbers(kind):
    """None so small that XLA, which has no subnormal numbers on the CPU, would take it for 0."""
    whole = st.integers(-50, 50).map(kind)
    if kind in (bool, np.bool_):
        return st.booleans().map(kind)
    broken = st.floats(-9, 9).filter(lambda x: x == 0 or abs(x) > 1e-9).map(kind)
    return whole if kind in (int, np.int64) else st.one_of(whole, broken)


def written(node):
    """The printed expression as a function of `a` and `b`."""
    constants = Constants()
    show = Printer(constants)
    show.body([node])
    body = "\n".join(["def f(a, b=None):", *show.lines, f"    return {show.text(node)}"])
    scope = dict(SCOPE)
    exec("\n".join([*constants.lines(), body]), scope)
    return scope["f"]


def computed(node, **inputs):
    """What the printed expression gives."""
    with jax.enable_x64(True):
        return np.asarray(written(node)(**{k: jnp.asarray(v) for k, v in inputs.items()}))


PAIRS = st.sampled_from(TYPES).flatmap(
    lambda a: st.sampled_from(TYPES).flatmap(lambda b: st.tuples(numbers(a), numbers(b)))
)


@settings(max_examples=60)
@given(PAIRS, st.sampled_from(["+", "-", "*", "/", "//", "%", "<", "<=", "==", "!="]))
def test_an_operation_gives_numpy_s_number_in_numpy_s_kind(pair, symbol):
    a, b = pair
    function = {**BINARY, **COMPARISONS}[symbol]
    graph = Graph()
    nodes = graph.input("a", a), graph.input("b", b)
    try:
        with np.errstate(all="ignore"):
            wanted = np.asarray(function(a, b))
    except (TypeError, ZeroDivisionError):
        return  # the reference would raise
    if wanted.dtype.kind in "iu" and symbol in ("//", "%") and not np.any(b):
        return  # NumPy warns and gives 0 where a whole number is divided by none
    make = graph.compare if symbol in COMPARISONS else graph.binary
    found = computed(make(symbol, *nodes), a=a, b=b)
    assert found.dtype.kind == wanted.dtype.kind
    if wanted.dtype.kind == "f":
        assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("kind", [float, np.float32])
def test_a_product_and_a_sum_are_rounded_one_by_one(kind):
    rng, graph = np.random.default_rng(0), Graph()
    a, b = graph.input("a", kind(1)), graph.input("b", kind(1))
    node = graph.binary("+", graph.binary("*", a, b), b)
    node = graph.binary("-", node, graph.binary("/", a, 3.0))
    for x, y in rng.normal(size=(50, 2)):
        x, y = kind(x), kind(y)
        assert computed(node, a=x, b=y) == x * y + y - x / 3.0


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
@pytest.mark.parametrize("power", [2, 3, -1, 0.5])
def test_a_power_of_a_single_number_is_the_system_s(kind, power):
    rng, graph = np.random.default_rng(0), Graph()
    node = graph.binary("**", graph.input("a", kind(1)), power)
    values = [kind(x) for x in rng.uniform(0.1, 6, 4000)]
    with jax.enable_x64(True):
        ours = np.asarray(jax.jit(jax.vmap(written(node)))(np.array(values)))
    theirs = np.array([x**power for x in values])
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


def test_a_power_of_numpy_s_is_a_product():
    graph = Graph()
    node = graph.power(graph.input("a", 1.0), 2)
    values = np.random.default_rng(0).uniform(-6, 6, 4000)
    with jax.enable_x64(True):
        ours = np.asarray(jax.jit(jax.vmap(written(node)))(values))
    np.testing.assert_array_equal(ours, [np.power(x, 2) for x in values])


SUM = " + ".join(f"max(name_{k}, 2 * name_{k})" for k in range(30))
LIST = ", ".join(f"name_{k}" for k in range(12))


@pytest.mark.parametrize(
    "line",
    [
        f"value = {SUM}",
        f"value = name_0 + (name_1 + name_2 + name_3 + {SUM})",
        f"value = name_29 + table[max(name_1, name_2) + min(name_3, name_4) - min({LIST}) * 7]",
        f"value = [{LIST}] + [name_0]",
    ],
    ids=["sum", "parentheses", "index", "list"],
)
def test_long_lines_are_broken_into_lines_that_mean_the_same(line):
    names = {f"name_{k}": k for k in range(30)} | {"table": list(range(50))}
    lines = fitted(line)
    assert len(lines) > 1 and max(map(len, lines)) <= LIMIT
    scopes = [dict(names), dict(names)]
    exec(line, scopes[0])
    exec("\n".join(lines), scopes[1])
    assert scopes[0]["value"] == scopes[1]["value"]
