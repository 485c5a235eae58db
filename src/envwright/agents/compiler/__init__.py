"""The compiler: a Gymnasium class becomes readable JAX, with no model and no key.

Online partial evaluation. The reference's own methods are interpreted on a state that is not
known yet: what is known is computed, what is not becomes a node of a graph (`graph`), and the
graph is printed as a program (`emit`). Whatever cannot be translated is told with its place.
"""

from envwright.agents.compiler.agent import CompilerAgent
from envwright.agents.compiler.trouble import Unsupported

__all__ = ["CompilerAgent", "Unsupported"]
