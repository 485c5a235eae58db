"""Pokemon battles against Showdown: duels, mirrors and whole games, after every decision."""
