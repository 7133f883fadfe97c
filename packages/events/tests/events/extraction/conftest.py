"""A newswire, a model, and the store of one run: the same for killed, stopped and shared extractions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.events import newswire
from tests.events.stores import DOCUMENTS, contents, extract_to


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return newswire.write_model(tmp_path_factory.mktemp("model") / "model.npz")


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return newswire.write_corpus(tmp_path_factory.mktemp("corpus") / "news.conllu", DOCUMENTS, sentences=2)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, corpus: Path, model: Path) -> dict[str, list[tuple[Any, ...]]]:
    store = tmp_path_factory.mktemp("whole") / "news.duckdb"
    extract_to(store, corpus, model)
    return contents(store)
