"""What translated Python may use. Code that calls the reference is not a translation.

This parses the source without running it. Every name that leads out of the code is followed to the
module that it stands for; a name that cannot be followed (`getattr`, `__dict__`) is rejected. It
keeps honest agents from short cuts. Dishonest ones also meet the jail and the check of the compiled
program, which need no reading of the code.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType

from envwright.translate.parsable import unparsable

MODULES = frozenset(
    {
        *("__future__", "abc", "collections", "collections.abc", "dataclasses", "enum"),
        *("bisect", "copy", "fractions", "functools", "heapq", "itertools", "math", "numbers"),
        *("operator", "types", "typing", "typing_extensions"),
        *("jax", "jax.dtypes", "jax.image", "jax.lax", "jax.nn", "jax.nn.initializers"),
        *("jax.numpy", "jax.numpy.fft", "jax.ops", "jax.scipy.ndimage", "jax.scipy.signal"),
        *("jax.numpy.linalg", "jax.random", "jax.scipy", "jax.scipy.linalg", "jax.scipy.special"),
        *("jax.scipy.stats", "jax.tree", "jax.tree_util", "jax.typing"),
        *("numpy", "numpy.fft", "numpy.linalg", "numpy.polynomial", "numpy.random"),
        "numpy.typing",
        *("envwright.core", "envwright.core.env", "envwright.core.exact", "envwright.core.lanes"),
        *("envwright.core.pytree", "envwright.core.spaces", "envwright.core.wrappers"),
    }
)
# Of some modules only these names: the others leave the program, or load and run things.
ONLY = {
    "jax": frozenset(
        {
            *("Array", "ShapeDtypeStruct", "checkpoint", "eval_shape", "grad", "hessian"),
            *("jacfwd", "jacrev", "jit", "jvp", "linearize", "named_scope", "remat"),
            *("value_and_grad", "vjp", "vmap"),
        }
    ),
    "abc": frozenset({"ABC", "abstractmethod"}),
    # Not `wraps` and its kin: they read and write attributes whose names are texts.
    "functools": frozenset(
        {
            *("cache", "cached_property", "cmp_to_key", "lru_cache", "partial", "partialmethod"),
            *("reduce", "total_ordering"),
        }
    ),
    # Not the functions that draw from a generator of the whole process.
    "numpy.random": frozenset(
        {
            *("BitGenerator", "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"),
            *("RandomState", "SeedSequence", "default_rng"),
        }
    ),
    "types": frozenset({"EllipsisType", "MappingProxyType", "NoneType", "SimpleNamespace"}),
    "envwright.core": frozenset(
        {
            *("Box", "Dict", "Discrete", "DiscreteTuple", "Env", "MultiBinary", "MultiDiscrete"),
            *("Space", "Step", "TimeLimit", "Tuple", "Wrapper", "exact_div", "pytree_dataclass"),
            "rounded",
        }
    ),
}
FILES = frozenset(
    {
        *("DataSource", "fromfile", "fromregex", "genfromtxt", "load", "loadtxt", "memmap"),
        *("save", "savetxt", "savez", "savez_compressed"),
    }
)
# Settings of the whole process, which outlive a call.
SETTINGS = frozenset(
    {
        *("get_printoptions", "getbufsize", "geterr", "geterrcall", "set_printoptions"),
        *("setbufsize", "seterr", "seterrcall"),
    }
)
# Of others, all but these: they read and write files, or keep something for the process.
BUT = {
    "enum": frozenset({"EnumMeta", "EnumType", "global_enum"}),
    "jax.numpy": FILES | SETTINGS,
    "numpy": FILES | SETTINGS,
    "typing": frozenset({"clear_overloads", "get_overloads"}),
    "typing_extensions": frozenset({"clear_overloads", "get_overloads"}),
}
# Of Python itself: they run text as code, reach what has no name, leave the program, or differ
# between two processes.
BUILT_IN = frozenset(
    {
        *("breakpoint", "compile", "delattr", "dir", "eval", "exec", "getattr", "globals", "hash"),
        *("id", "input", "locals", "open", "setattr", "vars"),
    }
)
# They leave the compiled program, choose another one, or reach what has no name; wherever they
# come from.
WORDS = frozenset(
    {
        *("callback", "debug_callback", "host_callback", "io_callback", "pure_callback"),
        *("custom_batching", "custom_jvp", "custom_vjp", "custom_vmap", "ffi_call"),
        *("platform_dependent", "rng_uniform"),
        *("attrgetter", "cache_info", "methodcaller", "singledispatch", "singledispatchmethod"),
        *("ForwardRef", "get_type_hints", "make_dataclass"),
        *("ag_frame", "cr_frame", "f_back", "f_builtins", "f_globals", "f_locals", "gi_frame"),
        *("tb_frame", "mro", "dump", "dumps", "tofile"),
        *("evaluate_forward_ref", "evaluate_value", "get_annotations", "get_cache_token"),
        *("ctypes", "format_map", "live_arrays", "live_executables", "unsafe_buffer_pointer"),
        *("_ctypes", "_evaluate"),
    }
)
# Attributes with an underscore that values of others have for everybody.
OF_TUPLES = frozenset({"_asdict", "_fields", "_make", "_replace"})
# Names between two pairs of underscores that are not a way around all this.
PLAIN = frozenset(
    {
        *("__all__", "__doc__", "__hash__", "__init__", "__name__", "__post_init__", "__slots__"),
        "__version__",
    }
)
# Of these, the ones that code may set: the others say whose a function is, or set fields.
SET = PLAIN - {"__name__", "__init__", "__post_init__"}
# Methods that a class may have: others decide what a name, a class or an assignment means, or are
# given errors.
METHODS = PLAIN | frozenset(
    f"__{name}__"
    for name in (
        *("abs", "add", "and", "bool", "call", "contains", "divmod", "eq", "float"),
        *("floordiv", "ge", "getitem", "gt", "iadd", "iand", "index", "int", "invert"),
        *("ior", "isub", "iter", "le", "len", "lshift", "lt", "matmul", "mod", "mul", "ne", "neg"),
        *("next", "or", "pos", "pow", "radd", "rand", "repr", "reversed", "rfloordiv", "rlshift"),
        *("rmatmul", "rmod", "rmul", "ror", "rpow", "rrshift", "rshift", "rsub", "rtruediv"),
        *("rxor", "str", "sub", "truediv", "xor"),
    )
)
MAKERS = ("__init__", "__post_init__")  # only they set fields
_HIDDEN = re.compile(r"__(?!main__)\w+__")
SHOWN = 20


def forbidden(folder: Path, package: str) -> list[str]:
    """Return a sentence for each forbidden use in the code below `folder`."""
    if found := unparsable(folder):
        return found
    sources: dict[str, _Source] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder.parent))
        if path.is_file() and path.suffix not in (".py", ".md", ".txt"):
            found.append(f"{name} is not Python source")
        elif path.is_file() and path.suffix == ".py":
            try:
                tree = ast.parse(path.read_bytes())
            except (SyntaxError, ValueError):
                continue  # the import will report it
            module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            sources[module] = _Source(name, module, tree, path.name == "__init__.py")
    for source in sources.values():
        source.bind(sources, package)
    for source in sources.values():
        found += [f"{source.name}:{line}: {what}" for line, what in source.offences()]
    return found[:SHOWN]


@dataclass
class _Source:
    """A file of the code, with what its names stand for."""

    name: str
    module: str
    tree: ast.Module
    is_package: bool
    sources: dict[str, _Source] = field(default_factory=dict)
    package: str = ""
    outer: dict[str, str] = field(default_factory=dict)  # name -> dotted name that it stands for

    def bind(self, sources: dict[str, _Source], package: str) -> None:
        """Learn what imported names stand for."""
        self.sources, self.package = sources, package
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    self.outer[alias.asname or whole] = whole
            elif isinstance(node, ast.ImportFrom):
                home = self._home(node)
                for alias in node.names:
                    self.outer[alias.asname or alias.name] = f"{home}.{alias.name}"

    def offences(self) -> Iterator[tuple[int, str]]:
        """Yield a line and a phrase for each forbidden use."""
        nodes = list(ast.walk(self.tree))
        inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        good = set(map(id, _harmless(nodes)))
        for node in nodes:
            if id(node) not in good:
                for what in self._offences_of(node, id(node) in inner):
                    yield getattr(node, "lineno", 0), what

    def _offences_of(self, node: ast.AST, inner: bool) -> Iterator[str]:
        yield from _unusual(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from self._imported(node)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield f"keeps {node.names[0]} between two calls, which a translation may not"
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in BUILT_IN:
            yield f"uses {node.id}, which a translation may not"
        for word in _words(node):
            if word in WORDS or (_is_special(word) and word not in PLAIN):
                yield f"uses {word}, which a translation may not"
        if isinstance(node, ast.Name | ast.Attribute):
            if not inner and (dotted := self._dotted(node)):
                yield from self._followed(dotted, isinstance(node.ctx, ast.Load))
        if isinstance(node, ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                yield f"changes {_root(node)}.{node.attr}; only __init__ sets fields, its own"
            elif _is_private(node.attr) and not self._has(node):
                yield f"uses {node.attr}, which is not its own"
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed = self._dotted(_container(node))
            if changed and not self._is_own(self._through_own(changed)):
                yield f"changes {changed}, which is not its own"

    def _has(self, node: ast.Attribute) -> bool:
        """Return whether an attribute with an underscore is the code's own."""
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            return True
        if any(node.attr in source.declared for source in self.sources.values()):
            return True
        return self._is_own(self._through_own(self._dotted(node.value)))

    @cached_property
    def declared(self) -> set[str]:
        """The names of the fields and methods of its classes."""
        found: set[str] = set()
        for each in ast.walk(self.tree):
            for part in each.body if isinstance(each, ast.ClassDef) else ():
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                    found.add(part.name)
                elif isinstance(part, ast.AnnAssign | ast.Assign):
                    targets = part.targets if isinstance(part, ast.Assign) else [part.target]
                    found |= {node.id for node in targets if isinstance(node, ast.Name)}
        return found

    # --- imports -------------------------------------------------------------------------------

    def _home(self, node: ast.ImportFrom) -> str:
        """Return the module that a `from` names."""
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        above = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*above, *([node.module] if node.module else [])])

    def _imported(self, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if not self._is_own(alias.name) and alias.name not in MODULES:
                    yield f"imports {alias.name}, which a translation may not use"
            return
        home = self._home(node)
        if not self._is_own(home) and home not in MODULES:
            yield f"imports {home}, which a translation may not use"
            return
        for alias in node.names:
            if alias.name == "*":
                yield f"imports everything of {home}; name what it needs"
            else:
                yield from self._followed(f"{home}.{alias.name}", as_value=False)

    def _is_own(self, module: str) -> bool:
        return f"{module}.".startswith(f"{self.package}.")

    # --- names ---------------------------------------------------------------------------------

    def _dotted(self, node: ast.AST) -> str:
        """Return what a chain of names stands for, if it begins with an import."""
        if isinstance(node, ast.Name):
            return self.outer.get(node.id, "")
        if isinstance(node, ast.Attribute) and (before := self._dotted(node.value)):
            return f"{before}.{node.attr}"
        return ""

    def _followed(self, dotted: str, as_value: bool) -> Iterator[str]:
        """Follow a dotted name, and yield a phrase if it leads where the code may not go."""
        dotted = self._through_own(dotted)
        if self._is_own(dotted):
            if as_value and any(f"{name}.".startswith(f"{dotted}.") for name in self.sources):
                yield f"passes the module {dotted} on as a value, which a translation may not"
            return
        here, place = None, ""
        parts = dotted.split(".")
        for number, part in enumerate(parts):
            whole = ".".join(parts[: number + 1])
            reached = _reached(here, part, whole)
            if isinstance(here, ModuleType) and not isinstance(reached, ModuleType):
                only, but = ONLY.get(here.__name__), BUT.get(here.__name__, ())
                if part.startswith("_") or part in but or (only is not None and part not in only):
                    yield f"uses {here.__name__}.{part}, which a translation may not"
                    return
            if isinstance(reached, ModuleType):
                place = reached.__name__
                if place not in MODULES and place != "envwright":
                    yield f"imports {place}, which a translation may not use"
                    return
            if reached is None:
                # The error that this would raise holds the module.
                if isinstance(here, ModuleType):
                    yield f"uses {whole}, which does not exist"
                return
            here = reached
        if isinstance(here, ModuleType) and as_value:
            yield f"passes the module {place} on as a value, which a translation may not"

    def _through_own(self, dotted: str) -> str:
        """Replace a name that the code's own module has from elsewhere by that."""
        for _ in range(len(self.sources) + 1):
            parts = dotted.split(".")
            for cut in range(len(parts) - 1, 0, -1):
                source = self.sources.get(".".join(parts[:cut]))
                if source is not None:
                    meant = source.outer.get(parts[cut])
                    if meant is None or meant == ".".join(parts[: cut + 1]):
                        return dotted
                    dotted = ".".join([meant, *parts[cut + 1 :]])
                    break
            else:
                return dotted
        return dotted


def _words(node: ast.AST) -> list[str]:
    """Return the names that a node reads or writes."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.ImportFrom):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.MatchClass):
        return node.kwd_attrs
    return []


def _harmless(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """Yield parts that would be forbidden elsewhere.

    That is how classes set fields, `type(x)`, and documentation.
    """
    for node in nodes:
        if isinstance(node, ast.Expr):
            yield node.value if isinstance(node.value, ast.Constant) else node
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name in MAKERS:
                    yield from _setters(method)
        elif isinstance(node, ast.Subscript):
            yield from _named(node.value, "type")  # an annotation
        elif isinstance(node, ast.Call):
            if len(node.args) == 1 and not node.keywords:
                yield from _named(node.func, "type")
            if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
                yield from (found for each in node.args[1:] for found in _named(each, "type"))


def _named(node: ast.AST, name: str | None) -> Iterator[ast.AST]:
    if isinstance(node, ast.Name) and node.id == name:
        yield node


def _setters(method: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield what sets a field of `self` in a method, and its call of the base's method."""
    if not method.args.args or method.args.args[0].arg != "self":
        return
    waiting: list[ast.AST] = list(method.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue  # its `self` is another one
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                yield node
        elif isinstance(node, ast.Call) and _sets_own_field(node):
            yield node.func


def _unusual(node: ast.AST) -> Iterator[str]:
    """Yield a phrase for what changes the meaning of names, classes or texts."""
    if isinstance(node, ast.ClassDef):
        if any(keyword.arg in ("metaclass", None) for keyword in node.keywords):
            yield f"gives {node.name} a class of its own, which a translation may not"
    elif isinstance(node, ast.ExceptHandler) and node.name and _is_looked_into(node):
        yield f"looks into {node.name}; an error may be printed or raised again"
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if _is_special(node.name) and node.name not in METHODS:
            yield f"writes {node.name}, which a translation may not"
    elif isinstance(node, ast.Constant):
        # Texts become names in `format`, in new classes and in fields; documentation does not.
        if isinstance(node.value, str) and _HIDDEN.search(node.value):
            yield f"has the text {node.value[:40]!r}, the name of something hidden"
    elif isinstance(node, ast.Attribute):
        if node.attr == "format":
            yield "uses format, which reads attributes; write an f-string"
        if node.attr in MAKERS and not _is_super(node.value):
            yield f"uses {node.attr}, which a translation may not"
    elif isinstance(node, ast.Name) and node.id == "type":
        yield "uses type for more than type(value), which a translation may not"
    elif isinstance(node, ast.Name) and node.id in MAKERS and isinstance(node.ctx, ast.Load):
        yield f"uses {node.id}, which a translation may not"
    for name in _bound(node):
        if name and _is_special(name) and name not in SET:
            yield f"gives {name} another meaning, which a translation may not"
    if "self" in _bound(node):
        yield "gives self another meaning, which a translation may not"


def _is_looked_into(handler: ast.ExceptHandler) -> bool:
    """Return whether a caught error is more than printed or raised: it may hold a module."""
    nodes = [node for statement in handler.body for node in ast.walk(statement)]
    fine = set(map(id, _printed_or_raised(nodes)))
    return any(id(found) not in fine for node in nodes for found in _named(node, handler.name))


def _printed_or_raised(nodes: list[ast.AST]) -> Iterator[ast.AST | None]:
    for node in nodes:
        if isinstance(node, ast.Raise):
            yield from (node.exc, node.cause)
        elif isinstance(node, ast.FormattedValue) or (
            isinstance(node, ast.Attribute) and node.attr == "args"
        ):
            yield node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from node.args if node.func.id in ("print", "repr", "str") else ()


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and next(_named(node.func, "super"), None) is not None


def _bound(node: ast.AST) -> tuple[str | None, ...]:
    """Return the names that a statement or pattern binds, other than those of parameters."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return (node.id,)
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return (node.name,)
    if isinstance(node, ast.MatchMapping):
        return (node.rest,)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple(alias.asname or alias.name for alias in node.names)
    return ()


def _is_special(word: str) -> bool:
    return word.startswith("__") and word.endswith("__")


def _is_private(word: str) -> bool:
    return word.startswith("_") and not _is_special(word) and word not in OF_TUPLES


def _container(node: ast.AST) -> ast.AST:
    """Return what is changed by changing a part of a part of it."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _sets_own_field(node: ast.Call) -> bool:
    """Return whether this is `object.__setattr__(self, …)`, as frozen classes set their fields."""
    function, first = node.func, node.args[0] if node.args else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "__setattr__"
        and isinstance(function.value, ast.Name)
        and function.value.id == "object"
        and isinstance(first, ast.Name)
        and first.id == "self"
    )


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else "a value"


@cache
def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _reached(here: object, part: str, whole: str) -> object:
    """Return what a name stands for in a module of a library; None if that is not known."""
    if here is None:
        return _module(whole) if whole in MODULES or whole == "envwright" else None
    try:
        return getattr(here, part)
    except AttributeError:
        return _module(whole) if whole in MODULES else None
