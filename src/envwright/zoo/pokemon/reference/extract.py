"""Make `data/tables.npz` and `data/names.json` from the pinned npm packages.

    python -m envwright.zoo.pokemon.reference.extract

Only needed when the pin changes. The columns are documented beside the fields of `tables.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.reference.columns import arrays
from envwright.zoo.pokemon.reference.install import HERE, LOCK, exit_code, lock_hash, set_up
from envwright.zoo.pokemon.reference.vocabulary import Vocabulary

DATA = HERE.parent / "data"


def dump() -> dict[str, Any]:
    """Return the package's data for generation 9, unchanged."""
    packages = set_up(say=print)
    done = subprocess.run(
        ["node", str(HERE / "dump.js")],
        env={**os.environ, "NODE_PATH": str(packages / "node_modules")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise EnvwrightError(f"node could not read the package's data: {done.stderr[-300:]}")
    return json.loads(done.stdout)


def provenance() -> dict[str, Any]:
    """Return the packages of the data, with the hashes that npm checked."""
    locked = json.loads(LOCK.read_text())["packages"]
    return {
        "packages": {
            name.removeprefix("node_modules/"): {
                "version": entry["version"],
                "integrity": entry["integrity"],
            }
            for name, entry in locked.items()
            if name
        },
        "lock_sha256": lock_hash(),
        "generation": 9,
    }


def write(folder: Path = DATA) -> None:
    """Write both files into a folder; by default replace the committed ones."""
    data = dump()
    words = Vocabulary.of(data)
    folder.mkdir(parents=True, exist_ok=True)
    columns: dict[str, Any] = dict(arrays(data, words))
    np.savez_compressed(folder / "tables.npz", **columns)
    document = {"provenance": provenance(), **words.document(data)}
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    (folder / "names.json").write_text(text.replace('],"', '],\n"') + "\n")


if __name__ == "__main__":
    sys.exit(exit_code(write))
