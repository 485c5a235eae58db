"""`envwright update`: what changed in a new version of a reference, and the translation of that.

record.py    in an environment with one version: what it does from fixed seeds and states
compare.py   two such records, module by module
stage.py     the new specification, in a folder of its own until its run is verified
"""
