"""The harness's files in a workspace: task, reference, golden pairs, tests."""

from __future__ import annotations

from collections.abc import Sequence

from envwright.translate.goldens import Recording
from envwright.translate.harness_rust import files_in_rust
from envwright.translate.jailed import last_module
from envwright.translate.prompts import workspace_readme
from envwright.translate.sources import excerpts, specification
from envwright.translate.spec import TranslationSpec

CONFTEST = '''"""The code under `src/` can be imported."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
'''


def guarded_files(
    spec: TranslationSpec,
    recordings: Sequence[Recording],
    regressions: Sequence[bytes],
    task: str,
    written: int | None = None,
) -> dict[str, bytes]:
    """Return every file that is not the agent's, by its path in the workspace.

    The first `written` modules exist or are being asked for; None means all.
    """
    files = {"README.md": workspace_readme(spec), "TASK.md": task}
    for module in spec.modules:
        texts = [f"`{e}`\n\n```python\n{e.text}\n```\n" for e in excerpts(spec, module)]
        files[f"reference/{module.name}.md"] = "\n".join(texts) or specification(spec)
    data = {path: text.encode() for path, text in files.items()}
    tests = {regression_file(n): test for n, test in enumerate(regressions, 1)}
    if spec.target.backend == "rust":
        return data | tests | files_in_rust(spec, recordings, tests, spec.modules[:written])
    return data | tests | _in_python(spec, recordings, len(regressions))


def regression_file(number: int) -> str:
    """Return the path of a test made from a divergence."""
    return f"tests/regressions/{number:03d}.json"


def _in_python(
    spec: TranslationSpec, recordings: Sequence[Recording], regressions: int
) -> dict[str, bytes]:
    files = {
        "tests/conftest.py": CONFTEST,
        "tests/test_golden.py": _golden_tests(spec, recordings),
        "tests/test_regressions.py": _regression_tests(spec, regressions),
    }
    data = {path: text.encode() for path, text in files.items()}
    return data | {f"golden/{r.name}.npz": r.shown.read_bytes() for r in recordings}


def _golden_tests(spec: TranslationSpec, recordings: Sequence[Recording]) -> str:
    lines = ['"""Level 1: golden pairs of the reference\'s own functions."""', ""]
    lines += ["from envwright.translate.kit import golden_agrees", ""]
    for r in recordings:
        function = f"{spec.target.package}.{r.module.stem}:{r.golden.ours}"
        lines += [
            "",
            f"def test_{r.module.name}_{r.golden.ours}_agrees_with_the_reference():",
            f'    file = "golden/{r.name}.npz"',
            f"    tolerances = {r.golden.tolerances.to_json()!r}",
            f'    golden_agrees(file, "{function}", {list(r.golden.outputs)!r}, tolerances)',
            "",
        ]
    return "\n".join(lines)


def _regression_tests(spec: TranslationSpec, count: int) -> str:
    entry = f"{spec.target.package}.{last_module(spec)}"
    numbers = ", ".join(f'"{regression_file(n)}"' for n in range(1, count + 1))
    return f'''"""Earlier differences from the reference."""

import pytest
from envwright.translate.kit import regression_agrees


@pytest.mark.parametrize("file", [{numbers}])
def test_it_does_not_differ_again(file):
    regression_agrees(file, "{entry}")
'''
