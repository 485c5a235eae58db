"""How far two versions of a reference's source differ."""

from __future__ import annotations

import ast
import difflib
import re

from envwright.schema.results import TextChange
from envwright.translate.update.recorded import Source

COMMENT = re.compile(r"#.*$")


def text_change(old: Source, new: Source) -> TextChange | None:
    """Describe the change of one excerpt; None if there is none."""
    if new.missing and not old.missing:
        gone = len(old.text.splitlines())
        return TextChange(title=old.title, added=0, removed=gone, gone=new.missing)
    if old.text == new.text:
        return None
    added, removed = _counted(old.text.splitlines(), new.text.splitlines())
    code = _code(old.text) != _code(new.text)
    return TextChange(title=old.title, added=added, removed=removed, code=code)


def difference(old: Source, new: Source) -> str:
    """Return the unified difference of an excerpt, for a prompt."""
    texts = old.text.splitlines(), new.text.splitlines()
    lines = difflib.unified_diff(*texts, "before", "now", lineterm="")
    return "\n".join(lines)


def _counted(old: list[str], new: list[str]) -> tuple[int, int]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    added = sum(to - start for _, _, _, start, to in changes)
    return added, sum(to - start for _, start, to, _, _ in changes)


def _code(text: str) -> str:
    """Return what of a text is run: no comments, docstrings or annotations."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):  # some lines of a file
        lines = (COMMENT.sub("", line).strip() for line in text.splitlines())
        return "\n".join(filter(None, lines))
    return ast.dump(_Bare().visit(tree))


class _Bare(ast.NodeTransformer):
    """Takes away what has no effect when a function is called."""

    def visit(self, node: ast.AST) -> ast.AST:
        node = super().visit(node)
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            node.body = body[1:] or [ast.Pass()]  # type: ignore[attr-defined]
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign([node.target], node.value, lineno=node.lineno))


def _is_text(node: ast.AST) -> bool:
    """Return whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
