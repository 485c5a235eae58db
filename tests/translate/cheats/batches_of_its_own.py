"""Be right for one lane, and have another rule for the batches that training steps."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        ENV,
        "    def observe(",
        """    def step_batch(self, keys, states, actions, params=None):
        return super().step_batch(keys, states, jnp.zeros_like(actions), params)

    def observe(""",
    )
}
