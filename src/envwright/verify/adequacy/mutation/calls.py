"""The mutation operators that know what a called function means; see `operators`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from envwright.verify.adequacy.mutation.operators import (
    Edit,
    Surroundings,
    operator,
    sign_is_told_elsewhere,
    swapped,
)

_PAIRS = (
    "min max, minimum maximum, fmin fmax, nanmin nanmax, argmin argmax, sin cos, sinh cosh, "
    "arcsin arccos, floor ceil, any all, logical_and logical_or, bitwise_and bitwise_or, "
    "add subtract, multiply divide, sum prod, cumsum cumprod, zeros ones, zeros_like ones_like, "
    "equal not_equal, eq ne, left_shift right_shift, floor_divide mod, sub add, mul div"
)
_ALTERNATIVES: dict[str, tuple[str, ...]] = {
    "less": ("less_equal", "greater_equal"),
    "less_equal": ("less", "greater"),
    "greater": ("greater_equal", "less_equal"),
    "greater_equal": ("greater", "less"),
    "lt": ("le", "ge"),
    "le": ("lt", "gt"),
    "gt": ("ge", "le"),
    "ge": ("gt", "lt"),
}
for _pair in _PAIRS.split(", "):
    _one, _other = _pair.split()
    _ALTERNATIVES.setdefault(_one, (_other,))
    _ALTERNATIVES.setdefault(_other, (_one,))

_WRITES = {"set": "add", "add": "set", "min": "max", "max": "min", "multiply": "divide"}  # .at[i]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DROPPED = _words(
    "abs absolute fabs sqrt square exp log tanh sign floor ceil round rint clip logical_not "
    "negative invert cumsum sort"
)
_REAL_VALUED = _words("sin cos tan sqrt exp log tanh arctan2 hypot square")
_CHOICES = _words("where select cond")
_ORDER_IS_FREE = _words(
    "min max minimum maximum fmin fmax add multiply mul equal not_equal eq ne hypot isclose "
    "allclose array_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor "
    "isinstance issubclass getattr hasattr setattr super TypeVar NewType cast"
)
_FUNCTION_COMES_FIRST = _words(
    "map vmap jit pmap scan partial reduce switch tree_map associative_scan checkpoint filter "
    "sorted grad value_and_grad vectorize make_jaxpr eval_shape pure_callback"
)


@operator(ast.Call)
def choice(node: ast.Call, at: Surroundings) -> Iterator[Edit]:
    if called(node) not in _CHOICES or len(node.args) < 3 or _starred(node):
        return
    source, (_, first, second) = at.source, node.args[:3]
    if source.of(first) != source.of(second):
        yield Edit("choice", *swapped(node, first, second, at), "swap")
        always_first = (source.span(second), source.of(first))
        always_second = (source.span(first), source.of(second))
        yield Edit("choice", *at.replace(node, always_first), "first")
        yield Edit("choice", *at.replace(node, always_second), "second")


@operator(ast.Call)
def other_function(node: ast.Call, at: Surroundings) -> Iterator[Edit]:
    name, source, span = called(node), at.source, at.source.span(node)
    writes = isinstance(node.func, ast.Attribute) and _is_at(node.func.value)
    alternatives = (_WRITES[name],) if writes and name in _WRITES else ()
    if not writes and not (isinstance(node.func, ast.Name) and _has_no_such_builtin(name)):
        alternatives = _ALTERNATIVES.get(name, ())
    function = source.span(node.func)
    for other in alternatives:
        new = source.of(node.func)[: function.end - function.start - len(name)] + other
        yield Edit("function", *at.replace(node, (function, new)), f"{name}->{other}")
    inner = _argument(node, at)
    if name in _DROPPED and inner is not None and not writes:
        yield Edit("function", span, source.in_place_of(node, inner), f"{name}->drop")
    if name in _REAL_VALUED and not sign_is_told_elsewhere(node, at):
        yield Edit("sign", span, f"-{source.of(node)}", f"{name}->-{name}")


@operator(ast.Call)
def arguments(node: ast.Call, at: Surroundings) -> Iterator[Edit]:
    name = called(node)
    if name in _ORDER_IS_FREE | _CHOICES or _starred(node):
        return
    first = 1 if name in _FUNCTION_COMES_FIRST else 0
    for position in range(first, len(node.args) - 1):
        a, b = node.args[position : position + 2]
        if at.source.of(a) != at.source.of(b) and not any(map(_is_text, (a, b))):
            change = f"swap{position},{position + 1}"
            yield Edit("arguments", *swapped(node, a, b, at), change)


@operator(ast.Call)
def field_kept(node: ast.Call, at: Surroundings) -> Iterator[Edit]:
    """`replace(state, x=...)`, `state.replace(x=...)` and `State(x=...)` with an old `x`."""
    name, source = called(node), at.source
    old = None
    if name in ("replace", "_replace"):
        whole = _argument(node, at)
        old = source.guarded(whole) if whole else None
    elif name[:1].isupper() and not node.args:
        old = _parameter_of_type(name, at)
    for keyword in node.keywords if old else []:
        kept = f"{old}.{keyword.arg}"
        if keyword.arg is not None and source.of(keyword.value) != kept:
            edit = at.replace(keyword, (source.span(keyword.value), kept))
            yield Edit("field", *edit, f"{keyword.arg}->kept")


def called(node: ast.Call) -> str:
    """Return the last name of the called function: `where` for `jnp.where(...)`."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _starred(node: ast.Call) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in node.args)


def _is_at(node: ast.expr) -> bool:
    """Return whether this is the `x.at[i]` of `x.at[i].set(v)`."""
    value = node.value if isinstance(node, ast.Subscript) else None
    return isinstance(value, ast.Attribute) and value.attr == "at"


def _has_no_such_builtin(name: str) -> bool:
    """Return whether this would call a missing built-in: Python has `sum` but no `prod`."""
    return hasattr(builtins, name) and not hasattr(builtins, _ALTERNATIVES.get(name, ("",))[0])


def _is_module(node: ast.expr, at: Surroundings) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in at.modules


def _argument(node: ast.Call, at: Surroundings) -> ast.expr | None:
    """Return the x of `f(x)` or `x.f()`."""
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value, at):
        return node.func.value
    return node.args[0] if node.args and not _starred(node) else None


def _is_text(node: ast.expr) -> bool:
    is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_string or isinstance(node, ast.JoinedStr | ast.Lambda | ast.GeneratorExp)


def _parameter_of_type(name: str, at: Surroundings) -> str | None:
    if not isinstance(at.function, ast.FunctionDef):
        return None
    parameters = at.function.args
    for parameter in [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]:
        annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
        if annotation.strip("'\"").rpartition(".")[2] == name:
            return parameter.arg
    return None
