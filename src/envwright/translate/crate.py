"""The crate around a translation to Rust: templates, with the modules filled in.

The files are the same in the agent's workspace, where they are guarded, and where the judge builds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envwright.core.native_runtime import runtime_sources
from envwright.schema.translation import Module
from envwright.translate.spec import TranslationSpec

TEMPLATE = Path(__file__).parent / "targets" / "rust"
NAME = "translation"  # the crate's in the templates
NAMED = ("Cargo.toml", "Cargo.lock", "harness/main.rs")  # files that contain the name
RANDOM = "crates/numpy-random/src/"  # a module of the harness, since the crate has no dependencies
LISTING = "harness/listing.rs"  # uses everything that the harness needs from the modules


def crate_files(
    spec: TranslationSpec, modules: Sequence[Module], *, golden: bool = True
) -> dict[str, str]:
    """Return every file except the agent's, by path, for a crate of these modules.

    Without `golden`, the crate does not serve the functions of golden pairs.
    """
    files = template_files()
    for path in NAMED:
        files[path] = files[path].replace(NAME, spec.target.package)
    files["lib.rs"] = _marked(files["lib.rs"], "modules", [_declared(spec, m) for m in modules])
    listing = _marked(files[LISTING], "modules", [_listed(spec, m) for m in modules])
    asked = [_asked(spec, m, g.ours) for m in modules for g in m.golden] if golden else []
    listing = _marked(listing, "functions", asked)
    if spec.modules[-1] in modules:
        listing = _opened(spec, listing)
    return files | {LISTING: listing}


def template_files() -> dict[str, str]:
    """Return the files of a crate without modules, by path."""
    paths = sorted(p for p in TEMPLATE.rglob("*") if p.suffix in (".toml", ".lock", ".rs"))
    files = {str(p.relative_to(TEMPLATE)): p.read_text(encoding="utf-8") for p in paths}
    return files | _random()


def module_of(spec: TranslationSpec, path: str, line: str) -> Module | None:
    """Return the module that a compiler error blames, by its file or what the harness uses."""
    for module in spec.modules:
        if path == f"src/{spec.target.package}/{module.file}":
            return module
    for module in spec.modules:
        if path == LISTING and f"crate::{module.stem}::" in line:
            return module
    return None


def _random() -> dict[str, str]:
    """Return NumPy's generators as a module of the harness."""
    sources = runtime_sources()
    names = {path: path.removeprefix(RANDOM) for path in sources if path.startswith(RANDOM)}
    place = {path: "mod.rs" if name == "lib.rs" else name for path, name in names.items()}
    return {f"harness/numpy_random/{name}": sources[path] for path, name in place.items()}


def _declared(spec: TranslationSpec, module: Module) -> str:
    path = f"src/{spec.target.package}/{module.file}"
    return f'#[path = "{path}"]\npub mod {module.stem};'


def _listed(spec: TranslationSpec, module: Module) -> str:
    entry = f'"{spec.target.entry}"' if module is spec.modules[-1] else ""
    return f'    ("{_name(spec, module)}", &[{entry}]),'


def _asked(spec: TranslationSpec, module: Module, function: str) -> str:
    place = f"crate::{module.stem}::{function}"
    return f'    ("{_name(spec, module)}", "{function}", {place}),'


def _opened(spec: TranslationSpec, listing: str) -> str:
    entry = f"crate::{spec.modules[-1].stem}::{spec.target.entry}"
    lines = [
        f"    server::open::<{entry}>(options)" if line.endswith("// entry") else line
        for line in listing.splitlines()
    ]
    return "\n".join(lines) + "\n"


def _name(spec: TranslationSpec, module: Module) -> str:
    """Return the name that the judge uses."""
    return f"{spec.target.package}.{module.stem}"


def _marked(text: str, mark: str, lines: Sequence[str]) -> str:
    """Insert lines into a template in place of a marker comment."""
    whole = text.splitlines()
    place = next(i for i, line in enumerate(whole) if line.strip() == f"// {mark}")
    return "\n".join([*whole[:place], *lines, *whole[place + 1 :]]) + "\n"
