"""Compare the emulator in Rust with PyBoy: by instruction, by scenario, and frame by frame.

An emulator's state is too large and too entangled to be fuzzed field by field, so it is not
compared by the levels of a pair: programs are run on both, and everything is compared.
"""
