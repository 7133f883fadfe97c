"""`howsure`: the command line."""

from __future__ import annotations

import sys
from typing import NoReturn

from howsure import __version__


def main() -> NoReturn:
    """Run the command line; `--version` without the imports that it needs."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"howsure, version {__version__}\n")
        sys.exit()
    from howsure_cli.command_line import main as command_line

    command_line()


if __name__ == "__main__":
    main()
