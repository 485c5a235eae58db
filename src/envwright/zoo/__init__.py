"""The zoo: a folder with a `room.py` is an environment. Importing this registers them all."""

import importlib
from pathlib import Path

from envwright.core.registry import register

ROOMS = [
    register(importlib.import_module(f"{__name__}.{file.parent.name}.room").ROOM)
    for file in sorted(Path(__file__).parent.glob("*/room.py"))
]
