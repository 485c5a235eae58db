"""A run of the recipe. You can stop it at any moment; it resumes from its journal.

RUN/journal.jsonl   events
RUN/objects/        files by their hash: code, new tests, prompts
RUN/workspace/      where the agent works
RUN/golden/         recorded calls of the reference's functions
RUN/turns/001/      a turn's logs and recorded exchanges
RUN/human.md        a question to a person, and RUN/hint.md, the answer
"""

from envwright.translate.run.context import Base
from envwright.translate.run.loop import EXITS, Run
from envwright.translate.run.reporter import Reporter

__all__ = ["EXITS", "Base", "Reporter", "Run"]
