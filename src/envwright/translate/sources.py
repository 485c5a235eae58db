"""The reference's source, reduced to what a module needs."""

from __future__ import annotations

import inspect
import textwrap
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from envwright.core.files import read_text
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.schema.translation import Module
from envwright.sim.gymnasium_env import import_package_of
from envwright.translate.spec import LINES, TranslationSpec


@dataclass(frozen=True)
class Excerpt:
    """Some lines of a file."""

    title: str  # as the specification names it
    file: str  # the file's name, without its folder
    first: int
    text: str

    @property
    def lines(self) -> int:
        """The number of lines."""
        return len(self.text.splitlines())

    def __str__(self) -> str:
        return f"{self.title} ({self.file}, line {self.first}, {self.lines} lines)"


def excerpts(spec: TranslationSpec, module: Module) -> list[Excerpt]:
    """Return a module's source, as its specification names it."""
    if spec.reference.simulator and any(":" in span for span in module.source):
        # Its package comes first: others may only be importable after it.
        with suppress(Exception):  # comes up again when it is opened
            import_package_of(spec.reference.simulator)
    return [excerpt(spec, span) for span in module.source]


def specification(spec: TranslationSpec) -> str:
    """Return the written rules, if the reference is a written specification."""
    if not spec.reference.specification:
        return ""
    return _text(spec, spec.reference.specification)


def excerpt(spec: TranslationSpec, span: str) -> Excerpt:
    """Resolve `file.py`, `file.py:10-40`, `module:Class.method`, or the source's `Class.method`."""
    found = LINES.match(span)
    if found is not None and (found["first"] or (spec.folder / found["file"]).is_file()):
        return _from_file(spec, span, found["file"], found["first"], found["last"])
    if ":" in span:
        return _from_python(span, span)
    if not spec.reference.source:
        raise EnvwrightError(
            f"{spec.path}: cannot find {span!r}; set [reference] source = 'module:Class', "
            "or write file.py:10-40"
        )
    module = spec.reference.source.partition(":")[0]
    return _from_python(f"{module}:{span}", span)


def _from_file(
    spec: TranslationSpec, span: str, name: str, first: str | None, last: str | None
) -> Excerpt:
    lines = _text(spec, name).splitlines()
    start, end = (int(first), int(last)) if first and last else (1, len(lines))
    if not 1 <= start <= end <= len(lines):
        raise EnvwrightError(f"{spec.path}: {span!r} is outside the file's {len(lines)} lines")
    return Excerpt(span, Path(name).name, start, "\n".join(lines[start - 1 : end]))


def _text(spec: TranslationSpec, name: str) -> str:
    try:
        return read_text(spec.folder / name)
    except ValueError as error:
        raise EnvwrightError(f"{spec.path}: {name} is not UTF-8 text") from error
    except FileNotFoundError as error:
        raise EnvwrightError(f"{spec.path}: source file {name} does not exist") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvwrightError(f"{spec.path}: source file {name} cannot be read: {reason}") from error


def _from_python(target: str, title: str) -> Excerpt:
    thing = load_attribute(target)
    try:
        lines, first = inspect.getsourcelines(thing)
        file = inspect.getsourcefile(thing)
    except (OSError, TypeError) as error:
        raise EnvwrightError(f"{target} has no Python source") from error
    text = textwrap.dedent("".join(lines)).rstrip()
    return Excerpt(title, Path(file or "?").name, max(first, 1), text)
