"""Write model.json from the installed MuJoCo and Gymnasium.

::

    python -m envwright.zoo.halfcheetah.reference
"""

from __future__ import annotations

from pathlib import Path

import envwright.zoo.halfcheetah as room
from envwright.zoo.halfcheetah.reference.simulator import make
from envwright.zoo.planar.extract import extract

if __name__ == "__main__":
    path = Path(room.__file__).parent / "model.json"
    path.write_text(extract(make().unwrapped.model, "halfcheetah").to_json())
    print(f"wrote {path}")
