"""Names of models and groups from the paths of their files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure
from howsure.data import added_columns, logit_files
from howsure.data.documents.read_documents import TAGGED
from howsure.data.tables import named_files
from howsure.inputs.source_names import COMPRESSIONS, FORMATS, name_of_file, source_name, source_names
from howsure.significance.boostsa.storage import SEPARATORS
from howsure_events.extraction import open_corpus

PARTS = st.sampled_from(["a", "b", "gpt-3.5", "gpt-3", "m.csv", "v1.5"])
SUFFIXES = st.sampled_from(["", ".csv", ".CSV", ".json", ".csv.gz", ".csv.csv", ".gz", ".1", ".pred"])
FILES = st.builds("{}{}".format, PARTS, SUFFIXES)
PATHS = st.lists(st.builds("/".join, st.tuples(PARTS, FILES) | st.tuples(FILES)), min_size=1, max_size=8, unique=True)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("gpt-3.5-turbo.csv", "gpt-3.5-turbo"),
        ("runs/qwen2.5-7b.jsonl", "qwen2.5-7b"),
        ("vicuna-13b-v1.5.json", "vicuna-13b-v1.5"),
        ("GPT-4.1.CSV.GZ", "GPT-4.1"),
        ("yi-1.5.parquet", "yi-1.5"),
        ("llama-3.1", "llama-3.1"),
        ("llama-3.1.pred", "llama-3.1.pred"),
        ("m.csv.csv", "m.csv"),
        ("m.gz", "m"),
        (".csv", ".csv"),
        ("x/.gz", ".gz"),
        ("nan.csv", "nan.csv"),
        ("x/NaN.jsonl.gz", "NaN.jsonl"),
        ("nan", "./nan"),
        ("nano.csv", "nano"),
    ],
)
def test_only_known_suffixes_are_removed(path: str, name: str) -> None:
    assert source_name(path) == name
    assert source_names([path, "other.csv"]) == (name, "other")


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["run/a/out.json", "run/b/out.json"], ("a/out", "b/out")),
        (["run/a.1.csv", "run/a.2.csv"], ("a.1", "a.2")),
        (["x/a/1.csv", "y/a/1.csv", "y/b/1.csv"], ("x/a/1", "y/a/1", "y/b/1")),
        (["a/m.csv", "a/m.json", "b/m.csv", "gpt-3.csv"], ("a/m.csv", "a/m.json", "b/m.csv", "gpt-3")),
        (["m.csv", "m.json", "m.csv.csv"], ("m.csv", "m.json", "m.csv.csv")),
        (["m.csv", "b/m.csv"], ("m", "b/m")),
    ],
)
def test_files_that_share_a_name_are_told_apart(paths: list[str], names: tuple[str, ...]) -> None:
    assert source_names(paths) == names


@given(PATHS)
def test_names_differ_and_depend_on_other_files_only_where_they_are_shared(paths: list[str]) -> None:
    names = dict(zip(paths, source_names(paths), strict=True))
    assert len(set(names.values())) == len(paths)
    assert source_names(paths[::-1]) == tuple(names[path] for path in reversed(paths))
    for path in paths:
        others = [other for other in paths if other != path]
        if source_name(path) not in {*map(source_name, others), *map(os.path.basename, others)}:
            assert names[path] == source_name(path)
        if not any(other.endswith(path) for other in others):
            assert name_of_file(path, paths) == names[path]


def test_the_suffixes_of_all_readers_are_known() -> None:
    suffixes = {*named_files.SUFFIXES, *added_columns.SUFFIXES, *logit_files.SUFFIXES, *TAGGED, *SEPARATORS}
    suffixes |= {suffix.removesuffix(".gz") for suffix in open_corpus.SUFFIXES}
    assert suffixes <= FORMATS
    assert set(COMPRESSIONS) == {".gz", ".zst"}


def test_models_keep_their_versions_in_scores_and_comparisons(tmp_path: Path) -> None:
    names = ["gpt-3", "gpt-3.5-turbo", "gpt-3.5", "qwen2.5-7b"]
    for at, name in enumerate(names):
        rows = "".join(f"{i},{int(i % (at + 2) > 0)}\n" for i in range(12))
        (tmp_path / f"{name}.csv").write_text(f"item,right\n{rows}")
    for some in (names[1:2] + names[3:], names):
        files = howsure.read([tmp_path / f"{name}.csv" for name in some])
        assert {row.model for row in howsure.mean_scores("right", id="item", rng=0, data=files)} == set(some)
        compared = howsure.compare_scores(score="right", id="item", against=some[-1], rng=0, data=files)
        assert {mean.model for mean in compared.means} == set(some)
