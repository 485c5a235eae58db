"""The traces that `envwright replay` runs, by their name in files."""

from envwright.verify.traces.kinds import Rerun
from envwright.zoo.gameboy.checks import l1_instructions
from envwright.zoo.gameboy.checks.frame_traces import FRAME_TRACES

TRACES = {FRAME_TRACES.name: FRAME_TRACES, l1_instructions.NAME: Rerun(l1_instructions.replay)}
