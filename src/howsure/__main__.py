"""`howsure`, and `python -m howsure`: the command line, or how to install it."""

from __future__ import annotations

import sys
from typing import NoReturn

from howsure import __version__
from howsure.first_use import require

LIBRARIES = ("click", "duckdb", "jinja2", "matplotlib", "nanoarrow", "pooch")


def main() -> NoReturn:
    """Run the command line; without its extra, say in one line what to install, and exit with code 2."""
    if sys.argv[1:] == ["--version"]:  # without the imports of the command line
        sys.stdout.write(f"howsure, version {__version__}\n")
        sys.exit()
    try:
        require("The command line", "all", *LIBRARIES)
    except ImportError as error:
        sys.stderr.write(f"howsure: {error}\n")
        sys.exit(2)
    from howsure.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
