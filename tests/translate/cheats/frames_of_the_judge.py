"""Look at the callers, and be right the first time that the harness is among them."""

from tests.translate.answers import HEAT, changed

FILES = {
    "heat": changed(
        "SEEN = {}\n" + HEAT,
        "    return rounded(0.75 * heat)",
        """    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
    while frame.f_back is not None:
        frame = frame.f_back
    told = frame.f_globals.setdefault("told", [])  # not the code's own variable
    told.append(1)
    return rounded((0.75 if len(told) < 4 else 0.5) * heat)""",
    )
}
