"""What the page of one run of the recipe is made of."""
