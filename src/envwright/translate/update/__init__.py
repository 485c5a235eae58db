"""`envwright update`: what changed in a new version of a reference, and the translation of that.

versions.py   two versions, each in a process and an environment of its own
record.py     such a process: what a version does from fixed seeds and states
compare.py    two such records, module by module and as a whole
hint.py       what an agent is told about it
stage.py      the next translation, in a folder of its own until its run is verified
"""
