"""Seeded bugs: every small change of a module that its tests ought to notice.

::

    source = Path("rules.py").read_text()
    for mutant in enumerate_mutants(source, "rules.py"):
        print(mutant.diff())  # 31: return x < -limit  ->  return x <= -limit
        broken = mutant.apply(source)

`operators` lists the changes. Exempt are docstrings and other text, type annotations, imports,
decorators, `raise` and `assert`, printing and warnings, `__repr__` and `__str__`, `if
TYPE_CHECKING` and `if __name__ == "__main__"`. Defaults of dataclass fields and of arguments are
changed. `loading` imports a package with one module changed.
"""

from __future__ import annotations

import ast
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from envwright.verify.adequacy.mutation import calls
from envwright.verify.adequacy.mutation.naming import expression_around, name_of, numbered
from envwright.verify.adequacy.mutation.operators import OPERATORS, Edit, Surroundings
from envwright.verify.adequacy.mutation.rebindings import rebindings
from envwright.verify.adequacy.mutation.spans import Source, Span

_NEVER = (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr, ast.pattern, ast.arg)
_FOR_PEOPLE = {"__repr__", "__str__", "__format__"}
_TELLS_PEOPLE = {"print", "warn", "warn_once", "debug", "info", "warning", "error", "exception"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class Mutant:
    """One small change of one module."""

    id: str  # "rules.py:has_fallen:compare:<-><=:x < -limit"; see `naming`
    file: str
    line: int
    column: int  # from 0, in characters
    operator: str
    function: str  # qualified name, "" at the top of the module
    before: str
    after: str
    start: int  # offset of `before` in the source
    lines: tuple[str, str]  # the lines that change, before and after

    @classmethod
    def of_table(
        cls, file: str, place: str, before: object, after: object, start: int, code: tuple[str, str]
    ) -> Mutant:
        """Make the mutant of a number in a table, by other code where the table is loaded."""
        return cls(
            id=f"{file}:{place}:{before}->{after}",
            file=file,
            line=0,
            column=0,
            operator="number",
            function="load",
            before=code[0],
            after=code[1],
            start=start,
            lines=(f"{place} = {before}", f"{place} = {after}"),
        )

    @classmethod
    def of(cls, edit: Edit, source: str, file: str, id: str, function: str) -> Mutant:
        """Make the mutant of a source by an edit."""
        start, end = edit.span.start, edit.span.end
        return cls(
            id=id,
            file=file,
            line=source.count("\n", 0, start) + 1,
            column=start - (source.rfind("\n", 0, start) + 1),
            operator=edit.operator,
            function=function,
            before=source[start:end],
            after=edit.text,
            start=start,
            lines=_changed_lines(edit, source),
        )

    def apply(self, source: str) -> str:
        """Return the changed source. Raises ValueError for a source it was not made from."""
        end = self.start + len(self.before)
        if source[self.start : end] != self.before:
            raise ValueError(f"{self.id} does not fit this source: it was made from another one")
        return source[: self.start] + self.after + source[end:]

    def diff(self) -> str:
        """Format the change for people: `31: return x < -limit  ->  return x <= -limit`."""
        before, after = (" ".join(part.split()) for part in self.lines)
        return f"{self.line}: {before}  ->  {after}"


def enumerate_mutants(source: str, filename: str, exclude: Sequence[str] = ()) -> list[Mutant]:
    """Return all mutants of a module in the order of its text; all compile, and all are distinct.

    `exclude` names functions and classes to leave alone: "CartPole.render", "Viewer".
    """
    parsed = Source(source, filename)
    seen = _Seen(parsed)
    mutants = []
    at = Surroundings(parsed, None, False, rebindings(parsed.tree), _modules(parsed))
    edits = _edits(parsed.tree, at, exclude)
    for edit, node, function in sorted(edits, key=lambda found: found[0].span.start):
        edit = _apart(edit, source)
        if seen.is_new(edit, node):
            base, expression = os.path.basename(filename), expression_around(node, parsed)
            id = name_of(base, function, edit.operator, edit.change, expression)
            mutants.append(Mutant.of(edit, source, filename, id, function))
    return with_different_ids(mutants)


def with_different_ids(mutants: Sequence[Mutant]) -> list[Mutant]:
    """Number the ids of mutants of an expression that occurs more than once."""
    ids = numbered([mutant.id for mutant in mutants])
    return [replace(mutant, id=id) for mutant, id in zip(mutants, ids, strict=True)]


def sample(mutants: Sequence[Mutant], n: int, seed: int) -> list[Mutant]:
    """Return a uniform sample of at most n mutants, in the order given."""
    if n >= len(mutants):
        return list(mutants)
    return [mutants[i] for i in sorted(random.Random(seed).sample(range(len(mutants)), n))]


def _edits(
    node: ast.AST, at: Surroundings, exclude: Sequence[str], name: str = ""
) -> Iterator[tuple[Edit, ast.AST, str]]:
    """Yield edits below a node, with the node that they change and its function."""
    if isinstance(node, _NEVER) or _only_tells_people(node):
        return
    for operator in OPERATORS.get(type(node), ()):
        for edit in operator(node, at):
            yield edit, node, name
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        name = f"{name}.{node.name}" if name else node.name
        if node.name in _FOR_PEOPLE or name in exclude:
            return
    if isinstance(node, _FUNCTIONS):
        at = replace(at, function=node)
    for child in _children(node):
        in_slice = isinstance(node, ast.Subscript) and child is node.slice
        inside = replace(at, in_subscript=True) if in_slice else at
        yield from _edits(child, inside, exclude, name)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Return the children of a node that run: no annotations, decorators or bases."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        yield from [default for default in defaults if default is not None]
        yield from node.body
    elif isinstance(node, ast.ClassDef):
        yield from node.body
    elif isinstance(node, ast.AnnAssign):
        yield from [node.value] if node.value else []
    elif isinstance(node, ast.If) and _never_runs_in_tests(node.test):
        yield from node.orelse
    else:
        yield from ast.iter_child_nodes(node)


def _never_runs_in_tests(test: ast.expr) -> bool:
    return ast.unparse(test) in (
        "TYPE_CHECKING",
        "typing.TYPE_CHECKING",
        "__name__ == '__main__'",
    )


def _only_tells_people(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):  # "%d of %d" % (a, b)
        return isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    return isinstance(node, ast.Call) and calls.called(node) in _TELLS_PEOPLE


def _modules(source: Source) -> frozenset[str]:
    imports = [n for n in ast.walk(source.tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    names = [alias.asname or alias.name.split(".")[0] for n in imports for alias in n.names]
    return frozenset(name for name in names if name[:1].islower())


class _Seen:
    """Recognises mutants whose program is new and valid.

    Only the statement around a change is parsed; a module would take too long for each mutant.
    """

    def __init__(self, source: Source):
        self.source = source
        self.known: dict[Span, set[str]] = {}

    def is_new(self, edit: Edit, node: ast.AST) -> bool:
        span, text = self.statement(node), self.source.text
        program = _program(
            text[span.start : edit.span.start] + edit.text + text[edit.span.end : span.end]
        )
        if program is None or program in self.known[span]:
            return False
        self.known[span].add(program)
        return True

    def statement(self, node: ast.AST) -> Span:
        """Return the lines of the innermost statement around a node that parse by themselves."""
        while not isinstance(node, ast.Module):
            if isinstance(node, ast.stmt):
                decorators = [d.lineno for d in getattr(node, "decorator_list", [])]
                last = node.end_lineno or node.lineno
                span = self.source.line_span(min([node.lineno, *decorators]), last)
                if span in self.known:
                    return span
                original = _program(self.source.text[span.start : span.end])
                if original is not None:  # unlike `elif` and `else: x`
                    self.known[span] = {original}
                    return span
            node = self.source.parents[node]
        raise AssertionError("a statement of a module parses by itself")


def _program(lines: str) -> str | None:
    """Return a text that is the same for the same program; None if the lines do not parse."""
    try:
        return ast.dump(ast.parse(f"if True:\n{lines}" if lines[:1].isspace() else lines))
    except SyntaxError:
        return None


def _apart(edit: Edit, source: str) -> Edit:
    """Keep a space where `return-x` becomes `return x`."""
    before, after = source[: edit.span.start][-1:], source[edit.span.end :][:1]
    text = edit.text
    text = f" {text}" if _is_word(before) and _is_word(text[:1]) else text
    text = f"{text} " if _is_word(after) and _is_word(text[-1:]) else text
    return replace(edit, text=text)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _changed_lines(edit: Edit, source: str) -> tuple[str, str]:
    """Return the lines that an edit changes, before and after."""
    start = source.rfind("\n", 0, edit.span.start) + 1
    end = source.find("\n", edit.span.end)
    end = len(source) if end < 0 else end
    old = source[start:end].split("\n")
    new = (source[start : edit.span.start] + edit.text + source[edit.span.end : end]).split("\n")
    while len(old) > 1 and len(new) > 1 and old[0] == new[0]:
        del old[0], new[0]
    while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
        del old[-1], new[-1]
    return "\n".join(old), "\n".join(new)
