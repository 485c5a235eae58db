"""Two versions of the lamp, recorded in this process."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from tests.translate.answers import changed
from tests.translate.conftest import LAMP

from envwright.translate.spec import load_spec
from envwright.translate.update import record as recording
from envwright.translate.update.compare import compare_modules, compare_whole

SOURCE = (LAMP / "lamp.py").read_text()
TOML = (LAMP / "translation.toml").read_text()


def lamp_with(*changes):
    """The lamp's source after replacements of what is there once."""
    text = SOURCE
    for old, new in changes:
        text = changed(text, old, new)
    return text


class Compared:
    """The outcome of a comparison, by names."""

    def __init__(self, parts, modules):
        self.parts = {part.name: part for part in parts}
        self.modules = {module.name: module for module in modules}

    @property
    def verdicts(self):
        return {name: module.verdict for name, module in self.modules.items()}

    @property
    def differ(self):
        return {name for name, part in self.parts.items() if part.differ}


@pytest.fixture
def versions(tmp_path, monkeypatch):
    """Compare the lamp with another version of it; `toml` is its specification."""
    for name, size in {
        "STARTS": 6,
        "PLAYED": 2,
        "VISITED": 40,
        "FUZZED": 20,
        "BOUNDARY": 2,
    }.items():
        monkeypatch.setattr(recording, name, size)
    for name, size in {"EPISODES": 3, "STEPS": 60}.items():
        monkeypatch.setattr(recording, name, size)

    def recorded(text, toml, plan=None):
        folder = tmp_path / ("old" if plan is None else "new")
        folder.mkdir(exist_ok=True)
        (folder / "lamp.py").write_text(text)
        (folder / "translation.toml").write_text(toml)
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(folder))
            sys.modules.pop("lamp", None)
            spec = load_spec(folder)
            spec = replace(spec, effort=replace(spec.effort, policies=("random",)))
            plan = plan or recording.make_plan(spec)
            found = recording.record(spec, plan)
        sys.modules.pop("lamp", None)
        return plan, found

    def compare(new, old=SOURCE, toml=TOML):
        plan, before = recorded(old, toml)
        _, now = recorded(new, toml, plan)
        parts = compare_whole(before, now, plan)
        return Compared(parts, compare_modules(before, now, parts))

    return compare
