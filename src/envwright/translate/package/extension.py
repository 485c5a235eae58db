"""Build the extension module of a package: crates are fetched outside the jail, code inside."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from envwright.errors import EnvwrightError
from envwright.sandbox import Limits, tree
from envwright.translate.cargo import built, require_cargo

MODULE = "_native.abi3.so"
LIBRARY = "lib_native.so"
LIMITS = Limits(seconds=1800, memory_mb=4096, processes=128, disk_mb=4096)
# The stable ABI needs no interpreter, and an extension module does not link to one.
SETTINGS = {"PYO3_NO_PYTHON": "1", "PYO3_BUILD_EXTENSION_MODULE": "1"}


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
