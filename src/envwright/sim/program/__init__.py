"""Serve an environment as compiled programs, without its author's Python.

    python -m envwright.sim.program python:fast_car.env:Car?dtype=float64 SOURCE PACKAGE

Three processes share the work. Two *tracers* import the code from the folder SOURCE and turn its
functions into StableHLO modules. The *runner* never imports the code: it checks each module
(`check.py`), lets the second tracer confirm it (`runner.py`), compiles it, and answers the
questions of `envwright.sim.command` by running it. A program has no clock, no files, no memory of
earlier calls and no way back into Python, so nothing of the kind can decide its answers.

Without a name before SOURCE (an empty argument), it serves functions by name (`call`). Words after
PACKAGE say what is allowed: `own-batches` (`step_batch` and `reset_batch` may be the code's own)
and `restarts` (the environment begins anew by itself, and must).
"""

OWN_BATCHES, RESTARTS = "own-batches", "restarts"
