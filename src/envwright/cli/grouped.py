"""Commands whose options are grouped in dataclasses."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is a dataclass by its fields, for typer's signatures.

    Every field becomes an option of its own; the command receives them as the dataclass.
    """
    signature = inspect.signature(command, eval_str=True)
    groups = {name: p.annotation for name, p in signature.parameters.items() if _is_group(p)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        parameters += _fields(groups[name]) if name in groups else [parameter]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**given, **made)

    return with_parameters(run, parameters)


def with_parameters(
    command: Callable[..., None], parameters: list[inspect.Parameter]
) -> Callable[..., None]:
    """Declare the parameters of a command that takes them by keyword."""
    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    command.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in keyword}
    return command


def _is_group(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)


def _fields(group: type) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(each.name, kind, default=each.default, annotation=hints[each.name])
        for each in fields(group)  # type: ignore[arg-type]
    ]
