"""Game Boy games as environments: an emulator in Rust that does what PyBoy does, frame by frame."""
