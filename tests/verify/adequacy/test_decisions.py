import json
import os
from functools import cache, partial, reduce

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from envwright.verify.adequacy.decisions.program import (
    by_source,
    decision_program,
    share,
    uncovered,
)

X = np.array([-2.0, -1.0, 0.0, 1.0, 2.0], np.float32)


def counted(fn, *batches, **options):
    """[(kind, expression, [n_first, n_second]), ...] of a function over a batch."""
    program = decision_program(fn, *(batch[0] for batch in batches), **options)
    counts = program.count(*batches).tolist()
    return [(d.kind, d.expression, seen) for d, seen in zip(program.decisions, counts, strict=True)]


def kinds(fn, *batches, **options):
    return [kind for kind, _, _ in counted(fn, *batches, **options)]


@pytest.mark.parametrize(
    ("fn", "kind", "seen"),
    [
        (lambda x: x < 1, "lt", [2, 3]),
        (lambda x: x <= 1, "le", [1, 4]),
        (lambda x: x > 1, "gt", [4, 1]),
        (lambda x: x >= 1, "ge", [3, 2]),
        (lambda x: x == 1, "eq", [4, 1]),
        (lambda x: x != 1, "ne", [1, 4]),
        (lambda x: np.float32(1) > x, "lt", [2, 3]),
        (lambda x: jnp.less(x, 1), "lt", [2, 3]),
        (lambda x: lax.lt(x, 1.0), "lt", [2, 3]),
        (lambda x: jnp.isnan(x), "ne", [5, 0]),
        (lambda x: jnp.isfinite(x), "is_finite", [0, 5]),
        (lambda x: jnp.isclose(x, 1), "call", [4, 1]),
        (lambda x: jnp.isin(x, jnp.array([0.0, 1.0])), "call", [3, 2]),
    ],
)
def test_a_comparison_counts_its_outcomes(fn, kind, seen):
    ((found, _, counts),) = counted(fn, X)
    assert (found, counts) == (kind, seen)


def test_boolean_operations_are_decisions_of_their_own():
    def fn(x):
        return jnp.where((x > -2) & (x < 2) | (x == 2), 1, 0)

    assert counted(fn, X) == [
        ("gt", "x > -2", [1, 4]),
        ("lt", "x < 2", [1, 4]),
        ("and", "(x > -2) & (x < 2)", [2, 3]),
        ("eq", "x == 2", [4, 1]),
        ("or", "(x > -2) & (x < 2) | (x == 2)", [1, 4]),
    ]


def test_xor_and_logical_functions_count():
    p, q = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], bool).T
    assert counted(lambda p, q: p ^ q, p, q) == [("xor", "p ^ q", [2, 2])]
    assert counted(lambda p, q: jnp.logical_and(p, q), p, q)[-1][2] == [3, 1]


def test_not_of_a_decision_says_nothing_new_but_not_of_an_input_does():
    assert counted(lambda x: ~(x > 1), X) == [("gt", "x > 1", [4, 1])]
    done = np.array([True, False, False])
    assert counted(lambda p: jnp.where(~p, 1, 0), done) == [("not", "~p", [1, 2])]


def test_integer_bit_operations_are_no_decisions():
    assert counted(lambda i: (i & 3) | ~i, np.arange(4)) == []


def test_an_array_counts_each_element_and_its_reduction_once():
    def fn(v):
        return jnp.any(v > 1), jnp.all(v > 1), (v > 1).any()

    rows = np.array([[0, 2, 2], [0, 0, 0], [3, 3, 3]], np.float32)
    found = counted(fn, rows)
    assert [f for f in found if f[0] == "gt"] == [("gt", "v > 1", [4, 5])] * 3
    assert [f[2] for f in found if f[0] == "reduce_or"] == [[1, 2], [1, 2]]
    assert [f[2] for f in found if f[0] == "reduce_and"] == [[2, 1]]


@pytest.mark.parametrize("width", [64, 65, 1000])
def test_wide_arrays_count_each_element_too(width):
    rows = np.tile(np.arange(width), (3, 1)).astype(np.int32)
    assert counted(lambda v: v < 2, rows) == [("lt", "v < 2", [3 * (width - 2), 6])]


def test_select_counts_only_when_its_predicate_is_not_yet_a_decision():
    done = np.array([True, False, False])
    assert kinds(lambda x: jnp.where(x > 1, x, 0.0), X) == ["gt"]
    assert counted(lambda p: jnp.where(p, 1, 0), done) == [("select", "jnp.where(p, 1, 0)", [2, 1])]
    assert kinds(lambda p: (jnp.where(p, 1, 0), jnp.where(p, 3, 2), ~p), done) == ["select"]


def test_truth_of_a_number_is_a_decision():
    numbers = np.array([0, 0, 3], np.int32)
    assert counted(lambda i: jnp.where(i, 1, 2), numbers) == [("ne", "jnp.where(i, 1, 2)", [2, 1])]


def test_one_predicate_over_a_whole_tree_is_one_decision():
    def fn(done, v):
        old, new = {"a": v, "b": v[0]}, {"a": v + 1, "b": v[1]}
        return jax.tree.map(partial(jnp.where, done), old, new)

    done = np.array([True, False])
    assert [(k, n) for k, _, n in counted(fn, done, np.ones((2, 3)))] == [("select", [1, 1])]


def test_select_by_an_integer_counts_each_case():
    def fn(i):
        return lax.select_n(i, 1.0, 2.0, 3.0)

    found = counted(fn, np.array([0, 0, 2, 2, 2], np.int32))
    assert [n for _, _, n in found] == [[3, 2], [5, 0], [2, 3]]
    assert set(kinds(fn, np.array([0], np.int32))) == {"select"}


def test_jnp_select_counts_conditions_and_cases():
    found = counted(lambda x: jnp.select([x > 1, x > 0], [1, 2], 3), X)
    assert [(k, n) for k, _, n in found] == [
        ("gt", [4, 1]),
        ("gt", [3, 2]),
        ("select", [2, 3]),  # the default comes first
        ("select", [4, 1]),
        ("select", [4, 1]),
    ]


def test_saturation_asks_whether_the_bound_bites():
    def fn(x):
        return jnp.clip(x, -1, 1), jnp.maximum(x, 0), lax.clamp(-5.0, x, 1.5), jnp.minimum(1, x)

    assert [(k, n) for k, _, n in counted(fn, X)] == [
        ("max", [4, 1]),
        ("min", [4, 1]),
        ("max", [3, 2]),
        ("clamp_low", [5, 0]),
        ("clamp_high", [4, 1]),
        ("min", [4, 1]),
    ]
    assert counted(fn, X, saturation=False) == []


def test_clip_to_varying_bounds_asks_of_the_bounds():
    low, high = np.full(5, -1, np.float32), np.full(5, 0, np.float32)
    found = counted(lambda x, lo, hi: jnp.clip(x, lo, hi), X, low, high)
    assert [(k, n) for k, _, n in found] == [("max", [4, 1]), ("min", [3, 2])]


def test_cond_counts_inside_a_branch_only_when_it_is_taken():
    def fn(x):
        return lax.cond(x > 0, lambda: x > 1, lambda: x < -5)

    assert counted(fn, X) == [
        ("gt", "x > 0", [3, 2]),
        ("lt", "x < -5", [3, 0]),
        ("gt", "x > 1", [1, 1]),
    ]


def test_cond_on_an_input_is_a_decision_itself():
    done = np.array([True, False, False])
    ((kind, _, seen),) = counted(lambda p: lax.cond(p, lambda: 1, lambda: 2), done)
    assert (kind, seen) == ("branch", [2, 1])


def test_an_outer_predicate_is_asked_again_inside_a_branch():
    def fn(x):
        positive = x > 0
        return lax.cond(
            x > -5, lambda: jnp.where(positive, 1, 2), lambda: jnp.where(positive, 3, 4)
        )

    found = counted(fn, X)
    assert [(k, n) for k, _, n in found] == [
        ("gt", [3, 2]),
        ("gt", [0, 5]),
        ("select", [0, 0]),
        ("select", [3, 2]),
    ]


def test_switch_counts_each_branch_and_what_is_inside():
    def fn(i, x):
        return lax.switch(i, [lambda: x > 0, lambda: x > 1, lambda: x == x])

    indices = np.array([0, 0, 1, 1, 1], np.int32)
    found = counted(fn, indices, X)
    assert [n for k, _, n in found if k == "branch"] == [[3, 2], [2, 3], [5, 0]]
    assert [n for k, _, n in found if k != "branch"] == [[2, 0], [2, 1], [0, 0]]


def test_scan_counts_every_turn():
    def fn(x, xs):
        def turn(total, y):
            return total + y, jnp.where(total > x, 1, 0)

        return lax.scan(turn, 0.0, xs)

    xs = np.ones((2, 4), np.float32)  # totals before each turn: 0 1 2 3
    assert counted(fn, np.array([0.5, 2.5], np.float32), xs) == [("gt", "total > x", [4, 4])]


def test_reversed_scan_sees_its_rows_backwards():
    def fn(xs):
        return lax.scan(lambda c, y: (y, c > y), 0.0, xs, reverse=True)

    assert counted(fn, np.array([[1.0, 2.0, 3.0]], np.float32)) == [("gt", "c > y", [1, 2])]


def test_scan_outputs_stay_right_while_counting():
    def fn(xs):
        last, partial_sums = lax.scan(lambda c, y: (c + y, jnp.where(y > 0, c, y)), 0.0, xs)
        return last > 5, partial_sums > 2

    assert counted(fn, np.array([[1.0, 2.0, 3.0]], np.float32)) == [
        ("gt", "y > 0", [0, 3]),
        ("gt", "last > 5", [0, 1]),
        ("gt", "partial_sums > 2", [2, 1]),
    ]


def test_while_counts_condition_body_and_whether_it_was_entered():
    def fn(n):
        return lax.while_loop(lambda i: i < n, lambda i: i + jnp.where(i > 1, 2, 1), 0)

    # 0: not entered; 3: i = 0 1 2 (4); 5: i = 0 1 2 4 (6)
    assert [(k, t, n) for k, t, n in counted(fn, np.array([0, 3, 5], np.int32))][1:] == [
        ("lt", "i < n", [3, 7]),
        ("gt", "i > 1", [4, 3]),
    ]
    program = decision_program(fn, 0)
    assert program.decisions[0].outcomes == ("skipped", "entered")
    assert program.count(np.array([0, 3, 5]))[0].tolist() == [1, 2]


def test_fori_loop_with_a_fixed_number_of_turns_decides_nothing():
    def fn(x):
        return lax.fori_loop(0, 3, lambda i, c: c + jnp.where(c > x, 1.0, 2.0), 0.0)

    assert counted(fn, np.array([1.0], np.float32)) == [("gt", "c > x", [1, 2])]


def test_fori_loop_with_a_varying_number_of_turns_asks_whether_it_ran():
    def fn(n):
        return lax.fori_loop(0, n, lambda i, c: c + i, 0)

    ((kind, _, seen),) = counted(fn, np.array([0, 0, 2], np.int32))
    assert (kind, seen) == ("while", [2, 1])


@jax.custom_jvp
def ramp(x):
    return jnp.where(x > 0.5, x, 0.0)


ramp.defjvp(lambda primals, tangents: (ramp(*primals), tangents[0]))


@jax.custom_vjp
def hinge(x):
    return jnp.where(x > 1.5, x, 0.0)


hinge.defvjp(lambda x: (hinge(x), x), lambda x, g: (g,))


@pytest.mark.parametrize(
    ("wrapped", "seen"),
    [
        (jax.jit(lambda x: jnp.where(x > 0, x, 1)), [3, 2]),
        (jax.checkpoint(lambda x: jnp.where(x > 0, x, 1)), [3, 2]),
        (ramp, [3, 2]),
        (hinge, [4, 1]),
        (jax.jit(jax.checkpoint(jax.jit(lambda x: jnp.where(x > 0, x, 1)))), [3, 2]),
    ],
)
def test_calls_are_entered(wrapped, seen):
    assert [(k, n) for k, _, n in counted(lambda x: wrapped(x) + 1, X)] == [("gt", seen)]


def test_a_decision_of_a_jitted_helper_is_known_to_its_caller():
    positive = jax.jit(lambda x: x > 0)
    choose = jax.jit(lambda p, x: jnp.where(p, x, -x))
    assert kinds(lambda x: choose(positive(x), x), X) == ["gt"]


def test_loops_and_branches_nest():
    def fn(n):
        def turn(i, c):
            return lax.cond(c > 2, lambda: c, lambda: c + jnp.where(i > 0, 2, 1))

        return lax.fori_loop(0, n, turn, 0)

    # n = 4: c = 0 -> 1 -> 3 -> 3 -> 3
    found = counted(fn, np.array([4], np.int32))
    assert found[1:] == [("gt", "c > 2", [2, 2]), ("gt", "i > 0", [1, 1])]


def test_under_the_users_vmap_every_lane_counts():
    def fn(v, indices):
        looked_up = jax.vmap(lambda i, y: lax.switch(i, [lambda: y, lambda: -y, lambda: y + 1]))
        counted_up = jax.vmap(lambda y: lax.while_loop(lambda c: c < y, lambda c: c + 1, 0.0))
        return looked_up(indices, v), counted_up(v) > 1

    v, indices = np.array([[0, 1, 2, 2]], np.float32), np.array([[0, 1, 1, 1]], np.int32)
    found = counted(fn, v, indices)
    assert [n for k, _, n in found if k == "select"] == [[3, 1], [1, 3], [4, 0]]
    assert [n for k, _, n in found if k == "while"] == [[1, 3]]
    assert [n for k, _, n in found if k == "gt"] == [[2, 2]]  # values after the loop are right


@pytest.mark.parametrize("lift", [jax.vmap, lambda fn: jax.vmap(jax.jit(fn))])
def test_the_users_vmap_keeps_decisions_and_counts(lift):
    def fn(x, p):
        total = lax.scan(lambda c, y: (jnp.where(c > x, c, c + y), None), 0.0, jnp.ones(2))[0]
        return jnp.where(p, jnp.clip(x, 0, 1), total), (x > 0) & p, jnp.isclose(x, 1)

    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    p = x % 2 == 0
    assert counted(lift(fn), x, p) == counted(fn, x.ravel(), p.ravel())


def test_constants_are_no_decisions():
    table = jnp.arange(4)

    def fn(x):
        odd = jnp.where(table % 2 == 1, 1.0, 0.0)
        steps = lax.scan(lambda c, i: (jnp.where(c > 2, 0, c + 1), i > 1), 0, jnp.arange(3))
        return x * odd, jnp.clip(table, 0, 1), steps

    assert counted(fn, X) == []


def test_what_the_library_decides_for_itself_is_left_out():
    def fn(key, v, i):
        drawn = (
            jax.random.uniform(key, (3,)),
            jax.random.randint(key, (), 0, i),
            jax.random.permutation(key, 4),
            jax.random.categorical(key, v),
        )
        read = (
            v[i],
            v[i % 3],
            jnp.take(v, i),
            v[jnp.array([0, 1]) + i],
            lax.dynamic_slice(v, (i,), (1,)),
        )
        written = v.at[i].set(1.0), v.at[i].add(1.0), lax.dynamic_update_slice(v, v[:1], (i,))
        ordered = jnp.sort(v), jnp.argmax(v), jnp.searchsorted(v, 1.0), jnp.nonzero(v, size=2)
        arithmetic = v // 2, i % 3, i**i, v**2, jnp.round(v), jnp.nanmax(v), jnp.abs(v), jnp.sign(v)
        slope = jax.grad(lambda v: jnp.maximum(v, 0).sum())(v)
        return drawn, read, written, ordered, arithmetic, slope

    keys = jax.random.split(jax.random.key(0), 2)
    assert counted(fn, keys, np.ones((2, 4), np.float32), np.array([0, 3], np.int32)) == []


def test_a_random_yes_or_no_is_a_decision():
    keys = jax.random.split(jax.random.key(0), 200)
    ((kind, text, seen),) = counted(lambda key: jax.random.bernoulli(key, 0.3), keys)
    assert (kind, text, sum(seen)) == ("call", "jax.random.bernoulli(key, 0.3)", 200)
    assert 30 < seen[1] < 90


def test_files_choose_whose_decisions_count(tmp_path):
    library = tmp_path / "library.py"
    library.write_text("def inside(x):\n    return (x > -1) & (x < 1)\n")
    namespace = {}
    exec(compile(library.read_text(), str(library), "exec"), namespace)

    def fn(x):
        return namespace["inside"](x) | (x == 2)

    assert len(kinds(fn, X)) == 5
    assert kinds(fn, X, files=library) == ["gt", "lt", "and"]
    assert kinds(fn, X, files=[str(tmp_path)]) == ["gt", "lt", "and"]
    assert kinds(fn, X, files=__file__) == ["eq", "or"]
    assert kinds(fn, X, files=[tmp_path, __file__]) == kinds(fn, X)
    assert kinds(fn, X, files=tmp_path / "lib") == []  # a folder, not the start of a name


def test_the_outcome_that_was_never_seen_is_named():
    def fn(x):
        too_far = (x < -5) | (x > 1)
        return jnp.where(too_far, 0.0, x)

    program = decision_program(fn, X[0])
    counts = program.count(X)
    (gap,) = uncovered(program, counts)
    line = fn.__code__.co_firstlineno + 1
    assert (gap.decision.source, gap.unseen) == (f"test_decisions.py:{line}", ("true",))
    assert str(gap) == f"test_decisions.py:{line} `x < -5` was never true"
    assert share(counts) == pytest.approx(2 / 3)
    counts += program.count(np.array([-6.0], np.float32))
    assert uncovered(program, counts) == []
    assert share(counts) == 1


def test_a_program_without_inputs_is_uncovered_everywhere_and_without_decisions_nowhere():
    program = decision_program(lambda x: x > 0, 1.0)
    nothing = program.count(np.zeros(0, np.float32))
    assert nothing.tolist() == [[0, 0]]
    assert uncovered(program, nothing)[0].unseen == ("false", "true")
    assert str(uncovered(program, nothing)[0]).endswith("was never false nor true")
    assert share(decision_program(lambda x: x + 1, 1.0).count(X)) == 1


def test_expressions_over_several_lines_lose_their_comments():
    def fn(x):
        return (
            x  # where it is
            < -1
        ) | (x > 1)

    assert counted(fn, X)[0][1] == "x < -1"
    assert "#" not in json.dumps(counted(fn, X))


def test_a_helper_called_twice_counts_per_call_and_merges_by_source():
    def is_far(x):
        return x > 1

    def fn(x):
        return is_far(x) & is_far(x + 2)

    program = decision_program(fn, X[0])
    counts = program.count(X)
    assert counts.tolist() == [[4, 1], [2, 3], [4, 1]]
    merged, sums = by_source(program.decisions, counts)
    assert [(d.index, d.kind) for d in merged] == [(0, "gt"), (1, "and")]
    assert sums.tolist() == [[6, 4], [4, 1]]


def test_decisions_that_cannot_be_counted_are_named():
    def fn(v):
        return lax.reduce(v, 0.0, lambda a, b: jnp.where(a > b, a, b), (0,))

    program = decision_program(fn, jnp.ones(3))
    assert program.decisions == []
    (text,) = program.unvisited
    assert text.endswith("`a > b`")


def busy(v, i):
    """Something of everything."""

    def turn(c, y):
        c = lax.cond(c > y, lambda: c - jnp.where(y > 0, y, 1.0), lambda: c + 1)
        return jnp.clip(c, -2, 2), c

    last, seen = lax.scan(turn, v[0], v)
    steps = lax.while_loop(lambda s: (s < i) & (s < 5), lambda s: s + jnp.where(s > 2, 2, 1), 0)
    picked = lax.switch(i, [lambda: last, lambda: jnp.maximum(last, 0), lambda: v[i]])
    return jnp.any(seen > 1), reduce(jnp.logical_or, [picked > 0, steps > 3])


@settings(max_examples=10)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-1, 7)), min_size=1, max_size=9))
def test_a_batch_counts_what_its_inputs_count_one_by_one(rows):
    v = np.array([[a, b, a - b] for a, b in rows], np.float32)
    i = np.array([b for _, b in rows], np.int32)
    whole = BUSY.count(v, i)
    single = sum(BUSY.count(v[k : k + 1], i[k : k + 1]) for k in range(len(rows)))
    np.testing.assert_array_equal(whole, single)


BUSY = decision_program(busy, jnp.zeros(3), 0)


def test_chunks_bound_memory_and_change_nothing():
    rng = np.random.default_rng(0)
    v, i = rng.integers(-3, 4, (37, 3)).astype(np.float32), rng.integers(-1, 8, 37)
    np.testing.assert_array_equal(BUSY.count(v, i), BUSY.count(v, i, chunk=8))


def test_counting_compiles_once_per_chunk_size():
    traced = []

    def fn(x):
        return jax.jit(lambda x: x > 0)(x)

    program = decision_program(fn, 1.0)
    original = program._answers.__wrapped__
    program._answers = cache(lambda chunk: traced.append(chunk) or original(chunk))
    for size in (100, 70, 128, 5):
        program.count(np.ones(size, np.float32))
    assert traced == [128, 8]


def test_sums_beyond_16_bits_are_exact():
    def fn(n):
        return lax.fori_loop(0, n, lambda i, c: jnp.where(c > -1, c, c), 0)

    turns = np.full(3, 70_000, np.int32)  # per lane more than 16 bits hold
    assert decision_program(fn, 0).count(turns, chunk=2)[1].tolist() == [0, 210_000]


def test_a_program_traced_in_float64_counts_in_float64():
    with jax.enable_x64(True):
        program = decision_program(lambda x: x > 1, np.float64(0))
    assert program.count(np.array([1 + 1e-12, 1.0])).tolist() == [[1, 1]]


def test_wrong_arguments_are_refused_with_what_to_give():
    program = decision_program(lambda s, i: s["x"] > i, {"x": 1.0}, 2)
    with pytest.raises(TypeError, match="same arguments with a leading batch axis"):
        program.count(np.ones(3), np.ones(3, int))
    with pytest.raises(ValueError, match="one batch size followed by"):
        program.count({"x": np.ones(3)}, np.ones(4, int))
    with pytest.raises(ValueError, match="one batch size followed by"):
        program.count({"x": np.ones((3, 2))}, np.ones((3, 2), int))
    with pytest.raises(ValueError, match="one batch size followed by"):
        program.count({"x": 1.0}, 2)
    with pytest.raises(TypeError, match="float64 where the program was traced with int32"):
        program.count({"x": np.ones(3)}, np.ones(3))


def test_many_decisions_in_a_row_compile_in_pieces():
    def fn(x):
        for i in range(60):
            x = jnp.where((x > i) & (x < i + 3), x + 1, x)
        return x

    program = decision_program(fn, 0.0)
    counts = program.count(np.arange(-1, 3, dtype=np.float32))
    assert len(counts) == 180
    assert counts[0].tolist() == [2, 2]
    assert counts.sum() == 4 * 180


def test_what_is_batched_by_hand_is_entered_too():
    @jax.custom_batching.custom_vmap
    def positive(x):
        return jnp.where(x > 0, x, 0.0)

    @positive.def_vmap
    def whole_batch(size, batched, x):
        return positive(x), True

    program = decision_program(lambda x: positive(x) + 1, 1.0, files=os.path.dirname(__file__))
    assert [str(d).partition(" ")[2] for d in program.decisions] == ["`x > 0`"]
    assert not program.unvisited
    assert program.count(np.float32([1, 2, -3])).tolist() == [[1, 2]]
