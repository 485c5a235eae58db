"""Bring a compiled copy of the reference along as a simulator of its own."""

from tests.translate.cheats.parts import REFERENCE_IN_NUMPY

FILES = {
    "vendored": REFERENCE_IN_NUMPY,
    "env": "from fast_lamp.vendored import LampEnv as Lamp\n",
}
