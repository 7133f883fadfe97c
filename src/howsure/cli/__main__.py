"""`python -m howsure.cli`."""

from howsure.cli import main

main()
