"""Be right only in the first environment that a process makes."""

from tests.translate.answers import ENV, changed

FILES = {
    "env": changed(
        changed(ENV, "class Lamp(", "MADE = []\n\n\nclass Lamp("),
        "self.dtype = np.dtype(dtype)",
        "self.dtype = np.dtype(dtype)\n        MADE.append(self)\n"
        "        self.limit = 6.0 if len(MADE) == 1 else 3.0",
    ).replace("heat > 6.0", "heat > self.limit")
}
