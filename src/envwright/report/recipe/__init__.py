"""The parts of the page of one run of the recipe."""
