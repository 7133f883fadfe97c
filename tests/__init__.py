"""Tests. Those of one package are in packages/*/tests, those that span packages are here; all modules are named
`tests.…`."""

from pathlib import Path

__path__ += sorted(map(str, (Path(__file__).parents[1] / "packages").glob("*/tests")))
