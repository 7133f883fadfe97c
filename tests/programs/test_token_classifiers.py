"""Neural taggers as their own programs train and save them: transformers, pytorch-crf, sklearn-crfsuite."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed

from howsure_text.sequences import CRFTagger, TagPosterior, entities_in, entity_spans, gold_tags
from tests.test_documents import ROOT, copy_picture, run_page

pytestmark = pytest.mark.programs

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
KINDS = {"Ann": "B-PER", "Bo": "B-PER", "Lee": "I-PER", "Oslo": "B-LOC", "York": "B-LOC"}
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "Ann", "Bo", "Lee", "Os", "##lo", "York", "in", "sing", "##s"]
WORDS = ["Ann", "Bo", "Lee", "Oslo", "York", "in", "sings"]


def sentences(n: int, seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Words, some of two subwords, and labels, some of them wrong."""
    rng = np.random.default_rng(seed)
    words = [[str(word) for word in rng.choice(WORDS, size=rng.integers(2, 7))] for _ in range(n)]
    tags = [[KINDS.get(word, "O") if rng.random() < 0.85 else "O" for word in sentence] for sentence in words]
    return words, tags


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from transformers import BertTokenizerFast

    path = tmp_path_factory.mktemp("tokenizer") / "vocab.txt"
    path.write_text("\n".join(PIECES))
    loaded = BertTokenizerFast(str(path), do_lower_case=False)
    assert loaded.tokenize("Oslo sings") == ["Os", "##lo", "sing", "##s"]
    return loaded


def encoded(tokenizer: Any, words: list[list[str]], tags: list[list[str]]) -> list[dict[str, Any]]:
    """As the documentation of transformers prepares them: the label is at the first subword, −100 elsewhere."""
    rows = []
    for sentence, labels in zip(words, tags, strict=True):
        row = tokenizer(sentence, is_split_into_words=True, padding="max_length", max_length=16)
        ids, before = [], None
        for word in row.word_ids():
            ids.append(-100 if word is None or word == before else LABELS.index(labels[word]))
            before = word
        rows.append({**row, "labels": ids, "words": row.word_ids()})
    return rows


def trained(model: Any, rows: list[dict[str, Any]], folder: Path, *, epochs: int = 2) -> Any:
    from transformers import Trainer, TrainingArguments

    settings = TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=epochs,
        per_device_train_batch_size=32,
        learning_rate=5e-3,
        seed=0,
        report_to=[],
        save_strategy="no",
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(model=model, args=settings, train_dataset=rows)
    trainer.train()
    return trainer


def configuration(names: list[str]) -> Any:
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(PIECES),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=32,
        id2label=dict(enumerate(names)),
        label2id={name: i for i, name in enumerate(names)},
    )


@pytest.fixture(scope="module")
def token_classifier(tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Any, Any]:
    """A model trained small, what it predicts of a test set, saved as its users would; and the test set."""
    from transformers import BertForTokenClassification, set_seed

    set_seed(0)
    folder = tmp_path_factory.mktemp("tokens")
    train, test = (encoded(tokenizer, *sentences(n, seed)) for n, seed in ((200, 0), (150, 1)))
    kept = [{name: row[name] for name in row if name != "words"} for row in train]
    trainer = trained(BertForTokenClassification(configuration(LABELS)), kept, folder)
    output = trainer.predict([{name: row[name] for name in row if name != "words"} for row in test])
    np.savez(folder / "predictions.npz", predictions=output.predictions, label_ids=output.label_ids)
    trainer.model.save_pretrained(folder)
    return folder, trainer.model, output, test


def test_a_trainers_output_keeps_the_answer_of_the_model(token_classifier, tokenizer) -> None:
    """The labels that transformers' own pipeline answers, word by word, and gold as it was given."""
    from transformers import pipeline

    _folder, model, output, test = token_classifier
    posterior = TagPosterior.from_logits(output.predictions, labels=LABELS, label_ids=output.label_ids)
    words, tags = sentences(150, 1)
    assert gold_tags(output.label_ids, labels=LABELS) == tags
    by_words = TagPosterior.from_logits(output.predictions, labels=LABELS, word_ids=[row["words"] for row in test])
    np.testing.assert_array_equal(by_words.log_z, posterior.log_z)
    predicted = posterior.names(posterior.viterbi())
    tagger = pipeline("token-classification", model=model, tokenizer=tokenizer, ignore_labels=[])
    for sentence, labels in list(zip(words, predicted, strict=True))[:30]:
        answered = {token["start"]: token["entity"] for token in tagger(" ".join(sentence))}
        starts = np.cumsum([0, *(len(word) + 1 for word in sentence[:-1])])
        assert [answered[start] for start in starts.tolist()] == labels


def test_command_and_library_agree(token_classifier) -> None:
    folder, _model, output, _test = token_classifier
    options = ["--labels", folder / "config.json", "--grammar", "bio"]
    content = json.loads(printed("sequences", "spans", folder / "predictions.npz", *options, "--format", "json"))
    posterior = TagPosterior.from_logits(output.predictions, labels=LABELS, label_ids=output.label_ids, grammar="BIO")
    gold = gold_tags(output.label_ids, labels=LABELS)
    predicted = posterior.names(posterior.viterbi())
    hits = sum(len({*entities_in(a)} & {*entities_in(b)}) for a, b in zip(gold, predicted, strict=True))
    assert content["all"]["hits"] == hits > 50
    done = run("calibration", folder / "predictions.npz", "--reduce", "class-wise", "--format", "json")
    assert {curve["group"] for curve in json.loads(done.out)["curves"]} == set(LABELS)


def test_the_scores_of_a_pipeline_are_those_of_the_trainer(tokenizer, tmp_path: Path) -> None:
    """Text classification: arrays of `Trainer.predict`, and JSON lines from a pipeline with top_k=None."""
    from transformers import BertForSequenceClassification, pipeline, set_seed

    set_seed(0)
    words, tags = sentences(120, 2)
    texts, labels = [" ".join(word) for word in words], [int("B-PER" in tag) + int("B-LOC" in tag) for tag in tags]
    rows = [
        {**tokenizer(text, padding="max_length", max_length=16), "labels": label}
        for text, label in zip(texts, labels, strict=True)
    ]
    trainer = trained(BertForSequenceClassification(configuration(["none", "one", "both"])), rows, tmp_path, epochs=1)
    output = trainer.predict(rows)
    np.savez(tmp_path / "predictions.npz", predictions=output.predictions, label_ids=output.label_ids)
    classifier = pipeline("text-classification", model=trainer.model, tokenizer=tokenizer)
    names = ["none", "one", "both"]
    lines = [
        {"text": text, "target": names[label], "scores": scores}
        for text, label, scores in zip(texts, labels, classifier(texts, top_k=None), strict=True)
    ]
    (tmp_path / "pipeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    of_pipeline, of_trainer = (
        json.loads(run("calibration", tmp_path / name, "--format", "json").out)["curves"][0]
        for name in ("predictions.npz", "pipeline.jsonl")
    )
    assert of_pipeline["n"] == of_trainer["n"] == 120
    assert of_pipeline["base_rate"] == of_trainer["base_rate"]
    assert of_pipeline["multiclass_brier"] == pytest.approx(of_trainer["multiclass_brier"], abs=1e-4)
    (tmp_path / "only.json").write_text(json.dumps(classifier(texts[:3])))
    assert "has no such column by default" in run("calibration", tmp_path / "only.json", "--from", "hf").err


def test_the_output_of_a_token_pipeline_is_refused(token_classifier, tokenizer, tmp_path: Path) -> None:
    from transformers import pipeline

    _folder, model, _output, _test = token_classifier
    for strategy in ("none", "simple"):
        tagger = pipeline("token-classification", model=model, tokenizer=tokenizer, aggregation_strategy=strategy)
        answers = tagger(["Ann Lee sings in Oslo", "Bo in York"])
        plain = [
            [{key: float(v) if key == "score" else v for key, v in token.items()} for token in text] for text in answers
        ]
        (tmp_path / "tokens.json").write_text(json.dumps(plain, default=int))
        done = run("calibration", tmp_path / "tokens.json")
        assert done.code == 2
        assert "writes the best label only" in done.err


def test_a_crf_of_pytorch_has_the_same_distribution() -> None:
    """log P, the best sequence, and marginals, which are the gradient of log Z by the emissions."""
    import torch
    from torchcrf import CRF

    torch.manual_seed(0)
    crf = CRF(5, batch_first=True)
    lengths = [6, 3, 1, 4]
    emissions = torch.randn(4, 6, 5)
    mask = torch.arange(6)[None] < torch.tensor(lengths)[:, None]
    tags = torch.randint(0, 5, (4, 6))
    potentials = {
        "transitions": crf.transitions.detach(),
        "start": crf.start_transitions.detach(),
        "end": crf.end_transitions.detach(),
    }
    posterior = TagPosterior.from_logits(emissions, labels=LABELS, mask=mask, **potentials)
    chosen = [sentence_tags[:length].tolist() for sentence_tags, length in zip(tags, lengths, strict=True)]
    log_probs = crf(emissions, tags, mask=mask, reduction="none").detach().numpy()
    np.testing.assert_allclose(posterior.log_prob(chosen), log_probs, atol=1e-5)
    assert [tags.tolist() for tags in posterior.viterbi()] == crf.decode(emissions, mask=mask)
    free = emissions.clone().requires_grad_()
    score = crf._compute_score(free.transpose(0, 1), tags.T, mask.T.type(torch.uint8)).sum()
    (score - crf(free, tags, mask=mask)).backward()
    for marginals, gradient, length in zip(posterior.marginals(), free.grad.numpy(), lengths, strict=True):
        np.testing.assert_allclose(marginals, gradient[:length], atol=1e-5)
    legal = TagPosterior.from_logits(emissions, labels=LABELS, mask=mask, grammar="BIO", **potentials)
    assert not any("O I-" in " ".join(tags) for tags in legal.names(legal.viterbi()))
    with pytest.raises(ValueError, match=r"give .detach\(\)"):
        TagPosterior.from_logits(emissions, labels=LABELS, transitions=crf.transitions)


def test_a_model_of_sklearn_crfsuite(tmp_path: Path) -> None:
    """Its marginals, its answer, and the entities, whose probabilities it does not return itself."""
    import sklearn_crfsuite

    words, tags = sentences(80, 3)
    items = [[{"word": word} for word in sentence] for sentence in words]
    crf = sklearn_crfsuite.CRF(max_iterations=20, model_filename=str(tmp_path / "old.model"))
    crf.fit(items, tags)
    posterior = CRFTagger.from_crfsuite(crf.model_filename).posterior(
        [[[f"word:{word}"] for word in sentence] for sentence in words]
    )
    assert posterior.names(posterior.viterbi()) == [list(row) for row in crf.predict(items)]
    for marginals, expected in zip(posterior.marginals(), crf.predict_marginals(items), strict=True):
        np.testing.assert_allclose(
            marginals, [[row[label] for label in posterior.labels] for row in expected], atol=1e-6
        )
    assert len(entity_spans(posterior, tags).pairs()) > 50


def test_the_page_of_token_classifiers_runs(tmp_path: Path) -> None:
    """With the programs that the tests of every day do without."""
    (tmp_path / "images").mkdir()
    run_page((ROOT / "docs" / "token-classifiers.md").read_text(encoding="utf-8"), tmp_path, heavy={"long", "programs"})
    if os.environ.get("HOWSURE_DRAW"):
        for picture in (tmp_path / "images").iterdir():
            copy_picture(str(picture), str(ROOT / "docs" / "images" / picture.name))


def test_entities_are_those_that_seqeval_counts() -> None:
    """Of labels in any order, most of them no legal sequence."""
    from seqeval.metrics.sequence_labeling import get_entities

    rng = np.random.default_rng(0)
    labels = ["O", *(f"{prefix}-{type_}" for prefix in "BIES" for type_ in ("PER", "LOC"))]
    for _ in range(5_000):
        tags = [str(tag) for tag in rng.choice(labels, size=rng.integers(1, 8))]
        assert set(map(tuple, entities_in(tags))) == {
            (first, last + 1, kind) for kind, first, last in get_entities(tags)
        }
