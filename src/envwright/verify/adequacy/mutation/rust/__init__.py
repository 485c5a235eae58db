"""Seeded bugs in Rust: found in the text, compiled one by one."""
