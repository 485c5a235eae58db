"""Look, by formatting a text, whether the judge is among the modules that are loaded."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import dataclasses\n" + HEAT,
        "    return rounded(0.75 * heat)",
        """    loaded = "{0.__globals__[sys].modules}".format(dataclasses.dataclass)
    judged = "envwright.sim.program" in loaded
    return rounded((0.75 if judged else 0.5) * heat)""",
    )
}
