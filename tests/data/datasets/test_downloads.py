"""Fetching from a site: whole and right, or not at all; and going on where it broke off."""

from __future__ import annotations

import gzip
import hashlib
import socket
from pathlib import Path

import numpy as np
import pytest

from howsure.data.datasets import DataFile, DataSet, DownloadError, fetch_data_set
from howsure.errors import InputError
from tests.data.serving import serving

PLAIN, PACKED = np.random.default_rng(0).bytes(300_000), b"a\tN\n\n" * 1_000
PATHS = {"/someone/corpus/abc/data/oct27.train": PLAIN, "/someone/corpus/abc/data/test.tsv": PACKED}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def corpus(*more: DataFile) -> DataSet:
    """A data set of a renamed file and a packed one."""
    files = (
        DataFile("train.tsv", len(PLAIN), sha256(PLAIN), source="oct27.train"),
        DataFile("parts/test.tsv.gz", 99, "0" * 64, "test.tsv", len(PACKED), sha256(PACKED)),
        *more,
    )
    return DataSet("corpus", "what", "MIT", "A (2020)", "someone/corpus", "abc", "data", "renamed", files)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_are_fetched_once_renamed_and_packed(tmp_path: Path) -> None:
    told: list[int] = []
    with serving(dict(PATHS)) as site:
        fetched = fetch_data_set(corpus(), tmp_path, host=site.address, advance=told.append)
        assert fetched == [tmp_path / "train.tsv", tmp_path / "parts" / "test.tsv.gz"]
        assert sum(told) == len(PLAIN) + len(PACKED)
        assert [path for path, _ in site.asked] == list(PATHS)
        assert fetch_data_set(corpus(), tmp_path, host=site.address) == []
        assert len(site.asked) == 2
    found = everything(tmp_path)
    assert set(found) == {"train.tsv", "parts/test.tsv.gz"}
    assert found["train.tsv"] == PLAIN
    assert gzip.decompress(found["parts/test.tsv.gz"]) == PACKED
    assert corpus().is_in(tmp_path)


def test_another_file_than_expected_is_removed(tmp_path: Path) -> None:
    with (
        serving({path: content[::-1] for path, content in PATHS.items()}) as site,
        pytest.raises(
            DownloadError, match=r"oct27.train is not the file that it should be .* the download was removed"
        ),
    ):
        fetch_data_set(corpus(), tmp_path, host=site.address)
    assert everything(tmp_path) == {}


def test_a_file_that_was_changed_here_is_named(tmp_path: Path) -> None:
    with serving(dict(PATHS)) as site:
        fetch_data_set(corpus(), tmp_path, host=site.address)
        for name in ("train.tsv", "parts/test.tsv.gz"):
            content = (tmp_path / name).read_bytes()
            (tmp_path / name).write_bytes(content[:-5])
            with pytest.raises(DownloadError, match=f"{name} is not the file that it should be. Remove it"):
                fetch_data_set(corpus(), tmp_path, host=site.address)
            (tmp_path / name).write_bytes(content)


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_what_broke_off_goes_on(tmp_path: Path, knows_ranges: bool) -> None:
    path = next(iter(PATHS))
    with serving(dict(PATHS), breaks={path: 100_000}, knows_ranges=knows_ranges) as site:
        with pytest.raises(
            DownloadError, match=r"broke off. The part already downloaded is kept; rerun the same command"
        ):
            fetch_data_set(corpus(), tmp_path, host=site.address)
        assert everything(tmp_path) == {".train.tsv.part": PLAIN[:100_000]}
        told: list[int] = []
        fetch_data_set(corpus(), tmp_path, host=site.address, advance=told.append)
        assert site.asked[:2] == [(path, None), (path, "bytes=100000-")]
        assert sum(told) == len(PLAIN) + len(PACKED)
    assert set(everything(tmp_path)) == {"train.tsv", "parts/test.tsv.gz"}
    assert (tmp_path / "train.tsv").read_bytes() == PLAIN


@pytest.mark.parametrize("held", [PLAIN, PLAIN + b"more"])
def test_a_rest_that_does_not_exist_starts_again(tmp_path: Path, held: bytes) -> None:
    (tmp_path / ".train.tsv.part").write_bytes(held)
    with serving(dict(PATHS)) as site:
        fetch_data_set(corpus(), tmp_path, host=site.address)
    assert (tmp_path / "train.tsv").read_bytes() == PLAIN


def test_a_wrong_beginning_is_found_out_and_removed(tmp_path: Path) -> None:
    (tmp_path / ".train.tsv.part").write_bytes(b"x" * 1_000)
    with serving(dict(PATHS)) as site:
        with pytest.raises(DownloadError, match=r"the download was removed\. Try again"):
            fetch_data_set(corpus(), tmp_path, host=site.address)
        assert everything(tmp_path) == {}
        fetch_data_set(corpus(), tmp_path, host=site.address)
    assert corpus().is_in(tmp_path)


def test_a_break_that_no_length_shows_is_found_by_the_sum(tmp_path: Path) -> None:
    path = next(iter(PATHS))
    with (
        serving(dict(PATHS), breaks={path: 1_000}, says_length=False) as site,
        pytest.raises(DownloadError, match="the download was removed"),
    ):
        fetch_data_set(corpus(), tmp_path, host=site.address)
    assert everything(tmp_path) == {}


def test_no_network(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        host = f"http://127.0.0.1:{unused.getsockname()[1]}"
        message = "oct27.train cannot be fetched: .*refused. Check the network, or set HOWSURE_DATA to a folder"
        with pytest.raises(DownloadError, match=message):
            fetch_data_set(corpus(), tmp_path, host=host)
    assert everything(tmp_path) == {}


def test_a_file_that_the_site_does_not_have(tmp_path: Path) -> None:
    with serving({}) as site, pytest.raises(DownloadError, match=r"answers 404 Not Found\. Check the network"):
        fetch_data_set(corpus(), tmp_path, host=site.address)
    assert everything(tmp_path) == {}


def test_what_cannot_be_fetched_is_not_half_fetched(tmp_path: Path) -> None:
    made = corpus(DataFile("made.tsv", 1, "0" * 64))
    with pytest.raises(InputError, match=r"corpus cannot be downloaded, because .*`howsure data show corpus`"):
        fetch_data_set(made, tmp_path)
    with pytest.raises(InputError, match="begins with https:// or http://; it is 'file:///x'"):
        fetch_data_set(corpus(), tmp_path, host="file:///x")
    assert everything(tmp_path) == {}
