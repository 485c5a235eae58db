"""Claim that episodes begin anew by themselves, so that training never ends one."""

from tests.translate.answers import ENV, changed

FILES = {"env": changed(ENV, "    version = 1\n", "    version = 1\n    restarts = True\n")}
