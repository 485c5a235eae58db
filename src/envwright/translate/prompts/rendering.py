"""Render prompts from templates. The structure is the same for every environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envwright.sim.records import Fields
from envwright.translate.constraints import LANGUAGE, constraints
from envwright.translate.goldens import Recording
from envwright.translate.sources import excerpts, specification
from envwright.translate.spec import TranslationSpec
from envwright.translate.templates import templates
from envwright.translate.verdict import Verdict
from envwright.verify.golden import load_golden


def translate_module(
    spec: TranslationSpec, index: int, recordings: Sequence[Recording], hint: str = ""
) -> str:
    """Ask for one module: source, constraints, contract, behaviour, tests."""
    module = spec.modules[index]
    return _filled(
        "translate.md.jinja",
        spec=spec,
        module=module,
        language=LANGUAGE[spec.target.backend],
        path=f"src/{spec.target.package}/{module.file}",
        number=index + 1,
        count=len(spec.modules),
        done=[m.name for m in spec.modules[:index]],
        excerpts=excerpts(spec, module),
        specification=specification(spec),
        constraints=constraints(spec),
        recordings=[_shown(r) for r in recordings if r.module.name == module.name],
        hint=hint,
    )


def write_interactions(spec: TranslationSpec, hint: str = "") -> str:
    """Ask for tests between modules."""
    return _filled("level2_tests.md.jinja", spec=spec, interactions=spec.interactions, hint=hint)


def repair(
    spec: TranslationSpec,
    verdict: Verdict,
    attempt: int,
    *,
    modules: int,
    new_tests: Sequence[str] = (),
    meddled: Sequence[str] = (),
    unwritten: Sequence[str] = (),
    hint: str = "",
) -> str:
    """Ask for a repair of what a level found. The first `modules` modules are written."""
    named = {f.module for f in verdict.failures if f.module}
    concerned = [m for m in spec.modules[:modules] if not named or m.name in named]
    return _filled(
        "repair.md.jinja",
        spec=spec,
        verdict=verdict,
        what=_WHAT[verdict.level],
        attempt=attempt,
        attempts=spec.budget.per_level,
        modules=concerned,
        new_tests=new_tests,
        meddled=meddled,
        unwritten=unwritten,
        hint=hint,
    )


_WHAT = {
    1: "Level 1 compares single functions and single steps with the reference.",
    2: "Level 2 compares sequences of steps across modules with the reference.",
    3: "Level 3 compares whole episodes with the reference, every field at every step.",
    4: "Level 4 compares how policies trained on either side fare on both.",
}


def workspace_readme(spec: TranslationSpec) -> str:
    """Describe the files of a workspace."""
    language = LANGUAGE[spec.target.backend]
    return _filled("workspace.md.jinja", spec=spec, language=language)


def human_page(spec: TranslationSpec, **known: Any) -> str:
    """Summarise everything for the person who is asked for help."""
    return _filled("human.md.jinja", spec=spec, **known)


def optimise(spec: TranslationSpec, **known: Any) -> str:
    """Ask for one change that makes the code faster."""
    return _filled(f"optimise_{spec.target.backend}.md.jinja", spec=spec, **known)


def _shown(recording: Recording) -> dict[str, Any]:
    inputs, _ = load_golden(recording.shown)
    return {
        "name": recording.name,
        "golden": recording.golden,
        "rows": len(next(iter(inputs.values()))),
        "shown": [(_row(given), _row(gives)) for given, gives in recording.examples()],
    }


def _row(fields: Fields) -> str:
    return "{" + ", ".join(f"{k!r}: {v.tolist()}" for k, v in fields.items()) + "}"


def _filled(name: str, **values: Any) -> str:
    return templates("prompts").get_template(name).render(**values)
