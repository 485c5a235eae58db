"""Puffer Pong, after PufferLib 3.0.0's C environment."""
