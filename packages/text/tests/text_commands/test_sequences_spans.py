"""`howsure sequences spans`: entities of the logits of a token classifier, or of a tagger."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import printed

from howsure.data import write_tagged
from howsure_text.sequences import CRFTagger, TagPosterior, entity_spans, load_tagger, within_grammar

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
NAMES = ",".join(LABELS)


def made_up(n: int = 60, length: int = 9) -> tuple[np.ndarray, np.ndarray]:
    """Logits of a model that is often right, and gold labels, some of them -100."""
    rng = np.random.default_rng(0)
    gold = rng.choice(5, size=(n, length), p=[0.6, 0.15, 0.05, 0.15, 0.05])
    logits = rng.normal(size=(n, length, 5)) + 2 * np.eye(5)[gold]
    gold[rng.random(gold.shape) < 0.1] = -100
    return logits.astype(np.float32), gold


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """predictions.npz as a Trainer's output is saved; the same without gold, and as two .npy files."""
    monkeypatch.chdir(tmp_path)
    logits, ids = made_up()
    np.savez("predictions.npz", predictions=logits, label_ids=ids)
    np.savez("no-gold.npz", logits=logits[:2], label_names=np.array(LABELS), attention_mask=ids[:2] >= 0)
    np.save("logits.npy", logits)
    np.save("ids.npy", ids)
    Path("config.json").write_text(json.dumps({"id2label": {str(i): name for i, name in enumerate(LABELS)}}))
    return tmp_path


def test_two_files_are_as_one(folder: Path) -> None:
    output = printed("sequences", "spans", "predictions.npz", "--labels", NAMES)
    two = printed("sequences", "spans", "logits.npy", "--targets", "ids.npy", "--labels", NAMES)
    assert two.split("\n")[1:] == output.split("\n")[1:]


def test_labels_at_all_subwords_of_a_word_count_once(folder: Path) -> None:
    """As they stand where they are given to each subword: the first one's logits and label are the word's."""
    logits, ids = made_up()
    twice, words = np.repeat(logits, 2, axis=1), np.repeat(np.arange(9), 2)[None].repeat(60, axis=0)
    twice[:, 1::2] += np.random.default_rng(5).normal(size=twice[:, 1::2].shape)
    np.savez("subwords.npz", logits=twice, label_ids=np.repeat(ids, 2, axis=1), word_ids=words)
    options = ["--labels", NAMES, "--format", "csv"]
    assert printed("sequences", "spans", "subwords.npz", *options) == printed(
        "sequences", "spans", "predictions.npz", *options
    )
    np.savez(
        "masked.npz",
        logits=twice,
        label_ids=np.repeat(ids, 2, axis=1),
        mask=np.arange(18)[None].repeat(60, axis=0) % 2 == 0,
    )
    assert printed("sequences", "spans", "masked.npz", *options) == printed(
        "sequences", "spans", "predictions.npz", *options
    )


def test_without_gold_the_entities_are_listed(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(printed("sequences", "spans", "no-gold.npz", "--format", "csv"))))
    logits, ids = made_up()
    spans = entity_spans(TagPosterior.from_logits(logits[:2], labels=LABELS, mask=ids[:2] >= 0))
    assert [int(row["first"]) - 1 for row in rows] == spans.start.tolist()
    assert [int(row["last"]) for row in rows] == spans.stop.tolist()
    assert [float(row["probability"]) for row in rows] == spans.probability.tolist()
    content = json.loads(printed("sequences", "spans", "no-gold.npz", "--format", "json"))
    assert [entity["sentence"] - 1 for entity in content["entities"]] == spans.sentence.tolist()


def test_untagged_sentences_are_accepted(folder: Path) -> None:
    words, tags = (
        [["Ann", "Lee", "sings"], ["Bo", "sees", "Rome"]] * 20,
        [["B-PER", "I-PER", "O"], ["B-PER", "O", "B-LOC"]] * 20,
    )
    CRFTagger().fit(words, tags).save("crf.npz")
    Path("new.txt").write_text("Ann Lee sees Rome\n")
    output = printed("sequences", "spans", "crf.npz", "new.txt", "--grammar", "bio")
    assert [line.split()[-2:] for line in output.splitlines()[2:]] == [["Ann", "Lee"], ["yes", "Rome"]]


def test_a_tagger_of_entities(folder: Path) -> None:
    """A CRF trained on labels of entities: the same question, of sentences."""
    rng = np.random.default_rng(1)
    words = [[str(word) for word in rng.choice(["Ann", "Lee", "in", "Rome", "sings"], size=5)] for _ in range(40)]
    kinds = {"Ann": "B-PER", "Lee": "I-PER", "Rome": "B-LOC"}
    tags = [[kinds.get(word, "O") if rng.random() < 0.9 else "O" for word in sentence] for sentence in words]
    write_tagged(words, tags, "gold.tsv")
    CRFTagger(max_iterations=5).fit(words[:20], tags[:20]).save("crf.npz")
    content = json.loads(printed("sequences", "spans", "crf.npz", "gold.tsv", "--format", "json"))
    spans = entity_spans(load_tagger("crf.npz").posterior(words), tags)
    assert content["all"]["predicted"] == int(spans.predicted.sum()) > 0
    legal = json.loads(printed("sequences", "spans", "crf.npz", "gold.tsv", "--grammar", "bio", "--format", "json"))
    spans = entity_spans(within_grammar(load_tagger("crf.npz").posterior(words), "BIO"), tags)
    assert legal["all"]["hits"] == int((spans.predicted & spans.gold).sum())
    assert legal["changed_by_grammar"] is not None


def arrays(name: str, **changes: np.ndarray) -> None:
    logits, ids = made_up(3)
    np.savez(name, **{"logits": logits, "label_ids": ids} | changes)


def text(name: str, content: str) -> None:
    Path(name).write_text(content)
