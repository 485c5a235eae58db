"""The statistics of level 4: does a trained policy notice which environment it is in?"""
