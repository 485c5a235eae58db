"""The process that imports code: what it refuses, and what is honest."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.translate.answers import ENV, HEAT, changed

# A process of its own, since the tracer changes JAX there to see who looks at it.
TRACE = """
import sys
from envwright.sim.program.tracer import Tracer
sys.path.append(sys.argv[1])
tracer = Tracer("python:fast_lamp.env:Lamp?dtype=float64", "fast_lamp", False, False)
tracer._watch.watch()
table = [[3], "float64", False], [[3], "int64", False]
try:
    inputs = [{"heat": 0, "level": 1}]
    tracer.on_program("call:fast_lamp.heat:golden_warm", inputs, table)
    tracer.on_program("reset", [0], [[[2], "uint32", False]])
    print("traced", tracer.on_elsewhere(7)[0]["text"])
except Exception as error:
    print(error)
"""


def traced(folder, **files):
    """What a tracer says of code."""
    (folder / "fast_lamp").mkdir()
    for name, text in {"heat": HEAT, "env": ENV, **files}.items():
        (folder / "fast_lamp" / f"{name}.py").write_text(text)
    command = [sys.executable, "-c", TRACE, str(folder)]
    env = {**os.environ, "JAX_PLATFORMS": "cpu"}
    return subprocess.run(command, env=env, capture_output=True, text=True).stdout.strip()


HONEST = {
    "tables in caches, trees of its own": {
        "heat": changed(
            "import functools\nimport numpy as np\n\n\n@functools.cache\ndef share():\n"
            "    return np.float64(0.75)\n\n\n" + HEAT,
            "rounded(0.75 * heat)",
            "rounded(share() * heat if not hasattr(heat, 'items') else 0.0)",
        ),
        "env": changed(
            changed(ENV, "@pytree_dataclass\nclass State:", "class State(NamedTuple):"),
            "import jax\n",
            "from typing import NamedTuple\n\nimport jax\n",
        ),
    },
}
DISHONEST = {
    "has changed envwright.core.env.Env.step": {
        "env": ENV + "\n\nEnv.step = lambda self, key, state, action, params=None: None\n"
    },
    "makes another environment the second time": {
        "env": changed(
            ENV,
            "        self.dtype = np.dtype(dtype)",
            "        self.dtype, self.many = np.dtype(dtype), len(MADE)\n        MADE.append(1)",
        )
        + "\n\nMADE = []\n"
    },
    "makes a text of a traced value": {"heat": changed(HEAT, "return {", "f'{inputs}'; return {")},
    "asks a traced value for what only arrays have": {
        "heat": changed(HEAT, "return {", "hasattr(inputs['heat'], 'sharding'); return {")
    },
    "tries __bool__ of a traced value": {
        "heat": changed(
            HEAT,
            "    return {",
            "    try: bool(inputs['heat'])\n    except TypeError: pass\n    return {",
        )
    },
    "a step that is not compiled does something else": {
        "env": changed(
            ENV, "melted = heat > 6.0", "melted = heat > (0.2 if type(heat) is PLAIN else 6.0)"
        )
        + "\n\nPLAIN = type(jnp.zeros(3))\n"
    },
    "steps differ with dtype='float32'": {
        "env": changed(
            ENV, "melted = heat > 6.0", "melted = heat > (3.0 if heat.dtype == 'f4' else 6.0)"
        )
    },
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_code_is_traced(tmp_path, name):
    assert traced(tmp_path, **HONEST[name]) == "traced"


@pytest.mark.slow
@pytest.mark.parametrize("said", DISHONEST)
def test_dishonest_code_is_refused(tmp_path, said):
    assert said in traced(tmp_path, **DISHONEST[said])
