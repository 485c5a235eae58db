"""HalfCheetah: two legs in a plane that learn to run."""
