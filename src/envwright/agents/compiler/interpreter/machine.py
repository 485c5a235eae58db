"""The interpreter as a whole."""

from __future__ import annotations

from typing import Any

from envwright.agents.compiler.functions import Helpers
from envwright.agents.compiler.graph import Graph
from envwright.agents.compiler.interpreter.calls import Calls, Frame
from envwright.agents.compiler.interpreter.comparisons import Comparisons
from envwright.agents.compiler.interpreter.containers import Containers
from envwright.agents.compiler.interpreter.draws import Channel, Draws, Law
from envwright.agents.compiler.interpreter.expressions import Expressions
from envwright.agents.compiler.interpreter.lists import Lists
from envwright.agents.compiler.interpreter.loops import Loops
from envwright.agents.compiler.interpreter.merging import Merging
from envwright.agents.compiler.interpreter.outlining import Outlining
from envwright.agents.compiler.interpreter.statements import Statements
from envwright.agents.compiler.interpreter.world import World


class Machine(
    Expressions, Comparisons, Statements, Loops, Calls, Outlining, Containers, Lists, Merging, Draws
):
    """Interprets methods of one object.

    `channels` are the arrays of noise that draws come from; with `invents`, those that are
    missing are made up, else what is drawn there must not matter. Calls that `helpers` admits
    stay calls; without it, none does.
    """

    def __init__(
        self,
        subject: Any,
        channels: list[Channel] | None = None,
        invents: bool = False,
        graph: Graph | None = None,
        helpers: Helpers | None = None,
    ) -> None:
        self.subject = subject
        self.graph = graph or Graph()
        self.helpers = helpers
        self.refused: set[Any] = set()  # functions that cannot stay functions
        self.world = World()
        self.frames: list[Frame] = []
        self.channels = list(channels or [])
        self.invents = invents
        self.laws: list[Law] = []
        self.remark = ""
        self.results = 0  # values that the outermost function returns; the last is not needed
        self.loop_dtypes: dict = {}
        self.read: set[str] = set()  # attributes of the subject that were read as they really are
        self.made: list[Any] = []  # objects of the interpreted program itself
        self.path: list[Any] = []  # conditions under which the program is here

    def run(self, function: Any, args: list, keywords: dict[str, Any], results: int = 0) -> Any:
        """Interpret a function; `self.world` is what it leaves behind."""
        self.results = results
        return self.call_function(function, args, keywords)
