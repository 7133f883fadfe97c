"""Data sets: where they are found, and how they are downloaded."""

from __future__ import annotations

import gzip
import hashlib
import re
import socket
from pathlib import Path

import numpy as np
import pytest
from tests.data.serving import serving

from howsure.errors import InputError
from howsure_cli.datasets import (
    DataFile,
    DataSet,
    DownloadError,
    data_set,
    data_set_path,
    data_sets,
    downloads_folder,
    fetch_data_set,
    find_data_set,
)

EXPERIMENTS = {
    "ark_twitter_pos",
    "ud_english_ewt",
    "wsj_sample",
    "sentiment140",
    "gum",
    "litbank_coref",
    "gap_coref",
    "wikipedia_current_events",
    "reuters21578",
    "muc4",
    "irevents",
    "boostsa_test",
    "india_police_events",
    "llm_mcq_confidence",
    "text_classifier_probs",
    "nli_model_predictions",
}


def test_every_data_set_is_described() -> None:
    assert set(data_sets()) == EXPERIMENTS
    for dataset in data_sets().values():
        assert re.fullmatch(r"[0-9a-f]{40}", dataset.commit)
        assert dataset.page.startswith(f"https://github.com/{dataset.repository}/tree/{dataset.commit}")
        assert all([dataset.what, dataset.licence, dataset.citation, dataset.recipe, dataset.files])
        for file in dataset.files:
            assert all(re.fullmatch(r"[0-9a-f]{64}", checksum) for checksum in (file.sha256, file.download_sha256))
            assert file.source is None or file.is_packed == (
                file.name.endswith(".gz") and not file.source.endswith(".gz")
            )


def test_what_can_be_fetched() -> None:
    fetched = {name for name, dataset in data_sets().items() if dataset.can_be_fetched}
    assert fetched == {
        "ark_twitter_pos",
        "ud_english_ewt",
        "gap_coref",
        "boostsa_test",
        "text_classifier_probs",
        "nli_model_predictions",
    }
    tweets = data_set("ark_twitter_pos")
    assert tweets.address(tweets.files[1], host="http://here/") == (
        "http://here/brendano/ark-tweet-nlp/72755ccd1b29ba8e1dbbb49efe57ba9723c0013b/"
        "data/twpos-data-v0.3/oct27.splits/oct27.dev"
    )
    web = data_set("ud_english_ewt")
    assert web.address(web.files[0]).endswith("/15d613d8447b3478787d4c278730a1e48a945efb/en_ewt-ud-train.conllu")


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_sums_are_those_of_the_files(real_data: Path, name: str) -> None:
    for file in data_set(name).files:
        content = (real_data / name / file.name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file.bytes, file.sha256)
        source = gzip.decompress(content) if file.is_packed else content
        assert (len(source), hashlib.sha256(source).hexdigest()) == (file.download_bytes, file.download_sha256)


def test_the_order_in_which_folders_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from_argument, from_environment, cache = (tmp_path / name for name in ("given", "own", "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.delenv("HOWSURE_DATA", raising=False)
    downloads = downloads_folder() / "ark_twitter_pos"
    assert downloads.is_relative_to(cache)
    with pytest.raises(
        InputError, match=r"run `howsure data get ark_twitter_pos`, or name .* by data=\.\.\. or HOWSURE_DATA"
    ):
        find_data_set("ark_twitter_pos")
    downloads.mkdir(parents=True)
    (downloads / "train.tsv").touch()
    with pytest.raises(InputError, match="was not found"):  # a download counts when it is complete
        find_data_set("ark_twitter_pos")
    for name in ("dev.tsv", "test.tsv"):
        (downloads / name).touch()
    assert data_set_path("ark_twitter_pos", "dev.tsv") == downloads / "dev.tsv"
    monkeypatch.setenv("HOWSURE_DATA", str(from_environment))
    assert find_data_set("ark_twitter_pos") == downloads
    (from_environment / "ark_twitter_pos").mkdir(parents=True)
    assert find_data_set("ark_twitter_pos") == from_environment / "ark_twitter_pos"
    (from_argument / "ark_twitter_pos").mkdir(parents=True)
    assert find_data_set("ark_twitter_pos", data=from_argument) == from_argument / "ark_twitter_pos"
    with pytest.raises(InputError, match=r"has no file dev.tsv in .*given.*`howsure data show ark_twitter_pos`"):
        data_set_path("ark_twitter_pos", "dev.tsv", data=from_argument)
    with pytest.raises(
        InputError, match=r"gum was not found; name the folder .*How it is made: `howsure data show gum`"
    ):
        find_data_set("gum", data=from_argument)
    with pytest.raises(
        InputError, match=r"the data set mine was not found; name the folder that contains the folder mine"
    ):
        find_data_set("mine")


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
    progress: list[int] = []
    with serving(dict(PATHS)) as site:
        fetched = fetch_data_set(corpus(), tmp_path, host=site.address, advance=progress.append)
        assert fetched == [tmp_path / "train.tsv", tmp_path / "parts" / "test.tsv.gz"]
        assert sum(progress) == len(PLAIN) + len(PACKED)
        assert [path for path, _ in site.requests] == list(PATHS)
        assert fetch_data_set(corpus(), tmp_path, host=site.address) == []
        assert len(site.requests) == 2
    contents = everything(tmp_path)
    assert set(contents) == {"train.tsv", "parts/test.tsv.gz"}
    assert contents["train.tsv"] == PLAIN
    assert gzip.decompress(contents["parts/test.tsv.gz"]) == PACKED
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
            with pytest.raises(DownloadError, match=f"{name} does not match its checksum. Remove it"):
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
        progress: list[int] = []
        fetch_data_set(corpus(), tmp_path, host=site.address, advance=progress.append)
        assert site.requests[:2] == [(path, None), (path, "bytes=100000-")]
        assert sum(progress) == len(PLAIN) + len(PACKED)
    assert set(everything(tmp_path)) == {"train.tsv", "parts/test.tsv.gz"}
    assert (tmp_path / "train.tsv").read_bytes() == PLAIN


@pytest.mark.parametrize("partial", [PLAIN, PLAIN + b"more"])
def test_a_rest_that_does_not_exist_starts_again(tmp_path: Path, partial: bytes) -> None:
    (tmp_path / ".train.tsv.part").write_bytes(partial)
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
