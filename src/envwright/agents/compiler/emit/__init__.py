"""Print the graph as a program that a person would be willing to maintain."""
