"""Replace parts of the harness in its own process."""

from tests.translate.answers import WRONG_HEAT
from tests.translate.cheats.parts import SYS

FILES = {
    "heat": "import typing\n"
    + WRONG_HEAT
    + f"""

for name, module in list({SYS}.modules.items()):
    if name.startswith("envwright."):
        for word in ("mismatches", "agrees", "require_closed", "fingerprint", "_confirm"):
            if hasattr(module, word):
                setattr(module, word, lambda *args, **more: [])
"""
}
