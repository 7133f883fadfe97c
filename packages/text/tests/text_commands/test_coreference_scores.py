"""`howsure coreference … --scores`: the antecedent scores of another model, with and without the documents."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.coreference.parsed import exported
from tests.text_commands.test_coreference import DOCUMENTS, as_sets, clusters_of

from howsure.data import read_documents, write_conllu
from howsure_text.coreference import (
    AntecedentModel,
    pairs_from_posteriors,
    posterior_from_scores,
    read_antecedent_scores,
    write_antecedent_scores,
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """gold.conllu, scores.jsonl of a model for its mentions, and model.npz."""
    folder = tmp_path_factory.mktemp("scored")
    write_conllu(DOCUMENTS, folder / "gold.conllu")
    model = AntecedentModel(passes=3, rng=0).fit(DOCUMENTS)
    model.save(folder / "model.npz")
    write_antecedent_scores(
        [exported(document, model.posterior(document)) for document in DOCUMENTS], folder / "scores.jsonl"
    )
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for path in made.iterdir():
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


def test_scores_of_a_model_give_its_posterior(folder: Path) -> None:
    printed("coreference", "posterior", "gold.conllu", "--scores", "scores.jsonl", "--output", "scores.json")
    printed("coreference", "posterior", "gold.conllu", "--model", "model.npz", "--output", "model.json")
    from_scores, other = (json.loads(Path(name).read_text()) for name in ("scores.json", "model.json"))
    assert from_scores["scores"] == "scores.jsonl"
    assert len(from_scores["digest"]) == 16
    for mine, expected in zip(from_scores["documents"], other["documents"], strict=True):
        assert [pair["first"] for pair in mine["pairs"]] == [pair["first"] for pair in expected["pairs"]]
        assert [p["probability"] for p in mine["pairs"]] == pytest.approx([p["probability"] for p in expected["pairs"]])
        assert [entity["mentions"] for entity in mine["entities"]] == [
            entity["mentions"] for entity in expected["entities"]
        ]


def test_the_text_counts_entities_of_several_mentions(folder: Path) -> None:
    output = printed("coreference", "posterior", "gold.conllu", "--scores", "scores.jsonl")
    posteriors = [posterior_from_scores(scores) for scores in read_antecedent_scores("scores.jsonl")]
    for document, posterior in zip(DOCUMENTS, posteriors, strict=True):
        several = sum(len(cluster) > 1 for cluster in posterior.best_antecedent_clusters())
        sampled = posterior.sample(4_000, rng=0)
        sizes = (sampled[:, :, None] == np.arange(len(posterior))).sum(axis=1)
        (row,) = [line.split() for line in output.splitlines() if line.startswith(document.name)]
        assert row[1:3] == [str(len(posterior)), str(several)]
        assert float(row[3]) == pytest.approx(float((sizes > 1).sum(axis=1).mean()), abs=0.12)
    gold = sum(len(document.mentions or ()) for document in DOCUMENTS)
    assert f"Of {gold} annotated mentions, the scores name {gold}." in output


def test_pairs_against_gold_are_those_of_the_library(folder: Path) -> None:
    printed(
        "coreference", "posterior", "gold.conllu", "--scores", "scores.jsonl", "--threshold", 0, "--output", "p.csv"
    )
    with open("p.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    posteriors = [posterior_from_scores(scores) for scores in read_antecedent_scores("scores.jsonl")]
    pairs = pairs_from_posteriors(posteriors, [[list(c) for c in clusters_of(document)] for document in DOCUMENTS])
    written = sorted((int(row["coreferent"]), float(row["probability"])) for row in rows)
    expected = sorted(zip(pairs.labels.tolist(), pairs.probabilities.tolist(), strict=True))
    np.testing.assert_allclose(written, expected, rtol=1e-12)


def test_scores_alone_are_enough(folder: Path) -> None:
    output = printed("coreference posterior --scores scores.jsonl --document talk --text t.html --figure f.svg")
    assert output.splitlines()[2].startswith("talk")
    assert "annotated" not in output
    assert "Lilith" not in output
    assert Path("t.html").stat().st_size > 1_000
    printed("coreference", "predict", "--scores", "scores.jsonl", "--output", "alone.conllu")
    assert [document_read.name for document_read in read_documents("alone.conllu")] == [
        document.name for document in DOCUMENTS
    ]


def test_predict_writes_the_best_antecedents(folder: Path) -> None:
    printed(
        "coreference", "predict", "gold.conllu", "--scores", "scores.jsonl", "--no-singletons", "--output", "p.conllu"
    )
    for predicted, scores in zip(read_documents("p.conllu"), read_antecedent_scores("scores.jsonl"), strict=True):
        posterior = posterior_from_scores(scores)
        assert clusters_of(predicted) == as_sets([c for c in posterior.best_antecedent_clusters() if len(c) > 1])
        assert predicted.sentences[0].heads is not None  # the parse of gold.conllu stays


def test_misplaced_mentions_are_reported(folder: Path) -> None:
    record = json.loads(Path("scores.jsonl").read_text().splitlines()[0])
    record["mentions"][5] = [13, 18]  # from "Mrs." into the next sentence
    Path("across.jsonl").write_text(json.dumps(record))
    write_conllu(DOCUMENTS[:1], "one.conllu")
    done = run("coreference", "posterior", "one.conllu", "--scores", "across.jsonl")
    assert done.code == 2
    assert "crosses sentences. Leave such mentions out with --misplaced leave-out." in done.err
    done = run("coreference", "posterior", "one.conllu", "--scores", "across.jsonl", "--misplaced", "leave-out")
    assert done.code == 0
    assert done.err.startswith("howsure: left out 1 mention of the 8 scored in story (")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("posterior", "either --document or --scores, the scores of another model, must be given."),
        ("posterior --scores scores.jsonl --model model.npz", "leave --model and --mentions out."),
        ("predict --scores scores.jsonl --mentions gold --output x.conllu", "leave --model and --mentions out."),
        ("posterior gold.conllu --scores few.jsonl", "few.jsonl has no scores of talk; it has story."),
        (
            "posterior gold.conllu --scores other.jsonl",
            "the scores of story belong to another text than document story",
        ),
        ("posterior --scores gold.conllu", "line 1 of gold.conllu: it is not JSON ("),
        (
            "posterior --scores scores.jsonl --document tale",
            "document 'tale' does not exist; the documents are story, talk.",
        ),
        ("posterior --scores scores.jsonl --figure f.png", "--figure draws one document, scores.jsonl has 2;"),
        ("posterior --scores model.npz", "line 1 of model.npz: it is not JSON ("),
    ],
)
def test_what_is_wrong_is_one_sentence(folder: Path, typed: str, message: str) -> None:
    records = [json.loads(line) for line in Path("scores.jsonl").read_text().splitlines()]
    Path("few.jsonl").write_text(json.dumps(records[0]))
    other = [
        {**record, "words": ["x", *[word for sentence in record["words"] for word in sentence][1:]]}
        for record in records
    ]
    Path("other.jsonl").write_text("".join(json.dumps(document) + "\n" for document in other))
    done = run("coreference", *typed.split())
    assert done.code == 2
    assert message in done.err
