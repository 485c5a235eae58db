"""The recipe: an agent translates an environment, and the levels judge the result."""
