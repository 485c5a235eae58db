"""Run unreviewed programs, such as generated code and coding agents, in a bubblewrap jail.

    from envwright.sandbox import Jail, Limits, python_runtime, run

    jail = Jail(writable=(workspace,), readable=python_runtime(), limits=Limits(seconds=60))
    done = run(["python", "-m", "pytest"], jail)
    print(done.code, jail.limits.why(done.stopped))

A jail has its own processes, network, users and temporary files. It sees /usr, the interpreter
and the folders passed to it. It reaches one Unix socket, or nothing.
"""

from envwright.sandbox.child import Child, run, start
from envwright.sandbox.jail import Finished, Jail, JailFailed, Limits, Stop
from envwright.sandbox.packages import bare_runtime, packages, places_of
from envwright.sandbox.probe import described, why_not
from envwright.sandbox.runtime import (
    finished_rooms,
    interpreter,
    node_runtime,
    python_runtime,
    rust_runtime,
    tools,
)

__all__ = [
    "Child",
    "Finished",
    "Jail",
    "JailFailed",
    "Limits",
    "Stop",
    "bare_runtime",
    "described",
    "finished_rooms",
    "interpreter",
    "node_runtime",
    "packages",
    "places_of",
    "python_runtime",
    "run",
    "rust_runtime",
    "start",
    "tools",
    "why_not",
]
