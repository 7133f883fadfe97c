"""A single Chromium process for all tests that look at a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.lacking import require

if TYPE_CHECKING:
    from tests.explorer.chromium import Browser


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use Chromium."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    require("browser")
    from tests.explorer.chromium import chromium  # selenium is for those who need it

    with chromium(tmp_path_factory.mktemp("chromium")) as window:
        yield window
