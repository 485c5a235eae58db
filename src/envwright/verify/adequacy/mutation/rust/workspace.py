"""A copy of a Rust workspace, built again and again with one file changed.

It is this repository's, or the one that the package of a translation brings along. The whole
extension module is built: its crates are small, and unchanged parts are taken from the
build before, so that a mutant takes about half a second. Overflow wraps as in the release that
people use. The crates' own tests are built the same way.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from envwright.core.outside_rooms import folder_of, package_in
from envwright.core.package import CHECKOUT, NAME
from envwright.core.room import Room
from envwright.errors import EnvwrightError
from envwright.verify.adequacy.mutation.mutants import Mutant
from envwright.verify.adequacy.mutation.rust.mutants import rust_mutants

MODULE = "_native"
SOURCES = "rust"  # the folder of a package with its workspace
PROFILE = {
    "inherits": '"dev"',
    "opt-level": "1",
    "debug": "false",
    "debug-assertions": "false",
    "overflow-checks": "false",
    "incremental": "true",
}


class DoesNotCompile(Exception):
    """The mutant does not compile; the message is cargo's."""


class Workspace:
    """The Rust sources below a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        if not (root / "Cargo.toml").is_file():
            raise EnvwrightError(
                f"there are no Rust sources in {root}, so that no bug can be seeded in them; run "
                "from a checkout of envwright, or write the package again with envwright export"
            )
        self._members = {
            _manifest(root / member)["package"]["name"]: root / member
            for member in _manifest(root)["workspace"]["members"]
        }

    def sources(self, crates: Sequence[str]) -> dict[str, Path]:
        """Return every source of these crates by the name that its mutants have."""
        found = {}
        for crate in crates:
            if crate not in self._members:
                known = ", ".join(self._members)
                raise EnvwrightError(f"there is no crate {crate!r} to mutate; there are {known}")
            folder = self._members[crate] / "src"
            for path in sorted(folder.rglob("*.rs")):
                name = path.relative_to(folder).as_posix()
                found[name if len(crates) == 1 else f"{crate}/{name}"] = path
        return found

    def mutants(self, crates: Sequence[str], exclude: Sequence[str]) -> list[tuple[str, Mutant]]:
        """Return all mutants of these crates, with the name of their file."""
        return [
            (name, mutant)
            for name, path in self.sources(crates).items()
            for mutant in rust_mutants(path.read_text(), name, exclude)
        ]

    @contextmanager
    def copied(self) -> Iterator[Workspace]:
        """Copy the workspace to a temporary folder."""
        with tempfile.TemporaryDirectory(prefix="envwright-mutants-") as folder:
            for name in ("Cargo.toml", "Cargo.lock"):
                shutil.copy(self.root / name, folder)
            for member in self._members.values():
                target = Path(folder) / member.relative_to(self.root)
                shutil.copytree(member, target, ignore=shutil.ignore_patterns("target"))
            if (self.root / "src").is_dir():  # data of rooms, which tests of crates read
                (Path(folder) / "src").symlink_to(self.root / "src")
            yield Workspace(Path(folder))

    @contextmanager
    def with_mutant(self, path: Path, mutant: Mutant) -> Iterator[None]:
        """Seed a bug in a source within the block."""
        original = path.read_text()
        path.write_text(mutant.apply(original))
        try:
            yield
        finally:
            path.write_text(original)

    def build(self, limit: float | None = None) -> bytes:
        """Build the extension module as it is now. Raises DoesNotCompile.

        A bug in a constant may keep the compiler busy for ever, so `limit` bounds the seconds.
        """
        try:
            code, said = self._run("build", [self._module_crate()], limit)
        except subprocess.TimeoutExpired:
            raise DoesNotCompile(f"the compiler did not come back within {limit:.0f} s") from None
        if code != 0:
            raise DoesNotCompile(_first_error(said))
        name = f"lib{MODULE}" + (".dylib" if sys.platform == "darwin" else ".so")
        return (self._target / "mutant" / name).read_bytes()

    def passes_tests(self, crates: Sequence[str], limit: float) -> bool:
        """Return whether the crates' own tests pass within `limit` seconds, compiling included."""
        try:
            return self._run("test", crates, limit)[0] == 0
        except subprocess.TimeoutExpired:
            return False

    def _run(self, verb: str, crates: Sequence[str], limit: float | None) -> tuple[int, str]:
        """Run cargo; return its exit code and its standard error."""
        with subprocess.Popen(
            self._cargo(verb, crates),
            cwd=self.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=_environment(),
            start_new_session=True,  # so that a compiler or test that hangs is ended with cargo
        ) as process:
            try:
                _, errors = process.communicate(timeout=limit)
            finally:  # also after Ctrl-C
                _end_group(process)
        return process.returncode, errors

    @property
    def _target(self) -> Path:
        return self.root / "target"

    def _cargo(self, verb: str, crates: Sequence[str]) -> list[str]:
        settings = [f"profile.mutant.{name}={value}" for name, value in PROFILE.items()]
        return [
            *("cargo", verb, "--quiet", "--locked", "--profile", "mutant"),
            *("--target-dir", str(self._target)),
            *(part for crate in crates for part in ("--package", crate)),
            *(part for setting in settings for part in ("--config", setting)),
        ]

    def _module_crate(self) -> str:
        for name, folder in self._members.items():
            if _manifest(folder).get("lib", {}).get("name") == MODULE:
                return name
        raise EnvwrightError(f"no crate of {self.root} builds {MODULE}")


def workspace_of(room: Room) -> Workspace:
    """Return the sources of a room: those of this repository, or in the folder of its package."""
    if shutil.which("cargo") is None:
        raise EnvwrightError("seeding bugs in Rust needs cargo; install Rust 1.89 or newer")
    if _is_ours(room):
        return Workspace(CHECKOUT)
    folder = folder_of(room)
    package = package_in(folder) if folder else None
    if package is None:
        raise EnvwrightError(
            f"{room.id} is installed without its Rust sources; name the folder that it was "
            "installed from"
        )
    return Workspace(package / SOURCES)


def library_of(room: Room) -> str:
    """Return the name of the extension module with a room's games."""
    return f"{NAME if _is_ours(room) else room.package}.{MODULE}"


def _is_ours(room: Room) -> bool:
    return room.namespace == Room.namespace


def _end_group(process: subprocess.Popen[str]) -> None:
    """End a process that leads its session, with all its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYO3_PYTHON": sys.executable,
        "PYO3_BUILD_EXTENSION_MODULE": "1",
        "RUSTFLAGS": "--cap-lints allow",  # lints do not reject a bug
    }


def _manifest(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "Cargo.toml").read_text())


def _first_error(said: str) -> str:
    lines = [line for line in said.splitlines() if line.startswith("error")]
    return (lines or said.strip().splitlines() or ["no message"])[0]
