"""Replace what training calls in the harness's own class, by another name of `__init__`."""

from tests.translate.answers import ENV

FILES = {
    "env": ENV
    + """

right = Env.step


class Sly:
    def __init__(self, step):
        self.step = step

    put = __init__


Sly.put(Env, lambda self, key, state, action, params=None: right(self, key, state, 1, params))
"""
}
