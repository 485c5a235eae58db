"""Typed records of the files that envwright writes and reads."""
