"""Typed records of stored files: one definition for the writer and the reader."""
