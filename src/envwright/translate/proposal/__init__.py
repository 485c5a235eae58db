"""A first `translation.toml`, from looking at an environment while it is played."""
