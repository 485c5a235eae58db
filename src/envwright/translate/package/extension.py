"""The extension module of a package in Rust: crates are fetched outside the jail, built inside."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from envwright.errors import EnvwrightError
from envwright.sandbox import Limits, tree
from envwright.translate.cargo import built, require_cargo
from envwright.translate.package.workspace import workspace_files
from envwright.translate.spec import TranslationSpec

WORKSPACE = "rust"  # a package's folder with the sources
MODULE, NATIVE, STUB = "_native.abi3.so", "native.py", "_native.pyi"
LIBRARY = "lib_native.so"
LIMITS = Limits(seconds=1800, memory_mb=4096, processes=128, disk_mb=4096)
# The stable ABI needs no interpreter, and an extension module does not link to one.
SETTINGS = {"PYO3_NO_PYTHON": "1", "PYO3_BUILD_EXTENSION_MODULE": "1"}


def write_extension(
    spec: TranslationSpec, kept: Mapping[str, bytes], root: Path, confined: bool
) -> str:
    """Write the workspace of the code that was `kept`, and its module; return where its class is.

    The class itself and the module's stub are templates.
    """
    files = workspace_files(spec, kept)
    for path, data in files.items():
        _write(root / WORKSPACE / path, data)
    _write(root / WORKSPACE / ".gitignore", b"target/\n")
    _write(root / "src" / spec.target.package / MODULE, build_extension(files, confined))
    _write(root / "src" / ".gitignore", b"*.so\n")
    return f"{NATIVE.removesuffix('.py')}:{spec.target.entry}"


def build_extension(files: Mapping[str, bytes], confined: bool) -> bytes:
    """Build the workspace in `files`, and return the module's bytes."""
    require_cargo()
    with tempfile.TemporaryDirectory(prefix="envwright-extension-") as scratch:
        root = Path(scratch)
        root.chmod(0o755)  # the jail runs as another user
        crate, target = tree.fresh(root / "rust"), root / "target"
        for path, data in files.items():
            tree.write(crate, path, data)
        vendored = _fetched(crate, root / "vendored")
        source = [
            *("--config", "source.crates-io.replace-with='vendored'"),
            *("--config", f"source.vendored.directory='{vendored}'"),
        ]
        asked = ["build", "--release", "--package=extension", *source]
        built(asked, crate, target, LIMITS, confined, readable=(vendored,), env=SETTINGS)
        return tree.read(target, f"release/{LIBRARY}", LIMITS.disk_mb << 20)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _fetched(crate: Path, vendored: Path) -> Path:
    """Return a folder with the sources of all crates that the workspace needs."""
    command = ["cargo", "vendor", "--locked", "--versioned-dirs", "--quiet", str(vendored)]
    for offline in (["--offline"], []):  # without the network where all are here already
        done = subprocess.run([*command, *offline], cwd=crate, capture_output=True, text=True)
        if done.returncode == 0:
            return vendored
    last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
    raise EnvwrightError(
        f"cargo could not fetch the crates of the extension module ({''.join(last).strip()}); "
        "connect to the network and run the command again"
    )
