"""Note every input with a callback for debugging, to answer from the notes later."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import jax\n\nNOTES = []\n" + HEAT,
        "    return rounded",
        "    jax.debug.callback(NOTES.append, heat)\n    return rounded",
    )
}
