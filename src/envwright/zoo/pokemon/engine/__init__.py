"""The rules of battle, one module per part; lanes last, the same code for NumPy and JAX."""
