"""`howsure sequences recalibrate`: what it prints is what the library says, and the model that it writes has it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.sequences.corpora import made_up

import howsure
from howsure.data import write_tagged
from howsure_text.sequences import cross_tempered, load_tagger, tag_pairs
from howsure_text.sequences.comparison import mean_over_sentences


@pytest.fixture(scope="module")
def recalibrated(tmp_path_factory: pytest.TempPathFactory):
    """What the command prints as JSON of an HMM, the model before and after, and the sentences."""
    folder = tmp_path_factory.mktemp("recalibrated")
    parts = {"train": made_up(60), "dev": made_up(120, seed=1), "test": made_up(150, seed=2)}
    for name, part in parts.items():
        write_tagged(*part, folder / f"{name}.tsv")
    at = {name: str(folder / name) for name in ("train.tsv", "dev.tsv", "test.tsv", "hmm.npz", "better.npz")}
    printed(f"sequences train {at['train.tsv']} --tagger hmm --pseudocount-emission 4 --output {at['hmm.npz']}")
    output = printed(
        f"sequences recalibrate {at['hmm.npz']} {at['dev.tsv']} --test {at['test.tsv']} --output {at['better.npz']} "
        "--format json --folds 3 --seed 4"
    )
    return json.loads(output), load_tagger(at["hmm.npz"]), load_tagger(at["better.npz"]), parts


def test_logits_are_refused_with_commands_that_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    np.savez("logits.npz", logits=rng.normal(size=(40, 7, 3)), label_ids=rng.integers(0, 3, (40, 7)))
    np.save("logits.npy", rng.normal(size=(40, 3)))
    Path("dev.tsv").write_text("The\tDT\n\n")
    wrong = run("sequences", "recalibrate", "logits.npz", "dev.tsv", "--output", "better.npz")
    assert wrong.code == 2
    assert "It contains the arrays logits, label_ids, the output of a model of another program" in wrong.err
    for command in wrong.err.split("`")[1::2]:
        done = run(*shlex.split(command)[1:])
        assert done.code == 0 or re.search("--(labels|method|out)", done.err), command


def figure(comparison, name: str, which: str) -> float:
    (row,) = (
        row_of_table for row_of_table in comparison["errors"] + comparison["means"] if row_of_table["name"] == name
    )
    return row[which]["value"]


@pytest.mark.long
def test_the_model_that_is_written_has_the_temperatures_that_are_printed(recalibrated) -> None:
    content, before, after, parts = recalibrated
    assert before.temperatures_ is None
    assert after.temperatures_.to_dict() == content["temperatures"]
    assert after.temperatures_ == before.recalibrate(*parts["dev"]).temperatures_


def test_the_figures_are_those_of_the_library(recalibrated) -> None:
    content, before, after, parts = recalibrated
    on_dev, on_test = content["comparisons"]
    words, gold = parts["dev"]
    crossed = cross_tempered(before.posterior(words), gold, folds=3, rng=4, unseen=before.unseen(words))
    for comparison, posterior, tags in (
        (on_dev, crossed, gold),
        (on_test, after.posterior(parts["test"][0]), parts["test"][1]),
    ):
        pairs = tag_pairs(posterior, tags)
        assert figure(comparison, "error, every tag", "after") == pytest.approx(howsure.calibration_error(pairs).value)
        top = tag_pairs(posterior, tags, reduce="top-label")
        assert figure(comparison, "error, most probable tag", "after") == pytest.approx(
            howsure.calibration_error(top).value
        )
        tokens = sum(map(len, tags))
        loss = -posterior.log_prob(tags).sum() / tokens
        assert figure(comparison, "-log P of gold sequences", "after") == pytest.approx(loss, rel=1e-9)
        marginals = np.concatenate(posterior.marginals())
        codes = [posterior.labels.index(tag) for sentence in tags for tag in sentence]
        single = -np.log(marginals[np.arange(tokens), codes]).mean()
        assert figure(comparison, "-log P of gold tags", "after") == pytest.approx(single, rel=1e-9)
    assert figure(on_test, "accuracy", "before") == pytest.approx(before.score(*parts["test"]))
    assert figure(on_test, "accuracy", "after") == pytest.approx(after.score(*parts["test"]))
    assert content["outcome"] == "helps"


@pytest.mark.long
def test_entities_and_the_verdict_of_no_gain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is right as it is: no gain, and entities are compared where labels are of entities."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)

    def spoken(n: int):
        rows = [[("Ann", "B-PER") if rng.random() < 0.5 else ("sings", "O") for _ in range(5)] for _ in range(n)]
        noisy = [[(word, tag if rng.random() < 0.8 else "O") for word, tag in row] for row in rows]
        return [[word for word, _ in row] for row in noisy], [[tag for _, tag in row] for row in noisy]

    for name, n in (("train", 200), ("dev", 60)):
        write_tagged(*spoken(n), f"{name}.tsv")
    printed("sequences", "train", "train.tsv", "--output", "crf.npz")
    done = run("sequences", "recalibrate", "crf.npz", "dev.tsv", "--output", "better.npz", "--figure", "f.svg")
    output = done.out
    assert done.code == 0
    assert "was trained on all sentences of dev.tsv" in done.err  # there are only 32 different sentences
    assert "error, entities" in output
    assert "no gain is shown; the model may stay as it is" in output
    assert output.endswith("written to better.npz\n")
    assert Path("f.svg").read_text(encoding="utf-8").count("pairs of tags") == 1


def test_the_mean_of_sentences_covers() -> None:
    """Of 400 sets of 40 sentences of unequal length, the interval holds the mean in .92 to .98."""
    rng, covered = np.random.default_rng(1), 0
    for _ in range(400):
        counts = rng.integers(1, 20, 40).astype(float)
        sentence_means = rng.normal(1.0, 0.5, 40)
        mean = mean_over_sentences(counts * sentence_means, counts, 0.95)
        covered += mean.low < 1.0 < mean.high
    assert 0.92 < covered / 400 < 0.98
