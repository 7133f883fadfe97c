"""`python -m howsure`: the command line of howsure-cli, or how to install it."""

from __future__ import annotations

import importlib
import sys
from typing import NoReturn

from howsure.lazy_imports import require


def main() -> NoReturn:
    """Run the command line; without it, say in one line what to install, and exit with code 2."""
    try:
        require("The command line", "all", "howsure_cli")
    except ImportError as error:
        sys.stderr.write(f"howsure: {error}\n")
        sys.exit(2)
    importlib.import_module("howsure_cli.__main__").main()
    raise AssertionError("the command line ends the process")


if __name__ == "__main__":
    main()
