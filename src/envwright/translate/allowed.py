"""The names that translated Python may use. Code that calls the reference is not a translation.

This parses the source without running it. Every name that leads out of the code is followed to the
module that it stands for; a name that cannot be followed (`getattr`, `__dict__`) is rejected. It
keeps honest agents from short cuts. Dishonest ones also meet the jail and the check of the compiled
program, which need no reading of the code.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType

from typing_extensions import TypeIs

from envwright.translate.allowed_names import (
    BUILT_IN,
    BUT,
    DATES,
    ERRORS,
    MAKERS,
    METHODS,
    MODULES,
    OF_TUPLES,
    ONLY,
    PEEKS,
    PLAIN,
    REGISTER,
    SEEDED,
    SET,
    TELLING,
    VALUES,
    WORDS,
)
from envwright.translate.parsable import unparsable

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
        yield from self._registered(nodes)
        yield from _kept_types(nodes)
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
        if isinstance(node, ast.MatchClass):
            yield from self._matched(node)
        elif isinstance(node, ast.Call):
            yield from self._called(node)
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
            elif node.attr in PEEKS and not self._has(node):
                yield f"uses {node.attr} of what is not its own; a rule does not ask how it runs"
            elif node.attr == "__hash__":
                yield "uses __hash__, which differs between two processes"
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed = self._dotted(_container(node))
            if changed and not self._is_own(self._through_own(changed)):
                yield f"changes {changed}, which is not its own"

    def _matched(self, node: ast.MatchClass) -> Iterator[str]:
        """Yield a phrase if a pattern reads attributes by position, or others' private ones."""
        if node.patterns and not (isinstance(node.cls, ast.Name) and node.cls.id in VALUES):
            yield "matches a class by position; name its fields"
        for name in node.kwd_attrs:
            if (_is_private(name) or name in PEEKS) and not self._declares(name):
                yield f"uses {name}, which is not its own"

    def _called(self, node: ast.Call) -> Iterator[str]:
        """Yield a phrase if a call gets what differs between two processes, or hidden parts."""
        called = self._through_own(self._dotted(node.func))
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if called in SEEDED and all(isinstance(x, ast.Constant) and x.value is None for x in given):
            yield f"calls {called} without a seed; a translation draws with its key"
        elif self._is_enum(node.func) and len(given) > 1:
            yield "makes an enum of texts; write a class"
        elif called == "numpy.ndarray":
            yield "calls numpy.ndarray, whose content is undefined; use numpy.zeros"
        makes = called.startswith(("numpy.", "jax.numpy.")) or (
            isinstance(node.func, ast.Attribute) and node.func.attr in ("astype", "view")
        )
        if makes and any(isinstance(x, ast.Constant) and x.value in ("M", "m") for x in given):
            yield "uses the type of a date, which a translation may not"

    def _registered(self, nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
        """Yield where `register_dataclass` may read parts of what is not the code's own."""
        good: set[int] = set()
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                good |= set(map(id, node.decorator_list))
                for each in node.decorator_list:
                    if isinstance(each, ast.Call) and _names_fields(each):
                        good |= {id(each.func), *map(id, each.args[:1])}
            elif isinstance(node, ast.Call) and node.args and _names_fields(node):
                first = node.args[0]
                if isinstance(first, ast.Name) and first.id in self.classes:
                    good.add(id(node.func))
        for node in nodes:
            if isinstance(node, ast.Name | ast.Attribute) and id(node) not in good:
                if self._through_own(self._dotted(node)) == REGISTER:
                    yield node.lineno, "registers another class than one of its own by name"

    def _is_enum(self, node: ast.AST) -> bool:
        """Return whether this is an enum, as far as its name says."""
        if isinstance(node, ast.Name) and node.id in self.classes:
            bases = [x for c in ast.walk(self.tree) if _is_class(c, node.id) for x in c.bases]
            return any(self._is_enum(base) for base in bases if ast.dump(base) != ast.dump(node))
        return self._through_own(self._dotted(node)).startswith("enum.")

    @cached_property
    def classes(self) -> set[str]:
        """The names of its classes."""
        return {node.name for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)}

    def _declares(self, name: str) -> bool:
        return any(name in source.declared for source in self.sources.values())

    def _has(self, node: ast.Attribute) -> bool:
        """Return whether an attribute with an underscore is the code's own."""
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            return True
        if self._declares(node.attr):
            return True
        return self._is_own(self._through_own(self._dotted(node.value)))

    @cached_property
    def declared(self) -> set[str]:
        """The names of the fields and methods of its classes."""
        stored = (x for x in ast.walk(self.tree) if isinstance(x, ast.Attribute))
        found = {x.attr for x in stored if isinstance(x.ctx, ast.Store)}
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


def _is_class(node: ast.AST, name: str) -> TypeIs[ast.ClassDef]:
    return isinstance(node, ast.ClassDef) and node.name == name


def _kept_types(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield where the type of a value is more than compared, shown, asked or called.

    The type of a class makes classes of texts, with methods that no class here may write.
    """
    fine: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Compare):
            fine |= {id(node.left), *map(id, node.comparators)}
        elif isinstance(node, ast.FormattedValue | ast.Attribute):
            fine.add(id(node.value))
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            fine.add(id(node.slice))
        elif isinstance(node, ast.Call):
            if len(node.args) < 3 and not any(isinstance(x, ast.Starred) for x in node.args):
                fine.add(id(node.func))
            if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
                fine |= {
                    id(x) for each in node.args[1:] for x in (each, *ast.iter_child_nodes(each))
                }
            elif isinstance(node.func, ast.Name) and node.func.id in ("repr", "str"):
                fine |= set(map(id, node.args))
    for node in nodes:
        if isinstance(node, ast.Call) and id(node) not in fine:
            if any(_named(node.func, "type")):
                yield node.lineno, "keeps or passes on the type of a value; name the class"


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
        elif isinstance(node.value, str) and DATES.fullmatch(node.value):
            yield f"has the text {node.value[:40]!r}, the type of a date"
    elif isinstance(node, ast.Attribute):
        if node.attr == "format":
            yield "uses format, which reads attributes; write an f-string"
        if node.attr in MAKERS and not _is_super(node.value):
            yield f"uses {node.attr}, which a translation may not"
    elif isinstance(node, ast.Name) and node.id == "type":
        yield "uses type for more than type(value), which a translation may not"
    elif isinstance(node, ast.Name) and node.id in MAKERS and isinstance(node.ctx, ast.Load):
        yield f"uses {node.id}, which a translation may not"
    for name in (*_bound(node), *_defined(node)):
        if name in TELLING:
            yield f"gives {name} another meaning, which a translation may not"
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


def _printed_or_raised(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """Yield what is printed, or raised as one of Python's errors: nothing reads its text."""
    for node in nodes:
        if isinstance(node, ast.Raise):
            yield from filter(None, (node.exc, node.cause))
            yield from _told(node.exc, ERRORS)
        elif isinstance(node, ast.Expr):
            yield from _told(node.value, ("print",))


def _told(node: ast.AST | None, names: Collection[str]) -> Iterator[ast.AST]:
    """Yield the parts of the texts that such a call is given."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
        waiting: list[ast.AST] = list(node.args)
        while waiting:
            part = waiting.pop()
            yield part
            if isinstance(part, ast.Attribute) and part.attr == "args":
                waiting.append(part.value)
            elif isinstance(part, ast.FormattedValue | ast.JoinedStr):
                waiting += ast.iter_child_nodes(part)
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                waiting += part.args if part.func.id in ("repr", "str") else ()


def _names_fields(call: ast.Call) -> bool:
    """Return whether the fields that a call names are written out, and none is hidden."""
    texts = [x for k in call.keywords for x in ast.walk(k.value) if not isinstance(x, ast.Load)]
    lists = [x for x in texts if isinstance(x, ast.List | ast.Tuple)]
    names = [x.value for x in texts if isinstance(x, ast.Constant)]
    plain = all(isinstance(n, str) and n[:1] != "_" and n not in WORDS for n in names)
    return plain and len(texts) == len(lists) + len(names) and len(call.args) == 1


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


def _defined(node: ast.AST) -> tuple[str, ...]:
    """Return the names of a function, class or parameter."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    return (node.arg,) if isinstance(node, ast.arg) else ()


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
