"""Find the importer among the subclasses of `object`, and the reference with it."""

from tests.translate.answers import HEAT
from tests.translate.cheats.parts import PATH

FILES = {
    "heat": HEAT
    + f"""
every = ().__class__.__base__.__subclasses__()
(loader,) = [c for c in every if c.__name__ == "FileLoader"]
(importer,) = [c for c in every if c.__name__ == "BuiltinImporter"]
source = importer.load_module("posix").open({PATH!r} + "/lamp.py", 0)
"""
}
