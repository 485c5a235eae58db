"""Import the reference as anybody would, and take its numbers while tracing."""

from tests.translate.answers import HEAT
from tests.translate.cheats.parts import PATH

FILES = {"heat": f"import sys\n\nsys.path.append({PATH!r})\nfrom lamp import LampEnv\n" + HEAT}
