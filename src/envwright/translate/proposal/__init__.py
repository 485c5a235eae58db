"""Propose a first `translation.toml` by observing an environment while it plays."""
