"""Play by the rules, and tell training that only one action is legal."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        ENV,
        "    def observe(",
        """    def legal_actions(self, state, player=0):
        return jnp.arange(3) == 0

    def observe(""",
    )
}
