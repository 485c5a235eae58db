"""Convert a specification to a compiler job."""

from __future__ import annotations

from typing import Any

from envwright.agents.compiler.job import Job
from envwright.core.bridge import Columns
from envwright.translate.proposal.subject import open_subject
from envwright.translate.spec import TranslationSpec


def job_of(spec: TranslationSpec) -> Job:
    """Return what the compiler has to write for a specification."""
    spec.make_reachable()
    bridge = spec.checks[0].bridge if spec.checks else None
    return Job(
        simulator=spec.reference.simulator,
        package=spec.target.package,
        entry=spec.target.entry,
        id=spec.id,
        version=spec.version,
        modules=spec.modules,
        folder=spec.folder,
        pairs=dict(bridge.pairs) if isinstance(bridge, Columns) else {},
        bridged=isinstance(bridge, str),
        options=_options(spec),
        backend=spec.target.backend,
    )


def _options(spec: TranslationSpec) -> dict[str, Any]:
    """Return the constructor options that some check sets, with their default values."""
    names = {name for check in spec.checks for name in check.options} - {"dtype"}
    if not names:
        return {}
    subject = open_subject(spec.reference.simulator)
    try:
        usual = subject.options
        return {name: usual[name] for name in usual if name in names}
    finally:
        subject.simulator.close()
