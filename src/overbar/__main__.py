"""`python -m overbar` is `overbar`."""

from overbar.cli import main

main()
