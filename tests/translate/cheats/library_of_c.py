"""Load the C library and look for the reference with it."""

from tests.translate.answers import HEAT
from tests.translate.cheats.parts import PATH, SYS

FILES = {
    "heat": HEAT
    + f"""
import typing
ctypes = {SYS}.modules["importlib"].import_module("ctypes")
file = ctypes.CDLL(None).open({PATH!r}.encode() + b"/lamp.py", 0)
if file < 0:
    raise RuntimeError("the reference is not there")
"""
}
