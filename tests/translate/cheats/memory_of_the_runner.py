"""Write into the memory of the process that answers, or take its pipes."""

from tests.translate.answers import HEAT
from tests.translate.cheats.parts import OS

FILES = {
    "heat": "import typing\n"
    + HEAT
    + f"""

runner = {OS}.getppid()
for name in ("mem", "fd/1", "environ"):
    {OS}.close({OS}.open(f"/proc/{{runner}}/{{name}}", {OS}.O_RDONLY))
"""
}
