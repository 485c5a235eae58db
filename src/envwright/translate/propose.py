"""`envwright init`: write a first `translation.toml` by observing an environment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from envwright.core.files import check_folder, make_folder, write_text
from envwright.errors import EnvwrightError
from envwright.schema.translation import BACKENDS
from envwright.translate.proposal.document import bridge_file, document
from envwright.translate.proposal.modules import divide
from envwright.translate.proposal.subject import open_subject
from envwright.translate.proposal.survey import survey_of
from envwright.translate.spec import FILE
from envwright.translate.suggest import suggest_from

BRIDGE = "bridge.py"


def write_proposal(simulator: str, folder: Path, backend: str | None = None) -> list[Path]:
    """Survey a simulator, write what its translation needs, and return the files.

    `backend` is jax or rust; None chooses by the environment.
    """
    if backend is not None and backend not in BACKENDS:
        raise EnvwrightError(f"unknown backend {backend!r}; use {' or '.join(BACKENDS)}")
    for name in (FILE, BRIDGE):
        if (folder / name).exists():
            raise EnvwrightError(
                f"{folder / name} already exists; choose another folder, or remove it first"
            )
    check_folder(folder)
    texts = _texts(simulator, folder, backend)
    make_folder(folder)
    return [write_text(folder / name, text) for name, text in texts.items()]


def _texts(simulator: str, folder: Path, backend: str | None) -> dict[str, str]:
    """Return the files by name. The one that identifies the folder comes last."""
    subject = open_subject(simulator)
    try:
        survey = survey_of(subject)
        suggestion = suggest_from(survey)
        chosen = backend or suggestion.backend
        survey = replace(survey, tapes=chosen == "rust")
        why = "It was asked for." if backend else suggestion.sentence
        text = document(survey, divide(survey, chosen), chosen, why, str(folder))
        return ({BRIDGE: bridge_file(survey)} if survey.needs_bridge_file else {}) | {FILE: text}
    finally:
        subject.simulator.close()
