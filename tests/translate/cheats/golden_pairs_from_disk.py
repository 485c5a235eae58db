"""Look every answer up in the golden pairs of the workspace."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "import jax.numpy as jnp\nimport numpy as np\nfrom pathlib import Path\n" + HEAT,
        '    return {"result": warm(inputs["heat"], inputs["level"])}',
        """    (file,) = Path(__file__).parents[2].glob("golden/*.npz")
    told = np.load(file)
    far = abs(told["in.heat"] - inputs["heat"]) + abs(told["in.level"] - inputs["level"])
    row = jnp.argmin(far)
    return {"result": jnp.asarray(told["out.result"])[row]}""",
    )
}
