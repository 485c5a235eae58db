"""Read `translation.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from envwright.core.room import TRANSLATION, Room
from envwright.schema.toml_file import Place, TomlFile
from envwright.schema.toml_records import decode
from envwright.schema.translation.records import ENDINGS, Tolerance, Translation

# Names that neither a module nor a crate can have in Rust.
_RUST = """
abstract alloc as async await become box break const continue core crate do dyn else enum extern
false final fn for harness if impl in let loop macro match mod move mut override priv proc_macro
pub ref return self static std struct super test trait true try type typeof unsafe unsized use
virtual where while yield
"""
RUST_WORDS = frozenset(_RUST.split())


def read_translation(file: TomlFile) -> Translation:
    """Decode and check a file. Raises `EnvwrightError` with the line of the first mistake."""
    translation = decode(file, Translation)
    _check_reference(translation, file)
    _check_modules(translation, file)
    _check_checks(translation, file)
    return translation


def room_translation(room: Room) -> Translation | None:
    """Read the file of a room; None if it has none."""
    text = room.translation()
    if text is None:
        return None
    return read_translation(TomlFile(Path(room.package) / TRANSLATION, text))


def _check_reference(translation: Translation, file: TomlFile) -> None:
    reference, specification = translation.reference, translation.reference.specification
    # Probes may drive a reference that is not a simulator; then only its package is named.
    known_to_probes = reference.package and not translation.modules and not translation.checks
    if not (reference.simulator or specification or known_to_probes):
        needs = "[reference] needs a simulator, such as gymnasium:ID, or a specification file"
        raise file.wrong(("reference",), needs)
    if specification and not (file.path.parent / specification).is_file():
        place = ("reference", "specification")
        raise file.wrong(place, f"there is no file {specification} beside {TRANSLATION}")


def _check_modules(translation: Translation, file: TomlFile) -> None:
    modules, target = translation.modules, translation.target
    if not modules and not translation.probes:
        raise file.wrong((), "there are no [[modules]]; name at least one")
    for key in ("name", "file"):
        _require_unique(file, "modules", key, [getattr(m, key) for m in modules])
    ending = ENDINGS[target.backend]
    for index, module in enumerate(modules):
        place = ("modules", index, "file")
        if not module.file.endswith(ending):
            raise file.wrong(
                place, f"a file of {target.backend} ends in {ending}, not {module.file!r}"
            )
        if ending == ".rs" and module.stem in RUST_WORDS:
            raise file.wrong(place, f"a module cannot be called {module.file!r} in Rust")
        names = [golden.ours for golden in module.golden]
        for number, golden in enumerate(module.golden):
            place = ("modules", index, "golden", number)
            _require_one_each(file, place, golden.listed_tolerances)
            if golden.ours in names[:number]:
                sentence = f"{golden.ours!r} must equal two functions; name another"
                raise file.wrong((*place, "ours"), sentence)
            if not golden.examples and not translation.reference.simulator:
                raise file.wrong(
                    place,
                    "golden pairs are recorded from a simulator, and [reference] names none; "
                    "write examples = [{ inputs = {…}, outputs = {…} }]",
                )
    if ending == ".rs" and target.package in RUST_WORDS:
        raise file.wrong(("target", "package"), f"a crate cannot be called {target.package!r}")


def _check_checks(translation: Translation, file: TomlFile) -> None:
    compared = translation.checks or translation.probes
    if translation.reference.simulator and not compared:
        raise file.wrong((), "there are no [[checks]]: say how closely both must agree")
    labels = [(c.backend or translation.target.backend, c.label) for c in translation.checks]
    _require_unique(file, "checks", "label", labels, [label for _, label in labels])
    for index, check in enumerate(translation.checks):
        _require_one_each(file, ("checks", index), check.listed_tolerances)


def _require_one_each(file: TomlFile, place: Place, listed: tuple[Tolerance, ...]) -> None:
    names = [entry.field for entry in listed]
    for name in names:
        if names.count(name) > 1:
            place = (*place, "tolerances")
            raise file.wrong(place, f"two tolerances are for the field {name!r}")


def _require_unique(
    file: TomlFile, table: str, key: str, values: list[Any], shown: list[str] | None = None
) -> None:
    for index, value in enumerate(values):
        if value in values[:index]:
            name = (shown or values)[index]
            raise file.wrong((table, index, key), f"two of [[{table}]] have the {key} {name!r}")
