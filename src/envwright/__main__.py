"""`python -m envwright`, where the command is not on the path."""

from envwright.cli import main

main()
