"""Put another step between the right environment and a wrapper that passes it on."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        ENV.replace("class Lamp(", "class Inside("),
        "\n\n@pytree_dataclass\nclass Params:",
        """
from envwright.core.wrappers import AutoReset, Wrapper


@pytree_dataclass
class Params:""",
    )
    + """

class Between(Wrapper):
    def step(self, key, state, action, params=None):
        return super().step(key, state, 1, params)


def Lamp(dtype="float32"):
    return AutoReset(Between(Inside(dtype)))
"""
}
