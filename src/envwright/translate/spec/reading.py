"""Reads `translation.toml`; a mistake is told with its line."""

from __future__ import annotations

from pathlib import Path

from envwright.core.toml_file import TomlFile
from envwright.core.toml_table import Table
from envwright.translate.spec.effort import budget_from, effort_from, transfer_from
from envwright.translate.spec.model import ENDINGS, FILE, TranslationSpec
from envwright.translate.spec.tables import check_from, module_from, reference_from, target_from
from envwright.translate.spec.words import RUST_WORDS, count, identifier


def load_spec(place: Path) -> TranslationSpec:
    """The specification of a folder, or in a file; a mistake is told with its line."""
    path = place / FILE if place.is_dir() else place
    file = TomlFile(path)
    top = Table(file, (), file.data)
    environment = top.table("environment")
    spec = TranslationSpec(
        path=path.resolve(),
        id=identifier(environment, "id"),
        version=count(environment, "version", 1, least=1),
        reference=reference_from(top.table("reference")),
        target=target_from(top.table("target")),
        modules=tuple(module_from(m) for m in top.tables("modules")),
        checks=tuple(check_from(c) for c in top.tables("checks")),
        budget=budget_from(top.table("budget")),
        interactions=top.table("l2").texts("interactions"),
        effort=effort_from(top),
        transfer=transfer_from(top),
    )
    environment.end()
    top.end()
    return _whole(spec, file)


def _whole(spec: TranslationSpec, file: TomlFile) -> TranslationSpec:
    """What can be seen only with all of it read."""
    if not spec.modules:
        raise file.wrong((), "there are no [[modules]]; name at least one")
    for key in ("name", "file"):
        _unique(file, "modules", key, [getattr(m, key) for m in spec.modules])
    ending = ENDINGS[spec.target.backend]
    for index, module in enumerate(spec.modules):
        if not module.file.endswith(ending):
            raise file.wrong(
                ("modules", index, "file"),
                f"a file of {spec.target.backend} ends in {ending}, not {module.file!r}",
            )
        if ending == ".rs" and module.file.removesuffix(ending) in RUST_WORDS:
            place = ("modules", index, "file")
            raise file.wrong(place, f"a module cannot be called {module.file!r} in Rust")
        recorded = [golden for golden in module.golden if not golden.examples]
        if recorded and not spec.reference.simulator:
            raise file.wrong(
                ("modules", index, "golden", 0),
                "golden pairs are recorded from a simulator, and [reference] names none; "
                "write examples = [{ inputs = {…}, outputs = {…} }]",
            )
    if ending == ".rs" and spec.target.package in RUST_WORDS:
        place = ("target", "package")
        raise file.wrong(place, f"a crate cannot be called {spec.target.package!r}")
    if spec.reference.simulator and not spec.checks:
        raise file.wrong((), "there are no [[checks]]: say how closely both must agree")
    _unique(file, "checks", "label", [check.label for check in spec.checks])
    return spec


def _unique(file: TomlFile, table: str, key: str, values: list[str]) -> None:
    for index, value in enumerate(values):
        if value in values[:index]:
            raise file.wrong((table, index, key), f"two of [[{table}]] have the {key} {value!r}")
