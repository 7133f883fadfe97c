"""`howsure coreference recalibrate`, and what the other commands do with what it writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.coreference.parsed import dialogue, story

from howsure.data import read_documents, write_conllu
from howsure_text.coreference import (
    AntecedentModel,
    AntecedentScores,
    CoreferenceRecalibration,
    posterior_from_scores,
    read_antecedent_scores,
    write_antecedent_scores,
)
from howsure_text.coreference.detection import mention_entities

DOCUMENTS = [replace(story(), name="story"), replace(dialogue(), name="talk")]


@pytest.fixture(scope="module")
def model() -> AntecedentModel:
    return AntecedentModel(passes=3, rng=0).fit(DOCUMENTS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: AntecedentModel) -> Path:
    """A folder with gold.conllu, model.npz and scores.jsonl."""
    monkeypatch.chdir(tmp_path)
    write_conllu(DOCUMENTS, "gold.conllu")
    model.save("model.npz")
    rng = np.random.default_rng(1)
    scores = []
    for document in DOCUMENTS:
        starts = np.cumsum([0, *map(len, document.sentences)])
        spans = [(int(starts[m.sentence] + m.start), int(starts[m.sentence] + m.end)) for m in document.mentions or ()]
        rows = [rng.normal(0, 1, j).tolist() for j in range(len(spans))]
        words = [sentence.words for sentence in document.sentences]
        scores.append(AntecedentScores(id=document.name, words=words, mentions=spans, scores=rows, null=0.0))
    write_antecedent_scores(scores, "scores.jsonl")
    return tmp_path


def test_a_model_is_written_with_its_recalibration(folder: Path, model: AntecedentModel) -> None:
    output = printed(
        "coreference recalibrate gold.conllu --model model.npz --output recalibrated.npz --weight-of-new 1 --score log"
    )
    recalibration = model.recalibrate(read_documents("gold.conllu"), score="log", weight_of_new=1.0)
    loaded = AntecedentModel.load("recalibrated.npz")
    assert loaded.recalibration_.to_dict() == recalibration.recalibration_.to_dict()
    assert output.startswith(
        "recalibrated.npz: recalibrated by gold.conllu, 2 documents\njudged on the same documents\n"
    )
    assert "new mentions" in output
    assert str(recalibration.recalibration_.table()).splitlines()[2] in output


def test_entities_have_the_confidence_of_the_recalibration(folder: Path) -> None:
    printed("coreference", "recalibrate", "gold.conllu", "--model", "model.npz", "--output", "recalibrated.npz")
    mended = AntecedentModel.load("recalibrated.npz")
    assert mended.recalibration_ is not None
    for decision in ("best", "minimum-risk"):
        printed(f"coreference posterior gold.conllu --model recalibrated.npz --decision {decision} --output o.json")
        content = json.loads(Path("o.json").read_text())
        for document, source in zip(content["documents"], read_documents("gold.conllu"), strict=True):
            posterior = mended.posterior(source)
            clusters = posterior.minimum_risk_clusters() if decision != "best" else posterior.best_antecedent_clusters()
            confidences = mended.recalibration_.mention_confidence(posterior, clusters, decision=decision)
            assert [mention["confidence"] for mention in document["mentions"]] == confidences.tolist()
            for entity in document["entities"]:
                assert entity["confidence"] == pytest.approx(confidences[entity["mentions"]].mean())
            assert document["confidence_recalibrated"] is True


def test_unrecalibrated_confidence_is_noted(folder: Path) -> None:
    write_conllu(DOCUMENTS[:1], "one.conllu")
    plain = printed("coreference", "posterior", "one.conllu", "--model", "model.npz", "--output", "o.json")
    assert "the confidence is not recalibrated" in plain
    assert json.loads(Path("o.json").read_text())["documents"][0]["confidence_recalibrated"] is False
    printed("coreference", "recalibrate", "gold.conllu", "--model", "model.npz", "--output", "recalibrated.npz")
    assert "not recalibrated" not in printed("coreference", "posterior", "one.conllu", "--model", "recalibrated.npz")


def test_scores_have_a_recalibration_of_their_own(folder: Path) -> None:
    printed("coreference", "recalibrate", "gold.conllu", "--scores", "scores.jsonl", "--output", "recalibrated.json")
    recalibration = CoreferenceRecalibration.from_dict(json.loads(Path("recalibrated.json").read_text()))
    printed(
        "coreference posterior gold.conllu --scores scores.jsonl --recalibration recalibrated.json --threshold 0 "
        "--output o.json"
    )
    content = json.loads(Path("o.json").read_text())
    assert content["recalibration"] == "recalibrated.json"
    for document, scores in zip(content["documents"], read_antecedent_scores("scores.jsonl"), strict=True):
        posterior = recalibration.apply(posterior_from_scores(scores))
        np.testing.assert_allclose([m["new"] for m in document["mentions"]], posterior.antecedents.new)
        together = posterior.pair_probability()
        for pair in document["pairs"]:
            assert pair["probability"] == pytest.approx(together[pair["first"], pair["second"]])


def test_judged_on_other_documents(folder: Path, model: AntecedentModel) -> None:
    write_conllu(DOCUMENTS[:1], "one.conllu")
    output = printed(
        "coreference recalibrate gold.conllu --model model.npz --test one.conllu --output recalibrated.npz"
    )
    assert "judged on one.conllu: 1 document\n" in output
    gold = mention_entities(DOCUMENTS[0], DOCUMENTS[0].mentions or ())
    row = next(line for line in output.splitlines() if line.startswith("pairs"))
    assert row.split()[1] == str(len(gold) * (len(gold) - 1) // 2)


@pytest.mark.long
def test_training_recalibrates_by_its_own_documents(folder: Path) -> None:
    many = [replace(document, name=f"{document.name} {place}") for place in range(4) for document in DOCUMENTS]
    write_conllu(many, "many.conllu")
    output = printed("coreference", "train", "many.conllu", "--mentions", "gold", "--passes", 2, "--output", "a.npz")
    assert "recalibrated by 8 documents, each predicted without it" in output
    loaded = AntecedentModel.load("a.npz")
    assert loaded.recalibration_.recipe["folds"] == 4
    output = printed(
        "coreference", "train", "many.conllu", "--mentions", "gold", "--passes", 2, "--folds", 0, "--output", "b.npz"
    )
    assert "sharpness   1.2, not recalibrated" in output
    plain = AntecedentModel.load("b.npz")
    assert plain.recalibration_ is None
    np.testing.assert_array_equal(plain.weights_, loaded.weights_)


def test_nothing_is_written_where_nothing_can_be_learnt(folder: Path) -> None:
    write_conllu(DOCUMENTS[:1], "one.conllu")
    done = run("coreference", "recalibrate", "one.conllu", "--model", "model.npz", "--output", "recalibrated.npz")
    assert (done.code, Path("recalibrated.npz").exists()) == (2, False)
