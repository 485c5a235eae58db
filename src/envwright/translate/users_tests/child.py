"""Run pytest with environments of one side, and write how each test ended."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from envwright.core.files import write_json
from envwright.core.room import load_attribute
from envwright.schema.names import split_options
from envwright.schema.translation import Check
from envwright.sim.gymnasium_env import import_registering
from envwright.translate.jailed import twin_for
from envwright.translate.spec import TranslationSpec, load_spec
from envwright.translate.users_tests.following import Following
from envwright.verify.pair import Pair
from envwright.verify.room import compared

OF_THE_EYE = ("render_mode", "disable_env_checker")
Make = Callable[..., gymnasium.Env[Any, Any]]


class Reference:
    """Makes the reference itself."""

    def __init__(self, spec: TranslationSpec) -> None:
        scheme, _, rest = spec.reference.simulator.partition(":")
        self.scheme, (self.target, self.options) = scheme, split_options(rest)

    def make(self, **options: Any) -> gymnasium.Env[Any, Any]:
        given = {**self.options, **options}
        if self.scheme == "gymnasium":
            import_registering(self.target)
            return gymnasium.make(self.target, **given)
        made: Any = load_attribute(self.target)
        env: Any = made(**given) if callable(made) else made
        return env

    def release(self) -> None:
        """Keep nothing."""


class Translation:
    """Makes the translation in its jail; a pair that a test has closed serves the next one."""

    def __init__(self, spec: TranslationSpec, asked: dict[str, Any]) -> None:
        self.spec, self.base = spec, split_options(spec.reference.simulator)[1]
        workspace, self.scratch = Path(asked["workspace"]), Path(asked["scratch"])
        self.twin = twin_for(spec, workspace, self.scratch, asked["confined"])
        self.free: dict[str, list[Pair]] = {}
        self.used: list[tuple[str, Pair]] = []
        self.real_make = gymnasium.make  # for the reference

    def make(self, **options: Any) -> gymnasium.Env[Any, Any]:
        for name in OF_THE_EYE:
            if options.pop(name, None):
                pytest.skip(f"a translation takes no {name}")
        check = self._check({**self.base, **options})
        waiting = self.free.setdefault(check.label, [])
        pair = waiting.pop() if waiting else self._open(check)
        self.used.append((check.label, pair))
        return Following(pair)

    def release(self) -> None:
        """Take the pairs of a finished test back."""
        for label, pair in self.used:
            self.free[label].append(pair)
        self.used = []

    def _open(self, check: Check) -> Pair:
        reference, replaced = self.spec.reference.simulator, gymnasium.make
        gymnasium.make = self.real_make
        try:
            return compared(check, reference, lambda: self.twin.simulator(check)).open()
        finally:
            gymnasium.make = replaced

    def _check(self, wanted: dict[str, Any]) -> Check:
        for check in self.spec.checks:
            reference = check.reference or self.spec.reference.simulator
            if split_options(reference)[1] == wanted:
                return check
        pytest.skip(f"no check of the translation has the options {wanted}")


class Plugin:
    """The fixtures, and the outcomes."""

    def __init__(self, side: Reference | Translation) -> None:
        self.side, self.found = side, {}

    @pytest.fixture
    def make_env(self) -> Iterator[Make]:
        """Return what makes environments, with the constructor's options."""
        yield self.side.make
        self.side.release()

    @pytest.fixture
    def env(self, make_env: Make) -> gymnasium.Env[Any, Any]:
        """Return an environment with the usual options."""
        return make_env()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self) -> None:
        self.side.release()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._note(report)

    def _note(self, report: Any) -> None:
        known = self.found.get(report.nodeid, {}).get("outcome")
        if known != "failed":
            detail = report.longreprtext[-6000:]
            self.found[report.nodeid] = {"outcome": report.outcome, "detail": detail}


def making(spec: TranslationSpec, side: Translation) -> Make:
    """Return a `gymnasium.make` that makes the translation for the reference's id."""
    scheme, _, rest = spec.reference.simulator.partition(":")
    own = split_options(rest)[0].rpartition(":")[2] if scheme == "gymnasium" else ""

    def make(id: Any, *rest: Any, **options: Any) -> gymnasium.Env[Any, Any]:
        name = (id if isinstance(id, str) else id.id).rpartition(":")[2]
        return side.make(**options) if name == own else side.real_make(id, *rest, **options)

    return make


def main(asked: dict[str, Any]) -> None:
    """Run the tests of one side."""
    spec, tests = load_spec(Path(asked["spec"])), Path(asked["tests"])
    spec.make_reachable()
    if asked["side"] == "reference":
        plugin = Plugin(Reference(spec))
    else:
        side = Translation(spec, asked)
        plugin = Plugin(side)
        gymnasium.make = making(spec, side)
    root = tests if tests.is_dir() else tests.parent
    options = ["-q", "-p", "no:cacheprovider", "-o", "addopts=", "--rootdir", str(root)]
    pytest.main([*options, str(tests)], plugins=[plugin])
    write_json(asked["result"], plugin.found)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
