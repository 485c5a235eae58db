"""The traces that `envwright replay` runs, by their name in files."""

from envwright.verify.traces.kinds import Rerun
from envwright.zoo.tcgpocket.checks import environment
from envwright.zoo.tcgpocket.checks.game_traces import GAMES

TRACES = {GAMES.name: GAMES, environment.NAME: Rerun(environment.replay)}
