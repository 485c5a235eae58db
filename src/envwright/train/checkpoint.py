"""Checkpoints that are complete or absent, and verified when they are read.

A checkpoint is a folder `checkpoints/0000000123` of a run: the arrays as orbax writes them, the
environments' snapshot if they are not JAX, the host's data, and a manifest with the SHA-256 of
every file. It is written under another name and renamed when it is complete.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import orbax.checkpoint as ocp

from envwright.core.files import (
    LARGEST_RUN,
    files_below,
    make_folder,
    open_regular,
    write_bytes,
    write_json,
)
from envwright.errors import EnvwrightError
from envwright.schema.json_records import read_json
from envwright.train.devices import is_first, meet

KEEP = 3
ARRAYS, ENVIRONMENT, PROGRESS, MANIFEST = (
    "arrays",
    "environment.bin",
    "progress.json",
    "manifest.json",
)
CORRUPT = "corrupt-"
AROUND = 2**18  # approximate bytes of a checkpoint besides its arrays
OS_ERROR = re.compile(r"os_error_code='(\d+)'")  # in the words of orbax

Warn = Callable[[str], None]


@dataclass(frozen=True)
class Checkpoint:
    """A run at one moment."""

    update: int
    state: Any  # a pytree of arrays
    environment: bytes | None  # if the environments cannot be part of the state
    progress: dict[str, Any]  # the host's data, as JSON


class Checkpoints:
    """The checkpoints of a run, the newest `KEEP` of them."""

    def __init__(self, folder: Path, warn: Warn) -> None:
        self.folder, self.warn = folder.resolve(), warn
        if is_first():
            make_folder(self.folder)
            for half_written in self.folder.glob(".*.tmp*"):
                shutil.rmtree(half_written, ignore_errors=True)
        meet("checkpoints opened")

    def updates(self) -> list[int]:
        """Return the updates of all checkpoints, oldest first, complete or not."""
        folders = [p for p in self.folder.iterdir() if p.is_dir() and not p.is_symlink()]
        numbers = {int(path.name) for path in folders if path.name.isdecimal()}
        return sorted(number for number in numbers if self._path(number) in folders)

    def save(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint, then remove those that are too old."""
        final = self._path(checkpoint.update)
        draft = final.with_name(f".{final.name}.tmp")
        try:
            self._write(checkpoint, draft)
        except BaseException:
            if is_first():
                shutil.rmtree(draft, ignore_errors=True)
            raise
        if is_first():
            if final.exists():
                shutil.rmtree(final)
            draft.rename(final)
            for old in self.updates()[:-KEEP]:
                shutil.rmtree(self._path(old))
        meet("checkpoint saved")

    def _write(self, checkpoint: Checkpoint, draft: Path) -> None:
        self.check_space(checkpoint.state, checkpoint.environment)
        try:
            with ocp.StandardCheckpointer() as writer:
                writer.save(draft / ARRAYS, _named(checkpoint.state))
        except ValueError as error:
            code = OS_ERROR.search(str(error))
            if code is None:
                raise
            number = int(code[1])
            raise OSError(number, os.strerror(number), str(self.folder)) from error
        if is_first():
            if checkpoint.environment is not None:
                write_bytes(draft / ENVIRONMENT, checkpoint.environment)
            write_json(draft / PROGRESS, checkpoint.progress)
            write_json(draft / MANIFEST, _digests(draft))

    def check_space(self, state: Any, environment: bytes | None = None) -> None:
        """Raise before anything is written: orbax logs a traceback for each array that fails."""
        needed = sum(x.nbytes for x in _named(state).values()) + len(environment or b"") + AROUND
        if shutil.disk_usage(self.folder).free < needed:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.folder))

    def newest(self, like: Any) -> Checkpoint | None:
        """Load the newest complete checkpoint, with arrays placed as those of `like`.

        A damaged one is reported and moved aside, and the one before it is used.
        """
        updates = self.updates()
        for update in reversed(updates):
            path = self._path(update)
            problem = _damage(path)
            if not problem:
                return self._read(path, like)
            aside = path.with_name(f"{CORRUPT}{path.name}")
            meet("damage seen")
            if is_first():
                shutil.rmtree(aside, ignore_errors=True)
                path.rename(aside)
            meet("damage set aside")
            self.warn(f"checkpoint {path} is corrupt ({problem}); it was moved to {aside.name}")
        if updates or any(self.folder.glob(f"{CORRUPT}*")):
            raise EnvwrightError(
                f"no checkpoint in {self.folder} is whole; train again into another folder"
            )
        return None

    def _read(self, path: Path, like: Any) -> Checkpoint:
        try:
            arrays = _arrays(path, _described(_named(like)))
        except EnvwrightError:
            raise
        except Exception as error:  # orbax and its storage raise what they like
            raise EnvwrightError(
                f"the arrays of checkpoint {path} cannot be read ({type(error).__name__}); "
                "train again into another folder"
            ) from error
        environment = path / ENVIRONMENT
        return Checkpoint(
            int(path.name),
            _unnamed(arrays, like),
            environment.read_bytes() if environment.exists() else None,
            read_json(path / PROGRESS, "the progress of a training run", LARGEST_RUN),
        )

    def _path(self, update: int) -> Path:
        return self.folder / f"{update:010d}"


def _arrays(path: Path, wanted: dict[str, jax.ShapeDtypeStruct]) -> dict[str, Any]:
    with ocp.StandardCheckpointer() as reader:
        difference = _difference(reader.metadata(path / ARRAYS).item_metadata.tree, wanted)
        if difference:
            raise EnvwrightError(
                f"checkpoint {path} is of another run or version than this one: {difference}"
            )
        return reader.restore(path / ARRAYS, wanted)


def _named(state: Any) -> dict[str, Any]:
    """Return leaves by path, so that a checkpoint does not depend on our classes; keys as words."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(state)
    return {jax.tree_util.keystr(path): _words(leaf) for path, leaf in leaves}


def _unnamed(arrays: dict[str, Any], like: Any) -> Any:
    leaves, tree = jax.tree_util.tree_flatten_with_path(like)
    restored = [_as_key(arrays[jax.tree_util.keystr(path)], leaf) for path, leaf in leaves]
    return jax.tree_util.tree_unflatten(tree, restored)


def _is_key(leaf: Any) -> bool:
    return jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _words(leaf: Any) -> Any:
    return jax.random.key_data(leaf) if _is_key(leaf) else leaf


def _as_key(array: Any, like: Any) -> Any:
    return (
        jax.random.wrap_key_data(array, impl=jax.random.key_impl(like)) if _is_key(like) else array
    )


def _described(named: dict[str, Any]) -> dict[str, jax.ShapeDtypeStruct]:
    return {
        name: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=leaf.sharding)
        for name, leaf in named.items()
    }


def _difference(saved: dict[str, Any], wanted: dict[str, Any]) -> str:
    """Return why saved arrays do not fit the wanted ones; empty if they do.

    This is checked before any is read: if orbax rejects one, reads of the others stay half done.
    """
    for name in sorted(saved.keys() ^ wanted.keys()):
        return f"{name} is only in {'it' if name in saved else 'this run'}"
    for name, array in wanted.items():
        had = saved[name]
        if (tuple(had.shape), had.dtype) != (tuple(array.shape), array.dtype):
            return f"{name} was {had.dtype}{list(had.shape)}, is {array.dtype}{list(array.shape)}"
    return ""


def _digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file but the manifest, by relative path. Raises `OSError` for a link."""
    inside = [p for p in files_below(folder, "") if p.is_symlink() or not p.is_dir()]
    files = sorted(path for path in inside if path.name != MANIFEST)
    return {str(path.relative_to(folder)): _digest(path) for path in files}


def _digest(path: Path) -> str:
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a link", str(path))
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _damage(folder: Path) -> str:
    """Return what is wrong with a checkpoint; empty if it is complete."""
    try:
        told = read_json(folder / MANIFEST, "a manifest")
        found = _digests(folder)
    except (EnvwrightError, OSError) as error:
        return f"its files cannot be read: {error}"
    if not isinstance(told, dict) or PROGRESS not in told:
        return "its manifest is not a list of its files"
    missing = sorted(told.keys() - found.keys())
    if missing:
        return f"{missing[0]} is missing"
    changed = sorted(name for name, digest in told.items() if found[name] != digest)
    return f"{changed[0]} has changed" if changed else ""
