"""Print the files of a translation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from envwright.agents.compiler import kinds
from envwright.agents.compiler.compile import Compiled, Transition
from envwright.agents.compiler.emit import helpers, samplers, spaces, text
from envwright.agents.compiler.emit.constants import Constants
from envwright.agents.compiler.emit.goldens import Goldens
from envwright.agents.compiler.emit.plan import Plan
from envwright.agents.compiler.emit.printer import Printer
from envwright.agents.compiler.facts import Facts, Leaf
from envwright.agents.compiler.first_step import differs, may_differ
from envwright.agents.compiler.trouble import Unsupported
from envwright.agents.compiler.values import Node, is_number
from envwright.schema.translation import Module

TIME = "time"
FIRST = "advance_from_start"


class Writer:
    """Writes the modules of an environment.

    `written` returns the current text of an earlier module; by default, the text that this class
    writes.
    """

    def __init__(self, compiled: Compiled, written: Callable[[Module], str] | None = None) -> None:
        self.compiled = compiled
        self._written = written
        self.facts: Facts = compiled.facts
        self.job = compiled.facts.job
        self._planned: Plan | None = None

    # --- files ---------------------------------------------------------------------------------

    def file(self, module: Module, golden: Goldens) -> str:
        """Return the text of a module."""
        self._plan(golden)  # names the functions, which every file needs
        if module == self.job.modules[-1]:
            return self._environment(module, golden)
        if module == self._home_of_state:
            return self._dynamics(module, golden)
        constants = Constants()
        blocks = self._tests(module, golden, constants)
        about = f"What `{self._class}` computes by itself: {module.name}."
        return self._module(module, golden, about, constants, [], blocks)

    def _plan(self, golden: Goldens) -> Plan:
        if self._planned is None:
            self._planned = Plan(self.compiled, golden)
        return self._planned

    def _tests(self, module: Module, golden: Goldens, constants: Constants) -> list[str]:
        return golden.helpers(self.compiled, module, constants, self._plan(golden).tested)

    def _module(
        self,
        module: Module,
        golden: Goldens,
        about: str,
        constants: Constants,
        first: list[str],
        blocks: list[str],
        needed: Iterable[str] = (),
    ) -> str:
        """Return a file: constants, `first`, helpers, and the code that calls them."""
        homes = self._plan(golden).homes(
            module, self._home_of_state, lambda other: self._is_own(other, golden)
        )
        made = helpers.definitions(constants, homes)
        imports: dict[Module, list[str]] = {self._home_of_state: list(needed)} if needed else {}
        for function in constants.called:
            if function in homes:
                imports.setdefault(homes[function], []).append(function.name)
        ours = [
            f"from {self.job.package}.{home.stem} import {', '.join(sorted(names, key=_rank))}"
            for home, names in sorted(imports.items(), key=lambda item: item[0].stem)
        ]
        return text.module(about, ["\n".join(constants.lines()), *first, *made, *blocks], ours)

    def _is_own(self, module: Module, golden: Goldens) -> bool:
        """Return whether a module is as written here, not by another agent."""
        if self._written is None:
            return True
        try:
            return self._written(module) == self.file(module, golden)
        except Unsupported:
            return False

    @property
    def _home_of_state(self) -> Module:
        """The module with State and advance: the one before the environment, if any."""
        for module in self.job.modules[:-1]:
            steps = any(g.target.endswith(".step") for g in module.golden)
            if steps or module.name == "dynamics":
                return module
        return self.job.modules[-1]

    @property
    def _class(self) -> str:
        return type(self.facts.env).__name__

    def _dynamics(self, module: Module, golden: Goldens) -> str:
        constants = Constants()
        blocks = self._steps(constants)
        blocks += self._tests(module, golden, constants)
        blocks += golden.step(self.facts, module, list(self.job.options.values()))
        about = f"What a step of {self.job.entry} does, without observation and time limit."
        return self._module(module, golden, about, constants, [self._state_class()], blocks)

    def _environment(self, module: Module, golden: Goldens) -> str:
        constants = Constants()
        home = self._home_of_state
        first, blocks, needed = [], [], []
        step = self.compiled.step()
        if home is module:
            first = [self._state_class()]
            blocks += [*self._steps(constants), *self._tests(module, golden, constants)]
        else:
            needed = ["State", "advance", *([FIRST] if self._first_differs else [])]
        blocks += [
            self._first_state(constants),
            self._observe(constants, step),
            self._params(),
            self._env_class(constants, step),
        ]
        about = f"{self.job.entry}: {_first_line(type(self.facts.env))}"
        return self._module(module, golden, about, constants, first, blocks, needed)

    # --- state and step ------------------------------------------------------------------------

    def _state_class(self) -> str:
        lines = [
            "@pytree_dataclass",
            "class State:",
            '    """The state of the game; floats have the environment\'s dtype."""',
            "",
        ]
        for leaf in self.facts.leaves():
            about = f", how many of `{leaf.counts}` count" if leaf.counts else ""
            about = ", those that count first, then zeros" if leaf.grows else about
            about = ", steps since the start" if leaf.name == TIME and self._limited else about
            lines.append(f"    {leaf.name}: jax.Array  # {leaf.word}{about}")
        if not self.facts.leaves():
            lines.append("    nothing: jax.Array  # int32[], the game has no state")
        return "\n".join(lines)

    @property
    def _limited(self) -> bool:
        return self.facts.time_limit is not None

    @property
    def _random(self) -> bool:
        return bool(self.facts.step)

    def _given(self, noise: str = "noise") -> str:
        return ", ".join(["state", "action", *([noise] if self._random else []), *self.job.options])

    @cached_property
    def _first_differs(self) -> bool:
        """Whether an episode's first step computes in other dtypes than later ones."""
        if not may_differ(self.facts):
            return False
        return differs(self.compiled.step(first=True), self.compiled.step())

    def _steps(self, constants: Constants) -> list[str]:
        about = f"`{self._class}.step`: the state after it, its reward, whether it ends the game."
        steps = [self._advance(constants, "advance", self.compiled.step(), about)]
        if self._first_differs:
            about = "The same from a start, which is in another dtype than what a step leaves."
            steps.append(self._advance(constants, FIRST, self.compiled.step(first=True), about))
        return steps

    def _advance(self, constants: Constants, name: str, part: Transition, about: str) -> str:
        show = Printer(constants, taken=self.job.options)
        changed = {k: v for k, v in part.fields.items() if not _is_input(v, f"state.{k}")}
        show.body([list(changed.values()), part.reward, part.terminated])
        texts = [f"{k}={show.text(v)}" for k, v in changed.items()]
        if texts:
            show.line(f"following = updated(state, {', '.join(texts)})")
        following = "following" if texts else "state"
        reward = _as_array(show, part.reward, "float")
        terminated = _as_array(show, part.terminated, "bool")
        show.lines.append(f"    return {following}, {reward}, {terminated}")
        return text.function(f"def {name}({self._given()}):", about, show.lines)

    # --- start and observation -----------------------------------------------------------------

    def _first_state(self, constants: Constants) -> str:
        part = self.compiled.reset()
        show = Printer(constants, taken=[*self.job.options, "dtype"])
        show.body(list(part.fields.values()))
        lines = [*show.lines, "    return State("]
        for leaf in self.facts.leaves():
            value = part.fields.get(leaf.name, 0 if leaf.name == TIME else None)
            if value is None:
                raise Unsupported(f"the field {leaf.name}, which a reset does not set")
            lines.append(f"        {leaf.name}={_made(show, value, leaf)},")
        lines.append("    )")
        self._start_options = self._used(show)
        given = ", ".join(["noise", "dtype", *self._start_options])
        about = f"What `{self._class}.reset` makes of its draws."
        return text.function(f"def first_state({given}):", about, lines)

    def _used(self, show: Printer) -> list[str]:
        """Return the options that were read."""
        return [name for name in self.job.options if name in show.inputs]

    def _observe(self, constants: Constants, step: Transition) -> str:
        """Write the observation from the state after a step, or as the reference makes it."""
        problem: Unsupported | None = None
        hidden = Unsupported(
            "an observation that does not follow from the state alone",
            "keep what it needs in an attribute that is part of the state",
        )
        ways = [(step.observation, step.seen, {"", "option"})]
        if self._step_decides(step):
            ways = []  # its observation may contain what is only so after a step
        ways += [(o, {}, {"", "option", "state"}) for o in self.compiled.observations()]
        for observation, seen, allowed in ways:
            trial = Constants()
            show = Printer(trial, seen, self.job.options)
            try:
                show.body([observation])
                result = self._observation(show, observation)
            except Unsupported as error:
                problem = problem or error
                continue
            if show.groups <= allowed:
                constants.take(trial)
                self._seen_options = self._used(show)
                head = f"def observe({', '.join(['state', *self._seen_options])}):"
                lines = [*show.lines, f"    return {result}"]
                return text.function(head, "What is seen of a state.", lines)
            problem = hidden
        raise problem or hidden

    def _step_decides(self, step: Transition) -> bool:
        """Return whether a field has one known value after every step, and another at the start."""
        start = self.compiled.reset().fields
        return any(
            not isinstance(value, Node) and not _same_known(value, start.get(name))
            for name, value in step.fields.items()
        )

    def _observation(self, show: Printer, value: Any, name: str = "obs") -> str:
        if isinstance(value, dict):
            parts = [
                f'"{k}": {self._observation(show, v, f"{name}.{k}")}' for k, v in value.items()
            ]
            return f"{{{', '.join(parts)}}}"
        example = self.facts.observation.get(name)
        if isinstance(value, tuple) and example is None:
            parts = [self._observation(show, v, f"{name}.{k}") for k, v in enumerate(value)]
            return f"({', '.join(parts)},)"
        dtype = np.asarray(example).dtype
        word = kinds.word(dtype)
        if isinstance(value, tuple):
            return f"jnp.array({show.text(value)}, {word})"
        if isinstance(value, Node) and kinds.word_of(value) == word and word != "jnp.int32":
            return show.text(value)
        return f"jnp.asarray({show.text(value)}, {word})"

    # --- the class -------------------------------------------------------------------------------

    def _params(self) -> str:
        lines = [
            "@pytree_dataclass",
            "class Params:",
            '    """Numbers that can change without compiling again."""',
        ]
        if self._limited:
            lines += ["", f"    max_steps: int | jax.Array = {self.facts.time_limit}"]
        return "\n".join(lines)

    def _env_class(self, constants: Constants, step: Transition) -> str:
        own = [f"self.{name}" for name in self.job.options]
        head = [
            f"class {self.job.entry}(Env[State, Params]):",
            f'    """{_first_line(type(self.facts.env))}"""',
            "",
            f'    id = "{self.job.id}"',
            f"    version = {self.job.version}",
            "    default_params = Params()",
        ]
        start = ", ".join(["noise", "self.dtype", *(f"self.{n}" for n in self._start_options)])
        methods = [
            "\n".join(head),
            self._init(),
            self._draw_start(constants),
            self._method(
                "start(self, noise, params)",
                "The first state, given its random numbers.",
                [f"return first_state({start})"],
            ),
        ]
        if self._random:
            methods.append(self._draw(constants, step))
        methods.append(self._transition(own))
        seen = ", ".join(["state", *(f"self.{n}" for n in self._seen_options)])
        methods.append(
            self._method(
                "observe(self, state, player=0)", "What is seen.", [f"return observe({seen})"]
            )
        )
        methods += self._time_is_up(constants, step)
        for name in ("observation_space", "action_space"):
            made = spaces.space(getattr(self.facts.simulator, name))
            about = "Of observations." if name.startswith("obs") else "Of actions."
            methods.append(self._method(f"{name}(self, params=None)", about, [f"return {made}"]))
        return "\n\n".join(methods)

    def _init(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.job.options.items())
        lines = ["self.dtype = np.dtype(dtype)"]
        lines += [f"self.{name} = {name}" for name in self.job.options]
        return self._method(
            f'__init__(self, dtype="float32"{options})', "Of one float dtype.", lines
        )

    def _method(self, head: str, about: str, lines: list[str]) -> str:
        return text.function(f"def {head}:", about, [f"        {line}" for line in lines], 1)

    def _draw_start(self, constants: Constants) -> str:
        part = self.compiled.reset()
        for channel in part.channels if self.facts.start is None else []:
            used = [law for law in part.laws if law.channel == channel.name]
            if all(law.position is not None for law in used):
                channel.places = len({law.position for law in used})
        show = Printer(constants)
        lines, result = samplers.draws(part.channels, part.laws, show)
        if show.groups - {"", "option"}:
            raise Unsupported("a draw whose law depends on another draw")
        return self._method(
            "draw_start(self, key, params)",
            "The random numbers of a start.",
            [*self._options_used(show), *show.lines, *lines, f"return {result}"],
        )

    def _draw(self, constants: Constants, step: Transition) -> str:
        show = Printer(constants, indent=2)
        lines, result = samplers.draws(step.channels, step.laws, show)
        if "noise" in show.groups:
            raise Unsupported("a draw whose law depends on another draw of the same step")
        return self._method(
            "draw(self, key, state, action, params)",
            "The random numbers of a step.",
            [*self._options_used(show), *lines, f"return {result}"],
        )

    def _options_used(self, show: Printer) -> list[str]:
        """Write the options that were read as variables of a method."""
        return [f"{name} = self.{name}" for name in self._used(show)]

    def _transition(self, own: list[str]) -> str:
        given = ", ".join(["state", "action", *(["noise"] if self._random else []), *own])
        lines = [f"following, reward, terminated = advance({given})"]
        if self._first_differs:
            lines += [
                "if self.dtype == np.float64:",
                "    is_first = partial(jnp.where, state.time == 0)",
                f"    first = {FIRST}({given})",
                "    others = (following, reward, terminated)",
                "    following, reward, terminated = jax.tree.map(is_first, first, others)",
            ]
        if self._limited:
            lines.append("following = updated(following, time=state.time + 1)")
        lines.append("return following, reward.astype(self.dtype), terminated, {}")
        return self._method(
            "transition(self, state, action, noise, params)",
            "Next state, reward, and whether the game is over.",
            lines,
        )

    def _time_is_up(self, constants: Constants, step: Transition) -> list[str]:
        lines, found = [], []
        if self._limited:
            found.append("state.time >= params.max_steps")
        if step.truncated is not False:
            show = Printer(constants, step.seen, self.job.options, indent=2)
            show.body([step.truncated])
            found.append(_as_array(show, step.truncated, "bool"))
            if show.groups - {"", "option"}:
                raise Unsupported(
                    "a truncation that does not follow from the state alone",
                    "keep what it needs in an attribute that is part of the state",
                )
            lines = [line.removeprefix("        ") for line in show.lines]
            lines = [*self._options_used(show), *lines]
        if not found:
            return []
        head, about = "time_is_up(self, state, params)", "Whether the episode is cut here."
        return [self._method(head, about, [*lines, f"return {_any(found)}"])]


def _any(truths: list[str]) -> str:
    return truths[0] if len(truths) == 1 else " | ".join(f"({t})" for t in truths)


def _same_known(value: Any, other: Any) -> bool:
    return not isinstance(other, Node) and np.array_equal(value, other)


def _rank(name: str) -> tuple[bool, str]:
    """Sort classes before functions."""
    return name[0].islower(), name


def _is_input(value: Any, name: str) -> bool:
    while isinstance(value, Node) and value.op in ("same", "cast"):
        value = value.args[0]
    return isinstance(value, Node) and value.op == "input" and value.attrs[0] == name


def _as_array(show: Printer, value: Any, word: str) -> str:
    if isinstance(value, Node):
        return show.text(value)
    if word == "bool":
        return f"jnp.bool_({bool(value)})"
    return f"jnp.asarray({show.text(value)}, float)"


def _made(show: Printer, value: Any, leaf: Leaf) -> str:
    if is_number(value) and leaf.shape:
        return f"jnp.full({leaf.shape}, {show.text(value)}, {leaf.made_as})"
    if isinstance(value, Node) and value.op == "array" and id(value) not in show.names:
        return f"jnp.array({show.text(value.args[0])}, {leaf.made_as})"
    return f"jnp.asarray({show.text(value)}, {leaf.made_as})"


def _first_line(cls: type) -> str:
    return f"translated from {cls.__qualname__} of `{cls.__module__}`."
