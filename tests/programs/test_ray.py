"""Ray, which maps over batches: the page about engines, with its block for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_documents import ROOT, run_page

pytestmark = pytest.mark.programs


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    run_page((ROOT / "docs" / "engines.md").read_text(encoding="utf-8"), tmp_path, heavy={"ray"})
