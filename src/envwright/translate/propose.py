"""`envwright init`: write a first `translation.toml` by observing an environment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from envwright.core.files import check_folder, make_folder, write_text
from envwright.core.hardware import chosen
from envwright.errors import EnvwrightError
from envwright.schema.toml_file import TomlFile
from envwright.schema.translation import BACKENDS
from envwright.translate.names import check_free, package_of
from envwright.translate.proposal.document import bridge_file, document
from envwright.translate.proposal.modules import divide
from envwright.translate.proposal.subject import open_subject
from envwright.translate.proposal.survey import survey_of
from envwright.translate.spec import FILE, read_spec
from envwright.translate.suggest import suggest_from

BRIDGE = "bridge.py"


def write_proposal(
    simulator: str,
    folder: Path,
    backend: str | None = None,
    name: str | None = None,
    hardware: str | None = None,
) -> list[Path]:
    """Survey a simulator, write what its translation needs, and return the files.

    `backend` is jax or rust; None chooses by the environment and the hardware, which is cpu, gpu
    or tpu, or None for what is here. `name` is that of the package.
    """
    if backend is not None and backend not in BACKENDS:
        raise EnvwrightError(f"unknown backend {backend!r}; use {' or '.join(BACKENDS)}")
    for file in (FILE, BRIDGE):
        if (folder / file).exists():
            raise EnvwrightError(
                f"{folder / file} already exists; choose another folder, or remove it first"
            )
    check_folder(folder)
    package = name or package_of(simulator)
    check_free(package)
    texts = _texts(simulator, folder, backend, package, chosen(hardware))
    _require_readable(simulator, folder / FILE, texts[FILE])
    make_folder(folder)
    return [write_text(folder / file, text) for file, text in texts.items()]


def _require_readable(simulator: str, file: Path, text: str) -> None:
    """Read the proposal before anything is written: what is wrong with it is not the user's."""
    try:
        read_spec(TomlFile(file, text))
    except EnvwrightError as error:
        raise EnvwrightError(
            f"envwright init made a specification of {simulator} that it cannot read itself "
            f"({error}); nothing was written. This is an error of envwright: please report it"
        ) from error


def _texts(
    simulator: str, folder: Path, backend: str | None, package: str, hardware: str
) -> dict[str, str]:
    """Return the files by name. The one that identifies the folder comes last."""
    subject = open_subject(simulator)
    try:
        survey = survey_of(subject)
        suggestion = suggest_from(survey, hardware)
        target = backend or suggestion.backend
        survey = replace(survey, tapes=target == "rust")
        why = "It was asked for." if backend else suggestion.sentence
        text = document(survey, divide(survey, target), target, why, str(folder), package)
        return ({BRIDGE: bridge_file(survey)} if survey.needs_bridge_file else {}) | {FILE: text}
    finally:
        subject.simulator.close()
