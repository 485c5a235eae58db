"""Run the levels on the code in a workspace, from level 1 up.

Only the harness's own tests decide. The agent's tests also run, but are advisory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from envwright.core.progress import Progress, quiet
from envwright.core.text import one_line
from envwright.errors import EnvwrightError
from envwright.sandbox import tree
from envwright.schema.divergence import Divergence, Steps
from envwright.schema.translation import Check, Module
from envwright.sim import bounds
from envwright.sim.conversation import NO_ANSWER, Conversation, TooLate
from envwright.sim.records import Fields
from envwright.sim.simulator import TwinRaised
from envwright.translate.by_default import check_coarsely, unchecked_defaults
from envwright.translate.deadline import Deadline
from envwright.translate.goldens import Recording
from envwright.translate.jailed import Twin
from envwright.translate.regressions import divergence_of, regression
from envwright.translate.spec import TranslationSpec
from envwright.translate.users_tests import Outcome, outcomes
from envwright.translate.verdict import Failure, Verdict
from envwright.verify.divergence import describe, playthrough_of
from envwright.verify.golden import compare_golden, load_golden
from envwright.verify.pair import Pair
from envwright.verify.results import LevelResult
from envwright.verify.room import compared
from envwright.verify.run import differing_spaces, run_level

ONLY_ITS_OWN = "the code uses only what it may"


class Judge:
    """Context manager that judges one state of the code. Opens what it needs once."""

    def __init__(
        self,
        spec: TranslationSpec,
        twin: Twin,
        recordings: Sequence[Recording],
        regressions: Sequence[bytes] = (),
        progress: Progress = quiet,
        seed: int = 0,
    ) -> None:
        self.spec, self.twin, self.recordings = spec, twin, recordings
        self.regressions, self._told = regressions, progress
        self.seed = seed  # of the samples; the code's author does not know it
        self.deadline = Deadline()  # after which it raises OutOfTime
        self._opened = ExitStack()
        self._pairs: list[tuple[Check, Pair]] | None = None

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the code's processes."""
        self._opened.close()
        self._pairs = None

    @property
    def progress(self) -> Progress:
        """Report progress between tests and between their parts; may stop at the deadline."""
        return self.deadline.watched(self._told)

    # --- levels --------------------------------------------------------------------------------

    def modules(self, count: int) -> Verdict:
        """Judge level 1 of the first `count` modules; if these are all, also of the whole."""
        verdict = Verdict(1)
        if self._is_its_own(verdict):
            with self.twin.functions() as conversation:
                for module in self.spec.modules[:count]:
                    self.deadline.check()
                    failure = self._imports(conversation, module)
                    verdict.add(f"{module.name} can be imported", failure)
                    if failure is None:
                        self._golden_pairs(conversation, module, verdict)
                if self.spec.target.backend == "jax":
                    self._has_loaded_only_its_own(verdict, partial(conversation.ask, "loaded"))
        if count == len(self.spec.modules) and verdict.green:
            self._whole(verdict)
            if self.spec.tests is not None and verdict.green:
                self._users_tests(verdict)
        self.deadline.check()
        verdict.notes += self._advice()
        return verdict

    def level(self, level: int, keep_regressions: bool = True) -> Verdict:
        """Judge level 2 or 3 of the whole."""
        verdict = Verdict(level)
        for check, pair in self._open(verdict) if self._is_its_own(verdict) else ():
            self.deadline.check()
            effort = replace(self.spec.effort, levels=(level,))
            result = run_level(level, pair, self.seed, effort, None, self.progress)
            self._take(verdict, check, pair, result, keep_regressions)
            if level == 3:
                self._elsewhere(verdict, check, pair)
            self._has_loaded_only_its_own(verdict, getattr(pair.twin, "loaded", dict))
        return verdict

    def diagnose(self, verdict: Verdict, policies: Sequence[Path]) -> None:
        """Search for the step behind a level 4 gap along the policies that noticed it."""
        names = tuple(f"trained:{path}" for path in policies)
        if not names:
            return
        effort = replace(self.spec.effort, levels=(3,), policies=names)
        for check, pair in self._open(verdict):
            result = run_level(3, pair, self.seed + 1, effort, None, self.progress)
            self._take(verdict, check, pair, result, keep=True)

    def _is_its_own(self, verdict: Verdict) -> bool:
        """Return whether the code may be run: it does not call what it should replace."""
        found = self.twin.forbidden()
        if found:
            detail = "\n".join(found)
            verdict.add(ONLY_ITS_OWN, Failure(ONLY_ITS_OWN, "", found[0], detail))
        return not found

    def _has_loaded_only_its_own(
        self, verdict: Verdict, report: Callable[[], Mapping[str, Any]]
    ) -> None:
        """Add a failure if the code's processes hold something of the reference."""
        try:
            told = report()
            found = self.twin.strangers(told) if told else []
        except NO_ANSWER as error:
            if not verdict.green:
                return  # a process that ended has failed a test already
            found = [f"it does not report what it has loaded: {error}"]
        if found:
            verdict.add(ONLY_ITS_OWN, Failure(ONLY_ITS_OWN, "", found[0], "\n".join(found)))

    # --- level 1 -------------------------------------------------------------------------------

    def _imports(self, conversation: Conversation, module: Module) -> Failure | None:
        """Check that a module exists, imports, and has what its tests need."""
        name = f"{self.spec.target.package}.{module.stem}"
        test = f"{module.name} can be imported"
        try:
            names = conversation.ask("names", module=name)["names"]
        except NO_ANSWER as error:
            detail = getattr(error, "detail", "")  # all that a compiler says
            return Failure(test, module.name, f"src/{self._file(module)}: {error}", detail)
        wanted = [g.ours for g in module.golden]
        wanted += [self.spec.target.entry] if module is self.spec.modules[-1] else []
        missing = [w for w in wanted if w not in names]
        if missing:
            return Failure(test, module.name, f"src/{self._file(module)} has no {missing[0]!r}")
        return None

    def _golden_pairs(self, conversation: Conversation, module: Module, verdict: Verdict) -> None:
        for recording in self.recordings:
            if recording.module.name != module.name:
                continue
            for label, path in (("shown", recording.shown), ("held back", recording.held_back)):
                self.deadline.check()
                test = f"golden pairs of {recording.name}, {label}"
                verdict.add(test, self._golden(conversation, recording, path, test))

    def _golden(
        self, conversation: Conversation, recording: Recording, path: Path, test: str
    ) -> Failure | None:
        module = recording.module
        function = f"{self.spec.target.package}.{module.stem}:{recording.golden.ours}"
        wanted = recording.only(load_golden(path))
        most = bounds.SMALL + 4 * bounds.elements(wanted[1])

        def ours(table: Fields) -> Fields:
            got = conversation.ask("call", at_most=most, function=function, inputs=table)
            missing = [name for name in wanted[1] if name not in got]
            if missing:
                raise TwinRaised(f"{recording.golden.ours} does not return {missing[0]!r}")
            return {name: got[name] for name in wanted[1]}

        try:
            found = compare_golden(wanted, ours, recording.golden.tolerances)
        except NO_ANSWER as error:
            return Failure(test, module.name, f"{recording.golden.ours}: {error}")
        if found is None:
            return None
        row, inputs, mismatch = found
        shown = "\n".join(f"  {k} = {v.tolist()}" for k, v in inputs.items())
        outputs = "\n".join(f"  {k} = {v[row].tolist()}" for k, v in wanted[1].items())
        return Failure(
            test,
            module.name,
            f"{recording.golden.ours}: {mismatch}",
            f"given\n{shown}\n{_whose(recording)} gives\n{outputs}\n"
            f"and yours differs in {mismatch} (tolerance: {mismatch.tolerance})",
        )

    def _whole(self, verdict: Verdict) -> None:
        """Judge single steps, the law of the starts, the spaces, and earlier failures."""
        for check, pair in self._open(verdict):
            self.deadline.check()
            effort = replace(self.spec.effort, levels=(1,))
            result = run_level(1, pair, self.seed, effort, None, self.progress)
            self._take(verdict, check, pair, result, keep=False)
            test = f"spaces, {check.label}"
            differ = differing_spaces([pair])
            verdict.add(test, self._failure(test, pair, differ[0]) if differ else None)
        self._by_default(verdict)
        for number, test in enumerate(self.regressions, 1):
            self.deadline.check()
            verdict.add(f"regression {number:03d}", self._regression(number, test))

    def _users_tests(self, verdict: Verdict) -> None:
        """Judge the user's own tests: what passes on the reference must pass on the code."""
        self.deadline.check()
        places = (self.twin.workspace, tree.reused(self.twin.scratch / "users-tests"))
        theirs = outcomes(self.spec, "reference", *places, self.twin.confined)
        last = self.spec.modules[-1].name
        try:
            ours = outcomes(self.spec, "translation", *places, self.twin.confined)
        except EnvwrightError as error:  # code that hangs or ends pytest fails; it ends no run
            verdict.add("your tests", Failure("your tests", last, one_line(str(error))))
            return
        for name, expected in theirs.items():
            test, got = f"your test {name}", ours.get(name)
            if expected.outcome != "passed":
                verdict.notes.append(f"{test} does not count: on the reference it {expected.verb}")
            elif got is not None and got.outcome == "skipped":
                verdict.notes.append(f"{test} is skipped on the translation: {got.summary}")
            elif got is not None and got.outcome == "passed":
                verdict.add(test, None)
            else:
                why = got or Outcome("failed", "it did not run")
                summary = f"passes on the reference, not on yours: {why.summary}"
                verdict.add(test, Failure(test, last, summary, why.detail[-4000:]))

    def _by_default(self, verdict: Verdict) -> None:
        """Judge chance and single steps with the default dtype, in which training runs."""
        for check in unchecked_defaults(self.spec) if verdict.green else ():
            self.deadline.check()
            test = f"as training makes it, {check.label}"
            try:
                with closing(self._matched(check)) as pair:
                    found = check_coarsely(pair, self.seed, self.spec.effort)
                    failure = None if found is None else self._failure(test, pair, found)
            except (EnvwrightError, *NO_ANSWER) as error:
                failure = Failure(test, "", f"with the default dtype: {error}")
            verdict.add(test, failure)

    def _elsewhere(self, verdict: Verdict, check: Check, pair: Pair) -> None:
        """Check that the code does the same uncompiled and in single precision."""
        twin: Any = pair.twin
        test = f"elsewhere, {check.label}"
        try:
            told = twin.elsewhere(self.seed) if hasattr(twin, "elsewhere") else ""
        except TooLate as error:
            verdict.undecided = f"{test}: {error}"
            return
        except NO_ANSWER as error:
            told = f"nothing can be said of steps that are not compiled: {error}"
        verdict.add(test, Failure(test, "", told) if told else None)

    def _regression(self, number: int, test: bytes) -> Failure | None:
        label, divergence = divergence_of(test)
        name = f"regression {number:03d}"
        for check, pair in self._pairs or ():
            if check.label == label:
                playthrough = playthrough_of(divergence)
                found = pair.run(playthrough)
                if found is None:
                    return None
                now = describe(pair.spec, 1, found, playthrough, divergence.origin)
                return self._failure(name, pair, now)
        return Failure(name, "", f"it belongs to a check {label!r} that is there no more")

    def _advice(self) -> list[str]:
        done = self.twin.own_tests()
        if done is None:
            return []
        last = done.stdout.strip().splitlines()[-1:] or ["no output"]
        return [f"the agent's own tests: {last[0].strip('= ')}"]

    # --- the whole -----------------------------------------------------------------------------

    def _open(self, verdict: Verdict) -> list[tuple[Check, Pair]]:
        """Open the pair of every check. A pair that does not open is a failure of the code."""
        if self._pairs is None:
            self._pairs = []
            for check in self.spec.checks:
                try:
                    self._pairs.append((check, self._pair(check)))
                except EnvwrightError as error:
                    self._pairs = None
                    entry = self.spec.target.entry
                    test = f"{entry} can be played, {check.label}"
                    last = getattr(error, "module", self.spec.modules[-1].name)
                    detail = getattr(error, "detail", "")
                    verdict.add(test, Failure(test, last, str(error), detail))
                    return []
                verdict.notes += [f"{check.label}: {note}" for note in self._pairs[-1][1].notes]
        return self._pairs

    def _pair(self, check: Check) -> Pair:
        pair = self._matched(check)
        self._opened.callback(pair.close)
        return pair

    def _matched(self, check: Check) -> Pair:
        twin = _Named(lambda: self.twin.simulator(check), self.twin.entry(check))
        return compared(check, self.spec.reference.simulator, twin).open()

    def _take(
        self, verdict: Verdict, check: Check, pair: Pair, result: LevelResult, keep: bool
    ) -> None:
        """Add a level's result as a test and its divergence as a regression test."""
        name = {1: "steps", 2: "sequences", 3: "episodes"}[result.level]
        test = f"{name}, {check.label}" if check.label else name
        verdict.notes += [f"{test}: {note}" for note in result.notes]
        if result.verdict == "inconclusive":
            summary = f"nothing can be said: {result.inconclusive}"
            verdict.add(test, Failure(test, "", summary, _states(pair)))
            return
        if result.verdict == "equal":
            verdict.shown[check.label] = result.record()
        found = result.divergences[0] if result.divergences else None
        verdict.add(test, None if found is None else self._failure(test, pair, found))
        if keep and isinstance(found, Steps):
            verdict.regressions.append(regression(check, pair, found))

    def _failure(self, test: str, pair: Pair, found: Divergence) -> Failure:
        reason = (
            f"the twin raised {found.raised}"
            if found.raised
            else (f"{found.field}: reference {found.reference_value}, yours {found.twin_value}")
        )
        return Failure(test, "", reason, str(found) + _side_by_side(pair, found))

    def _file(self, module: Module) -> str:
        return f"{self.spec.target.package}/{module.file}"


@dataclass(frozen=True)
class _Named:
    """Creates simulators and has a name for divergences."""

    make: Callable[[], object]
    name: str

    def __call__(self) -> object:
        return self.make()


def _whose(recording: Recording) -> str:
    target = recording.golden.target
    return f"the reference ({target})" if target else "the specification's example"


def _states(pair: Pair) -> str:
    """Return the fields of both states that must match."""
    lines = []
    for whose, simulator in (("reference", pair.reference), ("yours", pair.twin)):
        simulator.reset(0)
        held = simulator.state().items() if simulator.loads else ()
        fields = ", ".join(f"{k} {v.dtype}{list(v.shape)}" for k, v in held)
        lines.append(f"  state, {whose}: {fields or 'not shown'}")
    return "\n".join([*lines, *(f"  {note}" for note in pair.notes)])


def _side_by_side(pair: Pair, found: Divergence) -> str:
    """Return all fields of both sides at the differing step."""
    if not isinstance(found, Steps) or found.step < 0:
        return ""
    again = pair.run(playthrough_of(found))
    if again is None or not again.twin:
        return ""
    lines = [
        f"    {name:<24} {_short(value)}   {_short(again.twin.get(name))}"
        for name, value in again.reference.items()
    ]
    return "\n  all fields: reference, yours\n" + "\n".join(lines)


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 200 else text[:200] + "…"
