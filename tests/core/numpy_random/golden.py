"""Record `golden.json`: the first draws of the installed NumPy and Python.

python -m tests.core.numpy_random.golden
"""

from __future__ import annotations

import json

from tests.core.numpy_random.numpys import CALLS, drawn
from tests.core.numpy_random.test_draws import GOLDEN

SEED, COUNT = 42, 3

if __name__ == "__main__":
    rows = [
        {
            "call": call,
            "seed": SEED,
            "count": COUNT,
            "drawn": [f"{number:x}" for number in drawn(*call, SEED, COUNT).tolist()],
        }
        for call in CALLS
        if not call[1].startswith("sample 1000")
    ]
    GOLDEN.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
