"""The zoo: a folder with a `room.py` is an environment. Importing this registers them all."""

import importlib
from pathlib import Path

from envwright.core.registry import register

for _file in sorted(Path(__file__).parent.glob("*/room.py")):
    register(importlib.import_module(f"{__name__}.{_file.parent.name}.room").ROOM)
