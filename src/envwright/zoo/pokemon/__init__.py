"""Pokemon battles of generation 9, seed for seed those of Pokemon Showdown."""
