"""The compiler translates a Gymnasium class to readable JAX, without a model or key.

It is an online partial evaluator. It interprets the reference's own methods on an unknown state: it
computes what is known and turns the rest into nodes of a graph (`graph`), then prints the graph as
a program (`emit`). It reports unsupported constructs with file and line.
"""

from envwright.agents.compiler.agent import CompilerAgent
from envwright.agents.compiler.trouble import Unsupported

__all__ = ["CompilerAgent", "Unsupported"]
