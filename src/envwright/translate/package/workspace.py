"""The Rust workspace of a package: the judged crate, the runtime, and the module of both.

The runtime travels with the package, as it was compiled into this envwright, so that the package
builds anywhere and never changes by itself.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping

from envwright.core.native_runtime import runtime_sources
from envwright.translate.crate import NAME, TEMPLATE, crate_files
from envwright.translate.spec import TranslationSpec

EXTENSION = TEMPLATE.parent / "extension"
RUNTIME = {"vecenv": "envwright-vecenv", "vecenv-python": "envwright-vecenv-python"}  # by folder
NEEDED = ("numpy", "pyo3", "thiserror")  # what these and the extension depend on
TABLES = ("[workspace.package]", "[workspace.lints.", "[profile.release]")
OWN_TABLES = ("[workspace]", "[profile.")  # of the judged crate, where it stands alone
ENTRY = "translation::entry"


def workspace_files(spec: TranslationSpec, written: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of `rust/`, with what the agent has `written`, by path."""
    sources = runtime_sources()
    texts = {
        "Cargo.toml": _manifest(spec, sources["Cargo.toml"]),
        "Cargo.lock": _lock(spec, sources["Cargo.lock"]),
        **{f"extension/{path}": text for path, text in _extension(spec).items()},
        **{f"game/{path}": text for path, text in _game(spec).items()},
    }
    for folder in RUNTIME:
        own = f"crates/{folder}/"
        for path in [path for path in sources if path.startswith(own)]:
            text = sources[path]
            inside = path.removeprefix("crates/")
            texts[inside] = without_dev(text) if path.endswith("Cargo.toml") else text
    files = {path: text.encode() for path, text in texts.items()}
    return files | {f"game/{path}": data for path, data in written.items()}


def _game(spec: TranslationSpec) -> dict[str, str]:
    """Return the judged crate around the agent's files, as a member of a workspace."""
    files = crate_files(spec, spec.modules, golden=False)
    del files["Cargo.lock"]  # the workspace has one
    return files | {"Cargo.toml": _without(files["Cargo.toml"], OWN_TABLES)}


def _extension(spec: TranslationSpec) -> dict[str, str]:
    package, module = spec.target.package, spec.modules[-1].stem
    entry = f"{package}::{module}::{spec.target.entry}"
    paths = [path for path in sorted(EXTENSION.rglob("*")) if path.suffix in (".toml", ".rs")]
    return {
        str(path.relative_to(EXTENSION)): path.read_text(encoding="utf-8")
        .replace(ENTRY, entry)
        .replace(NAME, package)
        for path in paths
    }


def _manifest(spec: TranslationSpec, root: str) -> str:
    """Return the workspace's Cargo.toml, with the tables that its members inherit."""
    members = ["extension", "game", *RUNTIME]
    own = {**{name: folder for folder, name in RUNTIME.items()}, spec.target.package: "game"}
    paths = [f'{name} = {{ path = "{folder}" }}' for name, folder in own.items()]
    table = next(t for t in _tables(root) if t.startswith("[workspace.dependencies]"))
    others = [line for line in table.splitlines() if line.split(" ")[0] in NEEDED]
    listed = ", ".join(f'"{member}"' for member in members)
    tables = [
        f'[workspace]\nresolver = "{tomllib.loads(root)["workspace"]["resolver"]}"\n'
        f"members = [{listed}]",
        "\n".join(["[workspace.dependencies]", *paths, *others]),
        *(table for table in _tables(root) if table.startswith(TABLES)),
    ]
    return "\n\n".join(tables) + "\n"


def _lock(spec: TranslationSpec, root: str) -> str:
    """Return the workspace's Cargo.lock: of the repository's, what its members need."""
    lock = tomllib.loads(root)
    known = {package["name"]: package for package in lock["package"]}
    blocks = {_name_of(block): block for block in root.split("\n\n") if "[[package]]" in block}
    version = known[RUNTIME["vecenv"]]["version"]
    own = {
        RUNTIME["vecenv"]: ["thiserror"],
        RUNTIME["vecenv-python"]: [RUNTIME["vecenv"], "numpy", "pyo3"],
        "extension": [*RUNTIME.values(), "pyo3", spec.target.package],
    }
    members = {name: _member(name, version, needs) for name, needs in own.items()}
    members[spec.target.package] = _member(spec.target.package, "0.0.0", [])
    others = {name: blocks[name].strip() for name in _closure(known, NEEDED)}
    every = members | others
    head = root.partition("[[package]]")[0].strip()
    return "\n\n".join([head, *(every[name] for name in sorted(every))]) + "\n"


def _member(name: str, version: str, needs: Iterable[str]) -> str:
    lines = ["[[package]]", f'name = "{name}"', f'version = "{version}"']
    listed = [f' "{need}",' for need in sorted(needs)]
    return "\n".join([*lines, *(["dependencies = [", *listed, "]"] if listed else [])])


def _closure(known: Mapping[str, dict], wanted: Iterable[str]) -> list[str]:
    """Return packages and everything that they depend on."""
    found = list(wanted)
    for name in found:  # it grows while it is read
        needs = (need.split(" ")[0] for need in known[name].get("dependencies", ()))
        found += [need for need in dict.fromkeys(needs) if need not in found]
    return found


def _name_of(block: str) -> str:
    return tomllib.loads(block.replace("[[package]]", "[package]"))["package"]["name"]


def without_dev(manifest: str) -> str:
    """Return a manifest without what only its tests need."""
    return _without(manifest, ("[dev-dependencies]",))


def _without(manifest: str, tables: tuple[str, ...]) -> str:
    return "\n\n".join(t for t in _tables(manifest) if not t.startswith(tables)) + "\n"


def _tables(manifest: str) -> list[str]:
    """Split a manifest into its tables, without the comments between them."""
    parts = re.split(r"^(?=\[)", manifest, flags=re.MULTILINE)
    return [kept for part in parts if (kept := re.sub(r"(\n+#[^\n]*)+\s*\Z", "", part).strip())]
