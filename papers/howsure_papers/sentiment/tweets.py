"""The tweets of the sentiment experiment: words, labels, and no text in two splits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from howsure.data.datasets import find_data_set, read_labelled_texts
from howsure.inputs.pairs import Integers, Labels
from howsure_papers.sentiment.classifiers import binary_unigrams, tweet_words

DATA = "sentiment140"
SPLITS = ("train", "dev", "test")

Split = tuple[Any, Labels]


@dataclass(frozen=True, slots=True)
class Tweets:
    """Features (n, words) and labels (n,) of three splits, and how many tweets of each were left out as repetitions."""

    train: Split
    dev: Split
    test: Split
    repeated: tuple[int, int, int]

    def part_of_train(self, rows: Integers) -> tuple[Split, Split, Split]:
        """The splits where only some rows of the training data are known, and so only the words in these."""
        features, labels = self.train
        known = np.flatnonzero(features[rows].getnnz(axis=0))
        part = features[rows][:, known], labels[rows]
        return part, (self.dev[0][:, known], self.dev[1]), (self.test[0][:, known], self.test[1])


def read_tweets(data: str | None, limit: int | None) -> Tweets:
    """The tweets of `sentiment140` (the first `limit` of each split), without those seen in an earlier split.

    A tweet is seen again if its words in lower case are the same, in the same order.
    """
    folder = find_data_set(DATA, data=data)
    seen: set[tuple[str, ...]] = set()
    texts, labels, repeated = [], [], []
    for split in SPLITS:
        words, y = _read(folder / f"{split}.jsonl.gz", limit)
        new = [i for i, tweet in enumerate(words) if tuple(tweet) not in seen]
        seen.update(map(tuple, words))
        texts.append([words[i] for i in new])
        labels.append(y[new])
        repeated.append(len(words) - len(new))
    train, dev, test = zip(binary_unigrams(*texts), labels, strict=True)
    return Tweets(train, dev, test, (repeated[0], repeated[1], repeated[2]))


def _read(path: Path, limit: int | None) -> tuple[list[list[str]], Labels]:
    texts, labels = read_labelled_texts(path, limit=limit)
    return tweet_words(texts), np.array(labels, dtype=np.uint8)
