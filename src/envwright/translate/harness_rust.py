"""The harness's files in a Rust workspace: the crate, golden pairs as JSON, cargo tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from envwright.core.files import plain
from envwright.schema.regression import RegressionTest
from envwright.schema.tolerance import Tolerances
from envwright.schema.translation import Module
from envwright.translate.crate import crate_files
from envwright.translate.goldens import Recording
from envwright.translate.spec import TranslationSpec
from envwright.verify.golden import load_golden

ROWS = 500  # golden pairs in a file


def files_in_rust(
    spec: TranslationSpec,
    recordings: Sequence[Recording],
    regressions: Mapping[str, bytes],
    modules: Sequence[Module],
) -> dict[str, bytes]:
    """Return the crate of these modules with its tests. Regressions are keyed by file."""
    files = crate_files(spec, modules, golden=bool(recordings))
    shown = [r for r in recordings if r.module in modules]
    tests = [_golden_test(spec, r) for r in shown]
    if spec.modules[-1] in modules:
        tests += _regression_tests(spec, regressions)
    files["harness/tests.rs"] = files["harness/tests.rs"].replace("// tests\n", "\n".join(tests))
    data = {path: text.encode() for path, text in files.items()}
    return data | {f"golden/{r.name}.json": _as_json(r) for r in recordings}


def _golden_test(spec: TranslationSpec, recording: Recording) -> str:
    crate, golden = spec.target.package, recording.golden
    _, outputs = recording.only(load_golden(recording.shown))
    close = [_closeness(golden.tolerances, name, value) for name, value in outputs.items()]
    return f"""#[test]
fn {recording.module.name}_{golden.ours}_agrees_with_the_reference() {{
    let ours = {crate}::{recording.module.stem}::{golden.ours};
    {crate}::harness::golden_agrees("golden/{recording.name}.json", ours, &[{", ".join(close)}]);
}}
"""


def _regression_tests(spec: TranslationSpec, regressions: Mapping[str, bytes]) -> Iterator[str]:
    for number, (file, data) in enumerate(regressions.items(), 1):
        test = RegressionTest.parse(data)
        first = next(test.records(), None)
        if test.start is None or first is None:
            continue  # the harness alone can run it: it needs the reference
        close = [_closeness(test.closeness, name, value) for name, value in first.items()]
        yield f"""#[test]
fn regression_{number:03d}_does_not_differ_again() {{
    let fields = &[{", ".join(close)}];
    {spec.target.package}::harness::regression_agrees("{file}", fields);
}}
"""


def _closeness(tolerances: Tolerances, name: str, value: np.ndarray) -> str:
    """Format a tolerance as `("state.x", 0.0, 4)`. Flags and integers are compared exactly."""
    tol = tolerances.of(name)
    distance, ulps = (0.0, 0) if value.dtype.kind in "biu" else (float(tol.atol), tol.ulp)
    return f'("{name}", {distance!r}, {ulps})'


def _as_json(recording: Recording) -> bytes:
    """Convert evenly spread rows of golden pairs to JSON, since Rust does not read npz."""
    inputs, outputs = recording.only(load_golden(recording.shown))
    count = len(next(iter(inputs.values())))
    rows = np.unique(np.linspace(0, count - 1, min(ROWS, count)).astype(int))
    data: dict[str, Any] = {
        "inputs": {name: value[rows] for name, value in inputs.items()},
        "outputs": {name: value[rows] for name, value in outputs.items()},
    }
    return (json.dumps(plain(data)) + "\n").encode()
