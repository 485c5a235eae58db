"""What translated Python may use. Code that calls the reference is not a translation.

This parses the source without running it. Every name that leads out of the code is followed to the
module that it stands for; a name that cannot be followed (`getattr`, `__dict__`) is rejected. It
keeps honest agents from short cuts. Dishonest ones also meet the jail and the check of the compiled
program, which need no reading of the code.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
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
    "types": frozenset({"EllipsisType", "MappingProxyType", "NoneType", "SimpleNamespace"}),
    "envwright.core": frozenset(
        {
            *("Box", "Dict", "Discrete", "Env", "MultiDiscrete", "Space", "Step", "TimeLimit"),
            *("Wrapper", "exact_div", "pytree_dataclass", "rounded"),
        }
    ),
}
FILES = frozenset(
    {
        *("DataSource", "fromfile", "genfromtxt", "load", "loadtxt", "memmap", "save", "savetxt"),
        *("savez", "savez_compressed"),
    }
)
# Of others, all but these: they read and write files.
BUT = {"numpy": FILES, "jax.numpy": FILES}
# Of Python itself: they run text as code, reach what has no name, or leave the program.
BUILT_IN = frozenset(
    {
        *("breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "input"),
        *("locals", "open", "setattr", "vars"),
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
    }
)
# Names between two pairs of underscores that are not a way around all this.
PLAIN = frozenset(
    {
        *("__all__", "__doc__", "__hash__", "__init__", "__name__", "__post_init__", "__slots__"),
        "__version__",
    }
)
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
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        setters = {id(call.func) for call in calls if _sets_own_field(call)}
        for node in nodes:
            if id(node) not in setters:
                for what in self._offences_of(node, id(node) in inner):
                    yield getattr(node, "lineno", 0), what

    def _offences_of(self, node: ast.AST, inner: bool) -> Iterator[str]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from self._imported(node)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield f"keeps {node.names[0]} between two calls, which a translation may not"
        if isinstance(node, ast.Name) and node.id in BUILT_IN:
            yield f"uses {node.id}, which a translation may not"
        for word in _words(node):
            special = word.startswith("__") and word.endswith("__")
            if word in WORDS or (special and word not in PLAIN):
                yield f"uses {word}, which a translation may not"
        if isinstance(node, ast.Name | ast.Attribute):
            if not inner and (dotted := self._dotted(node)):
                yield from self._followed(dotted, isinstance(node.ctx, ast.Load))
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                root = _root(node)
                if root not in ("self", "cls"):
                    yield f"changes {root}.{node.attr}, which is not its own"

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
                return  # the import, or the test, will report it
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
