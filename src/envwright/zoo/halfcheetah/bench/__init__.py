"""HalfCheetah beside MuJoCo, MJX, and Brax."""
