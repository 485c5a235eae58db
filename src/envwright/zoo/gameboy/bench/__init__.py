"""The Game Boy beside PyBoy."""
