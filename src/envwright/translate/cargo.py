"""Build a crate of generated code in a jail and parse the compiler's messages."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.errors import EnvwrightError
from envwright.sandbox import Finished, Jail, JailFailed, Limits, run, rust_runtime, tree

BUILD_LIMITS = Limits(seconds=300, memory_mb=4096, processes=128)


@dataclass(frozen=True)
class CompilerError:
    """An error of the Rust compiler."""

    file: str
    line: int
    message: str  # one line
    source: str  # the line of code
    told: str  # all that it says

    def __str__(self) -> str:
        where = f" ({self.file}:{self.line})" if self.file else ""
        return f"{self.message}{where}"


def require_cargo() -> None:
    """Raise if cargo is missing, before anything is asked."""
    rust_runtime()
    if shutil.which("cargo") is None:
        raise JailFailed("cargo is missing; install Rust, for instance from https://rustup.rs")


def cargo(
    arguments: list[str],
    crate: Path,
    target: Path,
    limits: Limits,
    safe: bool,
    readable: tuple[Path, ...] = (),
    env: Mapping[str, str] | None = None,
) -> Finished:
    """Run a cargo command on a crate that it can only read. It writes to `target`."""
    tree.reused(target)
    jail = Jail(
        writable=(target,),
        readable=(*rust_runtime(), crate, *readable),
        env={
            "CARGO_TARGET_DIR": str(target),
            "CARGO_INCREMENTAL": "0",
            "CARGO_TERM_COLOR": "never",
            "CARGO_TERM_QUIET": "true",
            **(env or {}),
        },
        limits=limits,
        confined=safe,
    )
    command = ["cargo", arguments[0], "--offline", "--locked", *arguments[1:]]
    return run(command, jail, cwd=crate)


def build(crate: Path, target: Path, safe: bool) -> tuple[Path | None, list[CompilerError]]:
    """Return the program that serves the crate, or the errors that prevent it."""
    asked = ["build", "--release", "--message-format=json"]
    done = cargo(asked, crate, target, BUILD_LIMITS, safe)
    if done.code == 0:
        return target / "release" / "twin", []
    errors = list(_errors(done.stdout))
    if not errors:
        raise _failed(done, BUILD_LIMITS)
    return None, errors


def built(
    arguments: list[str],
    crate: Path,
    target: Path,
    limits: Limits,
    safe: bool,
    readable: tuple[Path, ...],
    env: Mapping[str, str],
) -> None:
    """Run a cargo command on a crate that is known to compile. Raises if it fails."""
    done = cargo(arguments, crate, target, limits, safe, readable, env)
    if done.code != 0:
        raise _failed(done, limits)


def _failed(done: Finished, limits: Limits) -> EnvwrightError:
    told = done.stderr.strip().splitlines() or [f"it ended with {done.code}"]
    first = next((line for line in told if line.startswith("error")), told[-1])
    return EnvwrightError(f"cargo build failed: {limits.why(done.stopped) or first}")


def _errors(output: str) -> Iterator[CompilerError]:
    for line in output.splitlines():
        told = json.loads(line) if line.startswith("{") else {}
        message = told.get("message") if told.get("reason") == "compiler-message" else None
        if message and message["level"].startswith("error") and message["spans"]:
            yield _error(message)


def _error(message: dict[str, Any]) -> CompilerError:
    span = next((s for s in message["spans"] if s["is_primary"]), message["spans"][0])
    code = f"[{message['code']['code']}]" if message["code"] else ""
    label = f": {span['label']}" if span["label"] else ""
    text = " ".join(f"error{code}: {message['message']}{label}".split())
    source = span["text"][0]["text"] if span["text"] else ""
    return CompilerError(
        span["file_name"], span["line_start"], text, source, message["rendered"].strip()
    )
