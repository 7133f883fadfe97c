"""Sentences and tags for tests of taggers: a made-up language, and the real corpora."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from howsure.data.documents.read_documents import first_documents
from howsure.data.documents.tagged_columns import read_tagged

Corpus = tuple[list[list[str]], list[list[str]]]

WORDS = {
    "D": ["the", "a", "this"],
    "N": ["dog", "cats", "bark", "Rome"],
    "V": ["bark", "sees", "sleep"],
    "P": [".", "!"],
}


def made_up(sentences: int, *, seed: int = 0, longest: int = 7) -> Corpus:
    """Random sentences of a small language in which one word has two tags."""
    rng = np.random.default_rng(seed)
    names = list(WORDS)
    follow = np.array([[0, 8, 1, 0], [1, 1, 6, 2], [5, 3, 0, 2], [3, 3, 2, 0]]) / np.array([[9], [10], [10], [8]])
    words, tags = [], []
    for _ in range(sentences):
        states = [int(rng.integers(4))]
        while len(states) < rng.integers(1, longest + 1):
            states.append(int(rng.choice(4, p=follow[states[-1]])))
        tags.append([names[state] for state in states])
        words.append([str(rng.choice(WORDS[tag])) for tag in tags[-1]])
    return words, tags


def tweets(folder: Path, part: str) -> Corpus:
    """The ARK tweets: "train", "dev" or "test"."""
    words, tags = read_tagged(folder / "ark_twitter_pos" / f"{part}.tsv")
    return list(map(list, words)), list(map(list, tags))


def web_text(folder: Path, part: str, limit: int | None = None) -> Corpus:
    """The English Web Treebank with Penn tags: "train", "dev" or "test"; all sentences, or the first."""
    documents = first_documents(folder / "ud_english_ewt" / f"en_ewt-ud-{part}.conllu.gz", limit)
    sentences = [sentence for document in documents for sentence in document.sentences][:limit]
    return [list(sentence.words) for sentence in sentences], [list(sentence.tags or ()) for sentence in sentences]
