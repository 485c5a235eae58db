"""Pong beside PufferLib's C."""
