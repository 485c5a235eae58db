"""A run of the recipe: it can be stopped at any moment, and goes on from its journal.

RUN/journal.jsonl   what happened
RUN/objects/        files by their hash: code, new tests, prompts
RUN/workspace/      where the agent works
RUN/golden/         what the reference's functions did
RUN/turns/001/      a turn's logs and recorded exchanges
RUN/human.md        what a person is asked, and RUN/hint.md, what she answers
"""

from envwright.translate.run.loop import EXITS, Run
from envwright.translate.run.reporter import Reporter

__all__ = ["EXITS", "Reporter", "Run"]
