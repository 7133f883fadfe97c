"""`howsure events extract` in parts, and `howsure events merge`: what they write and print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from howsure.events.corpus import BATCH
from tests.cli.running import howsure, printed
from tests.events import newswire
from tests.events.stores import contents

DOCUMENTS = BATCH + 5


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with news."""
    folder = tmp_path_factory.mktemp("place")
    newswire.write_corpus(folder / "news.conllu", DOCUMENTS)
    newswire.write_model(folder / "model.npz")
    (folder / "actors.tsv").write_text("".join(f"{code}\t{name}\n" for code, name in newswire.lexicon().entries))
    return folder


@pytest.fixture(scope="module")
def whole(place: Path) -> Path:
    """What a run over all of them stores."""
    printed(*extract(place, "--workers", 1, "--store", place / "whole.duckdb"))
    return place / "whole.duckdb"


def extract(place: Path, *more: Any) -> tuple[Any, ...]:
    named = ("--lexicon", place / "actors.tsv", "--model", place / "model.npz", "--samples", 5)
    return ("events", "extract", place / "news.conllu", *named, *more)


@pytest.mark.long
def test_parts_and_their_merge(place: Path, whole: Path, tmp_path: Path) -> None:
    first, second, merged = tmp_path / "part-1.duckdb", tmp_path / "part-2.duckdb", tmp_path / "all.duckdb"
    text = printed(*extract(place, "--workers", 1, "--part", "1/2", "--store", first))
    assert text.startswith(f"{first}: part 1 of 2 of the input, {BATCH} documents of ")
    assert text.endswith("\nnext, when all 2 parts are there: howsure events merge STORE... --store OUT\n")
    text = printed(*extract(place, "--workers", 1, "--part", "2/2", "--store", second))
    assert text.startswith(f"{second}: part 2 of 2 of the input, 5 documents of ")
    text = printed("events", "merge", tmp_path / "part-*.duckdb", "--store", merged)
    assert text.startswith(f"{merged}: {DOCUMENTS} documents of ")
    assert text.endswith(f"\n  put together from 2 parts\nnext: howsure events explore {merged}\n")
    assert contents(merged) == contents(whole)
    done = howsure("events", "merge", first, second, "--store", first)
    assert (done.code, done.err) == (
        2,
        f"howsure: {first} is an input of this command and would be overwritten; name another file.\n",
    )


def test_no_command_takes_a_part_for_the_whole(place: Path, tmp_path: Path) -> None:
    store = tmp_path / "part-2.duckdb"
    printed(*extract(place, "--workers", 1, "--part", "2/2", "--store", store))
    asked = {
        "series": (),
        "compare": ("IRQ", "IRN"),
        "report": (tmp_path / "o.html",),
        "label": ("--draw-only",),
        "recount": ("--rule", "attack-wide", "--store", tmp_path / "o.duckdb"),
    }
    for name, more in asked.items():
        done = howsure("events", name, store, *more)
        assert (done.code, "holds part 2 of 2 of its input, not all of it" in done.err) == (2, True), name
        assert [one.name for one in tmp_path.iterdir()] == [store.name]
