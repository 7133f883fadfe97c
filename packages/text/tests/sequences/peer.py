"""The peer: models trained by python-crfsuite on the attributes of our feature families."""

from __future__ import annotations

import re
from pathlib import Path

import pycrfsuite
from tests.sequences.corpora import Corpus

from howsure_text.sequences.features import feature_families, feature_offsets, word_attributes

Items = list[list[str]]


def items_of(words: list[str], features: str) -> Items:
    """The attributes of each word, as lists."""
    families = feature_families(features)
    return [
        [
            attribute
            for offset in feature_offsets(families)
            if 0 <= t + offset < len(words)
            for attribute in word_attributes(words[t + offset], families, offset)
        ]
        for t in range(len(words))
    ]


class Trainer(pycrfsuite.BaseTrainer):
    """A trainer that keeps what it says."""

    log = ""

    def message(self, message: str) -> None:
        self.log += message


def train(corpus: Corpus, path: Path, *, features: str = "basic", **options: float) -> tuple[list[float], int]:
    """Train and write a model: the objective after each iteration, and the number of features."""
    trainer = Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, **options})
    for words, tags in zip(*corpus, strict=True):
        trainer.append(items_of(words, features), tags)
    trainer.train(str(path))
    losses = [float(loss) for loss in re.findall(r"Loss: ([\d.]+)", trainer.log)]
    (number,) = re.findall(r"Number of features: (\d+)", trainer.log)
    return losses, int(number)
