"""The statistics of level 4: whether a trained policy notices which environment it is in."""
