"""Options that rooms add to commands, and rooms that run a command in their own way."""

from __future__ import annotations

import functools
import inspect
import os
import warnings
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from envwright.cli.grouped import with_parameters
from envwright.cli.show import out, progress
from envwright.cli.stored import Store
from envwright.core.outside_rooms import package_in
from envwright.core.registry import find, open_folder, rooms
from envwright.core.room import Findings, Option, Room
from envwright.core.text import one_line
from envwright.errors import EnvwrightError, UnknownEnvironment

CONTEXT = "context"


@dataclass(frozen=True)
class RoomOptions:
    """The options of rooms that were given to a command."""

    verb: str
    given: dict[str, Any]
    context: typer.Context

    def check(self, room: Room | None) -> None:
        """Reject options that the room does not have, and those that need another one."""
        for name in self.given:
            option = room.option(self.verb, name) if room else None
            if option is None:
                raise EnvwrightError(self._owners(name))
            if option.needs and option.needs not in self.given:
                needed = room.option(self.verb, option.needs)  # type: ignore[union-attr]
                raise EnvwrightError(
                    f"{option.shown} goes with {needed.typed}; "  # type: ignore[union-attr]
                    f"add it, or leave {option.shown} out"
                )

    def run_handler(self, room: Room | None, seed: int, store: Store) -> None:
        """Let the room run the command if it has its own way to, then exit."""
        self.check(room)
        handler = room.handlers.get(self.verb) if room else None
        if room is None or handler is None or (handler.when and handler.when not in self.given):
            return
        asked = room.option(self.verb, handler.when)
        self._accept_only(handler.accepts, asked.shown if asked else room.id)
        with progress() as report:
            findings = room.attribute(handler.run)(self.given, seed, report)
        finish(findings, store)

    def _accept_only(self, accepted: tuple[str, ...], reason: str) -> None:
        for parameter in self.context.command.params:
            name = parameter.name or ""
            source = self.context.get_parameter_source(name)
            if source is None or source.name != "COMMANDLINE":
                continue
            if parameter.param_type_name == "option" and name not in (*accepted, *self.given):
                raise EnvwrightError(f"{parameter.opts[0]} does not go with {reason}; leave it out")

    def _owners(self, name: str) -> str:
        owners = [room for room in rooms() if room.option(self.verb, name)]
        option = owners[0].option(self.verb, name)
        assert option is not None
        ids = " or ".join(dict.fromkeys(room.id for room in owners))
        example = f"envwright {self.verb} {owners[0].id} {option.typed}"
        return f"{option.shown} is for {ids}: {example}"


def finish(findings: Findings, store: Store) -> None:
    """Print and store the findings of a room, then exit with its code."""
    for each in findings.shown:
        out.print(each, markup=False)
    store(findings.data)
    raise typer.Exit(findings.exit_code)


def room_name(name: str | None) -> str | None:
    """Return the name of a room; the folder of a translation becomes the room of its package.

    Options after a question mark stay: `./mountaincar-v0?dtype=float64`.
    """
    if name is None:
        return None
    bare, mark, options = name.partition("?")
    folder = Path(bare)
    if named_room(bare) is not None:
        if package_in(folder) is not None:
            raise EnvwrightError(
                f"{bare} is an environment and also a folder here; write ./{bare} for the folder, "
                f"or envwright/{bare} for the environment"
            )
        return name
    if folder.is_dir():
        return f"{open_folder(folder).id}{mark}{options}"
    if os.sep in bare:
        raise EnvwrightError(f"there is no environment and no folder {bare}")
    return name  # the command reports names that are near


def named_room(name: str | None) -> Room | None:
    """Return the room of this name; None if there is none."""
    try:
        return find(name) if name else None
    except UnknownEnvironment:
        return None


def with_room_options(
    verb: str,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Extend a command by the options that rooms add to `verb`; it takes them as `own`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        parameters = dict(inspect.signature(command, eval_str=True).parameters)
        del parameters["own"]
        options = _options(verb, _names(parameters.values()))

        @functools.wraps(command)
        def run(**arguments: Any) -> None:
            context = arguments.pop(CONTEXT)
            values = {name: arguments.pop(name) for name in options}
            given = {name: value for name, value in values.items() if value is not None}
            command(**arguments, own=RoomOptions(verb, given, context))

        added = [_parameter(name, by_room) for name, by_room in options.items()]
        kind = inspect.Parameter.KEYWORD_ONLY
        context = inspect.Parameter(CONTEXT, kind, annotation=typer.Context)
        return with_parameters(run, [*parameters.values(), *added, context])

    return decorate


def _options(verb: str, taken: Container[str]) -> dict[str, dict[str, Option]]:
    """Return the options for a command, by name and room.

    An option of a package that does not go with the others is left out, with a warning: it must
    not end every command.
    """
    found: dict[str, dict[str, Option]] = {}
    for room in sorted(rooms(), key=lambda room: room.is_outside):
        for option in [option for option in room.options if verb in option.verbs]:
            by_room = found.get(option.name, {})
            problem = _problem(room, option, by_room, taken)
            if not problem:
                found[option.name] = {**by_room, room.id: option}
            elif not room.is_outside:
                raise EnvwrightError(f"{problem}; rename one of them")
            else:
                warnings.warn(one_line(f"{problem}; the option is left out"), stacklevel=2)
    return found


def _problem(room: Room, option: Option, by_room: dict[str, Option], taken: Container[str]) -> str:
    """Return why an option does not go with the others; "" if it does."""
    if option.name in taken:
        return f"{room.id} declares {option.shown}, which the command has"
    for other, its in by_room.items():
        if _accepted(its) != _accepted(option):
            return f"{room.id} declares {option.shown} unlike {other}"
    return ""


def _names(parameters: Iterable[inspect.Parameter]) -> set[str]:
    """Return the names of options, also of those in groups."""
    kinds = {p.name: p.annotation for p in parameters}
    groups = [kind for kind in kinds.values() if isinstance(kind, type) and is_dataclass(kind)]
    return {*kinds, *(each.name for group in groups for each in fields(group))}


def _parameter(name: str, by_room: dict[str, Option]) -> inspect.Parameter:
    option = next(iter(by_room.values()))
    help = "; ".join(f"{_where(room, each)}: {each.help}" for room, each in by_room.items()) + "."
    flags = [option.flag] if option.flag else []
    kind: Any = Literal[option.choices] if option.choices else option.type
    limits: dict[str, Any] = {"min": option.least, "max": option.most}
    annotation = Annotated[kind | None, typer.Option(*flags, **limits, help=help)]
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=None, annotation=annotation)


def _accepted(option: Option) -> tuple[Any, ...]:
    """Return what decides how a value is parsed."""
    return option.type, option.least, option.most, option.choices, option.flag


def _where(room: str, option: Option) -> str:
    """Name the room that an option is for, and the option that it needs."""
    return f"{room} --{option.needs.replace('_', '-')}" if option.needs else room
