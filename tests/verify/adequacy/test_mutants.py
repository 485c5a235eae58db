import ast
from collections import Counter
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwright.verify.adequacy.mutation import mutants as mutants_module
from envwright.verify.adequacy.mutation.mutants import enumerate_mutants, sample

THIS_PACKAGE = Path(mutants_module.__file__).parent


def mutated(source, operator=None, **options):
    """The mutated sources, by operator or all."""
    found = enumerate_mutants(source, "rules.py", **options)
    return {m.apply(source) for m in found if operator in (None, m.operator)}


def of_expression(expression, operator=None):
    """The same for an expression of names, without the `y = ` in front."""
    return {text.removeprefix("y = ") for text in mutated(f"y = {expression}", operator)}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a + b", {"a - b"}),
        ("a - b", {"a + b"}),
        ("a * b", {"a / b", "-(a * b)"}),
        ("a / b", {"a * b", "-(a / b)"}),
        ("a // b", {"a % b"}),
        ("a % b", {"a // b"}),
        ("a << b", {"a >> b"}),
        ("a ** b", {"a * b"}),
        ("a @ b", set()),
        ("a < b", {"a <= b", "a >= b"}),
        ("a <= b", {"a < b", "a > b"}),
        ("a > b", {"a >= b", "a <= b"}),
        ("a >= b", {"a > b", "a < b"}),
        ("a == b", {"a != b"}),
        ("a != b", {"a == b"}),
        ("a is b", {"a is not b"}),
        ("a is  not b", {"a is b"}),
        ("a in b", {"a not in b"}),
        ("a not in b", {"a in b"}),
        ("a < b <= c", {"a <= b <= c", "a >= b <= c", "a < b < c", "a < b > c"}),
        ("a & b", {"a | b"}),
        ("a | b", {"a & b"}),
        ("a ^ b", {"a | b"}),
        ("a and b", {"a or b"}),
        ("a or b or c", {"a and b and c"}),
        ("~a", {"a"}),
        ("not a", {"a"}),
        ("-a", {"a"}),
        ("+a", set()),
    ],
)
def test_operators_change_into_their_neighbours(expression, expected):
    assert of_expression(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a * (b + c)", {"a / (b + c)", "a * (b - c)", "-(a * (b + c))"}),
        ("a + b * c", {"a - b * c", "a + b / c"}),
        ("a * b + c", {"a * b - c", "a / b + c", "-(a * b) + c"}),
        ("a * b * c", {"a * b / c", "a / b * c", "-(a * b * c)"}),
        ("-x ** n", {"x ** n", "-(x * n)"}),
        ("a / b ** c", {"a * b ** c", "a / (b * c)", "-(a / b ** c)"}),
        ("a ** b ** c", {"a * (b ** c)", "a ** (b * c)"}),
        ("a ** -b", {"a * -b", "a ** b"}),
        ("a - -b", {"a + -b", "a - b"}),
        ("a | b & c", {"a & (b & c)", "a | (b | c)"}),
        ("a & b ^ c", {"(a | b) ^ c", "(a & b) | c"}),
        ("(a | b) & c", {"(a & b) & c", "(a | b) | c"}),
        ("a and b or c", {"(a or b) or c", "(a and b) and c"}),
        ("a or not b", {"a and not b", "a or b"}),
        ("not a == b", {"a == b", "not a != b"}),
        ("~(a & b)", {"(a & b)", "~(a | b)"}),
    ],
)
def test_precedence_around_a_change_is_kept(expression, expected):
    assert of_expression(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("3", {"4", "2"}),
        ("0", {"1"}),
        ("-1", {"1", "-2", "-0"}),
        ("0xff", {"0x100", "0xfe"}),
        ("0.5", {"0.55", "-0.5"}),
        ("10.0", {"11.0", "-10.0"}),
        ("9.8", {"10.78", "-9.8"}),
        ("1e-06", {"1.1e-06", "-1e-06"}),
        ("0.0", {"1.0"}),
        ("-0.5", {"0.5", "-0.55"}),
        ("2.0 ** a", {"2.0 * a", "2.2 ** a"}),
        ("0.5 + a", {"0.5 - a", "0.55 + a", "(-0.5) + a"}),
        ("a * 0.5", {"a / 0.5", "a * 0.55", "-(a * 0.5)"}),
        ("a < 0.5", {"a <= 0.5", "a >= 0.5", "a < 0.55", "a < (-0.5)"}),
        ("True", {"False"}),
        ("1e400", set()),
        ("None", set()),
        ("2j", set()),
    ],
)
def test_constants_move_a_little(expression, expected):
    assert of_expression(expression) == expected


def test_indices_are_an_operator_of_their_own():
    assert of_expression("a[0]", "index") == {"a[1]"}
    assert of_expression("a[i + 2, 1:]", "index") == {
        "a[i + 3, 1:]",
        "a[i + 1, 1:]",
        "a[i + 2, 2:]",
        "a[i + 2, 0:]",
    }
    assert of_expression("a[0]", "constant") == set()
    assert mutated("a[1] = b\n", "index") == {"a[2] = b\n", "a[0] = b\n"}


def test_choices_are_swapped_or_made_always_the_same():
    assert of_expression("jnp.where(c, a, b)") == {
        "jnp.where(c, b, a)",
        "jnp.where(c, a, a)",
        "jnp.where(c, b, b)",
    }
    assert of_expression("lax.cond(c, f, g, x)") == {
        "lax.cond(c, g, f, x)",
        "lax.cond(c, f, f, x)",
        "lax.cond(c, g, g, x)",
    }
    assert of_expression("jnp.where(c, a, a)") == set()
    assert of_expression("jnp.where(c)") == set()
    assert of_expression("jnp.where(*c, a, b)") == set()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("jnp.minimum(a, b)", {"jnp.maximum(a, b)"}),
        ("min(a, b)", {"max(a, b)"}),
        ("x.any()", {"x.all()"}),
        ("jnp.sin(a)", {"jnp.cos(a)", "-jnp.sin(a)"}),
        ("b * jnp.sin(a)", {"b * jnp.cos(a)", "b / jnp.sin(a)", "-(b * jnp.sin(a))"}),
        ("f(jnp.sin(a))", {"f(jnp.cos(a))", "f(-jnp.sin(a))"}),
        ("jnp.floor(a)", {"jnp.ceil(a)", "a"}),
        ("jnp.abs(a)", {"a"}),
        (
            "abs(a - b) * c",
            {"(a - b) * c", "abs(a + b) * c", "abs(a - b) / c", "-(abs(a - b) * c)"},
        ),
        ("jnp.sqrt(a)", {"a", "-jnp.sqrt(a)"}),
        ("jnp.less(a, b)", {"jnp.less_equal(a, b)", "jnp.greater_equal(a, b)", "jnp.less(b, a)"}),
        ("sum(a)", set()),
        ("jnp.sum(a)", {"jnp.prod(a)"}),
        ("x.at[i].set(v)", {"x.at[i].add(v)"}),
        ("x.at[i].max(v)", {"x.at[i].min(v)"}),
        ("jnp.zeros(n)", {"jnp.ones(n)"}),
    ],
)
def test_functions_change_or_vanish(expression, expected):
    module = "import jax.numpy as jnp\n"
    found = mutated(f"{module}y = {expression}")
    assert {text.removeprefix(f"{module}y = ") for text in found} == expected


def test_a_dropped_method_leaves_its_array():
    assert "x" in of_expression("x.clip(0, 1)", "function")
    source = "from jax import numpy as jnp\ny = jnp.clip(x, 0, 1)"
    assert mutated(source, "function") == {"from jax import numpy as jnp\ny = x"}


def test_neighbouring_arguments_are_swapped_where_order_matters():
    assert of_expression("f(a, b, c)") == {"f(b, a, c)", "f(a, c, b)"}
    assert of_expression("jnp.arctan2(a, b)", "arguments") == {"jnp.arctan2(b, a)"}
    assert of_expression("jnp.maximum(a, b)", "arguments") == set()
    assert of_expression("lax.scan(f, a, b)") == {"lax.scan(f, b, a)"}
    assert of_expression("f(a, a)") == set()
    assert of_expression("f(a, 'b')") == set()
    assert of_expression("f(*a, b)") == set()


def test_assignments_vanish_only_where_the_name_had_a_value():
    source = dedent("""\
        def f(x, a):
            x = a
            y = a
            if a:
                y = x
                z = x
            else:
                z = a
            x += y
            for i in a:
                y = i
            x, y = y, x
            w: int = y
            return z
        """)
    gone = {
        text
        for m in enumerate_mutants(source, "rules.py")
        if m.operator == "delete"
        for text in [f"{m.line}: {m.before}"]
    }
    assert gone == {
        "2: x = a",
        "5: y = x",
        "9: x += y",
        "11: y = i",
        "12: x, y = y, x",
    }


def test_fields_vanish_only_outside_constructors():
    source = dedent("""\
        class C:
            def __init__(self, a):
                self.x = a

            def step(self, a):
                self.x = a
                a[i] = self.x
        """)
    found = [m.line for m in enumerate_mutants(source, "c.py") if m.operator == "delete"]
    assert found == [6, 7]


def test_augmented_assignments_change_their_operator():
    assert mutated("x += y\n") == {"x -= y\n", "pass\n"}
    assert mutated("x &= y\n") == {"x |= y\n", "pass\n"}
    assert mutated("x += 'a'\n") == {"pass\n"}


def test_a_replaced_field_keeps_its_old_value():
    assert of_expression("replace(s, x=a, y=s.y)") == {"replace(s, x=s.x, y=s.y)"}
    assert of_expression("s.replace(x=a)") == {"s.replace(x=s.x)"}
    assert of_expression("s.ball._replace(x=a)") == {"s.ball._replace(x=s.ball.x)"}
    assert of_expression("text.replace(a, b)", "field") == set()
    source = "import dataclasses\ny = dataclasses.replace(s, x=a)"
    assert mutated(source) == {"import dataclasses\ny = dataclasses.replace(s, x=s.x)"}


def test_a_rebuilt_state_keeps_an_old_field():
    source = dedent("""\
        def move(p, m: "Motion"):
            return Motion(
                x=p,  # metres
                y=m.y,
            )
        """)
    assert mutated(source) == {source.replace("x=p", "x=m.x")}
    assert mutated(source.replace('m: "Motion"', "m: rules.Motion"))
    assert mutated(source.replace('m: "Motion"', "m: Other")) == set()


def test_returned_neighbours_of_the_same_kind_are_swapped():
    assert mutated("def f(a, b, c):\n    return a, b, c.d\n") == {
        "def f(a, b, c):\n    return b, a, c.d\n"
    }


def test_text_types_and_messages_are_left_alone():
    source = dedent('''\
        """Version 1.0 + 2."""
        from __future__ import annotations
        from typing import TYPE_CHECKING, Literal
        import warnings

        if TYPE_CHECKING:
            LIMIT = 1 + 2

        NAME = "a" + f"{1 + 2}" + "%d" % 3
        Text = str | None


        @decorated(limit=3)
        class C(Base[1]):
            """Holds 3."""

            kind: Literal[1, 2]

            def __repr__(self):
                return self.a + self.b

            def f(self, x: Literal[3], *, y: int | str) -> Literal[4]:
                """Adds 3."""
                assert x + 1 < 3, x - 1
                warnings.warn(x + 1)
                print(x * 2)
                match x:
                    case 1 | 2:
                        return x
                raise ValueError(x + 1)


        if __name__ == "__main__":
            C(1 + 2)
        ''')
    assert mutated(source) == set()


def test_dataclass_and_argument_defaults_are_changed():
    assert mutated("class P:\n    length: float = 0.5  # m\n") == {
        "class P:\n    length: float = 0.55  # m\n",
        "class P:\n    length: float = -0.5  # m\n",
    }
    assert mutated("def f(a=1, *, b=True): pass\n") == {
        "def f(a=2, *, b=True): pass\n",
        "def f(a=0, *, b=True): pass\n",
        "def f(a=1, *, b=False): pass\n",
    }


def test_excluded_functions_are_left_alone():
    source = dedent("""\
        class C:
            x: int = 1
            def render(self):
                return 1 + 2
            def step(self):
                return a + b
        def render():
            return a - b
        """)
    everything = enumerate_mutants(source, "c.py")
    assert {m.function for m in everything} == {"C", "C.render", "C.step", "render"}
    kept = enumerate_mutants(source, "c.py", exclude=["C.render"])
    assert {m.function for m in kept} == {"C", "C.step", "render"}
    assert {m.function for m in enumerate_mutants(source, "c.py", exclude=["C"])} == {"render"}


def test_only_the_characters_of_the_change_change():
    source = dedent("""\
        def f(x, limit):
            far = (
                x  # from the middle  <
                < -limit  # the left wall
                # and the right one
            ) | (
                (x) > (limit)
            )
            return far  # é <
        """)
    comparisons = {
        m.diff() for m in enumerate_mutants(source, "rules.py") if m.operator == "compare"
    }
    assert mutated(source, "compare") == {
        source.replace("        < -", "        <= -"),
        source.replace("        < -", "        >= -"),
        source.replace("(x) > (limit)", "(x) >= (limit)"),
        source.replace("(x) > (limit)", "(x) <= (limit)"),
    }
    assert "7: (x) > (limit)  ->  (x) >= (limit)" in comparisons
    assert all(text.count("#") == source.count("#") for text in mutated(source))


def test_columns_are_counted_in_characters():
    source = "é = 'ü' if ä < ö else 'ß'\n"
    assert mutated(source) == {source.replace("<", "<="), source.replace("<", ">=")}
    assert enumerate_mutants(source, "a.py")[0].column == source.index("ä")


def test_words_do_not_run_together():
    assert mutated("def f(x):\n    return-x\n") == {"def f(x):\n    return x\n"}
    assert of_expression("a if not(b)else c") == {"a if (b)else c"}


def test_statements_that_share_lines_are_changed_one_at_a_time():
    source = "if a: y = b\nelif c < d: y = b + c; z = b\nelse: y = -b\n"
    assert mutated(source) == {
        source.replace("c < d", "c <= d"),
        source.replace("c < d", "c >= d"),
        source.replace("b + c", "b - c"),
        source.replace("-b", "b"),
    }


def test_windows_line_ends_survive():
    source = "y = a + b\r\nz = c\r\n"
    assert mutated(source) == {"y = a - b\r\nz = c\r\n"}


def test_ids_name_the_function_and_the_expression_and_are_stable():
    source = "def f(a, b):\n    return (a < b) & (b < a)\n"
    ids = [m.id for m in enumerate_mutants(source, "zoo/rules.py")]
    assert ids == [
        "rules.py:f:logic:&->|:(a < b) & (b < a)",
        "rules.py:f:compare:<-><=:a < b",
        "rules.py:f:compare:<->>=:a < b",
        "rules.py:f:compare:<-><=:b < a",
        "rules.py:f:compare:<->>=:b < a",
    ]
    assert enumerate_mutants(source, "zoo/rules.py") == enumerate_mutants(source, "zoo/rules.py")
    other = "def g(a, b):\n    return a < b\n\n\n"
    below = enumerate_mutants(other + source.replace("(a < b)", "(a\n    < b)"), "zoo/rules.py")
    assert [m.id for m in below if m.function == "f"] == ids


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        ("def f(x):\n    return g(x, 3)\n", ["f:constant:3->4:g(x, 3)", "f:constant:3->2:g(x, 3)"]),
        ("LIMIT = True\n", ["constant:True->False:LIMIT = True"]),
        ("def f(x=True):\n    pass\n", ["f:constant:True->False:x=True"]),
        ("if True:\n    x = a\n", ["constant:True->False:True"]),
        ("POWER = {'fire': True}\n", ["constant:True->False:'fire': True"]),
        ("x = g(True)\ny = g(True)\n", [f"constant:True->False:g(True) #{n}" for n in (1, 2)]),
    ],
)
def test_a_constant_is_named_with_what_stands_around_it(source, ids):
    found = [m.id for m in enumerate_mutants(source, "a.py") if m.operator == "constant"]
    assert found == [f"a.py:{name}" for name in ids]


def test_a_mutant_refuses_another_source():
    (mutant,) = enumerate_mutants("y = a + b\n", "rules.py")
    with pytest.raises(ValueError, match="made from another one"):
        mutant.apply("z = 1\n")


def test_a_sample_is_drawn_plainly_and_repeats():
    source = "".join(f"def f{i}(a, b):\n    return {' + '.join('ab' * i)}\n" for i in range(1, 9))
    everything = enumerate_mutants(source, "rules.py")
    chosen = sample(everything, 20, seed=1)
    assert len(chosen) == 20 == len(set(chosen))
    assert chosen == sorted(chosen, key=everything.index) == sample(everything, 20, seed=1)
    assert chosen != sample(everything, 20, seed=2)
    assert sample(everything, 10_000, seed=1) == everything
    # The first mutant of a function is no likelier than the others: an interval needs that.
    counts = Counter(m.id for seed in range(400) for m in sample(everything, 20, seed))
    expected = 400 * 20 / len(everything)
    assert all(abs(counts[m.id] - expected) < 5 * expected**0.5 for m in everything)


@pytest.mark.parametrize("path", sorted(THIS_PACKAGE.glob("m*.py")), ids=lambda path: path.name)
def test_real_modules_yield_distinct_mutants_that_compile(path):
    source = path.read_text()
    texts = [m.apply(source) for m in enumerate_mutants(source, path.name)]
    assert len(texts) == len(set(texts)) > 30
    original = ast.dump(ast.parse(source))
    for text in texts[::7]:
        compile(text, path.name, "exec")
        assert ast.dump(ast.parse(text)) != original


names = st.sampled_from("abc")
expressions = st.recursive(
    names,
    lambda inner: st.one_of(
        st.tuples(
            inner,
            st.sampled_from(
                ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<", "<=", "and", "or"]
            ),
            inner,
        ).map(" ".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        inner.map("~{}".format),
        inner.map("not {}".format),
        inner.map("abs({})".format),
        st.tuples(inner, inner, inner).map(lambda p: "where({}, {}, {})".format(*p)),
    ),
    max_leaves=6,
)


@settings(max_examples=150)
@given(expressions)
def test_a_mutant_changes_one_node_and_nothing_else(expression):
    source = f"y = {expression}\n"
    try:
        original = [ast.dump(node) for node in ast.walk(ast.parse(source))]
    except SyntaxError:
        return
    leaves = sorted(text for text in original if text.startswith("Name("))
    for mutant in enumerate_mutants(source, "rules.py"):
        tree = ast.parse(mutant.apply(source))
        found = sorted(t for t in map(ast.dump, ast.walk(tree)) if t.startswith("Name("))
        if mutant.operator in ("arithmetic", "compare", "logic", "sign"):
            assert found == leaves
            assert _shape(tree, mutant) == _shape(ast.parse(source), mutant)


def _shape(tree, mutant):
    """The tree without its operators, and without the minus and the `not` that may come and go."""
    if isinstance(tree, ast.UnaryOp) and (mutant.operator == "sign" or "drop" in mutant.id):
        return _shape(tree.operand, mutant)
    if isinstance(tree, ast.BoolOp):  # `a and (b and c)` may become `a or (b and c)`
        return ["BoolOp", *(_shape(value, mutant) for value in tree.values)]
    if isinstance(tree, ast.Name):
        return tree.id
    inner = [_shape(child, mutant) for child in ast.iter_child_nodes(tree)]
    return [type(tree).__name__, *(part for part in inner if part not in _OPERATORS)]


_OPERATORS = [
    [kind.__name__]
    for base in (ast.operator, ast.cmpop, ast.unaryop, ast.boolop)
    for kind in base.__subclasses__()
]
