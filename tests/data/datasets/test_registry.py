"""The registry: complete, true to the files, and the door by which the experiments find them."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

import pytest

from howsure.data.datasets import data_set, data_set_path, data_sets, downloads_folder, find_data_set
from howsure.errors import InputError

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
}


def test_every_data_set_is_described() -> None:
    assert set(data_sets()) == EXPERIMENTS
    for dataset in data_sets().values():
        assert re.fullmatch(r"[0-9a-f]{40}", dataset.commit)
        assert dataset.page.startswith(f"https://github.com/{dataset.repository}/tree/{dataset.commit}")
        assert all([dataset.what, dataset.licence, dataset.citation, dataset.recipe, dataset.files])
        for file in dataset.files:
            assert all(re.fullmatch(r"[0-9a-f]{64}", one) for one in (file.sha256, file.download_sha256))
            assert file.source is None or file.is_packed == (
                file.name.endswith(".gz") and not file.source.endswith(".gz")
            )


def test_what_can_be_fetched() -> None:
    fetched = {name for name, dataset in data_sets().items() if dataset.can_be_fetched}
    assert fetched == {"ark_twitter_pos", "ud_english_ewt", "gap_coref", "boostsa_test"}
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
    given, own, cache = (tmp_path / name for name in ("given", "own", "cache"))
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
    with pytest.raises(InputError, match="is not found"):  # a download counts when it is complete
        find_data_set("ark_twitter_pos")
    for name in ("dev.tsv", "test.tsv"):
        (downloads / name).touch()
    assert data_set_path("ark_twitter_pos", "dev.tsv") == downloads / "dev.tsv"
    monkeypatch.setenv("HOWSURE_DATA", str(own))
    assert find_data_set("ark_twitter_pos") == downloads
    (own / "ark_twitter_pos").mkdir(parents=True)
    assert find_data_set("ark_twitter_pos") == own / "ark_twitter_pos"
    (given / "ark_twitter_pos").mkdir(parents=True)
    assert find_data_set("ark_twitter_pos", data=given) == given / "ark_twitter_pos"
    with pytest.raises(InputError, match=r"has no file dev.tsv in .*given.*`howsure data show ark_twitter_pos`"):
        data_set_path("ark_twitter_pos", "dev.tsv", data=given)
    with pytest.raises(
        InputError, match=r"gum is not found; name the folder .*How it is made: `howsure data show gum`"
    ):
        find_data_set("gum", data=given)
    with pytest.raises(InputError, match=r"the data set mine is not found; name the folder that holds the folder mine"):
        find_data_set("mine")


def test_a_name_that_nobody_knows() -> None:
    with pytest.raises(InputError, match=r"no data set 'gap_corf' in howsure; .* Did you mean gap_coref\?"):
        data_set("gap_corf")
